import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import { estimateTokens } from '../../src/core/tokens.ts'
import { cpuMs } from '../support/cpu-time.ts'
import { BRIEF, KINDS, NOISES } from './token-corpora.ts'
import { LANGUAGES, type Language, sentences } from './token-sentences.ts'

const ratioOf = (text: string) => estimateTokens(text) / countTokens(text)

/** Of these the estimate sees the accents alone. */
const MOST: Partial<Record<Language, number>> = { german: 1.25, french: 1.25 }

describe('against the real count of o200k', () => {
  test.each(Object.entries(KINDS))('100 KB of %s: at most a tenth above it, and not below', (_, kind) => {
    const text = kind()
    expect(Buffer.byteLength(text)).toBeGreaterThan(98_000)
    expect(ratioOf(text)).toBeGreaterThanOrEqual(1)
    expect(ratioOf(text)).toBeLessThanOrEqual(1.1)
  })

  test.each(LANGUAGES)('20 KB of %s: little above it, and at most a twentieth below', (language) => {
    const text = sentences(language, 20_000)
    expect(Buffer.byteLength(text)).toBeGreaterThan(20_000)
    expect(new Set(text.split('\n')).size).toBe(text.split('\n').length)
    expect(ratioOf(text)).toBeGreaterThanOrEqual(0.95)
    expect(ratioOf(text)).toBeLessThanOrEqual(MOST[language] ?? 1.15)
  })

  test.each(Object.entries(NOISES))('20 KB of %s: at most a fifth above it, and not below', (_, noise) => {
    const text = noise()
    expect(Buffer.byteLength(text)).toBeGreaterThan(18_000)
    expect(ratioOf(text)).toBeGreaterThanOrEqual(1)
    expect(ratioOf(text)).toBeLessThanOrEqual(1.2)
  })

  test('500 characters of a brief, wherever they begin: not below it', () => {
    const lines = BRIEF.split(/(?<=\n)/)
    for (const at of lines.keys()) {
      const text = lines.slice(at).join('')
      const end = text.indexOf('\n', 500)
      if (end < 0) break
      expect([text.slice(0, end), ratioOf(text.slice(0, end)) >= 1]).toEqual([text.slice(0, end), true])
    }
  })
})

test.each([
  [
    'prose',
    'The parser reads every line once, keeps what it does not understand, and says where it stopped.',
  ],
  ['code', 'const next = items.filter(({ id }) => id !== null)'],
  ['a table', '| File | Status |\n|------|--------|\n| `a.ts` | done |'],
  ['a URL', 'https://example.org/a/b?id=42&x=y#top'],
  ['digits', '1234567890'],
  ['single digits', '1 2 3 4'],
  ['a timestamp', '2026-01-02T03:04:05Z'],
  ['a hash', 'd739c099769901bf'],
  ['capitals', 'SAVEPOINT_HOME'],
  ['CJK', '保存工作状态'],
  ['emoji', '😀🚀'],
  ['a joined emoji', '👩‍💻'],
  ['Cyrillic', 'Сначала сохранение, потом тесты'],
  ['accents', 'créée à côté'],
  ['Windows line breaks', 'a\r\nb\r\n'],
  ['a space', ' '],
])('errs upward for %s', (_, text) => {
  expect(estimateTokens(text)).toBeGreaterThanOrEqual(countTokens(text))
})

test('a line of dashes is not worth a token each', () => {
  expect(estimateTokens('-'.repeat(60))).toBe(3)
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

test('a text never costs less than its beginning', () => {
  fc.assert(
    fc.property(anyText, anyText, (a, b) => {
      expect(estimateTokens(a + b)).toBeGreaterThanOrEqual(estimateTokens(a))
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
  const took = cpuMs(() => {
    for (const unit of ['a', 'A', '-', ' ', '7', '字', 'a ', 'aA7-'])
      estimateTokens(unit.repeat(1_000_000 / unit.length))
  })
  expect(took).toBeLessThan(5_000)
})
