import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withoutOlder } from '../../src/engine/surroundings/note-files.ts'
import { noteTime } from '../../src/formats/note-json/layout.ts'

const NOW = Date.UTC(2026, 5, 15, 12)

const two = (from: number, to: number) =>
  fc.integer({ min: from, max: to }).map((n) => `${n}`.padStart(2, '0'))
/** Days and hours that do not exist are among them, and times to come. */
const noteName = fc
  .tuple(
    fc.constantFrom('2025', '2026'),
    two(0, 13),
    two(0, 32),
    two(0, 25),
    two(0, 61),
    fc.constantFrom('', '_000', '_001', '_999', '_1', '_431-70b427a05187', '_431-b8b8', '-copy', ' 2'),
  )
  .map(
    ([year, month, day, hours, minutes, more]) => `${year}${month}${day}T${hours}${minutes}00Z${more}.json`,
  )

test('of many notes those are left whose names are the newest, and all whose names say no past time', () => {
  const names = fc.uniqueArray(fc.oneof(noteName, fc.constantFrom('a.json', 'notes.json', '2026.JSON')), {
    maxLength: 60,
  })
  fc.assert(
    fc.property(names, fc.integer({ min: 1, max: 8 }), (all, most) => {
      const { left, total } = withoutOlder(all, { most, nowMs: NOW })
      expect(total).toBe(all.length)
      const isPast = (name: string) => (noteTime(name) ?? NOW + 1) <= NOW
      const newest = (some: readonly string[]) =>
        some
          .filter(isPast)
          .sort((a, b) => (noteTime(b) ?? 0) - (noteTime(a) ?? 0) || (a < b ? 1 : -1))
          .slice(0, most)
      expect(newest(left)).toEqual(newest(all))
      expect(left).toEqual(expect.arrayContaining(all.filter((name) => !isPast(name))))
    }),
  )
})

test('of ten thousand notes a few are looked at', () => {
  const names = Array.from({ length: 10_000 }, (_, n) => `20260101T${`${n}`.padStart(6, '0')}Z.json`).filter(
    (name) => noteTime(name) !== null,
  )
  expect(names.length).toBeGreaterThan(3_000)
  expect(withoutOlder(names, { most: 8, nowMs: NOW })).toEqual({
    left: names.slice(-8).reverse(),
    total: names.length,
  })
})
