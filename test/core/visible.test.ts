import fc from 'fast-check'
import { expect, test } from 'vitest'
import { visible } from '../../src/core/visible.ts'

const HARMLESS = [
  '',
  'plain',
  'a\tb',
  'ünï 日本 👩‍🚀',
  '\\x1b',
  'e\u0301',
  'مرحبا',
  'שלום',
  '\u00a0',
  '\ufeff',
]

test.each(HARMLESS)('%j stays as it is', (text) => {
  expect(visible(text)).toBe(text)
})

const DRIVING: Array<[string, string]> = [
  ['\u001b[31mred', '\\x1b[31mred'],
  ['\u001b]0;title\u0007', '\\x1b]0;title\\x07'],
  ['a\rb\nc', 'a\\x0db\\x0ac'],
  ['a\bb\0', 'a\\x08b\\x00'],
  ['\u007f', '\\x7f'],
  ['\u009b2J', '\\x9b2J'],
  ['\u0085', '\\x85'],
  ['a\u202eb', 'a\\u202eb'],
  ['\u2066x\u2069', '\\u2066x\\u2069'],
  ['a\u2028b\u2029c', 'a\\u2028b\\u2029c'],
]

test.each(DRIVING)('%j is shown as %j', (text, shown) => {
  expect(visible(text)).toBe(shown)
})

test('whatever it is given, nothing that drives a terminal is left, and doing it twice changes nothing', () => {
  const anything = fc.string({
    unit: fc
      .oneof(fc.integer({ min: 0, max: 0xff }), fc.integer({ min: 0x2000, max: 0x20ff }))
      .map((code) => String.fromCharCode(code)),
  })
  fc.assert(
    fc.property(anything, (text) => {
      const shown = visible(text)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
      expect(shown).not.toMatch(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/)
      expect(visible(shown)).toBe(shown)
    }),
    { numRuns: 500 },
  )
})
