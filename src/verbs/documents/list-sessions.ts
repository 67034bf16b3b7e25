import { nameKey } from '../../core/id.ts'
import type { AgentName, Session } from '../../core/session.ts'
import { sessionNamer } from '../../core/session-name.ts'
import { shortSpan } from '../../core/text.ts'
import { visibleLine } from '../../core/visible.ts'
import { endOf } from '../../engine/brief/session-notes.ts'
import { branchSlug, sessionStream } from '../../policy/resolve.ts'
import { lastAsked } from '../../policy/session-lifecycle.ts'
import type { Screen } from '../define/screen.ts'

/** A session below its work. */
export interface SessionBelow {
  agent: AgentName
  id: string
  state: ReturnType<typeof endOf>
  lastActivityAt: string
  silentMs: number
  /** The newest request that says what is to be done. */
  asked: string
}

/** The newest sessions of a piece of work, and how many more there are. */
export interface SessionsBelow {
  sessions: SessionBelow[]
  moreSessions: number
}

/** Sessions in which nobody saved by hand, as the work of their branch. */
export interface UnsavedWork extends SessionsBelow {
  branch: string | null
  updatedAt: string
}

export const NO_SESSIONS: SessionsBelow = { sessions: [], moreSessions: 0 }
const MOST_BELOW = 3

interface SessionGrouping {
  works: readonly string[]
  /** Work that is over and not listed, with the time of its last checkpoint. */
  closed: ReadonlyArray<{ id: string; updatedAt: string }>
  workspace: string
  nowMs: number
}

/**
 * Sessions by the work that they are of, the newest first: the one that they saved to; else a stream of their own that
 * is listed itself; else their branch's. Those of work that is over go with it. Without a save only sessions of this workspace count, and only those in which
 * something was asked.
 */
export function groupSessions(
  sessions: readonly Session[],
  { works, closed, workspace, nowMs }: SessionGrouping,
) {
  const keys = new Set(works.map(nameKey))
  const closedAt = new Map(closed.map(({ id, updatedAt }) => [nameKey(id), updatedAt]))
  const over: Session[] = []
  const byWork = new Map<string, Session[]>()
  const byBranch = new Map<string | null, Session[]>()
  for (const session of sessions) {
    const { gitBranch } = session.environment
    const names = [
      session.stream ?? sessionStream(session.id),
      ...(session.stream ? [] : [branchWork(gitBranch)]),
    ]
    if (lastAsked(session) === '' || (session.stream === null && session.workspace !== workspace)) continue
    const key = names.map(nameKey).find((name) => keys.has(name))
    const isClosed = names.some((name) => (closedAt.get(nameKey(name)) ?? '') >= session.lastActivityAt)
    if (key !== undefined) add(byWork, key, session)
    else if (isClosed) over.push(session)
    else if (session.stream === null) add(byBranch, gitBranch, session)
  }
  return {
    byWork: new Map([...byWork].map(([key, all]) => [key, describeBelow(all, nowMs)])),
    unsaved: [...byBranch].map(
      ([branch, all]): UnsavedWork => ({
        ...{ branch, updatedAt: all[0]?.lastActivityAt ?? '', ...describeBelow(all, nowMs) },
      }),
    ),
    /** The streams of their own of all sessions that are listed or counted, or whose work is over. */
    streams: new Set(
      [...byWork.values(), ...byBranch.values(), over].flat().map(({ id }) => sessionStream(id)),
    ),
  }
}

const branchWork = (branch: string | null) => (branch === null ? 'main' : branchSlug(branch))

function add<Key>(groups: Map<Key, Session[]>, key: Key, session: Session): void {
  const known = groups.get(key)
  if (known) known.push(session)
  else groups.set(key, [session])
}

const describeBelow = (all: readonly Session[], nowMs: number): SessionsBelow => ({
  sessions: all.slice(0, MOST_BELOW).map((session) => ({
    ...{ agent: session.agent, id: session.id, state: endOf(session), asked: lastAsked(session) },
    lastActivityAt: session.lastActivityAt,
    silentMs: Math.max(0, nowMs - Date.parse(session.lastActivityAt)),
  })),
  moreSessions: Math.max(0, all.length - MOST_BELOW),
})

const STATES = { live: 'active', broken: 'interrupted', ended: 'ended' } as const satisfies Record<
  SessionBelow['state'],
  string
>

/** The lines of sessions below their work, in the same columns below all of it. */
export function belowSayer(
  all: readonly SessionsBelow[],
  { paint }: Screen,
): (below: SessionsBelow) => string[] {
  const listed = all.flatMap(({ sessions }) => sessions)
  const name = sessionNamer(listed.map(({ id }) => id))
  const ago = ({ silentMs }: SessionBelow) => `${shortSpan(silentMs)} ago`
  const agoWidth = Math.max(...listed.map((one) => ago(one).length))
  const stateWidth = Math.max(...listed.map(({ state }) => STATES[state].length))
  return ({ sessions, moreSessions }) => [
    ...sessions.map((one) => {
      const state = STATES[one.state].padEnd(stateWidth)
      const how = one.state === 'broken' ? paint('warn', state) : state
      return `  ${visibleLine(name(one.id))}  ${ago(one).padEnd(agoWidth)}  ${how}  ${visibleLine(one.asked)}`
    }),
    ...(moreSessions > 0 ? [`  ${moreSessions} more: savepoint sessions --all`] : []),
  ]
}
