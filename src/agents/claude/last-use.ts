import type { LastUse } from '../../core/agent.ts'
import { unlessRefused } from '../../core/reason.ts'
import { lookFor, openRegular } from './transcript-lines.ts'
import { isObject, membersIn, membersOf, usageOf } from './transcript-value.ts'

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
