import type { Session } from '../../core/session.ts'
import type { TranscriptEntry, TranscriptReading } from '../../core/transcript.ts'
import { foldEntry } from '../../policy/digest/fold.ts'
import { type Digest, emptyDigest } from '../../policy/digest/state.ts'
import type { Store } from '../../store/store.ts'
import { readState } from './read-state.ts'

/**
 * What a session came to, with its newest words, which its client may not have written down. Null where nothing is
 * known of it, or only what an older version read of a transcript that is gone.
 */
export async function digestOf(store: Store, session: Session): Promise<Digest | null> {
  const kept = await store.log.readReading(session)
  const state = readState(kept)
  if (state === null && kept !== null) return null
  const digest = withNewest(state?.digest ?? emptyDigest(), session, state?.reading ?? null)
  return state === null && digest.lastEvent === 'nothing' ? null : digest
}

export type DigestReader = (session: Session) => Promise<Digest | null>

/** Reads each digest once, however often one act asks for it. */
export function digestReader(store: Store): DigestReader {
  const found = new Map<string, Promise<Digest | null>>()
  return (session) => {
    const digest = found.get(session.id) ?? digestOf(store, session)
    found.set(session.id, digest)
    return digest
  }
}

/** Adds the newest words to a digest, where the client had not written them when its transcript was last read. */
export function withNewest(
  digest: Digest,
  { lastPrompt, lastSaid }: Session,
  reading: TranscriptReading | null,
): Digest {
  const writtenAt = reading?.lastAt ?? digest.lastAt ?? ''
  const isSaid = (text: string) => digest.turn.some((one) => one.text.endsWith(text.trim().slice(-200)))
  const unwritten: TranscriptEntry[] = [
    ...(lastPrompt ? [{ kind: 'request' as const, how: 'prompt' as const, about: '', ...lastPrompt }] : []),
    // A hook is told the last words after they were written.
    ...(lastSaid && !isSaid(lastSaid.text) ? [{ kind: 'text' as const, ...lastSaid }] : []),
  ]
    .filter(({ at }) => at > writtenAt)
    .sort((a, b) => (a.at < b.at ? -1 : 1))
  for (const entry of unwritten) foldEntry(digest, entry)
  return digest
}
