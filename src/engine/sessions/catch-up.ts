import { existsSync } from 'node:fs'
import { instant } from '../../core/ports.ts'
import type { Session, SessionKey } from '../../core/session.ts'
import type { TranscriptEntry } from '../../core/transcript.ts'
import type { Breadcrumb } from '../../core/work.ts'
import { boundDigest, foldEntry } from '../../policy/digest/fold.ts'
import { emptyDigest } from '../../policy/digest/state.ts'
import { listCallsInFlight, newestTask } from '../../policy/digest/work.ts'
import { redactAll, type SecretMark } from '../../policy/redact.ts'
import { locateWorkspace } from '../../workspace/locate.ts'
import type { Context } from '../context/context.ts'
import { MOST_ATTEMPTS } from '../context/most-attempts.ts'
import { READING, type ReadState, readState, writeState } from '../surroundings/read-state.ts'
import { digestOf, withNewest } from '../surroundings/session-digest.ts'
import { transcriptOf, withReading } from './read-to-end.ts'
import { type SaveOrigin, type SessionSaveReason, saveSession } from './save-session.ts'

interface State extends ReadState {
  /** The client's newest summary among what was read just now. */
  summary: Extract<TranscriptEntry, { kind: 'summary' }> | null
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
) {
  const { store, ports, mark } = context
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
      ...withReading(context, known, reading, whence.root),
      // Nobody reads on in one that is over; one that speaks again is read anew.
      transcriptRead: isOver ? 0 : (read ?? known.transcriptRead),
      caughtUpAt: instant(ports.now()),
      readBy: READING,
    }
    const digest = redactAll(boundDigest(withNewest(structuredClone(state.digest), session, reading)), mark)
    const checkpoint = isLost ? null : await saveSession(whence, session, digest, { ...why, references })
    const next = redactAll(
      {
        ...withSummary(session, state.summary),
        unfinished: listCallsInFlight(digest),
        asked: newestTask(digest),
        // The client may leave before its hook has told it.
        paused:
          session.paused ??
          (digest.lastEvent === 'halt' ? { reason: digest.haltWords, at: session.lastActivityAt } : null),
        checkpointedAt: checkpoint === null ? session.checkpointedAt : session.caughtUpAt,
      },
      mark,
    )
    const kept = isLost
      ? before
      : writeState({
          reading: isOver ? null : redactAll(reading, mark),
          digest: redactAll(boundDigest(state.digest), mark),
        })
    // `complete`: a limit may have stopped the reading. `checkpoint`: null where nothing was new.
    if (await store.log.advance(next, row?.version ?? null, kept))
      return { row: { session: next, version: (row?.version ?? 0) + 1 }, digest, checkpoint, complete }
  }
  return null
}

/** What a session came to by now, for who only looks: nothing is saved, and whoever catches up later finds the same. */
export async function digestToEnd(context: Context, session: Session, { maxBytes }: { maxBytes: number }) {
  const state = stateOf(await context.store.log.readReading(session))
  const { reading } = await readOn(context, session, state, maxBytes)
  if (reading === null) return digestOf(context.store, session)
  return redactAll(boundDigest(withNewest(state.digest, session, reading)), context.mark)
}

/** Folds what is unread into the digest of the state. */
async function readOn(context: Context, session: Session, state: State, maxBytes: number | undefined) {
  const unread = { reading: state.reading, read: null, complete: true }
  const source = await transcriptOf(context, session)
  if (source === null) return unread
  const limit = maxBytes === undefined ? {} : { maxBytes }
  const before = state.digest
  // What is read from its beginning is not added to what the same lines came to before.
  if (state.reading === null) state.digest = emptyDigest()
  const found = source.reader.readOn(source.path, state.reading, folder(state, context.mark), limit)
  if (found === null) {
    state.digest = before
    return unread
  }
  if (!found.restarted || state.reading === null) return found
  // Another file stands there: what was found in the one before is in its checkpoints, and not told again.
  state.digest = emptyDigest()
  const anew = source.reader.readOn(source.path, null, folder(state, context.mark), limit)
  return anew ?? { ...unread, reading: null }
}

const folder = (state: State, mark: SecretMark) => (found: TranscriptEntry) => {
  // Of what a tool printed only a line is kept, and that is redacted there.
  const entry = found.kind === 'result' && !found.failed ? found : redactAll(found, mark)
  foldEntry(state.digest, entry)
  if (entry.kind === 'summary') state.summary = entry
}

/** A summary that the transcript tells before its hook does, or where its hook never came. */
function withSummary(session: Session, summary: State['summary']): Session {
  const { compaction } = session
  return compaction?.summary === null && summary !== null && summary.at >= compaction.at
    ? { ...session, compaction: { ...compaction, summary: summary.text } }
    : session
}

/** A row of an older shape is read anew from its transcript. */
const stateOf = (text: string | null): State => ({
  ...(readState(text) ?? { reading: null, digest: emptyDigest() }),
  summary: null,
})

/**
 * A session belongs to the workspace that it started in, whoever looks after it. Where that folder is gone, another
 * workspace of the same repository stands in for it; null where there is none, and the transcript waits.
 */
async function workspaceOf(context: Context, session: Session): Promise<SaveOrigin | null> {
  const { store, identity, place, settings } = context
  if (session.workspace === identity.workspace) return { context, root: place.root }
  const there = (await store.local.listWorkspaces()).find(({ id }) => id === session.workspace)
  if (there === undefined) return null
  const found = existsSync(there.path) ? locateWorkspace(there.path) : null
  if (found?.root !== there.path)
    return session.repository === identity.repository ? { context, root: there.path } : null
  const own = { repository: session.repository, workspace: session.workspace }
  // What that workspace's own settings say is not read here: its ledger is left to its own commands.
  const other = { ...context, place: found, identity: own, settings: { ...settings, ledger: false } }
  return { context: other, root: found.root }
}
