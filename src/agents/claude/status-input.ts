import type { StatusInput } from '../../core/agent.ts'
import { fieldOf } from '../../core/json.ts'
import { SESSION_ID } from '../../core/session.ts'
import { NAME } from './name.ts'

const MAX_WINDOW = 1_000_000_000

/** What the client says at each drawing of its status line. */
export function statusOf(payload: unknown): StatusInput {
  const id = fieldOf(payload, 'session_id')
  const context = fieldOf(payload, 'context_window')
  const window = amountOf(context, 'context_window_size')
  const known = window >= 1 && window <= MAX_WINDOW ? Math.round(window) : null
  return {
    session: typeof id === 'string' && SESSION_ID.test(id) ? { agent: NAME, id } : null,
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
