import { parseOrUndefined } from '../../core/json.ts'
import type { TranscriptCursor, TranscriptReading } from '../../core/transcript.ts'
import type { Digest } from '../../policy/digest/state.ts'

/** The shape of what is kept of a transcript. One of another shape is read anew. */
export const READING = 3

/** How far a transcript is read, and what it came to. */
export interface ReadState {
  reading: TranscriptReading | null
  digest: Digest
}

/** A reading as it is kept: its cursor stands beside what it says, so that older versions understand it, too. */
type KeptReading = Omit<TranscriptReading, 'cursor'> & TranscriptCursor

/** What `catchUp` keeps of a transcript, as text. */
export const writeState = ({ reading, digest }: ReadState): string =>
  JSON.stringify({
    shape: READING,
    reading: reading && { ...reading.cursor, ...withoutCursor(reading) },
    digest,
  })

const withoutCursor = ({ cursor: _cursor, ...said }: TranscriptReading) => said

function withCursor(kept: KeptReading): TranscriptReading {
  const { statistics, context, compactions, lastAt, fill, ...cursor } = kept
  return { cursor, statistics, context, compactions, lastAt, ...(fill ? { fill } : {}) }
}

type KeptState = { shape?: number; reading: KeptReading | null; digest: Digest }

/** The same, read again; null where it is of another shape or cannot be read. */
export function readState(text: string | null): ReadState | null {
  // `as`: only `writeState` writes this shape.
  const kept = (text === null ? null : parseOrUndefined(text)) as KeptState | null | undefined
  if (kept?.shape !== READING) return null
  return { reading: kept.reading && withCursor(kept.reading), digest: kept.digest }
}
