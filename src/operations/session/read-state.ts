import type { Reading } from '../../core/transcript.ts'
import type { Harvest } from '../../policy/harvest.ts'

/** What `catchUp` kept of a transcript; nothing where it cannot be read any more, and then all of it is read anew. */
export function readState(text: string | null): { reading?: Reading | null; harvest?: Harvest } {
  try {
    // `as`: only `catchUp` writes it.
    return text === null ? {} : (JSON.parse(text) as { reading?: Reading | null; harvest?: Harvest })
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return {}
  }
}
