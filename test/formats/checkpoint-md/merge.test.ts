import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mergeTexts } from '../../../src/formats/checkpoint-md/merge.ts'
import { cpuMs } from '../../support/cpu-time.ts'

test.each([
  ['changes at two places', 'a\nb\nc\n', 'A\nb\nc\n', 'a\nb\nC\n', 'A\nb\nC\n'],
  ['a removal and an addition', 'a\nb\nc\nd\n', 'b\nc\nd\n', 'a\nb\nc\nnew\nd\n', 'b\nc\nnew\nd\n'],
  ['the same change on both sides', 'a\nb\nc\n', 'a\nB\nc\n', 'a\nB\nc\n', 'a\nB\nc\n'],
  ['the same change, and another', 'a\nb\nc\nd\n', 'A\nb\nc\nd\n', 'A\nb\nc\nD\n', 'A\nb\nc\nD\n'],
  ['the same removal on both sides', 'a\nb\nc\n', 'a\nc\n', 'a\nc\n', 'a\nc\n'],
  ['what both append', 'a\n', 'a\nours\n', 'a\ntheirs\n', 'a\ntheirs\nours\n'],
  ['what both append behind an open last line', 'a', 'a\nours', 'a\ntheirs', 'a\ntheirs\nours'],
  ['what ours appends behind a changed last line', 'a\nb\n', 'a\nb\nours\n', 'a\nB\n', 'a\nB\nours\n'],
  ['what ours appends where theirs removed the end', 'a\nb\n', 'a\nb\nours\n', 'a\n', 'a\nours\n'],
  ['texts that begin empty', '', 'ours\n', 'theirs\n', 'theirs\nours\n'],
  ['a closed last line and a change', 'a\nb\nc', 'a\nb\nc\n', 'A\nb\nc', 'A\nb\nc\n'],
  [
    'lines with their own line breaks',
    'a\r\nb\nc\r\n',
    'A\r\nb\nc\r\n',
    'a\r\nb\nc\r\nd\n',
    'A\r\nb\nc\r\nd\n',
  ],
  ['open last lines among CRLF', 'a', 'a\r\nours', 'a\r\ntheirs', 'a\r\ntheirs\r\nours'],
])('%s come together', (_, base, ours, theirs, merged) => {
  expect(mergeTexts(base, ours, theirs)).toBe(merged)
})

test.each([
  ['one line changed in two ways', 'a\nb\nc\n', 'a\nB\nc\n', 'a\nß\nc\n'],
  ['a line that one changed and one removed', 'a\nb\nc\n', 'a\nB\nc\n', 'a\nc\n'],
  ['neighbouring lines', 'a\nb\nc\nd\n', 'a\nB\nc\nd\n', 'a\nb\nC\nd\n'],
  ['two additions at one spot', 'a\nb\n', 'a\nours\nb\n', 'a\ntheirs\nb\n'],
  ['what theirs appends behind a last line that ours changed', 'a\nb\n', 'a\nB\n', 'a\nb\ntheirs\n'],
  ['an addition next to a removal', 'a\nb\nc\n', 'a\nc\n', 'a\nb\nnew\nc\n'],
  ['a line break that differs', 'a\nb\n', 'A\nb\n', 'a\r\nb\n'],
  ['a carriage return that would meet a line feed', 'a\nb\n', 'a\nb\n\n', 'a\nB\r'],
])('%s: a conflict', (_, base, ours, theirs) => {
  expect(mergeTexts(base, ours, theirs)).toBeNull()
})

const texts = fc
  .array(fc.constantFrom('a\n', 'b\n', '\n', 'a\r\n', 'b\r', 'c', '## h\n'), { maxLength: 15 })
  .map((parts) => parts.join(''))

test('a side that changed nothing adds nothing, and equal sides are the answer', () => {
  fc.assert(
    fc.property(texts, texts, (base, text) => {
      expect(mergeTexts(base, text, base)).toBe(text)
      expect(mergeTexts(base, base, text)).toBe(text)
      expect(mergeTexts(base, text, text)).toBe(text)
    }),
    { numRuns: 1_000 },
  )
})

/** What one side does to each line of the base: keep it, remove it, change it, add behind it. */
const edit = fc.oneof(
  { weight: 9, arbitrary: fc.constant('keep') },
  { weight: 2, arbitrary: fc.constantFrom('remove', 'change', 'add') },
)
const edits = fc.array(edit, { minLength: 12, maxLength: 12 })
type Edits = readonly string[]
const lines = Array.from({ length: 12 }, (_, index) => `line ${index}`)

function edited(by: string, what: Edits): string[] {
  return lines.flatMap((line, index) => {
    if (what[index] === 'remove') return []
    if (what[index] === 'change') return [`${line} by ${by}`]
    return what[index] === 'add' ? [line, `${by} adds ${index}`] : [line]
  })
}
const joined = (parts: readonly string[]) => parts.map((line) => `${line}\n`).join('')

test('no line that one side added is lost, and none that one side removed comes back', () => {
  let merges = 0
  fc.assert(
    fc.property(edits, edits, (one, other) => {
      const [ours, theirs] = [edited('ours', one), edited('theirs', other)]
      const merged = mergeTexts(joined(lines), joined(ours), joined(theirs))
      if (merged === null) return
      merges += 1
      const kept = lines.filter((line) => ours.includes(line) && theirs.includes(line))
      const added = [...ours, ...theirs].filter((line) => !lines.includes(line))
      expect(merged.trimEnd().split('\n').filter(Boolean).sort()).toEqual([...kept, ...added].sort())
    }),
    { numRuns: 3_000 },
  )
  expect(merges).toBeGreaterThan(300)
})

test('edits with an unchanged line between them always come together, each at its place', () => {
  // Every third line may be edited, by one side or the other: the line before the next one is always left alone.
  const owners = fc.array(fc.constantFrom('ours', 'theirs'), { minLength: 12, maxLength: 12 })
  fc.assert(
    fc.property(edits, owners, (what, owner) => {
      const only = (side: string) =>
        what.map((one, index) => (index % 3 === 0 && owner[index] === side ? one : 'keep'))
      const [ours, theirs] = [only('ours'), only('theirs')]
      const both = lines.flatMap((line, index) => {
        const by = owner[index] ?? ''
        const mine = by === 'ours' ? ours : theirs
        if (mine[index] === 'remove') return []
        if (mine[index] === 'change') return [`${line} by ${by}`]
        return mine[index] === 'add' ? [line, `${by} adds ${index}`] : [line]
      })
      expect(mergeTexts(joined(lines), joined(edited('ours', ours)), joined(edited('theirs', theirs)))).toBe(
        joined(both),
      )
    }),
  )
})

test('long texts merge in bounded time', () => {
  const base = Array.from({ length: 20_000 }, (_, index) => `line ${(index * 7919) % 20_011}\n`)
  const other = base.map((_, index) => base[(index * 7) % 20_000] ?? '').join('')
  const took = cpuMs(() => expect(mergeTexts(base.join(''), other, base.toReversed().join(''))).toBeNull())
  expect(took).toBeLessThan(8_000)
  expect(mergeTexts(base.join(''), `first\n${base.join('')}`, `${base.join('')}last\n`)).toBe(
    `first\n${base.join('')}last\n`,
  )
})
