import type { EndReason, Session } from '../../core/session.ts'
import { visibleLine } from '../../core/visible.ts'

/** What it came to, or has come to so far. One that is silent did nothing since it was last heard of. */
export function durationOf(session: Session, nowMs: number): number {
  const { startedAt, lastActivityAt, endedAt, phase } = session
  const until = endedAt ? Date.parse(endedAt) : phase === 'active' ? nowMs : Date.parse(lastActivityAt)
  return Math.max(0, until - Date.parse(startedAt))
}

const MINUTE = 60_000

const HOUR = 60 * MINUTE

const DAY = 24 * HOUR

/** `5m`, `2h 05m`, `3d 4h`: short enough for a column. */
export function shortSpan(ms: number): string {
  if (ms < MINUTE) return '<1m'
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m`
  if (ms < DAY)
    return `${Math.floor(ms / HOUR)}h ${String(Math.floor((ms % HOUR) / MINUTE)).padStart(2, '0')}m`
  return `${Math.floor(ms / DAY)}d ${Math.floor((ms % DAY) / HOUR)}h`
}

/** `950`, `12.3k`, `1.2M`. */
export function shortNumber(number: number): string {
  if (number < 1_000) return String(number)
  // What rounds up to a thousand thousands is a million.
  const [amount, unit] = number < 999_950 ? [number / 1_000, 'k'] : [number / 1_000_000, 'M']
  return `${amount.toFixed(1).replace(/\.0$/, '')}${unit}`
}

/** How a session ended, in words that follow its phase. */
const ENDED = {
  clear: 'cleared',
  resume: 'another was resumed',
  logout: 'logged out',
  prompt_input_exit: 'left by its user',
  crash: 'crashed',
  timeout: 'timed out',
  other: 'ended',
} as const satisfies Record<EndReason, string>

/** Why it stopped, or why it waits; empty while it goes on. */
export function sayEnd({
  phase,
  endReason,
  paused,
}: Pick<Session, 'phase' | 'endReason' | 'paused'>): string {
  if (endReason !== null) return ENDED[endReason]
  if (paused !== null) return `paused: ${visibleLine(paused.reason)}`
  return phase === 'stale' ? 'silent, not ended' : ''
}
