import { readTranscript } from '../../agents/claude/transcript.ts'
import { instant } from '../../core/ports.ts'
import type { Session, SessionKey, SessionRow } from '../../core/session.ts'
import type { Entry, Reading } from '../../core/transcript.ts'
import type { Breadcrumb } from '../../core/work.ts'
import { type Harvest, noHarvest, takeIn, yieldOf } from '../../policy/harvest.ts'
import { redact, redactAll } from '../../policy/redact.ts'
import type { Context } from '../context.ts'
import { isTrustedHere } from '../document/trusted.ts'
import { readState } from './read-state.ts'
import { saveSession, type Why } from './save-session.ts'
import { withReading } from './with-reading.ts'
import { workspaceOf } from './workspace-of.ts'

/** How far a transcript is read, and what was found in it so far. */
interface State {
  reading: Reading | null
  harvest: Harvest
  /** The client's newest summary among what was read just now. */
  summary: Extract<Entry, { kind: 'summary' }> | null
}

export interface CaughtUp {
  row: SessionRow
  /** The checkpoint that was saved; null where nothing was new. */
  checkpoint: string | null
  /** Everything is read: a limit may have stopped it. */
  complete: boolean
}

const GIVE_UP_AFTER = 10

/**
 * Reads on in a session's transcript and saves what is new in it. This is the one thing that a compaction, pressure,
 * the next start, a resume and a reconciliation do; whoever does it twice saves nothing twice.
 */
export async function catchUp(
  context: Context,
  key: SessionKey,
  why: Why,
  { maxBytes, references = [] }: { maxBytes?: number; references?: Breadcrumb[] } = {},
): Promise<CaughtUp | null> {
  const { store, ports } = context
  for (let attempt = 0; attempt < GIVE_UP_AFTER; attempt += 1) {
    const row = await store.session(key)
    const whence = row && (await workspaceOf(context, row.session))
    if (row === null || whence === null) return null
    const state = stateOf(await store.reading(key))
    const { reading, complete } = readOn(row.session, state, maxBytes)
    const session: Session = {
      ...withReading(context, row.session, reading),
      transcriptRead: reading?.offset ?? row.session.transcriptRead,
      caughtUpAt: instant(ports.now()),
    }
    const yielded = yieldOf(withNewest(state.harvest, session, reading), {
      root: whence.root,
      trusted: await isTrustedHere(whence.context),
    })
    const checkpoint = await saveSession(whence.context, session, yielded, { ...why, references })
    const next = redactAll({
      ...withSummary(session, state.summary),
      unfinished: yielded.inFlight,
      // The client may leave before its hook has told it.
      paused:
        session.paused ??
        (yielded.halted === null ? null : { reason: yielded.halted, at: session.lastActivityAt }),
      checkpointedAt: checkpoint === null ? session.checkpointedAt : session.caughtUpAt,
    })
    const kept = JSON.stringify(redactAll({ reading, harvest: state.harvest }))
    if (await store.advance(next, row.version, kept))
      return { row: { session: next, version: row.version + 1 }, checkpoint, complete }
  }
  return null
}

/** Folds what is unread into the harvest of the state. */
function readOn(
  { environment }: Session,
  state: State,
  maxBytes: number | undefined,
): { reading: Reading | null; complete: boolean } {
  const path = environment.transcriptPath
  if (path === null) return { reading: state.reading, complete: true }
  const limit = maxBytes === undefined ? {} : { maxBytes }
  const found = readTranscript(path, state.reading, folder(state), limit)
  if (found === null) return { reading: state.reading, complete: true }
  if (!found.restarted || state.reading === null) return found
  // Another file stands there: what was found in the one before is in its checkpoints, and not told again.
  state.harvest = noHarvest()
  return readTranscript(path, null, folder(state), limit) ?? { reading: null, complete: true }
}

const folder = (state: State) => (entry: Entry) => {
  takeIn(state.harvest, entry)
  if (entry.kind === 'summary') state.summary = entry
}

/** A summary that the transcript tells before its hook does, or where its hook never came. */
function withSummary(session: Session, summary: State['summary']): Session {
  const { compaction } = session
  return compaction?.summary === null && summary !== null && summary.at >= compaction.at
    ? { ...session, compaction: { ...compaction, summary: redact(summary.text) } }
    : session
}

/** The newest words, where the client had not written them when it was last looked at: it may be dead by now. */
function withNewest(harvest: Harvest, { lastPrompt, lastSaid }: Session, reading: Reading | null): Harvest {
  const writtenAt = reading?.lastAt ?? ''
  const unwritten = [
    ...(lastPrompt ? [{ kind: 'prompt' as const, ...lastPrompt }] : []),
    ...(lastSaid ? [{ kind: 'text' as const, ...lastSaid }] : []),
  ]
    .filter(({ at }) => at > writtenAt)
    .sort((a, b) => (a.at < b.at ? -1 : 1))
  if (unwritten.length === 0) return harvest
  const more = structuredClone(harvest)
  for (const entry of unwritten) takeIn(more, entry)
  return more
}

const NOTHING_READ = (): State => ({ reading: null, harvest: noHarvest(), summary: null })

function stateOf(text: string | null): State {
  const { reading, harvest } = readState(text)
  // A row of an older shape is read anew from its transcript.
  return reading && harvest ? { reading, harvest, summary: null } : NOTHING_READ()
}
