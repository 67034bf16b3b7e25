import { isAbsolute } from 'node:path'
import { instant } from '../../core/ports.ts'
import { ReasonError, unlessRefused } from '../../core/reason.ts'
import type { AgentName, SessionKey } from '../../core/session.ts'
import type { FoundTranscript, TranscriptEnds, TranscriptFinder } from '../../core/transcript.ts'
import { makePrivateFolder } from '../../fs/private.ts'
import { earlierSession } from '../../policy/session-apply.ts'
import { STALE_AFTER_MS } from '../../policy/session-lifecycle.ts'
import { locateWorkspace } from '../../workspace/locate.ts'
import type { Context } from '../context/context.ts'
import { readPrivateJson, writePrivateJson } from '../context/private-json.ts'
import { listSessions } from './current.ts'
import { isolateFailure, tellUnreadable } from './update-session-rows.ts'

/** How much is read in one go. A transcript is read whole, or left for a command that has the time. */
export interface EarlierLimits {
  /** With 0 nothing is read or remembered: those that would be read are counted. */
  sessions: number
  bytes: number
  /** After so long no further one is begun. */
  ms: number
  /** So many transcripts are looked into, to see whose they are. */
  looks: number
  /** Only those that are among so many newest sessions of the workspace; where all are, those left are counted. */
  newest: number
}

const MB = 1024 * 1024
const ANY = Number.POSITIVE_INFINITY

/** An agent waits: what a brief tells of, and no more. */
export const AT_A_START: EarlierLimits = { sessions: 3, bytes: 16 * MB, ms: 100, looks: 50, newest: 8 }
/** A person waits for an answer. */
export const AT_A_COMMAND: EarlierLimits = {
  ...{ sessions: 20, bytes: 64 * MB, ms: 1_500, looks: 1_000, newest: ANY },
}
/** A person sets something up, and sees how far it is. */
export const AT_SET_UP: EarlierLimits = { ...AT_A_COMMAND, sessions: 100, bytes: 256 * MB, ms: 10_000 }
/** A person asks for just this. */
export const ALL: EarlierLimits = { sessions: ANY, bytes: ANY, ms: ANY, looks: ANY, newest: ANY }
/** A person asks what would be read. */
export const ONLY_COUNT: EarlierLimits = { ...AT_A_COMMAND, sessions: 0 }

/** What came of the transcripts of sessions that no hook was heard of. */
export interface Earlier extends Record<'read' | 'unread', number> {
  /** When the newest of those that were read, or are left, was last at work; null where there is none. */
  newestAt: string | null
}

export const NONE: Earlier = { read: 0, unread: 0, newestAt: null }

/** A transcript that no hook was heard of, and whose it is. */
interface EarlierTranscript extends FoundTranscript {
  agent: AgentName
  finder: TranscriptFinder
}

interface EarlierFilter {
  /** The session that is at work here: its transcript is no earlier one. */
  except: SessionKey | null
  /** Also those that were passed over before. */
  again?: boolean
}

/**
 * Reads the transcripts that the client wrote in this workspace before anybody followed its sessions, the newest
 * first, within limits. The next call goes on where this one stopped: what has a row in the store is read.
 */
export async function readEarlier(
  context: Context,
  limits: EarlierLimits,
  asked: EarlierFilter = { except: context.session },
): Promise<Earlier> {
  const { ports, identity } = context
  if (identity.workspace === '' && limits.sessions > 0) return NONE
  const all = await listUnknownTranscripts(context, asked)
  const isAmongNewest = await newestHere(context, all, limits.newest)
  const show = progressOf(context, Math.min(all.length, limits.sessions))
  const isHere = insideOf(context)
  const until = ports.now() + limits.ms
  const passed: string[] = []
  let [read, strange, bytes, newestMs, isBusy] = [0, 0, limits.bytes, 0, false]
  for (const one of all.slice(0, limits.looks)) {
    const hasTime = !isBusy && read < limits.sessions && ports.now() <= until
    if (!isAmongNewest(one, read) || !(hasTime || limits.newest === ANY)) break
    const ends = one.finder.readEnds(one.path)
    const isOurs = ends.kind === 'conversation' && isHere(ends.cwd, one)
    const mayRead = isOurs && hasTime && ends.bytes <= bytes
    const done = mayRead ? await readWhole(context, one, ends) : 'left'
    if (!isOurs || done === 'failed') {
      strange += 1
      if (limits.sessions > 0 && isPassedForGood(context, one, ends)) passed.push(one.id)
      continue
    }
    newestMs = Math.max(newestMs, ends.lastMs ?? one.mtimeMs)
    isBusy ||= done === 'busy'
    if (done !== 'read') continue
    read += 1
    bytes -= ends.bytes
    show(read)
  }
  show(null)
  if (passed.length > 0) rememberPassedOver(context, passed)
  const newestAt = newestMs === 0 ? null : instant(newestMs)
  return { read, unread: all.length - read - strange, newestAt }
}

/** Fewer are read before anybody could look. */
const SHOW_FROM = 5

/** Shows how many of so many are read; null where that is all. */
function progressOf({ progress }: Context, total: number): (read: number | null) => void {
  if (total < SHOW_FROM) return () => undefined
  return (read) => progress(read === null ? total : Math.min(read, total - 1), total)
}

/** The transcripts that may be of this workspace and have no row in the store. */
async function listUnknownTranscripts(context: Context, { except, again = false }: EarlierFilter) {
  const { store, settings, env, place, agents } = context
  if (!settings.read_earlier) return []
  const known = await store.log.readJournalPositions()
  const passed = new Set(again ? [] : readPassedOver(context)[place.root])
  const found: EarlierTranscript[] = []
  for (const { name: agent, transcript } of agents) {
    const finder = await transcript.finder()
    const isKnown = (id: string) => known.has(`${agent}/${id}`) || passed.has(id) || id === except?.id
    for (const one of finder.find(env, place.root, isKnown)) found.push({ ...one, agent, finder })
  }
  return found.sort((a, b) => b.mtimeMs - a.mtimeMs || (a.id < b.id ? -1 : 1))
}

/** Whether a transcript is among the newest sessions, with those that were read before it. */
async function newestHere(context: Context, found: readonly EarlierTranscript[], most: number) {
  if (found.length === 0 || most === ANY) return () => true
  const all = await listSessions(context, { workspace: context.identity.workspace, most })
  const times = all.map(({ lastActivityAt }) => Date.parse(lastActivityAt))
  return ({ mtimeMs }: EarlierTranscript, read: number) =>
    times.filter((time) => time > mtimeMs).length + read < most
}

/**
 * Whether a transcript is of this workspace: its folder is not in a worktree or a repository of its own. Where that
 * folder is not on this machine, somebody put the transcript among those of this root: the client goes on with it here.
 */
function insideOf({ place }: Context): (cwd: string, found: EarlierTranscript) => boolean {
  const known = new Map<string, string | null>([[place.root, place.root]])
  return (cwd, found) => {
    const root = known.get(cwd) ?? (isAbsolute(cwd) ? unlessRefused(() => locateWorkspace(cwd).root) : null)
    known.set(cwd, root)
    return root === null ? found.finder.isMovedTo(place.root, found, cwd) : root === place.root
  }
}

/** A session that has only just begun may say more. */
function isPassedForGood(context: Context, one: EarlierTranscript, ends: TranscriptEnds): boolean {
  if (ends.kind === 'unreadable') tellUnreadable(context, one, ends.problem)
  return ends.kind !== 'nothing' || context.ports.now() - one.mtimeMs > STALE_AFTER_MS
}

const PASSED_OVER = 'passed-over.json'
const MOST_PASSED = { ids: 2_000, roots: 40 }

/**
 * The transcripts that were looked at and hold no session of a workspace, by its root and their ids: one of another
 * folder, one in which nothing was said, one that cannot be read. Where the file is lost they are looked at once more.
 */
function readPassedOver({ home }: Context): Record<string, string[]> {
  // `as`: only this program writes the file; one of another version is looked through once more.
  const found = readPrivateJson(home.path, PASSED_OVER) as { version?: number; roots?: object } | undefined
  return found?.version === 1 ? { ...found.roots } : {}
}

/** Remembers some more of them. */
function rememberPassedOver(context: Context, ids: readonly string[]): void {
  const { home, place, ports } = context
  const { [place.root]: before = [], ...others } = readPassedOver(context)
  const all = [...new Set([...before, ...ids])].slice(-MOST_PASSED.ids)
  // The newest last, so that a root which is long out of use goes first.
  const roots = Object.fromEntries([...Object.entries(others), [place.root, all]].slice(-MOST_PASSED.roots))
  writePrivateJson(home.path, PASSED_OVER, { version: 1, roots }, ports)
}

const BEFORE = { kind: 'session-end', note: 'read from a transcript: no hook was recorded' } as const

/** Old work must not be written into the ledger as what is worked on now. */
export const withoutLedger = (context: Context): Context => ({
  ...context,
  settings: { ...context.settings, ledger: false },
})

/** Where it cannot be read the reason is told. Where others hold the store a later call goes on: nobody fails for it. */
async function readWhole(
  context: Context,
  { agent, id, path, mtimeMs }: EarlierTranscript,
  { cwd, branch, startedMs, lastMs }: Extract<TranscriptEnds, { kind: 'conversation' }>,
): Promise<'read' | 'failed' | 'busy'> {
  const heardMs = lastMs ?? mtimeMs
  const found = { agent, id, transcript: path, cwd, startedMs: startedMs ?? heardMs, lastMs: heardMs }
  const begin = earlierSession(found, { ...context.identity, branch }, context.ports.now())
  // Commands look after sessions only where this folder is.
  makePrivateFolder(context.home.sessions)
  const { catchUpSession } = await import('./catch-up.ts')
  let isRead = false
  try {
    await isolateFailure(context, begin, async () => {
      isRead = (await catchUpSession(withoutLedger(context), begin, BEFORE, { begin })) !== null
    })
  } catch (error) {
    if (!(error instanceof ReasonError) || error.reason !== 'store_busy') throw error
    return 'busy'
  }
  return isRead ? 'read' : 'failed'
}
