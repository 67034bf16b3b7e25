import { expect, test } from 'vitest'
import { addWindowSample, type WindowSample } from '../../src/core/window-fill.ts'

const fill = (tokens: readonly number[]) => {
  const samples: WindowSample[] = []
  for (const [minute, count] of tokens.entries())
    addWindowSample(samples, { atMs: minute * 60_000, tokens: count })
  return samples
}

test('a call that is told again, and one without a time, add nothing', () => {
  const samples = fill([10, 10, 20])
  addWindowSample(samples, { atMs: Number.NaN, tokens: 30 })
  expect(samples).toEqual([
    { atMs: 0, tokens: 10 },
    { atMs: 120_000, tokens: 20 },
  ])
})

test('of a long session a hundred are left, from its beginning to its end, with both sides of a compaction', () => {
  const tokens = Array.from({ length: 5_000 }, (_, call) => (call % 1_700) * 100 + 1)
  const samples = fill(tokens)
  expect(samples.length).toBeLessThanOrEqual(100)
  expect(samples.length).toBeGreaterThan(50)
  expect(samples[0]?.atMs).toBe(0)
  expect(samples.at(-1)).toEqual({ atMs: 4_999 * 60_000, tokens: tokens.at(-1) })
  const counts = samples.map((one) => one.tokens)
  expect(counts.filter((count) => count === 169_901)).toHaveLength(2)
  expect(counts.filter((count) => count === 1)).toHaveLength(3)
})
