import { statSync } from 'node:fs'
import type { AgentEvent } from '../../core/agent-event.ts'
import { clipText } from '../../core/canonical.ts'
import { instant } from '../../core/ports.ts'
import { describeError, ReasonError, unlessRefused } from '../../core/reason.ts'
import type { Session, SessionKey, SessionRow } from '../../core/session.ts'
import { shortId } from '../../core/session-name.ts'
import { openStretch } from '../../policy/ask-to-save.ts'
import { redactAll } from '../../policy/redact.ts'
import { applyEvent, beginSession, measureEvent, parentOf } from '../../policy/session-apply.ts'
import { phaseAt, RECENT_FOR_MS } from '../../policy/session-lifecycle.ts'
import { type Head, headOf } from '../../workspace/git-state.ts'
import { identifyWorkspace } from '../../workspace/identity.ts'
import { locateWorkspace } from '../../workspace/locate.ts'
import type { Context } from '../context/context.ts'
import { MOST_ATTEMPTS } from '../context/most-attempts.ts'
import { NOTICES } from '../context/notices.ts'
import { readState, writeState } from '../surroundings/read-state.ts'
import { listSessions } from './current.ts'
import { noteFault } from './fault.ts'
import {
  type JournalRecord,
  journalSize,
  listJournals,
  readJournal,
  removeSessionFiles,
  writeHint,
} from './session-files.ts'

/**
 * Brings the rows of all sessions up to date: what hooks left in the journals, and what the clock does to those that
 * are silent. Without a home of its own (a reading command before anything was saved) there is nothing to do.
 */
export async function updateSessionRows(context: Context, { most = Number.POSITIVE_INFINITY } = {}) {
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
  const over = { heardBefore: instant(ports.now() - RECENT_FOR_MS) }
  for (const row of [
    ...(await store.log.listSessions({ phases: ['active', 'stale'], ...quiet })),
    ...(await store.log.listSessions({ phases: ['recent'], ...over })),
  ])
    await advancePhaseByClock(context, row)
}

/** One session that cannot be read is told of, and takes nothing from the others. A store that fails is no such thing. */
export async function isolateFailure(context: Context, key: SessionKey, step: () => Promise<unknown>) {
  try {
    await step()
  } catch (error) {
    if (error instanceof ReasonError) throw error
    tellUnreadable(context, key, describeError(error))
  }
}

/** Tells the user, and the doctor. */
export function tellUnreadable({ notices, home, ports }: Context, { id }: SessionKey, problem: string): void {
  const message = NOTICES.sessionUnreadable(shortId(id), problem)
  notices.push(message)
  noteFault(home.path, { at: instant(ports.now()), event: 'reading', reason: 'session_unreadable', message })
}

/** So many were left by a program, and none of them goes on from another. */
const MOST_SORTED = 200

/** Sessions that nobody knows yet, in the order in which they began. */
function inOrder({ home }: Context, keys: readonly SessionKey[]): SessionKey[] {
  const begun = keys.map((key) => {
    const [record] = unlessRefused(() => readJournal(home.sessions, key, 0).records) ?? []
    return { key, at: record && 'event' in record ? record.event.at : '' }
  })
  return begun.sort((a, b) => (a.at < b.at ? -1 : 1)).map(({ key }) => key)
}

/** Whoever was heard of since is as it was. A row is not written again for every line that a client writes. */
const LOOK_AFTER_MS = 600_000

/** Takes in what a session's journal holds and its row does not. What is in a journal is without secrets already. */
export async function drainJournal(context: Context, key: SessionKey): Promise<void> {
  const { store, home } = context
  for (let attempt = 0; attempt < MOST_ATTEMPTS.sessions; attempt += 1) {
    const row = await store.log.readSession(key)
    const size = journalSize(home.sessions, key)
    const known = row?.session.journalRead ?? 0
    if (size === known) return
    // A shorter one is another: somebody took the old one away.
    const from = size < known ? 0 : known
    const { records, next } = readJournal(home.sessions, key, from)
    let session = row?.session ?? null
    for (const record of records) session = await applyRecord(context, session, record)
    // Nothing in it could be understood, and there is no session to keep that with.
    if (session === null || next === from) return
    if (await store.log.advance({ ...session, journalRead: next }, row?.version ?? null)) return
  }
}

async function applyRecord(context: Context, session: Session | null, record: JournalRecord) {
  if ('timing' in record) return session && measureEvent(session, record.timing)
  const { event, ms, head } = record
  const before = session ?? (await begin(context, event, head))
  return before && applyEvent(before, event, ms)
}

/** A session at its first event; null where its folder is gone and was never known. */
async function begin(context: Context, event: AgentEvent, head: Head | null): Promise<Session | null> {
  const where = await workspaceAt(context, event.cwd)
  if (where === null) return null
  // Only a clear and a fork go on from another session.
  const isChild = event.kind === 'start' && (event.source === 'clear' || event.source === 'fork')
  const asked = { workspace: where.workspace, phases: ['active', 'stale', 'recent'] as const }
  const parent = isChild ? parentOf(event, await listSessions(context, asked)) : null
  const found = {
    ...where,
    ...(head ?? redactAll(where, context.mark)),
    ...{ parent: parent?.id ?? null, stream: parent?.stream ?? null },
  }
  return { ...beginSession(event, found), outcomes: parent?.outcomes ?? [] }
}

/** Who the workspace around a directory is; the one of this command is known. */
async function workspaceAt({ store, place, identity, ports }: Context, cwd: string) {
  const known = await store.local.listWorkspaces()
  const found = unlessRefused(() => {
    const there = locateWorkspace(cwd)
    const isHere = there.root === place.root && identity.workspace !== ''
    const { repository, workspace } = isHere ? identity : identifyWorkspace(there, known, ports)
    return { root: there.root, who: { repository, workspace, ...headOf(there) } }
  })
  if (found === null) {
    // The folder is gone: the store may remember whose it was.
    const row = known.find(({ path }) => path !== '' && (cwd === path || cwd.startsWith(`${path}/`)))
    return row ? { repository: row.repository, workspace: row.id, branch: null, commit: null } : null
  }
  const { root, who } = found
  if (!known.some(({ id, path }) => id === who.workspace && path === root))
    await store.local.seeWorkspace(
      { id: who.workspace, repository: who.repository, path: root },
      instant(ports.now()),
    )
  return who
}

/** What the clock does to a session: nobody has to tell it. Where somebody was faster, the next command does it. */
async function advancePhaseByClock({ store, ports, home }: Context, row: SessionRow): Promise<void> {
  const session = withPhaseAt(row.session, ports.now())
  if (session === row.session) return
  if (session.phase !== 'archived') {
    await store.log.advance(session, row.version)
    return
  }
  // How far it was read is not wanted any more: one that speaks again is read anew. What it came to is kept.
  const state = readState(await store.log.readReading(session))
  const kept = state && writeState({ reading: null, digest: state.digest })
  if (await store.log.advance({ ...session, transcriptRead: 0, journalRead: 0 }, row.version, kept))
    removeSessionFiles(home.sessions, session)
}

/** The same object where nothing is to change. A transcript that grows is a sign of life. */
function withPhaseAt(session: Session, nowMs: number): Session {
  const isQuiet = (session.phase === 'active' || session.phase === 'stale') && session.endedAt === null
  const path = isQuiet ? session.environment.transcriptPath : null
  // What may not be looked at says nothing.
  const grewAtMs = path && unlessRefused(() => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null)
  const phase = phaseAt(session, nowMs, grewAtMs || undefined)
  const hasGrown = grewAtMs && grewAtMs > Date.parse(session.lastActivityAt)
  if (phase === session.phase && !hasGrown) return session
  return { ...session, phase, ...(hasGrown ? { lastActivityAt: instant(grewAtMs) } : {}) }
}

/** Changes a session's row, whoever else is at it; null where it has none. */
export async function changeSession(
  { store, home, mark }: Context,
  key: SessionKey,
  change: (session: Session) => Session,
): Promise<SessionRow | null> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS.sessions; attempt += 1) {
    const row = await store.log.readSession(key)
    if (row === null) return null
    const session = change(row.session)
    if (session === row.session) return row
    const clean = redactAll(session, mark)
    if (await store.log.advance(clean, row.version)) return { session: clean, version: row.version + 1 }
  }
  throw new ReasonError('store_busy', { path: home.database, waitedMs: 0 })
}

/** Tells the next hook of a session what it must know without opening the store. */
export function refreshHint({ home, settings }: Context, session: Session): void {
  const { nudged, compactions, compaction, handedOff, outcomes } = session
  const savedAt = [session.savedAt, session.checkpointedAt].reduce((a, b) => ((a ?? '') > (b ?? '') ? a : b))
  const stretch = openStretch(session, settings.ask_to_save)
  // Without a hint the next hook looks into the store, which costs it some milliseconds.
  unlessRefused(() =>
    writeHint(home.sessions, session, {
      ...{ nudged, compactions, handedOff, savedAt },
      owed: compaction !== null,
      stretch: stretch && { ...stretch, journalRead: session.journalRead },
      stream: session.stream,
      focus: outcomes.slice(-3).map(({ outcomeName }) => clipText(outcomeName, 80)),
    }),
  )
}
