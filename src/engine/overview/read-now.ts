import type { Checkpoint } from '../../core/checkpoint.ts'
import { instant } from '../../core/ports.ts'
import { ReasonError } from '../../core/reason.ts'
import type { Session } from '../../core/session.ts'
import type { Log, Stream, StreamSummary } from '../../store/log.ts'
import type { Context } from '../context/context.ts'
import { FINDINGS, type Finding } from '../context/findings.ts'
import { listSessions } from '../sessions/current.ts'
import { describeFaults } from '../sessions/examine-capture.ts'
import { readFaults } from '../sessions/fault.ts'
import { readToEnd } from '../sessions/read-to-end.ts'
import {
  describeState,
  type FocusedRows,
  isPresent,
  isSavedBySession,
  isShownTo,
  standingWord,
  workspacesFocusedOn,
} from './describe-work.ts'
import { type KnownPlaces, listPlaces, workspaceFor } from './places.ts'
import { describeSession, gaugeOf, listRunning } from './session-lines.ts'

const MOST = { repositories: 50, works: 5, sessions: 50, looked: 300, readToEnd: 8 }

/** What goes on everywhere, from the store alone: git is asked for nothing. */
export async function readNow(context: Context) {
  const { store, ports } = context
  const places = await listPlaces(context)
  const heads = (await store.log.listHeads(null, 'work')).filter(isPresent).filter(isShownTo(context))
  const focused = await store.local.listFocused()
  const runs = await store.log.listHeads(null, 'run')
  const open = await listSessions(context, { phases: ['active', 'stale', 'recent'], most: MOST.looked })
  const live = open.filter(({ phase, paused }) => phase !== 'recent' || paused !== null)
  const counts = await store.log.count()
  const groups = groupByRepository({ places, heads, runs, focused, open })
  const shown = groups.slice(0, MOST.repositories)
  const told = shown.flatMap(({ works }) => works)
  const states = await readStates(store.log, told)
  const damaged = told.map(({ stream }) => stream).filter(({ id }) => states.get(id)?.isDamaged)
  const sessions = await Promise.all(
    live.slice(0, MOST.sessions).map((one, place) => describeLive(context, one, place < MOST.readToEnd)),
  )
  return {
    at: instant(ports.now()),
    totals: { repositories: groups.length, ...counts },
    /** The one that was worked in last comes first. */
    repositories: shown.map(({ id, name, works, mine, ...counted }) => ({
      ...{ id, name, ...counted, workspaces: inOrder(places, id, open) },
      works: works.map((head) => describeNow(head, { places, focused, state: states.get(head.stream.id) })),
      moreWorks: mine - works.length,
    })),
    moreRepositories: groups.length - shown.length,
    /** Active, stale and paused ones, newest first. */
    sessions,
    moreSessions: live.length - sessions.length,
    /** What the store shows by itself; the verbs `status` and `doctor` find more. */
    warnings: warningsOf(context, places, open.filter(isStale), damaged),
  }
}

const isStale = ({ phase }: Session) => phase === 'stale'

interface Everything {
  places: KnownPlaces
  heads: readonly StreamSummary[]
  runs: readonly StreamSummary[]
  focused: FocusedRows
  open: readonly Session[]
}

/** Repositories by what happened last in them; one that never had anything is left out. */
function groupByRepository({ places, heads, runs, focused, open }: Everything) {
  const newest = (times: readonly string[]) => times.toSorted().at(-1) ?? ''
  return places.repositories
    .map(({ id, name }) => {
      const mine = heads.filter(({ stream }) => stream.repository === id)
      const present = mine.filter((head) => standingWord(head, focused) !== 'archived')
      const ran = runs.filter(({ stream }) => stream.repository === id)
      const sessions = open.filter(({ repository }) => repository === id)
      const works = present.toSorted(byWeight(focused)).slice(0, MOST.works)
      return {
        ...{ id, name, works, mine: present.length, archived: mine.length - present.length },
        lastActivityAt:
          newest([...[...mine, ...ran].map(({ at }) => at), ...sessions.map((one) => one.lastActivityAt)]) ||
          null,
        runsInProgress: ran.filter(({ progress }) => progress === 'in_progress').length,
        activeSessions: sessions.filter(({ phase }) => phase === 'active').length,
        staleSessions: sessions.filter(isStale).length,
      }
    })
    .filter(({ lastActivityAt }) => lastActivityAt !== null)
    .sort((a, b) => ((a.lastActivityAt ?? '') < (b.lastActivityAt ?? '') ? 1 : -1))
}

/** What is in focus, then what somebody named, then what sessions saved by themselves; each by its time. */
function byWeight(focused: FocusedRows) {
  const weightOf = (head: StreamSummary) =>
    standingWord(head, focused) === 'focused' ? 2 : isSavedBySession(head) ? 0 : 1
  return (a: StreamSummary, b: StreamSummary) => weightOf(b) - weightOf(a) || (a.at < b.at ? 1 : -1)
}

/** The workspaces of a repository, the one that a session was last heard of in first; one that is gone comes last. */
function inOrder({ workspaces }: KnownPlaces, repository: string, open: readonly Session[]) {
  const turnOf = (id: string) => open.findIndex(({ workspace }) => workspace === id) >>> 0
  return workspaces
    .filter((one) => one.repository === repository)
    .sort((a, b) => Number(b.exists) - Number(a.exists) || turnOf(a.id) - turnOf(b.id))
}

interface HeadState {
  checkpoint: Checkpoint | null
  isDamaged: boolean
}

/** The newest whole checkpoint of each: one read for all of them, and one more for each that is damaged. */
async function readStates(log: Log, heads: readonly StreamSummary[]): Promise<Map<string, HeadState>> {
  const states = new Map<string, HeadState>()
  for (const stored of await log.readCheckpoints(heads.map(({ stream }) => stream.headId)))
    if (stored.state === 'whole')
      states.set(stored.row.stream, { checkpoint: stored.checkpoint, isDamaged: false })
  for (const { stream } of heads)
    if (!states.has(stream.id))
      states.set(stream.id, { checkpoint: await readBefore(log, stream.id), isDamaged: true })
  return states
}

async function readBefore(log: Log, stream: string): Promise<Checkpoint | null> {
  try {
    return (await log.readSituation(stream)).base.checkpoint
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
    return null
  }
}

const NOTHING = { goal: '', now: '', next: [], blockers: [], openQuestions: 0, unconfirmed: 0 }

/**
 * Where a piece of work stands. `workspace`: the one to act in, where it is in focus, else where it was begun. Of one
 * that is damaged the newest whole checkpoint is told.
 */
function describeNow(
  head: StreamSummary,
  { places, focused, state }: { places: KnownPlaces; focused: FocusedRows; state: HeadState | undefined },
) {
  const { stream, gist, at, progress, foreign } = head
  const [wanted = stream.workspace] = workspacesFocusedOn(focused, stream.id)
  return {
    ...{ id: stream.id, name: stream.name, repository: stream.repository },
    workspace: workspaceFor(places, stream.repository, wanted).id,
    ...{ standing: standingWord(head, focused), branch: gist.document?.branch ?? null },
    problem: gist.document?.problem ?? '',
    ...(state?.checkpoint ? describeState(state.checkpoint) : NOTHING),
    ...{ progress, stepsDone: gist.stepsDone, steps: gist.steps, savedAt: at },
    ...{ sequence: stream.headSequence, foreign, isDamaged: state?.isDamaged ?? false },
  }
}

/** Of one that is at work its transcript is newer than its row. */
async function describeLive(context: Context, known: Session, isWanted: boolean) {
  const session = isWanted && known.phase === 'active' ? await readToEnd(context, known) : known
  return { ...describeSession(session), window: gaugeOf(session), running: listRunning(session) }
}

interface StoreWarning extends Pick<Finding, 'level' | 'what' | 'todo'> {
  repository: string | null
  workspace: string | null
  /** What a button does about it; null where only a person can. */
  action: { verb: string; input: Record<string, unknown>; label: string } | null
}

const NOWHERE = { repository: null, workspace: null, action: null }

/** What the store and the home show by themselves; whatever needs git or every file is for `status` and `doctor`. */
const warningsOf = (
  { home, ports, notices }: Context,
  places: KnownPlaces,
  stale: readonly Session[],
  damaged: readonly Stream[],
): StoreWarning[] => [
  ...damaged.map(({ name, repository }) => ({
    ...{ level: 'error' as const, ...FINDINGS.headDamaged(name), repository },
    workspace: workspaceFor(places, repository, '').id || null,
    action: { verb: 'doctor', input: { fix: true }, label: 'Repair' },
  })),
  ...brokenSessions(places, stale),
  ...describeFaults(readFaults(home.faults), ports.now()).map(({ level, what, todo }) => ({
    ...{ level, what, todo, ...NOWHERE },
  })),
  ...[...new Set(notices)].map((words) => ({
    ...{ level: 'note' as const, ...FINDINGS.notice(words), ...NOWHERE },
  })),
]

/** One for each workspace: a reconciliation is done in one. */
function brokenSessions(places: KnownPlaces, stale: readonly Session[]): StoreWarning[] {
  const counts = new Map<string, { repository: string; count: number }>()
  for (const { repository, workspace: wanted } of stale) {
    const { id, exists } = workspaceFor(places, repository, wanted)
    if (exists) counts.set(id, { repository, count: (counts.get(id)?.count ?? 0) + 1 })
  }
  return [...counts].map(([workspace, { repository, count }]) => ({
    ...{ level: 'warning', ...FINDINGS.sessionsBrokeOff(count), repository, workspace },
    action: { verb: 'reconcile', input: {}, label: 'Reconcile' },
  }))
}
