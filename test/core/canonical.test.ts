import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, clipText, sha256, wellFormed } from '../../src/core/canonical.ts'

const HALF = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/
const anyText = fc.string({
  unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
})

test('the canonical text does not depend on the order of keys', () => {
  expect(canonicalJson({ b: [1, { d: 2, c: 3 }], a: 'x' })).toBe('{"a":"x","b":[1,{"c":3,"d":2}]}')
  expect(canonicalJson({ a: 'x', b: [1, { c: 3, d: 2 }] })).toBe(
    canonicalJson({ b: [1, { d: 2, c: 3 }], a: 'x' }),
  )
})

test('a value without JSON text is an error, not an empty checksum', () => {
  expect(() => canonicalJson(undefined)).toThrow(TypeError)
})

test('the checksum of the empty text is the well-known one', () => {
  expect(sha256('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
})

const SURROGATES: Array<[string, string]> = [
  ['a\ud800b', 'a\ufffdb'],
  ['\udc00', '\ufffd'],
  ['\ud83d\ude00', '😀'],
  ['\ude00\ud83d', '\ufffd\ufffd'],
  ['\ud83d\ud83d\ude00', '\ufffd😀'],
  ['plain', 'plain'],
]

test.each(SURROGATES)('half a pair in %j is replaced, a whole one stays', (text, sound) => {
  expect(wellFormed(text)).toBe(sound)
})

test('well-formed text always survives UTF-8 and canonical JSON', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const sound = wellFormed(text)
      expect(Buffer.from(sound, 'utf8').toString('utf8')).toBe(sound)
      expect(JSON.parse(canonicalJson({ sound }))).toEqual({ sound })
      expect(wellFormed(sound)).toBe(sound)
    }),
  )
})

test('clipped text keeps its limit, is never half a character, and shows the cut', () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 20 }), (text, limit) => {
      const short = clipText(text, limit)
      expect(short.length).toBeLessThanOrEqual(limit)
      expect(short).not.toMatch(HALF)
      expect(short.endsWith('…') || short === wellFormed(text)).toBe(true)
    }),
  )
})

test('a cut never splits an emoji', () => {
  expect(clipText('ab😀cd', 4)).toBe('ab…')
  expect(clipText('ab😀', 4)).toBe('ab😀')
})
