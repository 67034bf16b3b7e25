import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import type { LastUse } from '../../core/agent.ts'
import { errorCode } from '../../core/reason.ts'

/** Large enough for a turn's rows behind the last reply; a longer look is taken by who opens the store. */
const LOOKS = [64 * 1024, 1024 * 1024]

/**
 * How full the window was at the last call, from the end of the transcript: the one thing that a hook must know
 * between two tools. The same rule as the whole reading, on bytes instead of rows, because it has some milliseconds.
 */
export function lastUse(path: string): LastUse | null {
  let descriptor: number
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return null
  }
  try {
    const found = fstatSync(descriptor)
    if (!found.isFile()) return null
    for (const length of LOOKS) {
      const bytes = Buffer.allocUnsafe(Math.min(length, found.size))
      const count = readSync(descriptor, bytes, 0, bytes.length, found.size - bytes.length)
      const use = useIn(bytes.subarray(0, count))
      if (use !== null || count >= found.size) return use?.tokens === 0 ? null : use
    }
    return null
  } finally {
    closeSync(descriptor)
  }
}

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
  try {
    // `as`: a row that says anything else gives no numbers, and those are tested.
    const { message } = JSON.parse(row.toString('utf8')) as {
      message?: { model?: unknown; usage?: Record<string, unknown> }
    }
    const { model, usage } = message ?? {}
    if (typeof model !== 'string' || model === '<synthetic>' || !usage) return null
    // Where the provider used tools of its own, each step has had a window; the last is the present one.
    const step: unknown = Array.isArray(usage.iterations) ? usage.iterations.at(-1) : undefined
    const counts = (typeof step === 'object' && step !== null ? step : usage) as Record<string, unknown>
    const of = (name: string) => (typeof counts[name] === 'number' ? counts[name] : 0)
    const tokens = of('input_tokens') + of('cache_creation_input_tokens') + of('cache_read_input_tokens')
    return tokens > 0 ? { tokens, model } : null
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error
    return null
  }
}
