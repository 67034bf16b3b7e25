import type { Pressure } from '../core/checkpoint.ts'
import { type ContextUse, type Statistics, totalTokens } from '../core/session.ts'
import { MANY_COMPACTIONS } from './nudges.ts'
import { windowPressure } from './pressure.ts'

/** From here on large reads and searches belong into a helper's window. */
const DELEGATE_FROM_PERCENT = 50

/** How much of the window was used at a time. */
export interface BudgetSample {
  atMs: number
  tokens: number
}

interface BudgetInput {
  context: ContextUse | null
  statistics: Pick<Statistics, 'tokensConsumed'>
  startedAtMs: number
  nowMs: number
  compactions: number
  /** Oldest first; may be none. */
  samples: readonly BudgetSample[]
}

export interface Advice {
  kind: 'delegate' | 'save' | 'clear'
  text: string
}

/** What a session has used and has left. Whatever cannot be known is null, and a warning says so. */
export interface Budget {
  /** All tokens of the session, each call counted. */
  consumed: number
  /** Tokens in the window at the last call. */
  used: number | null
  window: number | null
  usedPercent: number | null
  headroom: number | null
  pressure: Pressure | null
  burnPerMinute: number | null
  minutesLeft: number | null
  warnings: string[]
  advice: Advice[]
}

export function budgetOf(input: BudgetInput): Budget {
  const used = knownCount(input.context?.tokens)
  const window = knownCount(input.context?.window)
  // Cut, not rounded: 69.96 % must not be shown as the threshold that it has not reached.
  const usedPercent = used === null || window === null ? null : Math.floor((used / window) * 1_000) / 10
  const headroom = used === null || window === null ? null : Math.max(0, window - used)
  const pressure = usedPercent === null ? null : windowPressure(usedPercent)
  const burnPerMinute = burnOf(input, used)
  return {
    consumed: totalTokens(input.statistics.tokensConsumed),
    ...{ used, window, usedPercent, headroom, pressure, burnPerMinute },
    minutesLeft: headroom === null || !burnPerMinute ? null : Math.floor(headroom / burnPerMinute),
    warnings: warningsOf({ used, window, usedPercent, pressure, compactions: input.compactions }),
    advice: adviceOf(usedPercent, pressure, input.compactions),
  }
}

/** Clients report 0 for an unknown count, for example after a compaction. */
const knownCount = (count: number | null | undefined) =>
  count !== null && count !== undefined && Number.isFinite(count) && count > 0 ? count : null

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

function warningsOf({
  used,
  window,
  usedPercent,
  pressure,
  compactions,
}: Pick<Budget, 'used' | 'window' | 'usedPercent' | 'pressure'> & { compactions: number }): string[] {
  const warnings: string[] = []
  if (used === null)
    warnings.push(
      'How full the context window is, is not known: no call has told it since the start or the last compaction.',
    )
  else if (window === null)
    warnings.push('The size of the context window is not known, so there is no percentage.')
  if (pressure === 'medium')
    warnings.push(`The context window is ${usedPercent} % full: a compaction is getting near.`)
  if (pressure === 'high')
    warnings.push(`The context window is ${usedPercent} % full: a compaction is close.`)
  if (compactions >= MANY_COMPACTIONS)
    warnings.push(`This session was compacted ${compactions} times; each time loses detail.`)
  return warnings
}

function adviceOf(usedPercent: number | null, pressure: Pressure | null, compactions: number): Advice[] {
  const isWorn = compactions >= MANY_COMPACTIONS
  const advice: Array<Advice | false> = [
    (usedPercent ?? 0) >= DELEGATE_FROM_PERCENT && {
      kind: 'delegate',
      text: 'Give large reads and searches to a helper: only its answer comes into this window.',
    },
    (pressure === 'medium' || pressure === 'high' || isWorn) && {
      kind: 'save',
      text: 'Save decisions and the next step: `savepoint save --decision "…" --next "…"`.',
    },
    (pressure === 'high' || isWorn) && {
      kind: 'clear',
      text: 'After that, `/clear`: the next session gets the brief by itself.',
    },
  ]
  return advice.filter((one) => one !== false)
}
