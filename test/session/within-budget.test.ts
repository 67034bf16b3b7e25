import fc from 'fast-check'
import { expect, test } from 'vitest'
import { estimateTokens } from '../../src/core/tokens.ts'
import { withinBudget } from '../../src/engine/brief/brief-of.ts'
import { renderNotes } from '../../src/formats/brief-md/render.ts'

const TITLE = 'Known before the compaction, missing from its summary'

test('what has room is told in its order, and the rest is counted', () => {
  const lines = Array.from(
    { length: 60 },
    (_, at) => `Decided: number ${at} over the other because of the reason`,
  )
  const told = withinBudget(lines, 1_000)
  const shown = told.slice(0, -1)
  expect(shown.length).toBeGreaterThan(30)
  expect(shown).toEqual(lines.slice(0, shown.length))
  expect(told.at(-1)).toBe(`${60 - shown.length} more: savepoint resume`)
  expect(withinBudget(lines.slice(0, 5), 1_000)).toEqual(lines.slice(0, 5))
})

test('no lines, in whatever language, are above the budget', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string(), fc.string({ unit: 'grapheme', maxLength: 600 })), { maxLength: 60 }),
      fc.integer({ min: 200, max: 2_000 }),
      (lines, budget) => {
        expect(estimateTokens(renderNotes(TITLE, withinBudget(lines, budget)))).toBeLessThanOrEqual(budget)
      },
    ),
    { numRuns: 300 },
  )
})
