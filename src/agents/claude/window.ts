import type { LastUse, StatusInput } from '../../core/agent.ts'
import { fieldOf } from '../../core/json.ts'
import { unlessRefused } from '../../core/reason.ts'
import { SESSION_ID } from '../../core/session.ts'
import { NAME } from './name.ts'
import { lookFor, openRegular } from './transcript-lines.ts'
import { isObject, membersIn, membersOf, usageOf } from './transcript-value.ts'

const LARGE = 1_000_000
const USUAL = 200_000

/** How large a model's context window is, by its name; the first that fits counts. The client tells better, where it was heard. */
const WINDOWS: ReadonlyArray<readonly [RegExp, number]> = [
  [/\[1m\]/i, LARGE],
  [/claude-(?:3|.*haiku|[a-z]+-4)/, USUAL],
  [/claude-opus-5-5/, LARGE],
  [/claude/, USUAL],
]

/** Null for names that are no model of this client: nothing is known of them. */
export function windowOf(model: string): number | null {
  if (!model.includes('claude')) return null
  return WINDOWS.find(([name]) => name.test(model))?.[1] ?? null
}

/** Large enough for a turn's rows behind the last reply; a longer look is taken by who opens the store. */
const LOOKS = [64 * 1024, 1024 * 1024]

/**
 * How full the window was at the last call, from the end of the transcript: the one thing that a hook must know
 * between two tools. The same rule as the whole reading, on bytes instead of rows, because it has some milliseconds.
 */
export const lastUse = (path: string): LastUse | null =>
  unlessRefused(() => {
    using file = openRegular(path)
    const use = file && lookFor(file, 'end', LOOKS, useIn)
    return use?.tokens === 0 ? null : use
  })

const isMain = (row: Buffer) => !/"isSidechain":\s?true/.test(row.toString('latin1', 0, 400))

/** From the newest row back. A compaction empties the window: what was used before it says nothing. */
function useIn(bytes: Buffer): LastUse | null {
  for (let end = bytes.length; end > 0; ) {
    const start = bytes.lastIndexOf(0x0a, end - 1) + 1
    const row = bytes.subarray(start, end)
    if (row.length > 0 && start > 0) {
      if (row.includes('"compact_boundary"')) return { tokens: 0, model: '' }
      const use = row.includes('"usage"') && row.includes('"assistant"') && isMain(row) ? useOf(row) : null
      if (use !== null) return use
    }
    end = start - 1
  }
  return null
}

function useOf(row: Buffer): LastUse | null {
  const { model, usage } = membersOf(membersIn(row.toString('utf8'))?.message)
  if (typeof model !== 'string' || model === '<synthetic>' || !isObject(usage)) return null
  const { window: tokens } = usageOf(usage)
  return tokens > 0 ? { tokens, model } : null
}

const MAX_WINDOW = 1_000_000_000

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
