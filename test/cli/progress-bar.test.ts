import fc from 'fast-check'
import { expect, test } from 'vitest'
import { barOf, progressBar } from '../../src/apps/cli/progress-bar.ts'

/** A bar on a screen of so many columns, with a clock that is set by hand. */
function bar(columns: number | null) {
  const written: string[] = []
  const clock = { now: 1_000 }
  const made = progressBar({
    write: (text) => written.push(text),
    columns: () => columns,
    now: () => clock.now,
  })
  return { ...made, written, clock }
}

test('quick work shows no bar', () => {
  const { progress, written, clock } = bar(80)
  for (let done = 0; done <= 100; done += 1) {
    progress(done, 100)
    clock.now += 2
  }
  expect(written).toEqual([])
})

test('longer work shows one, at most ten times a second, and takes it away at the end', () => {
  const { progress, written, clock } = bar(80)
  for (let done = 0; done <= 1_000; done += 1) {
    progress(done, 1_000)
    clock.now += 2
  }
  const drawn = written.slice(0, -1)
  expect(drawn.length).toBeGreaterThan(10)
  expect(drawn.length).toBeLessThanOrEqual(17)
  for (const text of drawn) {
    expect(text).toMatch(/^\r\[=* *\] \d+ of 1000/)
    expect(text.endsWith('\x1b[K')).toBe(true)
  }
  expect(written.at(-1)).toBe('\r\x1b[K')
})

test('work that stops half way leaves no bar behind', () => {
  const { progress, end, written, clock } = bar(80)
  progress(0, 10)
  clock.now += 400
  progress(1, 10)
  end()
  end()
  expect(written).toEqual([expect.stringContaining('1 of 10'), '\r\x1b[K'])
})

test('nobody watches: nothing is written', () => {
  const { progress, end, written, clock } = bar(null)
  progress(0, 10)
  clock.now += 4_000
  progress(1, 10)
  end()
  expect(written).toEqual([])
})

test('a second piece of work is given its own patience', () => {
  const { progress, written, clock } = bar(80)
  progress(0, 2)
  clock.now += 400
  progress(2, 2)
  progress(0, 2)
  clock.now += 200
  progress(1, 2)
  expect(written).toEqual([])
})

test('a bar fits into 40 columns', () => {
  expect(barOf(1_200, 4_800, 40)).toBe('[======                  ] 1200 of 4800')
})

test('a bar never reaches the last column', () => {
  fc.assert(
    fc.property(
      fc.nat(1_000_000),
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.integer({ min: 1, max: 300 }),
      (done, total, columns) => {
        expect(barOf(done, total, columns).length).toBeLessThan(columns)
      },
    ),
  )
})
