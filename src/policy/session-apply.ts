import type { AgentEvent, AgentEventKind, ToolUse } from '../core/agent-event.ts'
import { clipText } from '../core/canonical.ts'
import { instant } from '../core/ports.ts'
import {
  type InFlight,
  noStatistics,
  type Session,
  type SessionEvent,
  type SessionKey,
} from '../core/session.ts'
import { beginStretch, stretchAfter } from './ask-to-save.ts'
import { nextPhase, phaseAt } from './session-lifecycle.ts'

/** Where a session is: what its first event finds out. */
export interface SessionPlace {
  repository: string
  workspace: string
  branch: string | null
  commit: string | null
  /** The session that a clear or a fork goes on from. */
  parent: string | null
  /** The stream that it inherits with the parent. */
  stream: string | null
}

/** A session at its first event, whichever that is: it may have begun before anybody followed it. */
export function beginSession(event: AgentEvent, where: SessionPlace): Session {
  const { agent, session: id, at, cwd } = event
  return {
    ...{ agent, id, repository: where.repository, workspace: where.workspace },
    source: event.kind === 'start' ? event.source : 'startup',
    ...{ phase: 'active', startedAt: at, lastActivityAt: at, endedAt: null, endReason: null },
    environment: {
      workingDirectory: cwd,
      gitBranch: where.branch,
      gitCommitHash: where.commit,
      permissionMode: event.permissionMode,
      transcriptPath: event.transcript,
      model: event.kind === 'start' ? event.model : null,
    },
    ...{ parent: where.parent, stream: where.stream, outcomes: [], accomplishments: [], events: [] },
    ...{ inFlight: [], paused: null, compactions: 0, nudged: [], compaction: null, lastPrompt: null },
    ...{ lastSaid: null, unfinished: [], told: null, savedAt: null, stretch: beginStretch(at) },
    ...{ checkpointedAt: null, handedOff: false, archives: [], uncommittedFiles: null },
    ...{ statistics: noStatistics(), context: null, journalRead: 0, transcriptRead: 0, caughtUpAt: null },
  }
}

/** What its transcript says of a session that no hook was heard of. */
export interface EarlierTalk extends SessionKey {
  transcript: string
  cwd: string
  startedMs: number
  lastMs: number
}

/**
 * A session that nobody followed, from its transcript. One that wrote something within the last hour may still be at
 * work; any other is over, and nobody knows how it ended.
 */
export function earlierSession(
  { agent, id, transcript, cwd, startedMs, lastMs }: EarlierTalk,
  where: Pick<SessionPlace, 'repository' | 'workspace' | 'branch'>,
  nowMs: number,
): Session {
  // A clock that went back must not make a session that never ends.
  const lastActivityAt = instant(Math.min(lastMs, nowMs))
  const startedAt = instant(Math.min(startedMs, lastMs, nowMs))
  const event = { agent, session: id, at: startedAt, cwd, transcript, permissionMode: null, helper: null }
  const open: Session = {
    ...beginSession(
      { ...event, kind: 'start', source: 'startup', model: null },
      { ...where, commit: null, parent: null, stream: null },
    ),
    lastActivityAt,
  }
  if (phaseAt(open, nowMs) === 'active') return open
  const end = { phase: nextPhase('active', 'end'), endedAt: lastActivityAt, endReason: 'other' } as const
  return { ...open, ...end, phase: phaseAt({ ...open, ...end }, nowMs) }
}

/** No hook was ever heard of it: what its end left behind can not be known. */
export const isEarlier = ({ events }: Pick<Session, 'events'>) => events.length === 0

export const MOST_EVENTS = 100

/** A session with one more event; of more than it may keep, the oldest go. */
export const withEvent = <S extends Pick<Session, 'events'>>(session: S, event: SessionEvent): S => ({
  ...session,
  events: [...session.events, event].slice(-MOST_EVENTS),
})

export function applyEvent(session: Session, event: AgentEvent, ms: number | null = null): Session {
  // The journal of a newer version may hold an event of a kind that this one does not know.
  const { note = '', ...change } = changeBy(session, event) ?? {}
  const noted = withEvent(session, {
    ...{ at: event.at, kind: event.kind, note: clipText(note, NOTE), ms, tokens: 0 },
  })
  const { permissionMode, transcriptPath, model } = noted.environment
  // An event that comes late from a journal does not turn the clock back.
  const isLater = event.at > noted.lastActivityAt
  return {
    ...noted,
    lastActivityAt: isLater ? event.at : noted.lastActivityAt,
    phase: nextPhase(noted.phase, event.kind === 'end' ? 'end' : 'speak'),
    environment: {
      ...noted.environment,
      permissionMode: event.permissionMode ?? permissionMode,
      transcriptPath: event.transcript ?? transcriptPath,
      // The client resumes, compacts and clears under an id that it may have used before.
      model: (event.kind === 'start' ? event.model : null) ?? model,
    },
    stretch: stretchAfter(noted.stretch ?? beginStretch(event.at), event),
    ...(event.kind === 'end' ? {} : { endedAt: null, endReason: null }),
    ...change,
  }
}

const NOTE = 120

/** What only this kind of event changes, and a few words for the list: the text of a prompt stands in the transcript. */
function changeBy(session: Session, event: AgentEvent): Partial<Session> & { note?: string } {
  const { at } = event
  const { inFlight } = session
  switch (event.kind) {
    case 'start':
      return { note: event.source, paused: null, ...(event.source === 'compact' ? {} : { inFlight: [] }) }
    case 'prompt':
      return { lastPrompt: { at, text: event.text }, paused: null }
    case 'batch':
      return {
        note: [...new Set(event.tools.map(({ name }) => name))].join(', '),
        paused: null,
        inFlight: event.tools.reduce(leftRunning(at), inFlight),
      }
    case 'stop': {
      const ids = event.background.map(({ id }) => id)
      const others = inFlight.filter(({ id, kind }) => kind !== 'background' && !ids.includes(id))
      const background = event.background.map(({ id, what }): InFlight => {
        const since = inFlight.find((one) => one.id === id)?.since ?? at
        return { id, kind: 'background', what, since }
      })
      const said = event.said === '' ? {} : { lastSaid: { at, text: event.said } }
      return { ...said, paused: null, inFlight: [...others, ...background] }
    }
    case 'failure':
      return { note: event.error, paused: { reason: event.error, at } }
    case 'compacting':
      return {
        note: event.automatic ? 'automatic' : 'requested',
        compaction: { at, summary: null, looks: 0 },
      }
    case 'compacted':
      return {
        compactions: session.compactions + 1,
        compaction: { at: session.compaction?.at ?? at, summary: event.summary, looks: 0 },
      }
    case 'helper-started':
    case 'task-created': {
      const { what } = event
      const isTask = event.kind === 'task-created'
      const [id, kind] = isTask ? [`task ${event.id}`, 'task' as const] : [event.id, 'subagent' as const]
      return { note: what, inFlight: running(inFlight, { id, kind, what, since: at }) }
    }
    case 'helper-stopped':
      return { inFlight: inFlight.filter(({ id }) => id !== event.id) }
    case 'task-completed':
      return { note: event.what, inFlight: inFlight.filter(({ id }) => id !== `task ${event.id}`) }
    case 'end':
      return { note: event.reason, endedAt: at, endReason: event.reason }
  }
}

const MOST_IN_FLIGHT = 50

const running = (inFlight: InFlight[], one: InFlight): InFlight[] =>
  [...inFlight.filter(({ id }) => id !== one.id), one].slice(-MOST_IN_FLIGHT)

/** The event that names a helper does not say what it is for; the answer of its tool does. */
const leftRunning =
  (at: string) =>
  (inFlight: InFlight[], { running: left }: ToolUse): InFlight[] => {
    // A journal of an older program does not say.
    if (!left) return inFlight
    const since = inFlight.find(({ id }) => id === left.id)?.since ?? at
    return running(inFlight, { ...left, since })
  }

/** How long our part of an event took and how much it told, found out when it was over. */
export function measureEvent(
  session: Session,
  { of, ms, tokens }: { of: AgentEventKind; ms: number; tokens: number },
): Session {
  const at = session.events.findLastIndex(({ kind, ms: known }) => kind === of && known === null)
  if (at < 0) return session
  return {
    ...session,
    events: session.events.map((one, index) => (index === at ? { ...one, ms, tokens } : one)),
  }
}

/** After a clear or a fork the client has another id: the session before it, by where and when it ended. */
export function parentOf(
  event: Extract<AgentEvent, { kind: 'start' }>,
  others: readonly Session[],
): (SessionKey & Pick<Session, 'stream' | 'outcomes'>) | null {
  if (event.source !== 'clear' && event.source !== 'fork') return null
  const taken = new Set(others.map(({ parent }) => parent))
  const startMs = Date.parse(event.at)
  // The hook of the start may be faster than that of the end; an end before it is the likelier one.
  const before = ({ endedAt, lastActivityAt }: Session) => startMs - Date.parse(endedAt ?? lastActivityAt)
  const distanceTo = (one: Session) => (before(one) >= 0 ? before(one) : CLEAR_MS - before(one))
  const wanted = others.filter(
    (one) =>
      one.agent === event.agent &&
      one.id !== event.session &&
      (event.source === 'fork' ||
        (one.endReason === 'clear' && !taken.has(one.id) && Math.abs(before(one)) <= CLEAR_MS)),
  )
  const [nearest, next] = wanted.sort((a, b) => distanceTo(a) - distanceTo(b))
  // Two that were cleared at once cannot be told apart: better none than another's.
  const isUnsure =
    event.source === 'clear' && nearest && next && distanceTo(next) - distanceTo(nearest) < AT_ONCE_MS
  return nearest === undefined || isUnsure ? null : nearest
}

/** The client ends one session and starts the next within a moment. */
const CLEAR_MS = 60_000
/** Two terminals that are cleared within this may tell of it in any order. */
const AT_ONCE_MS = 3_000
