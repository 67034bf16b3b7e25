import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type DueInput, dueOf } from '../../src/policy/due.ts'

const HOUR = 3_600_000
const quiet: DueInput = {
  savedAgeMs: HOUR,
  filesChanged: 0,
  commitsSince: 0,
  branch: null,
  stage: null,
  decisionsSinceDelta: 0,
  hasDocument: true,
  steps: null,
}
const due = (seen: Partial<DueInput>) => dueOf({ ...quiet, ...seen }).map(({ what, why }) => `${what}/${why}`)
const branch = { was: 'main', now: 'tokens' }
const stage = { was: 'build', now: 'review' }

describe('each rule, with a document and without one', () => {
  test.each<[string, Partial<DueInput>, string[], string[]]>([
    ['nothing happened', {}, [], []],
    ['nothing is saved', { savedAgeMs: null }, ['save/first'], ['save/first']],
    ['the stage moved', { stage }, ['delta/phase'], ['save/phase']],
    ['all steps are done', { steps: { done: 7, total: 7 } }, ['delta/phase'], ['save/phase']],
    ['a decision was made', { decisionsSinceDelta: 1 }, ['delta/decision'], []],
    ['the branch changed', { branch }, ['new/shift'], ['save/shift']],
    ['many commits came', { commitsSince: 21 }, ['new/shift'], ['save/shift']],
    ['files changed long ago', { savedAgeMs: 3 * HOUR, filesChanged: 1 }, ['save/long'], ['save/long']],
    ['commits came long ago', { savedAgeMs: 3 * HOUR, commitsSince: 1 }, ['save/long'], ['save/long']],
  ])('%s', (_, seen, withDocument, without) => {
    expect(due(seen)).toEqual(withDocument)
    expect(due({ ...seen, hasDocument: false })).toEqual(without)
  })
})

describe('the borders', () => {
  test.each<[string, Partial<DueInput>]>([
    ['20 commits', { commitsSince: 20 }],
    ['unknown commits', { commitsSince: null }],
    ['two hours to the millisecond', { savedAgeMs: 2 * HOUR, filesChanged: 9 }],
    ['a long time without a change', { savedAgeMs: 99 * HOUR }],
    ['a long time with unknown commits', { savedAgeMs: 99 * HOUR, commitsSince: null }],
    ['a step is open', { steps: { done: 6, total: 7 } }],
    ['a plan without steps', { steps: { done: 0, total: 0 } }],
    ['the same branch', { branch: { was: 'main', now: 'main' } }],
    ['the same stage', { stage: { was: 'build', now: 'build' } }],
    ['files changed a moment ago', { savedAgeMs: 0, filesChanged: 50 }],
  ])('nothing is due: %s', (_, seen) => {
    expect(due(seen)).toEqual([])
  })

  test('a millisecond over two hours is long', () => {
    expect(due({ savedAgeMs: 2 * HOUR + 1, filesChanged: 1 })).toEqual(['save/long'])
  })
})

describe('several at once', () => {
  const all: Partial<DueInput> = {
    ...{ savedAgeMs: 3 * HOUR, filesChanged: 2, commitsSince: 30, branch, stage, decisionsSinceDelta: 4 },
    steps: { done: 1, total: 1 },
  }

  test('each kind comes once, for its best reason, the most important first', () => {
    expect(due(all)).toEqual(['delta/phase', 'new/shift', 'save/long'])
    expect(due({ ...all, stage: null, steps: null })).toEqual(['delta/decision', 'new/shift', 'save/long'])
    expect(due({ ...all, hasDocument: false })).toEqual(['save/phase'])
    expect(due({ ...all, savedAgeMs: null, hasDocument: false })).toEqual(['save/first'])
  })

  test('whatever is seen: no kind twice, each with one sentence and a command', () => {
    const pair = (...names: string[]) =>
      fc.option(fc.record({ was: fc.constantFrom(...names), now: fc.constantFrom(...names) }))
    const seen = fc.record<DueInput>({
      savedAgeMs: fc.option(fc.nat(9 * HOUR)),
      filesChanged: fc.nat(3),
      commitsSince: fc.option(fc.nat(40)),
      branch: pair('a', 'b'),
      stage: pair('', 'a', 'b'),
      decisionsSinceDelta: fc.nat(2),
      hasDocument: fc.boolean(),
      steps: fc.option(fc.record({ done: fc.nat(3), total: fc.nat(3) })),
    })
    fc.assert(
      fc.property(seen, (input) => {
        const found = dueOf(input)
        expect(new Set(found.map(({ what }) => what)).size).toBe(found.length)
        if (!input.hasDocument) expect(found.every(({ what }) => what === 'save')).toBe(true)
        for (const { text, command, what } of found) {
          expect(text).toMatch(/^[A-Z0-9][^\n]*[^ .]\.$/)
          expect(command.startsWith(`savepoint ${what} `)).toBe(true)
        }
      }),
    )
  })
})

test.each<[Partial<DueInput>, string, string]>([
  [{ savedAgeMs: null }, 'Nothing is saved yet.', 'savepoint save "…"'],
  [{ stage }, 'The plan moved from stage build to review.', 'savepoint delta --what "…" --trigger phase'],
  [
    { stage: { was: '', now: 'build' } },
    'The plan is now at stage build.',
    'savepoint delta --what "…" --trigger phase',
  ],
  [
    { stage: { was: 'build', now: '' } },
    'The plan has left stage build.',
    'savepoint delta --what "…" --trigger phase',
  ],
  [
    { steps: { done: 2, total: 2 } },
    'All steps of the plan are done.',
    'savepoint delta --what "…" --trigger phase',
  ],
  [
    { decisionsSinceDelta: 1 },
    '1 decision not yet in the document.',
    'savepoint delta --what "…" --trigger decision',
  ],
  [{ branch }, 'The last save was on branch main; this is tokens.', 'savepoint new <id> --current'],
  [{ commitsSince: 21 }, '21 commits since the last save.', 'savepoint new <id> --current'],
  [
    { savedAgeMs: 5.9 * HOUR, filesChanged: 2, commitsSince: 1 },
    'The last save is 5 hours old: 2 files changed and 1 new commit since.',
    'savepoint save "…"',
  ],
])('%j is told in a sentence, with the command for it', (seen, text, command) => {
  expect(dueOf({ ...quiet, ...seen })).toMatchObject([{ text, command }])
})
