import { statSync } from 'node:fs'
import type { AgentEvent } from '../../core/agent-event.ts'
import { instant } from '../../core/ports.ts'
import { describeError, errorCode, ReasonError } from '../../core/reason.ts'
import type { Session, SessionKey, SessionRow } from '../../core/session.ts'
import { shortId } from '../../core/session-name.ts'
import { redactAll } from '../../policy/redact.ts'
import {
  applyEvent,
  beginSession,
  measureEvent,
  parentOf,
  type SessionPlace,
} from '../../policy/session-apply.ts'
import { phaseAt, RECENT_FOR_MS } from '../../policy/session-lifecycle.ts'
import { headOf } from '../../workspace/git-state.ts'
import { identifyWorkspace } from '../../workspace/identity.ts'
import { locateWorkspace } from '../../workspace/locate.ts'
import type { Context } from '../context/context.ts'
import { MOST_ATTEMPTS } from '../context/most-attempts.ts'
import { readState, writeState } from '../surroundings/read-state.ts'
import { noteFault } from './fault.ts'
import { type JournalRecord, type RecordedHead, recordOf } from './record.ts'
import { journalSize, listJournals, readRecords, removeSessionFiles } from './session-files.ts'

/**
 * Brings the rows of all sessions up to date: what hooks left in the journals, and what the clock does to those that
 * are silent. Without a home of its own (a reading command before anything was saved) there is nothing to do.
 */
export async function updateSessionRows(
  context: Context,
  { most = Number.POSITIVE_INFINITY } = {},
): Promise<void> {
  const { file, home, store, ports } = context
  if (file === null) return
  const read = await store.log.readJournalPositions()
  const readOf = ({ agent, id }: SessionKey) => read.get(`${agent}/${id}`)
  const grown = listJournals(home.sessions).filter((key) => journalSize(home.sessions, key) !== readOf(key))
  // The end of a session comes before the start of the one that goes on from it, which looks for it.
  const known = grown.filter((key) => readOf(key) !== undefined)
  const unknown = grown.filter((key) => readOf(key) === undefined)
  const fresh = unknown.length > MOST_SORTED ? unknown : inOrder(context, unknown)
  for (const key of [...known, ...fresh].slice(0, most))
    await isolateFailure(context, key, () => drainJournal(context, key))
  const quiet = { heardBefore: instant(ports.now() - LOOK_AFTER_MS) }
  for (const { session } of await store.log.listSessions({ phases: ['active', 'stale'], ...quiet }))
    await advancePhaseByClock(context, session)
  const over = { heardBefore: instant(ports.now() - RECENT_FOR_MS) }
  for (const { session } of await store.log.listSessions({ phases: ['recent'], ...over }))
    await advancePhaseByClock(context, session)
}

/** One session that cannot be read is told of, and takes nothing from the others. A store that fails is no such thing. */
export async function isolateFailure(
  context: Context,
  key: SessionKey,
  step: () => Promise<unknown>,
): Promise<void> {
  try {
    await step()
  } catch (error) {
    if (error instanceof ReasonError) throw error
    tellUnreadable(context, key, describeError(error))
  }
}

/** Tells the user, and the doctor. */
export function tellUnreadable({ notices, home, ports }: Context, { id }: SessionKey, problem: string): void {
  const message = `Session ${shortId(id)} cannot be read: ${problem}`
  notices.push(message)
  noteFault(home.path, { at: instant(ports.now()), event: 'reading', reason: 'session_unreadable', message })
}

/** So many were left by a program, and none of them goes on from another. */
const MOST_SORTED = 200

/** Sessions that nobody knows yet, in the order in which they began. */
const inOrder = ({ home }: Context, keys: readonly SessionKey[]): SessionKey[] =>
  keys
    .map((key) => ({ key, at: firstOf(home.sessions, key) }))
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .map(({ key }) => key)

function firstOf(sessions: string, key: SessionKey): string {
  try {
    const record = recordOf(readRecords(sessions, key, 0).records[0], key.id)
    return record !== null && 'event' in record ? record.event.at : ''
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return ''
  }
}

/** Whoever was heard of since is as it was. A row is not written again for every line that a client writes. */
const LOOK_AFTER_MS = 600_000

/** Takes in what a session's journal holds and its row does not. */
export async function drainJournal(context: Context, key: SessionKey): Promise<void> {
  const { store, home } = context
  for (let attempt = 0; attempt < MOST_ATTEMPTS.sessions; attempt += 1) {
    const row = await store.log.readSession(key)
    const size = journalSize(home.sessions, key)
    const known = row?.session.journalRead ?? 0
    if (size === known) return
    // A shorter one is another: somebody took the old one away.
    const from = size < known ? 0 : known
    const { records, next } = readRecords(home.sessions, key, from)
    const session = await applyAll(context, key, row?.session ?? null, records)
    // Nothing in it could be understood, and there is no session to keep that with.
    if (session === null || next === from) return
    if (await store.log.advance({ ...session, journalRead: next }, row?.version ?? null)) return
  }
}

async function applyAll(
  context: Context,
  { id }: SessionKey,
  known: Session | null,
  values: readonly unknown[],
): Promise<Session | null> {
  let session = known
  for (const value of values) {
    const record = recordOf(value, id)
    if (record === null) continue
    session = redactAll(await after(context, session, record))
  }
  return session
}

async function after(
  context: Context,
  session: Session | null,
  record: JournalRecord,
): Promise<Session | null> {
  if ('timing' in record) return session && measureEvent(session, record.timing)
  const { event, ms, head } = record
  const before = session ?? (await begin(context, event, head))
  return before && applyEvent(before, event, ms)
}

/** A session at its first event; null where its folder is gone and was never known. */
async function begin(
  context: Context,
  event: AgentEvent,
  head: RecordedHead | null,
): Promise<Session | null> {
  const where = await workspaceAt(context, event.cwd)
  if (where === null) return null
  const parent = event.kind === 'start' ? await parentIn(context, event, where.workspace) : null
  const found: SessionPlace = {
    ...where,
    ...(head ?? where),
    parent: parent?.id ?? null,
    stream: parent?.stream ?? null,
  }
  return { ...beginSession(event, found), outcomes: parent?.outcomes ?? [] }
}

/** The session that a clear or a fork goes on from; for any other start nobody is looked for. */
async function parentIn({ store }: Context, event: Parameters<typeof parentOf>[0], workspace: string) {
  if (event.source !== 'clear' && event.source !== 'fork') return null
  const rows = await store.log.listSessions({ workspace, phases: ['active', 'stale', 'recent'] })
  return parentOf(
    event,
    rows.map(({ session }) => session),
  )
}

/** Who the workspace around a directory is; the one of this command is known. */
async function workspaceAt(
  { store, place, identity, ports }: Context,
  cwd: string,
): Promise<(RecordedHead & { repository: string; workspace: string }) | null> {
  try {
    const there = locateWorkspace(cwd)
    const known = await store.local.listWorkspaces()
    const isHere = there.root === place.root && identity.workspace !== ''
    const found = isHere ? identity : identifyWorkspace(there, known, ports)
    if (!known.some(({ id, path }) => id === found.workspace && path === there.root))
      await store.local.seeWorkspace(
        { id: found.workspace, repository: found.repository, path: there.root },
        instant(ports.now()),
      )
    return { ...found, ...headOf(there) }
  } catch (error) {
    // The folder is gone: the store may remember whose it was.
    if (errorCode(error) === undefined && !(error instanceof ReasonError)) throw error
    const row = (await store.local.listWorkspaces()).find(
      ({ path }) => cwd === path || cwd.startsWith(`${path}/`),
    )
    return row ? { repository: row.repository, workspace: row.id, branch: null, commit: null } : null
  }
}

/** What the clock does to a session: nobody has to tell it. A transcript that grows is a sign of life. */
async function advancePhaseByClock(context: Context, seen: Session): Promise<void> {
  const { store, ports, home } = context
  const aged = withPhaseAt(seen, ports.now())
  if (aged === seen) return
  const row = await store.log.readSession(seen)
  if (!row) return
  const session = withPhaseAt(row.session, ports.now())
  if (session === row.session) return
  const isOver = session.phase === 'archived'
  // How far its transcript was read is not wanted any more: one that speaks again is read anew.
  const next = isOver ? { ...session, transcriptRead: 0, journalRead: 0 } : session
  const isChanged = await store.log.advance(
    next,
    row.version,
    isOver ? await readDigestOnly(context, seen) : undefined,
  )
  if (isChanged && isOver) removeSessionFiles(home.sessions, session)
}

/** What a session came to is kept, also where nobody reads on in it. */
async function readDigestOnly({ store }: Context, key: SessionKey): Promise<string | null> {
  const state = readState(await store.log.readReading(key))
  return state && writeState({ reading: null, digest: state.digest })
}

/** The same object where nothing is to change. */
function withPhaseAt(session: Session, nowMs: number): Session {
  const isQuiet = (session.phase === 'active' || session.phase === 'stale') && session.endedAt === null
  const grewAtMs = isQuiet ? transcriptGrownAt(session) : null
  const phase = phaseAt(session, nowMs, grewAtMs ?? undefined)
  const hasGrown = grewAtMs !== null && grewAtMs > Date.parse(session.lastActivityAt)
  if (phase === session.phase && !hasGrown) return session
  return { ...session, phase, ...(hasGrown ? { lastActivityAt: instant(grewAtMs) } : {}) }
}

function transcriptGrownAt({ environment }: Session): number | null {
  const path = environment.transcriptPath
  try {
    return path === null ? null : (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null)
  } catch (error) {
    // What may not be looked at says nothing.
    if (errorCode(error) === undefined) throw error
    return null
  }
}

/** Changes a session's row, whoever else is at it; null where it has none. */
export async function changeSession(
  { store, home }: Context,
  key: SessionKey,
  change: (session: Session) => Session,
): Promise<SessionRow | null> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS.sessions; attempt += 1) {
    const row = await store.log.readSession(key)
    if (row === null) return null
    const session = change(row.session)
    if (session === row.session) return row
    const clean = redactAll(session)
    if (await store.log.advance(clean, row.version)) return { session: clean, version: row.version + 1 }
  }
  throw new ReasonError('store_busy', { path: home.database, waitedMs: 0 })
}
