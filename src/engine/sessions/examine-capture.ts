import { existsSync, readFileSync } from 'node:fs'
import { instant } from '../../core/ports.ts'
import { errorCode } from '../../core/reason.ts'
import type { Session, SessionEvent } from '../../core/session.ts'
import { ageOf, formatCount } from '../../core/text.ts'
import { isEarlier } from '../../policy/session-earlier.ts'
import { quietFor } from '../../policy/session-lifecycle.ts'
import type { Context } from '../context/context.ts'
import type { Finding } from '../context/finding.ts'
import { journalSize, listJournals } from './session-files.ts'

/** So many sessions are looked at: the newest ones of this workspace. */
const MOST_SESSIONS = 20
const DAY_MS = 86_400_000

/** What is known of the hooks' own work in this workspace. */
export interface Capture {
  /** Hooks were put into the settings of an agent for this workspace. */
  setUp: boolean
  sessions: number
  /** The newest event of each kind, and its age. */
  last: Array<{ kind: string; at: string; age: string }>
  /** How long a hook took, with the start of its process, in milliseconds; null where none was measured. */
  p50: number | null
  p95: number | null
  tokensTold: number
  faults: number
}

/** Whether capture really works: when each hook was heard last, what they cost, what went wrong. */
export async function examineCapture(
  context: Context,
  findings: Finding[],
  { isSetUp }: { isSetUp: boolean },
): Promise<Capture> {
  const { store, identity, ports } = context
  const nowMs = ports.now()
  const rows = await store.log.listSessions({ workspace: identity.workspace })
  const sessions = rows.slice(0, MOST_SESSIONS).map(({ session }) => session)
  const events = sessions.flatMap((session) => session.events)
  const faults = faultsIn(context)
  tellFaults(faults, nowMs, findings)
  tellQuiet(sessions, findings)
  tellWaiting(
    context,
    rows.map(({ session }) => session),
    findings,
  )
  const times = events.flatMap(({ ms }) => ms ?? []).sort((a, b) => a - b)
  return {
    setUp: isSetUp,
    sessions: rows.filter(({ session }) => !isEarlier(session)).length,
    last: lastOf(events, nowMs),
    p50: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    tokensTold: events.reduce((sum, { tokens }) => sum + tokens, 0),
    faults: faults.length,
  }
}

function lastOf(events: readonly SessionEvent[], nowMs: number): Capture['last'] {
  const last = new Map<string, string>()
  for (const { kind, at } of events) if (at > (last.get(kind) ?? '')) last.set(kind, at)
  return [...last].map(([kind, at]) => ({ kind, at, age: ageOf(nowMs - Date.parse(at)) }))
}

const percentile = (sorted: readonly number[], part: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? null

interface Fault {
  at: string
  event: string
  reason: string
  message: string
}

const MAX_FAULTS_BYTES = 256 * 1024

function faultsIn({ home }: Context): Fault[] {
  return [`${home.faults}.1`, home.faults].flatMap((path) => {
    try {
      const text = existsSync(path) ? readFileSync(path, 'utf8').slice(-MAX_FAULTS_BYTES) : ''
      return text.split('\n').flatMap((line) => faultOf(line) ?? [])
    } catch (error) {
      if (errorCode(error) === undefined) throw error
      return []
    }
  })
}

/** Some of them are written by a shell script where there is no Node. */
function faultOf(line: string): Fault | null {
  if (line === '') return null
  try {
    // `as`: every field is made a text below.
    const { at, event, reason, message } = JSON.parse(line) as Partial<Record<keyof Fault, unknown>>
    const text = (value: unknown) => (typeof value === 'string' ? value : '')
    return { at: text(at), event: text(event), reason: text(reason), message: text(message) }
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error
    return null
  }
}

/** Each reason once, with how often and when it came last; what is older than a day is a note. */
function tellFaults(faults: readonly Fault[], nowMs: number, findings: Finding[]): void {
  const byReason = new Map<string, Fault[]>()
  for (const fault of faults) byReason.set(fault.reason, [...(byReason.get(fault.reason) ?? []), fault])
  for (const [reason, all] of byReason) {
    const last = all.reduce((newest, fault) => (fault.at > newest.at ? fault : newest))
    const isRecent = last.at > instant(nowMs - DAY_MS)
    const words = last.message === '' ? '' : `: ${last.message}`
    findings.push({
      level: isRecent ? 'warning' : 'note',
      what: `A hook could not do its part (${formatCount(all.length, 'time')}, last ${ageOf(nowMs - Date.parse(last.at))} ago, at ${last.event || 'its start'}): ${reason}${words}`,
      todo: 'The agent went on without it, and its event stands in the journal. Once the cause is mended nothing is left to do; this fades after a day.',
      fixed: null,
    })
  }
}

/** A transcript that grew on while no hook was heard: the hooks do not run. */
function tellQuiet([newest]: readonly Session[], findings: Finding[]): void {
  const quietMs = newest ? quietFor(newest) : null
  if (newest && quietMs !== null)
    findings.push({
      level: 'warning',
      what: `The session ${newest.id} went on for ${ageOf(quietMs)} without any of its hooks being heard`,
      todo: 'Look at the settings of the agent (hooks that are switched off, a folder that is not trusted there), then run `savepoint init` again.',
      fixed: null,
    })
}

/** Events that hooks left because the store could not be opened; a command that writes takes them in. */
function tellWaiting(context: Context, sessions: readonly Session[], findings: Finding[]): void {
  const { sessions: folder } = context.home
  const read = new Map(sessions.map(({ id, journalRead }) => [id, journalRead]))
  const waiting = listJournals(folder).filter(
    (key) => read.has(key.id) && journalSize(folder, key) > (read.get(key.id) ?? 0),
  )
  if (waiting.length > 0)
    findings.push({
      level: 'note',
      what: `${formatCount(waiting.length, 'session')} said something that is not in the store yet`,
      todo: 'The next command takes it in, such as `savepoint sessions`.',
      fixed: null,
    })
}
