import fc from 'fast-check'
import { expect, test } from 'vitest'
import { emptyWork, type WorkState } from '../../src/core/work.ts'
import { mergeEditedWork } from '../../src/policy/merge-edited-work.ts'

const AT = '2026-01-02T03:04:05.000Z'
const claim = (text: string, more = {}) => ({ text, origin: 'agent' as const, confirmed: false, ...more })
const fromFile = (text: string, more = {}) => ({ text, origin: 'file' as const, confirmed: true, ...more })

const BEFORE: WorkState = {
  ...emptyWork(),
  problem: 'It ends',
  now: 'Wiring the form',
  decisions: [
    { ...claim('JWT over cookies'), why: 'the app has no session', supersededBy: null },
    { ...claim('Cookies', { confirmed: true }), why: '', supersededBy: 'JWT over cookies' },
  ],
  rules: [claim('No force push')],
  done: [{ text: 'Read the code', at: AT }],
  artifacts: [
    { path: 'src/a.ts', action: 'modified', description: 'the form', seen: 'abc' },
    { path: 'old.ts', action: 'deleted', description: '' },
  ],
  references: [
    { kind: 'command', text: 'npm test' },
    { kind: 'learning', text: 'Clocks differ' },
  ],
  position: { ...emptyWork().position, planName: 'login', stage: '3', tddPhase: 'red' },
}

test('what the file says counts, and what its format does not hold stays', () => {
  const work = mergeEditedWork(BEFORE, { now: 'Refresh', rules: [fromFile('Small commits')], decisions: [] })
  const { corrected, ...rest } = work
  expect(rest).toEqual({ ...BEFORE, now: 'Refresh', rules: [fromFile('Small commits')], decisions: [] })
  // What was taken out by hand does not come back with the work of an older session.
  expect(corrected).toContainEqual({ field: 'rules', text: 'No force push' })
})

test('why a decision was rejected goes with what a file says became of it', () => {
  const rejected = {
    ...BEFORE.decisions[0],
    text: 'Cookies',
    why: '',
    origin: 'user',
    confirmed: true,
  } as const
  const before = { ...BEFORE, decisions: [{ ...rejected, supersededBy: 'Cookies', rejected: 'no session' }] }
  const fromDocument = (more: object) =>
    mergeEditedWork(before, { decisions: [{ ...rejected, origin: 'file', ...more } as never] }).decisions
  expect(fromDocument({ supersededBy: 'Cookies', rejected: 'no session' })).toEqual(before.decisions)
  expect(fromDocument({ supersededBy: null })).toEqual([{ ...rejected, supersededBy: null }])
})

test('an empty text that the file says counts: it was emptied', () => {
  expect(mergeEditedWork(BEFORE, { now: '', problem: '' })).toMatchObject({ now: '', problem: '' })
})

test('an item that is known keeps what the format has no room for', () => {
  const work = mergeEditedWork(BEFORE, {
    decisions: [{ ...fromFile('JWT  over\ncookies'), why: '', supersededBy: null }],
    done: [{ text: ' Read the code ', at: null }],
    artifacts: [{ path: 'src/a.ts', action: '', description: '' }],
  })
  expect(work.decisions).toEqual([
    {
      text: 'JWT  over\ncookies',
      origin: 'agent',
      confirmed: true,
      why: 'the app has no session',
      supersededBy: null,
    },
  ])
  expect(work.done).toEqual([{ text: ' Read the code ', at: AT }])
  expect(work.artifacts).toEqual([BEFORE.artifacts[0]])
})

test('what an item says anew counts: a reason, a mark, who replaced it', () => {
  const [was] = BEFORE.decisions
  const said = {
    ...fromFile('JWT over cookies', { confirmed: true }),
    why: 'we say so',
    supersededBy: 'Passkeys',
  }
  expect(mergeEditedWork(BEFORE, { decisions: [said] }).decisions).toEqual([{ ...said, origin: was?.origin }])
  const theirs = { ...said, origin: 'user' as const }
  expect(mergeEditedWork(BEFORE, { decisions: [theirs] }).decisions).toEqual([theirs])
})

test('a file that takes the mark away confirms, and one that sets it doubts', () => {
  const confirmed = mergeEditedWork(BEFORE, { rules: [fromFile('No force push')] })
  expect(confirmed.rules).toEqual([claim('No force push', { confirmed: true })])
  expect(
    mergeEditedWork(confirmed, { rules: [fromFile('No force push', { confirmed: false })] }).rules,
  ).toEqual([claim('No force push')])
})

test('references are the same only where kind and text are', () => {
  const said = { references: [{ kind: 'id', text: 'npm test' }] }
  expect(mergeEditedWork(BEFORE, said).references).toEqual(said.references)
})

test('of a position, what the file is silent about stays', () => {
  const said = { position: { ...emptyWork().position, stage: '4' } }
  expect(mergeEditedWork(BEFORE, said).position).toEqual({ ...BEFORE.position, stage: '4' })
})

test('of a position, what the page said before the edit is no news', () => {
  const shown = { position: { ...emptyWork().position, stage: '2', tddPhase: 'red' } }
  const said = { position: { ...shown.position, tddPhase: 'green' } }
  const before = { ...BEFORE, position: { ...BEFORE.position, stage: '3', tddPhase: 'red' } }
  expect(mergeEditedWork(before, said, shown).position).toMatchObject({ stage: '3', tddPhase: 'green' })
})

test('what a file says again, word for word, changes nothing', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ text: fc.string(), why: fc.string(), confirmed: fc.boolean() }), { maxLength: 6 }),
      (decisions) => {
        const known = new Map(decisions.map((one) => [one.text.replace(/\s+/g, ' ').trim(), one]))
        const work: WorkState = {
          ...BEFORE,
          decisions: [...known.values()].map((one) => ({ ...one, origin: 'agent', supersededBy: null })),
        }
        const said = work.decisions.map((one) => ({ ...one, origin: 'file' as const }))
        expect(mergeEditedWork(work, { decisions: said })).toEqual(work)
      },
    ),
  )
})
