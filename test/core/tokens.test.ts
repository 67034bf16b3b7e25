import fc from 'fast-check'
import { expect, test } from 'vitest'
import { estimateTokens } from '../../src/core/tokens.ts'

const PROSE =
  'The parser reads every line once, keeps what it does not understand, and says where it stopped. ' +
  'Internationalisation of the error messages was postponed until the release after the next one.'

test('errs upward for prose: more than four thirds of a token a word, and not twice that', () => {
  const words = PROSE.split(' ').length
  expect(estimateTokens(PROSE)).toBeGreaterThanOrEqual((words * 4) / 3)
  expect(estimateTokens(PROSE)).toBeLessThan((words * 8) / 3)
})

/** Floors that no common tokenizer exceeds for the text. */
test.each([
  ['code', 'const next = items.filter(({ id }) => id !== null)', 17],
  ['a table', '| File | Status |\n|------|--------|\n| `a.ts` | done |', 20],
  ['a URL', 'https://example.org/a/b?id=42&x=y#top', 18],
  ['digits', '1234567890', 10],
  ['single digits', '1 2 3 4', 7],
  ['a timestamp', '2026-01-02T03:04:05Z', 20],
  ['a hash', 'd739c099769901bf', 14],
  ['capitals', 'SAVEPOINT_HOME', 6],
  ['CJK', '保存工作状态', 9],
  ['emoji', '😀🚀', 6],
  ['a joined emoji', '👩‍💻', 7],
  ['Cyrillic', 'сохранение', 5],
  ['accents', 'créée à côté', 6],
  ['Windows line breaks', 'a\r\nb\r\n', 4],
  ['a space', ' ', 1],
])('errs upward for %s', (_, text, floor) => {
  expect(estimateTokens(text)).toBeGreaterThanOrEqual(floor)
})

test('a line of dashes is not worth a token each', () => {
  expect(estimateTokens('-'.repeat(60))).toBe(20)
})

test('nothing costs nothing', () => {
  expect(estimateTokens('')).toBe(0)
})

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('a', 'Z', '7', ' ', '-', '|', '\n', '\r\n', 'é', 'ж', '字', '😀', '\ud83d'),
  }),
)

test('two texts cost together at most what they cost alone and one, and never less than one of them', () => {
  fc.assert(
    fc.property(anyText, anyText, (a, b) => {
      const both = estimateTokens(a + b)
      expect(both).toBeLessThanOrEqual(estimateTokens(a) + estimateTokens(b) + 1)
      expect(both).toBeGreaterThanOrEqual(Math.max(estimateTokens(a), estimateTokens(b)))
    }),
    { numRuns: 5_000 },
  )
})

test('lines cost together exactly what they cost alone', () => {
  fc.assert(
    fc.property(anyText, anyText, (a, b) => {
      const line = `x${a}\n`
      expect(estimateTokens(`${line}y${b}`)).toBe(estimateTokens(line) + estimateTokens(`y${b}`))
    }),
  )
})

test('no run of a megabyte is more than linear work', () => {
  const startedAt = performance.now()
  for (const unit of ['a', 'A', '-', ' ', '7', '字', 'a ', 'aA7-'])
    estimateTokens(unit.repeat(1_000_000 / unit.length))
  expect(performance.now() - startedAt).toBeLessThan(5_000)
})
