import { agentNamed } from '../../agents/table.ts'
import { instant } from '../../core/ports.ts'
import type { Session, SessionKey, SessionRow } from '../../core/session.ts'
import type { TranscriptEntry, TranscriptReading } from '../../core/transcript.ts'
import type { Breadcrumb } from '../../core/work.ts'
import { boundDigest } from '../../policy/digest/bound.ts'
import { foldEntry } from '../../policy/digest/fold.ts'
import { type Digest, emptyDigest } from '../../policy/digest/state.ts'
import { inFlightIn } from '../../policy/digest/work.ts'
import { redact, redactAll } from '../../policy/redact.ts'
import type { Context } from '../context/context.ts'
import { MOST_ATTEMPTS } from '../context/most-attempts.ts'
import { READING, type ReadState, readState, writeState } from '../surroundings/read-state.ts'
import { withNewest } from '../surroundings/session-digest.ts'
import { type SessionSaveReason, saveSession } from './save-session.ts'
import { withReading } from './with-reading.ts'
import { workspaceOf } from './workspace-of.ts'

interface State extends ReadState {
  /** The client's newest summary among what was read just now. */
  summary: Extract<TranscriptEntry, { kind: 'summary' }> | null
}

export interface CatchUpResult {
  row: SessionRow
  digest: Digest
  /** The checkpoint that was saved; null where nothing was new. */
  checkpoint: string | null
  /** Everything is read: a limit may have stopped it. */
  complete: boolean
}

interface CatchUpOptions {
  maxBytes?: number
  references?: Breadcrumb[]
  /** The session where it has no row yet: then its row is made with what was read, or not at all. */
  begin?: Session | null
}

/**
 * Reads on in a session's transcript and saves what is new in it. This is the one thing that a compaction, pressure,
 * the next start, a resume and a reconciliation do; whoever does it twice saves nothing twice.
 */
export async function catchUpSession(
  context: Context,
  key: SessionKey,
  why: SessionSaveReason,
  { maxBytes, references = [], begin = null }: CatchUpOptions = {},
): Promise<CatchUpResult | null> {
  const { store, ports } = context
  for (let attempt = 0; attempt < MOST_ATTEMPTS.transcripts; attempt += 1) {
    const row = await store.log.readSession(key)
    const known = row?.session ?? begin
    const whence = known && (await workspaceOf(context, known))
    if (known === null || whence === null) return null
    const isOver = known.phase === 'archived'
    const before = await store.log.readReading(key)
    const state = stateOf(before)
    const { reading, read, complete } = await readOn(context, known, state, maxBytes)
    // What an older version read of a transcript that is gone stays as it is: nothing better can be had.
    const isLost = reading === null && before !== null && readState(before) === null
    const session: Session = {
      ...withReading(context, known, reading),
      // Nobody reads on in one that is over; one that speaks again is read anew.
      transcriptRead: isOver ? 0 : (read ?? known.transcriptRead),
      caughtUpAt: instant(ports.now()),
      readBy: READING,
    }
    const digest = redactAll(boundDigest(withNewest(structuredClone(state.digest), session, reading)))
    const checkpoint = isLost ? null : await saveSession(whence, session, digest, { ...why, references })
    const next = redactAll({
      ...withSummary(session, state.summary),
      unfinished: inFlightIn(digest),
      // The client may leave before its hook has told it.
      paused:
        session.paused ??
        (digest.last === 'halt' ? { reason: digest.halted, at: session.lastActivityAt } : null),
      checkpointedAt: checkpoint === null ? session.checkpointedAt : session.caughtUpAt,
    })
    const kept = isLost
      ? before
      : writeState({
          reading: isOver ? null : redactAll(reading),
          digest: redactAll(boundDigest(state.digest)),
        })
    if (await store.log.advance(next, row?.version ?? null, kept))
      return { row: { session: next, version: (row?.version ?? 0) + 1 }, digest, checkpoint, complete }
  }
  return null
}

/** Folds what is unread into the digest of the state. */
async function readOn(
  { agents }: Context,
  { agent, environment }: Session,
  state: State,
  maxBytes: number | undefined,
): Promise<{ reading: TranscriptReading | null; read: number | null; complete: boolean }> {
  const path = environment.transcriptPath
  const reader = path === null ? undefined : await agentNamed(agents, agent)?.transcript.reader()
  if (path === null || reader === undefined) return { reading: state.reading, read: null, complete: true }
  const limit = maxBytes === undefined ? {} : { maxBytes }
  const before = state.digest
  // What is read from its beginning is not added to what the same lines came to before.
  if (state.reading === null) state.digest = emptyDigest()
  const found = reader.readOn(path, state.reading, folder(state), limit)
  if (found === null) {
    state.digest = before
    return { reading: state.reading, read: null, complete: true }
  }
  if (!found.restarted || state.reading === null) return found
  // Another file stands there: what was found in the one before is in its checkpoints, and not told again.
  state.digest = emptyDigest()
  return reader.readOn(path, null, folder(state), limit) ?? { reading: null, read: null, complete: true }
}

const folder = (state: State) => (entry: TranscriptEntry) => {
  foldEntry(state.digest, entry)
  if (entry.kind === 'summary') state.summary = entry
}

/** A summary that the transcript tells before its hook does, or where its hook never came. */
function withSummary(session: Session, summary: State['summary']): Session {
  const { compaction } = session
  return compaction?.summary === null && summary !== null && summary.at >= compaction.at
    ? { ...session, compaction: { ...compaction, summary: redact(summary.text) } }
    : session
}

/** A row of an older shape is read anew from its transcript. */
const stateOf = (text: string | null): State => ({
  ...(readState(text) ?? { reading: null, digest: emptyDigest() }),
  summary: null,
})
