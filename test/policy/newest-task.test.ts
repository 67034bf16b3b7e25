import { expect, test } from 'vitest'
import type { Talk, Talks } from '../../src/policy/brief/brief-talk.ts'
import { findEarlierFields, type SaidFields, type TaskField } from '../../src/policy/brief/newest-task.ts'
import { around, edits, foldAll, request, runs, says, timed, type Untimed } from './digest/sample.ts'

const HOUR = 3_600_000
/** The first thing of a session of the sample is said then. */
const BEGUN = Date.UTC(2026, 0, 2, 10)
const NOW = BEGUN + HOUR

const talk = (id: string, entries: Array<Untimed | Untimed[]>, more: Partial<Talk> = {}): Talk => ({
  ...{ id, age: '1 hour', state: 'ended', isLive: false, parent: null },
  digest: foldAll(timed(entries.flat())),
  ...more,
})
const WORKED = [request('Write the export of the invoices.'), edits('a.ts'), says('Written.')]
const talks = (main: Talk, before: Talk[] = []): Talks => ({ main, after: [], before, around: around() })
const said = (
  fields: Partial<Record<TaskField, [hoursBefore: number, session: string | null]>>,
): SaidFields =>
  new Map(
    Object.entries(fields).map(([field, [hours, session]]) => [
      // `as`: the keys are those of the argument.
      field as TaskField,
      { at: new Date(BEGUN - hours * HOUR).toISOString(), session, isOlder: false },
    ]),
  )
const found = (fields: Parameters<typeof said>[0], sessions: Talks | null) => {
  const { hasNewerTask, ages, over } = findEarlierFields(said(fields), sessions, NOW)
  return { hasNewerTask, ages: Object.fromEntries(ages), over: [...over] }
}
const NONE = { hasNewerTask: false, ages: {}, over: [] }

test('what was saved before the newest session was asked for something is of an earlier task', () => {
  expect(
    found({ intent: [143, 'old'], next: [2, null], now: [-0.5, 'new'] }, talks(talk('new', WORKED))),
  ).toEqual({
    hasNewerTask: true,
    ages: { intent: '6 days ago', next: '3 hours ago' },
    over: [],
  })
})

test.each<[string, Talks | null]>([
  ['no session is known', null],
  [
    'the session only answered a question',
    talks(talk('new', [request('What does git stash -u do here?'), says('It…')])),
  ],
  ['nobody typed more than a few words', talks(talk('new', [request('go on'), edits('a.ts')]))],
  ['it was cleared, and goes on', talks(talk('new', WORKED, { parent: 'old' }))],
  [
    'it was cleared twice, and goes on',
    talks(talk('new', WORKED, { parent: 'mid' }), [talk('mid', WORKED, { parent: 'old' })]),
  ],
])('nothing is of an earlier task where %s', (_, sessions) => {
  expect(found({ intent: [2, 'old'] }, sessions)).toEqual(NONE)
})

test('within one conversation it is of an earlier task after a day', () => {
  const main = talk('new', WORKED)
  expect(found({ intent: [20, 'new'] }, talks(main))).toEqual(NONE)
  expect(found({ intent: [25, 'new'] }, talks(main)).hasNewerTask).toBe(true)
})

test('without a newer task a goal that is a day older than the rest is told with its age, in its place', () => {
  expect(found({ intent: [100, null], next: [100, null], now: [1, null] }, null)).toEqual({
    ...NONE,
    ages: { intent: '4 days ago' },
  })
  expect(found({ intent: [10, null], now: [1, null] }, null)).toEqual(NONE)
})

test('a walk that ended too early says so', () => {
  const fields: SaidFields = new Map([
    ['intent', { at: new Date(BEGUN - 50 * HOUR).toISOString(), session: null, isOlder: true }],
  ])
  const { ages } = findEarlierFields(fields, talks(talk('new', WORKED)), NOW)
  expect(ages.get('intent')).toBe('over 2 days ago')
})

test('what a session said that ended with its task done is over, but for what it left to do', () => {
  const done = talk('old', [
    request('Move the login to tokens.'),
    runs('git commit -m "Login"', '[main 1a2b3c4] Login'),
    says('Done.'),
  ])
  const sessions = talks(talk('new', WORKED), [done])
  expect(found({ intent: [50, 'old'], now: [50, 'old'] }, sessions).over).toEqual(['intent', 'now'])
  expect(found({ intent: [50, 'old'], now: [50, 'old'], next: [50, 'old'] }, sessions).over).toEqual(['now'])
  const left = talks(talk('new', WORKED), [
    talk('old', [request('Move the login to tokens.'), edits('a.ts')]),
  ])
  expect(found({ intent: [50, 'old'], now: [50, 'old'] }, left).over).toEqual([])
})
