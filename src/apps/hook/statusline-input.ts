import { SESSION_ID } from '../../agents/speaker.ts'
import type { SessionKey } from '../../core/session.ts'
import { fieldOf, parsed } from './json.ts'

/** What the client says at each drawing of its status line; null where it does not know, or says nothing sensible. */
export interface Told {
  session: SessionKey | null
  /** Tokens. */
  window: number | null
  /** A whole number from 0 to 100. */
  usedPercent: number | null
}

/** The client sends a few thousand; to read more would hold up its screen. */
const MAX_CHARACTERS = 1024 * 1024
const MAX_WINDOW = 1_000_000_000

export function readTold(input: string): Told {
  const told = input.length > MAX_CHARACTERS ? undefined : parsed(input)
  const id = fieldOf(told, 'session_id')
  const context = fieldOf(told, 'context_window')
  const window = amountOf(context, 'context_window_size')
  const known = window >= 1 && window <= MAX_WINDOW ? Math.round(window) : null
  return {
    session: typeof id === 'string' && SESSION_ID.test(id) ? { agent: 'claude', id } : null,
    window: known,
    usedPercent: usedPercentOf(context, known),
  }
}

function amountOf(value: unknown, name: string): number {
  const amount = fieldOf(value, name)
  return typeof amount === 'number' && amount > 0 && Number.isFinite(amount) ? amount : 0
}

/** Before the first call all is null, and after a compaction all is zero: neither means that the window is empty. */
function usedPercentOf(context: unknown, window: number | null): number | null {
  const usage = fieldOf(context, 'current_usage')
  const tokens =
    amountOf(usage, 'input_tokens') +
    amountOf(usage, 'cache_creation_input_tokens') +
    amountOf(usage, 'cache_read_input_tokens')
  const percent = amountOf(context, 'used_percentage')
  if (percent > 0) return wholePercent(percent)
  return tokens === 0 || window === null ? null : wholePercent((tokens / window) * 100)
}

const wholePercent = (percent: number) => Math.min(100, Math.round(percent))
