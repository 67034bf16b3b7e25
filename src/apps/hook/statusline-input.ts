import type { SessionKey } from '../../core/session.ts'

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
/** The id becomes a file's name. */
const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/
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

/** Undefined where the text is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return undefined
  }
}

export const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? // `as`: it was just seen to be an object that has the field.
      (value as Record<string, unknown>)[name]
    : undefined

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
