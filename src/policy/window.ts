import type { Pressure } from '../core/checkpoint.ts'
import { type ContextUse, type Statistics, totalTokens } from '../core/session.ts'
import type { WindowSample } from '../core/window-fill.ts'
import { BUDGET_ADVICE, BUDGET_WARNINGS, NUDGES } from './agent-words.ts'

/** From which percentage on the window presses: at the first it is time to save, at the second also to clear. */
const THRESHOLDS = [
  { percent: 70, pressure: 'medium' },
  { percent: 85, pressure: 'high' },
] as const

export const windowPressure = (usedPercent: number): Pressure =>
  THRESHOLDS.findLast(({ percent }) => usedPercent >= percent)?.pressure ?? 'low'

/** After so many compactions of one session a fresh one serves better. */
export const MANY_COMPACTIONS = 2

export interface Nudge {
  /** What it is remembered by: each is given once in a session. */
  key: '70' | '85' | 'compactions'
  /** Null where a stronger one says it, or where advice would only disturb. */
  text: string | null
}

interface Situation {
  /** Null where nobody can say how full the window is. */
  usedPercent: number | null
  compactions: number
  /** The keys of those given before. */
  nudged: readonly string[]
  /** The work was handed off: it is still saved, but no advice is given. */
  handedOff: boolean
}

/** Advice that is newly due; only the strongest is given as text. */
export function nudgesFor({ usedPercent, compactions, nudged, handedOff }: Situation): Nudge[] {
  const pressure = windowPressure(usedPercent ?? 0)
  const full = Math.floor(usedPercent ?? 0)
  const isFull = pressure === 'high' || nudged.includes('85')
  const due = (
    [
      ['85', pressure === 'high', NUDGES.full(full)],
      ['compactions', compactions >= MANY_COMPACTIONS, NUDGES.compacted(compactions)],
      ['70', pressure !== 'low', NUDGES.filling(full)],
    ] as const
  ).filter(([key, isDue]) => isDue && !nudged.includes(key))
  return due.map(([key, , text], place) => {
    const isSpoken = place === 0 && !handedOff && !(key === '70' && isFull)
    return { key, text: isSpoken ? text : null }
  })
}

/** From here on large reads and searches belong into a helper's window. */
export const DELEGATE_FROM_PERCENT = 50

interface BudgetInput {
  context: ContextUse | null
  statistics: Pick<Statistics, 'tokensConsumed'>
  startedAtMs: number
  nowMs: number
  compactions: number
  /** Oldest first; may be none. */
  samples: readonly WindowSample[]
}

export interface Advice {
  kind: keyof typeof BUDGET_ADVICE
  text: string
}

/** What a session has used and has left. Whatever cannot be known is null, and a warning says so. */
export type Budget = ReturnType<typeof budgetOf>

export function budgetOf(input: BudgetInput) {
  const state = windowState(input.context)
  const { used, window, usedPercent, pressure } = state
  const headroom = used === null || window === null ? null : Math.max(0, window - used)
  const burnPerMinute = burnOf(input, used)
  return {
    /** All tokens of the session, each call counted; `used` are those in the window at the last call. */
    consumed: totalTokens(input.statistics.tokensConsumed),
    ...{ ...state, headroom, burnPerMinute },
    minutesLeft: headroom === null || !burnPerMinute ? null : Math.floor(headroom / burnPerMinute),
    // In tokens, and how many are left until it: 0 where it is passed, null where nobody can say.
    thresholds: THRESHOLDS.map(({ percent }) => {
      const tokens = window === null ? null : Math.ceil((window * percent) / 100)
      return { percent, tokens, left: tokens === null || used === null ? null : Math.max(0, tokens - used) }
    }),
    warnings: warningsOf(state, input.compactions),
    advice: adviceOf(usedPercent, pressure, input.compactions),
  }
}

export interface WindowState {
  used: number | null
  window: number | null
  usedPercent: number | null
  pressure: Pressure | null
}

/** How full a window was at the last call; null for what nobody can say. */
export function windowState(use: ContextUse | null): WindowState {
  const used = knownCount(use?.tokens)
  const window = knownCount(use?.window)
  // Cut, not rounded: 69.96 % must not be shown as the threshold that it has not reached.
  const usedPercent = used !== null && window !== null ? Math.floor((used / window) * 1_000) / 10 : null
  return { used, window, usedPercent, pressure: usedPercent === null ? null : windowPressure(usedPercent) }
}

/** Clients report 0 for an unknown count, for example after a compaction. */
const knownCount = (count: number | null | undefined) => (count && count > 0 ? count : null)

/** How fast the window fills: since it last got emptier, else over the session's whole time. */
function burnOf({ samples, startedAtMs, nowMs, compactions }: BudgetInput, used: number | null) {
  const real = samples.filter(({ tokens }) => knownCount(tokens) !== null)
  const fell = real.findLastIndex(({ tokens }, at) => tokens < (real[at - 1]?.tokens ?? 0))
  const [first, last] = [real[Math.max(0, fell)], real.at(-1)]
  if (first && last && last.atMs > first.atMs)
    return perMinute(last.tokens - first.tokens, last.atMs - first.atMs)
  const isWhole = used !== null && compactions === 0 && nowMs - startedAtMs >= 60_000
  return isWhole ? perMinute(used, nowMs - startedAtMs) : null
}

const perMinute = (tokens: number, ms: number) => Math.round((tokens / ms) * 60_000)

function warningsOf({ used, window, usedPercent, pressure }: WindowState, compactions: number): string[] {
  const warnings = [
    used === null && BUDGET_WARNINGS.usedUnknown,
    used !== null && window === null && BUDGET_WARNINGS.sizeUnknown,
    pressure === 'medium' && BUDGET_WARNINGS.filling(usedPercent),
    pressure === 'high' && BUDGET_WARNINGS.full(usedPercent),
    compactions >= MANY_COMPACTIONS && BUDGET_WARNINGS.compacted(compactions),
  ]
  return warnings.filter((text) => text !== false)
}

function adviceOf(usedPercent: number | null, pressure: Pressure | null, compactions: number): Advice[] {
  const isWorn = compactions >= MANY_COMPACTIONS
  const due = [
    (usedPercent ?? 0) >= DELEGATE_FROM_PERCENT && 'delegate',
    (pressure === 'medium' || pressure === 'high' || isWorn) && 'save',
    (pressure === 'high' || isWorn) && 'clear',
  ] as const
  return due.filter((kind) => kind !== false).map((kind) => ({ kind, text: BUDGET_ADVICE[kind] }))
}
