import { instant } from '../../core/ports.ts'
import type { Session, SessionEvent } from '../../core/session.ts'
import { ageOf } from '../../core/text.ts'
import { isEarlier } from '../../policy/session-apply.ts'
import { quietFor } from '../../policy/session-lifecycle.ts'
import type { Context } from '../context/context.ts'
import { FINDINGS, type Finding } from '../context/findings.ts'
import { listSessions } from './current.ts'
import { type HookFault, readFaults } from './fault.ts'
import { journalSize, listJournals } from './session-files.ts'

/** So many sessions are looked at: the newest ones of this workspace. */
const MOST_SESSIONS = 20
const DAY_MS = 86_400_000

/** What is known of the hooks' own work in this workspace. */
export type Capture = Awaited<ReturnType<typeof examineCapture>>

/** Whether capture really works: when each hook was heard last, what they cost, what went wrong. */
export async function examineCapture(context: Context, findings: Finding[], setUp: boolean) {
  const nowMs = context.ports.now()
  const all = await listSessions(context, { workspace: context.identity.workspace })
  const events = all.slice(0, MOST_SESSIONS).flatMap((session) => session.events)
  const faults = readFaults(context.home.faults)
  findings.push(...describeFaults(faults, nowMs), ...quietFindings(all), ...waitingFindings(context, all))
  const times = events.flatMap(({ ms }) => ms ?? []).sort((a, b) => a - b)
  return {
    /** Hooks were put into the settings of an agent for this workspace. */
    setUp,
    sessions: all.filter((session) => !isEarlier(session)).length,
    last: lastOf(events, nowMs),
    // How long a hook took, with the start of its process, in milliseconds; null where none was measured.
    p50: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    tokensTold: events.reduce((sum, { tokens }) => sum + tokens, 0),
    faults: faults.length,
  }
}

/** The newest event of each kind, and its age. */
function lastOf(events: readonly SessionEvent[], nowMs: number) {
  const last = new Map<string, string>()
  for (const { kind, at } of events) if (at > (last.get(kind) ?? '')) last.set(kind, at)
  return [...last].map(([kind, at]) => ({ kind, at, age: ageOf(nowMs - Date.parse(at)) }))
}

const percentile = (sorted: readonly number[], part: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? null

/** Each reason once, with how often and when it came last; what is older than a day is a note. */
export function describeFaults(faults: readonly HookFault[], nowMs: number): Finding[] {
  return [...new Set(faults.map(({ reason }) => reason))].flatMap((reason): Finding[] => {
    const all = faults.filter((fault) => fault.reason === reason).sort((a, b) => (a.at < b.at ? 1 : -1))
    const [last] = all
    if (!last) return []
    const level = last.at > instant(nowMs - DAY_MS) ? 'warning' : 'note'
    const age = ageOf(nowMs - Date.parse(last.at))
    return [{ level, ...FINDINGS.hookFailed({ ...last, times: all.length, age }), fixed: null }]
  })
}

/** A transcript that grew on while no hook was heard: the hooks do not run. */
function quietFindings([newest]: readonly Session[]): Finding[] {
  const quietMs = newest ? quietFor(newest) : null
  if (!newest || quietMs === null) return []
  return [{ level: 'warning', ...FINDINGS.hooksSilent(newest.id, ageOf(quietMs)), fixed: null }]
}

/** Events that hooks left because the store could not be opened; a command that writes takes them in. */
function waitingFindings({ home }: Context, sessions: readonly Session[]): Finding[] {
  const read = new Map(sessions.map(({ id, journalRead }) => [id, journalRead]))
  const waiting = listJournals(home.sessions).filter(
    (key) => journalSize(home.sessions, key) > (read.get(key.id) ?? Number.POSITIVE_INFINITY),
  )
  if (waiting.length === 0) return []
  return [{ level: 'note', ...FINDINGS.sessionsWaiting(waiting.length), fixed: null }]
}
