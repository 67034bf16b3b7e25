import { nameProblem } from '../../core/id.ts'
import { instant } from '../../core/ports.ts'
import type { Session, SessionKey } from '../../core/session.ts'
import { ageOf } from '../../core/text.ts'
import { SESSION_NOTES, SESSION_STATES } from '../../policy/agent-words.ts'
import { isLive, quietFor, runningIn, STALE_AFTER_MS } from '../../policy/session-lifecycle.ts'
import type { Context } from '../context/context.ts'
import { listRunsInProgress, type StoredRun } from '../surroundings/stored-runs.ts'
import type { Here } from '../trust/here.ts'

/** A line about a session, or about the run in progress, which is of no session. */
export interface SessionNote {
  session: string
  about: 'state' | 'pause' | 'running' | 'hooks' | 'run'
  text: string
}

/** So many sessions are told of; `savepoint sessions` has all. */
const MOST_SESSIONS = 3
const MOST_RUNNING = 4

/** Which other sessions here may be live or broke off, and what ran in them. What an earlier start told is not told again. */
export async function notesHere(context: Context, { trusted }: Here, current: SessionKey | null) {
  const { store, identity, ports } = context
  if (identity.workspace === '') return []
  const rows = await store.log.listSessions({
    workspace: identity.workspace,
    phases: ['active', 'stale', 'recent'],
    most: 50,
  })
  const others = rows
    .map(({ session }) => session)
    .filter(({ id }) => id !== (current ?? context.session)?.id)
  const toldAt = others.reduce((latest, { told }) => (told && told.at > latest ? told.at : latest), '')
  const nowMs = ports.now()
  return [
    ...runNotesOf(await listRunsInProgress(context), nowMs, trusted),
    ...others
      .filter((session) => isLive(session) || noteTime(session) > toldAt)
      .slice(0, MOST_SESSIONS)
      .flatMap((session) => sessionNotesOf(session, nowMs, trusted)),
  ]
}

/** The newest run in progress, in a line. A step may have a name from a plan that a stranger wrote. */
function runNotesOf([run, ...others]: readonly StoredRun[], nowMs: number, trusted: boolean): SessionNote[] {
  if (run === undefined) return []
  const { stream, stepId, stepsDone, steps, updatedAt } = run
  const step = trusted && stepId !== null && nameProblem(stepId) === null ? stepId : null
  const age = ageOf(nowMs - Date.parse(updatedAt))
  const text = SESSION_NOTES.run(stream.name, { step, stepsDone, steps, age, others: others.length })
  return [{ session: '', about: 'run', text }]
}

/** When a start could first say what it says now: that a session broke off is known an hour after its last word. */
const noteTime = (session: Session) =>
  isBroken(session) ? instant(Date.parse(session.lastActivityAt) + STALE_AFTER_MS) : session.lastActivityAt

/** Names of branches and helpers may be a stranger's words: they are told only where the workspace is trusted. */
export function sessionNotesOf(session: Session, nowMs: number, trusted: boolean): SessionNote[] {
  const { id } = session
  const notes: SessionNote[] = []
  const add = (about: SessionNote['about'], text: string) => notes.push({ session: id, about, text })
  if (isLive(session) || isBroken(session))
    add('state', SESSION_NOTES.state(id, stateOf(session, nowMs, trusted)))
  if (session.paused)
    add('pause', SESSION_NOTES.pause(id, pauseOf(session.paused, trusted), agoOf(session, nowMs)))
  const left = leftRunningIn(session)
  if (trusted) for (const { what } of left) add('running', SESSION_NOTES.running(id, what))
  else if (left.length > 0) add('running', SESSION_NOTES.runningCount(id, left.length))
  // Users do not notice missing records.
  if (quietFor(session) !== null) add('hooks', SESSION_NOTES.hooksSilent(id))
  return notes
}

const isBroken = ({ phase, endReason }: Session) => phase === 'stale' || endReason === 'crash'

/** The client's own word for it, or the provider's sentence. */
const pauseOf = ({ reason }: { reason: string }, trusted: boolean) =>
  trusted || /^\w{1,60}$/.test(reason) ? reason : SESSION_NOTES.byProvider

const agoOf = ({ lastActivityAt }: Session, nowMs: number) =>
  `${ageOf(nowMs - Date.parse(lastActivityAt))} ago`

/** Where a session stands, in words that follow its name. */
export function stateOf(session: Session, nowMs: number, trusted: boolean): string {
  const { gitBranch } = session.environment
  const branch = gitBranch === null || !trusted ? '' : `, branch ${gitBranch}`
  return SESSION_STATES[endOf(session)](agoOf(session, nowMs)) + branch
}

/** Whether a session may still be live, and else how it ended. */
export const endOf = (session: Session): keyof typeof SESSION_STATES =>
  isLive(session) ? 'live' : isBroken(session) ? 'broken' : 'ended'

/** A session that ended in order also ended its helpers and commands. */
function leftRunningIn(session: Session): Array<{ what: string }> {
  const { phase, endReason } = session
  if (phase === 'recent' && endReason !== 'crash' && endReason !== 'clear') return []
  return runningIn(session).slice(-MOST_RUNNING)
}
