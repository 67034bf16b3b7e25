import type { Reading } from '../../core/transcript.ts'
import type { Digest } from '../../policy/digest/state.ts'

/** The shape of what is kept of a transcript. One of another shape is read anew. */
export const READING = 2

/** How far a transcript is read, and what it came to. */
export interface ReadState {
  reading: Reading | null
  digest: Digest
}

/** What `catchUp` keeps of a transcript, as text. */
export const writeState = (state: ReadState): string => JSON.stringify({ shape: READING, ...state })

/** The same, read again; null where it is of another shape or cannot be read. */
export function readState(text: string | null): ReadState | null {
  try {
    // `as`: only `writeState` writes this shape.
    const kept = text === null ? null : (JSON.parse(text) as ReadState & { shape?: number })
    return kept?.shape === READING ? { reading: kept.reading, digest: kept.digest } : null
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return null
  }
}
