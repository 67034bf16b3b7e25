import { describe, expect, test } from 'vitest'
import { type ContextUse, noStatistics } from '../../src/core/session.ts'
import { budgetOf } from '../../src/policy/window.ts'
import { T0 } from './sample.ts'
import { after } from './session-sample.ts'

const MINUTE = 60_000
const use = (tokens: number, window: number | null = 200_000): ContextUse => ({
  ...{ tokens, window, model: 'a-model', at: after(0) },
})
const budget = (context: ContextUse | null, more: Partial<Parameters<typeof budgetOf>[0]> = {}) =>
  budgetOf({
    context,
    statistics: noStatistics(),
    startedAtMs: T0,
    nowMs: T0 + 10 * MINUTE,
    compactions: 0,
    samples: [],
    ...more,
  })

test('consumption, headroom and burn rate [002.65] [002.66]', () => {
  const tokensConsumed = { input: 1, output: 20, cacheRead: 300, cacheCreation: 4_000 }
  expect(budget(use(50_000), { statistics: { tokensConsumed } })).toEqual({
    consumed: 4_321,
    used: 50_000,
    window: 200_000,
    usedPercent: 25,
    headroom: 150_000,
    pressure: 'low',
    burnPerMinute: 5_000,
    minutesLeft: 30,
    thresholds: [
      { percent: 70, tokens: 140_000, left: 90_000 },
      { percent: 85, tokens: 170_000, left: 120_000 },
    ],
    warnings: [],
    advice: [],
  })
})

const FILLED: Array<[number, number, string[], string[]]> = [
  [99_999, 0, [], []],
  [100_000, 0, [], ['delegate']],
  [139_999, 1, [], ['delegate']],
  [140_000, 0, ['70 % full'], ['delegate', 'save']],
  [169_999, 0, ['84.9 % full'], ['delegate', 'save']],
  [170_000, 0, ['85 % full'], ['delegate', 'save', 'clear']],
  [250_000, 0, ['125 % full'], ['delegate', 'save', 'clear']],
  [10_000, 2, ['compacted 2 times'], ['save', 'clear']],
  [170_000, 3, ['85 % full', 'compacted 3 times'], ['delegate', 'save', 'clear']],
]

test.each(FILLED)(
  '%i of 200,000 tokens after %i compactions [002.67] [002.68]',
  (tokens, compactions, warnings, advice) => {
    const seen = budget(use(tokens), { compactions })
    expect(seen.warnings.map((text, index) => text.includes(warnings[index] ?? '?'))).toEqual(
      warnings.map(() => true),
    )
    expect(seen.advice.map(({ kind }) => kind)).toEqual(advice)
    expect(seen.advice.every(({ text }) => text !== '')).toBe(true)
    expect(seen.headroom).toBe(Math.max(0, 200_000 - tokens))
  },
)

describe('what is not known', () => {
  test('a window of unknown size has no percentage, and it is said', () => {
    const seen = budget(use(50_000, null))
    expect(seen).toMatchObject({ used: 50_000, window: null, usedPercent: null, headroom: null })
    expect(seen).toMatchObject({ pressure: null, minutesLeft: null, burnPerMinute: 5_000 })
    expect(seen.warnings).toEqual(['The size of the context window is unknown, so there is no percentage.'])
  })

  test.each([null, use(0), use(Number.NaN)])('no usage, or zero, is unknown and not empty', (context) => {
    const seen = budget(context)
    expect(seen).toMatchObject({ used: null, usedPercent: null, headroom: null, pressure: null })
    expect(seen).toMatchObject({ burnPerMinute: null, minutesLeft: null, advice: [] })
    expect(seen.warnings).toHaveLength(1)
    expect(seen.warnings[0]).toContain('unknown')
  })
})

describe('the burn rate', () => {
  const samples = (...tokens: number[]) =>
    tokens.map((count, index) => ({ atMs: T0 + index * MINUTE, tokens: count }))

  test.each([
    [samples(10_000, 20_000, 40_000), 15_000],
    [samples(150_000, 180_000, 20_000, 24_000), 4_000],
    [samples(150_000, 0, 20_000, 24_000), 4_000],
    [samples(20_000, 20_000), 0],
  ])('is taken since the window last got emptier', (given, burn) => {
    const seen = budget(use(100_000), { samples: given, compactions: 1 })
    expect(seen.burnPerMinute).toBe(burn)
    expect(seen.minutesLeft).toBe(burn === 0 ? null : Math.floor(100_000 / burn))
  })

  test('without samples it is that of the session, unless a compaction or too short a time hides it', () => {
    expect(budget(use(50_000)).burnPerMinute).toBe(5_000)
    expect(budget(use(50_000), { compactions: 1 }).burnPerMinute).toBeNull()
    expect(budget(use(50_000), { nowMs: T0 + MINUTE - 1 }).burnPerMinute).toBeNull()
    expect(budget(use(50_000), { samples: samples(9) }).burnPerMinute).toBe(5_000)
  })
})
