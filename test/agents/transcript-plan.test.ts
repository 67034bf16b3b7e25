import { expect, test } from 'vitest'
import type { TranscriptEntry } from '../../src/core/transcript.ts'
import { approved, assistant, call, heard, readRows, refusal, result, time, user } from './transcript-rows.ts'

const PLAN = '# Signed tokens\n\n1. Sign them\n2. Test'
const shown = (number: number, id = 'p', plan = PLAN) =>
  assistant(number, { content: [call(id, 'ExitPlanMode', { plan })] })
const plans = (entries: TranscriptEntry[]) => entries.filter(({ kind }) => kind === 'plan')

test('a plan is told when it is shown', () => {
  const { entries } = readRows(shown(1))
  expect(entries.slice(1)).toEqual([{ at: time(1), kind: 'plan', text: PLAN, verdict: 'shown', path: '' }])
})

test('a plan that is approved has its file, by the words to the agent', () => {
  const { entries } = readRows(
    shown(1),
    user(2, [result('p', approved('/home/dev/.claude/plans/a.md', PLAN))]),
  )
  expect(plans(entries).slice(1)).toEqual([
    { at: time(2), kind: 'plan', text: '', verdict: 'approved', path: '/home/dev/.claude/plans/a.md' },
  ])
})

test('the file of a long plan is known too, and a path in the plan is not taken for it', () => {
  const long = `${PLAN}\n${'3. More\n'.repeat(500)}Your plan has been saved to: /tmp/other.md`
  const { entries } = readRows(
    shown(1),
    user(2, [result('p', approved('/home/dev/.claude/plans/a.md', long))]),
  )
  expect(plans(entries).at(-1)).toMatchObject({ verdict: 'approved', path: '/home/dev/.claude/plans/a.md' })
})

test("by the client's own record an approved plan has its file, and the text as the user edited it", () => {
  const { entries } = readRows(
    shown(1),
    user(2, [result('p', 'User has approved your plan.')], {
      toolUseResult: { plan: '# Signed tokens\n\n1. Test first', isAgent: false, filePath: '/plans/b.md' },
    }),
  )
  expect(plans(entries).at(-1)).toEqual({
    ...{ at: time(2), kind: 'plan', verdict: 'approved', path: '/plans/b.md' },
    text: '# Signed tokens\n\n1. Test first',
  })
})

test('a plan that is refused with words: the words are a request', () => {
  const { entries } = readRows(shown(1), user(2, [result('p', refusal('Test first'), true)]))
  expect(entries.slice(2)).toMatchObject([
    { kind: 'result', refused: true },
    { kind: 'plan', text: '', verdict: 'refused', path: '' },
    { kind: 'request', how: 'refusal', text: 'Test first', about: 'p' },
  ])
})

test('a plan that is refused without words: nothing was said', () => {
  const { entries } = readRows(shown(1), user(2, [result('p', refusal(), true)]))
  expect(plans(entries).at(-1)).toMatchObject({ verdict: 'refused' })
  expect(heard(entries)).toEqual([])
})

test.each([
  ['a hook', 'PreToolUse:ExitPlanMode hook error: Review it first', {}],
  ['a rule', 'Permission to use ExitPlanMode has been denied.', { toolDenialKind: 'permission-rule' }],
  ['the client', 'You are not in plan mode.', {}],
])('a plan that %s stopped stays shown', (_, said, rest) => {
  const { entries } = readRows(shown(1), user(2, [result('p', said, true)], rest))
  expect(plans(entries)).toMatchObject([{ verdict: 'shown' }])
})

test('a plan that a hook stopped is approved when it is shown again', () => {
  const { entries } = readRows(
    shown(1, 'p'),
    user(2, [result('p', 'PreToolUse:ExitPlanMode hook error: Review it first', true)]),
    shown(3, 'r'),
    user(4, [result('r', approved('/plans/a.md', PLAN))]),
  )
  expect(plans(entries)).toMatchObject([
    { verdict: 'shown' },
    { verdict: 'shown' },
    { verdict: 'approved', path: '/plans/a.md' },
  ])
})

test('a plan that is approved with a cleared context looks refused, until the prompt hands it over', () => {
  const { entries } = readRows(
    shown(1),
    user(2, [result('p', refusal(), true)]),
    user(3, '[Request interrupted by user for tool use]'),
    user(
      4,
      `Implement the following plan:\n\n${PLAN}\n\nIf you need specific details from before exiting plan mode (like exact code), read the full transcript at: /home/dev/.claude/projects/p/s.jsonl`,
      { planContent: PLAN },
    ),
  )
  expect(entries.slice(3)).toEqual([
    { at: time(2), kind: 'plan', text: '', verdict: 'refused', path: '' },
    { at: time(3), kind: 'interrupt' },
    { at: time(4), kind: 'plan', text: PLAN, verdict: 'approved', path: '' },
    {
      at: time(4),
      kind: 'request',
      how: 'prompt',
      text: 'Implement the following plan: Signed tokens',
      about: '',
      isUnsure: true,
    },
  ])
})

test('a new file that begins with a plan has it approved', () => {
  const { entries } = readRows(user(1, 'Implement the following plan:\n\nSign the tokens.\nThen test.'))
  expect(entries).toMatchObject([
    { kind: 'plan', text: 'Sign the tokens.\nThen test.', verdict: 'approved' },
    { kind: 'request', text: 'Implement the following plan: Sign the tokens.' },
  ])
})

test('a user who speaks of a plan in one line makes a request and no plan', () => {
  const { entries } = readRows(user(1, 'Implement the following plan: sign the tokens'))
  expect(entries).toMatchObject([{ kind: 'request', text: 'Implement the following plan: sign the tokens' }])
})
