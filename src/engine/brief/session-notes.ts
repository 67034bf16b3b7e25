import { instant } from '../../core/ports.ts'
import type { Session, SessionKey } from '../../core/session.ts'
import { shortId } from '../../core/session-name.ts'
import { ageOf, formatCount } from '../../core/text.ts'
import { runningIn } from '../../policy/running-in.ts'
import { isLive, quietFor, STALE_AFTER_MS } from '../../policy/session-lifecycle.ts'
import type { Context } from '../context/context.ts'
import type { Here } from '../trust/here.ts'

/** A line about a session. */
export interface SessionNote {
  session: string
  about: 'state' | 'pause' | 'running' | 'hooks'
  text: string
}

/** So many sessions are told of; `savepoint sessions` has all. */
const MOST_SESSIONS = 3
const MOST_RUNNING = 4

/**
 * What whoever goes on must know of other sessions in this workspace: those that may still be live, those that broke
 * off, what was running in them. What an earlier start told is not told again.
 */
export async function notesHere(
  context: Context,
  { trusted }: Here,
  current: SessionKey | null,
): Promise<SessionNote[]> {
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
  return others
    .filter((session) => isLive(session) || noteTime(session) > toldAt)
    .slice(0, MOST_SESSIONS)
    .flatMap((session) => sessionNotesOf(session, nowMs, trusted))
}

/** When a start could first say what it says now: that a session broke off is known an hour after its last word. */
const noteTime = ({ phase, endReason, lastActivityAt }: Session) =>
  phase === 'stale' || endReason === 'crash'
    ? instant(Date.parse(lastActivityAt) + STALE_AFTER_MS)
    : lastActivityAt

/** Names of branches and helpers may be a stranger's words: they are told only where the workspace is trusted. */
export function sessionNotesOf(session: Session, nowMs: number, trusted: boolean): SessionNote[] {
  const name = shortId(session.id)
  const state = stateOf(session, nowMs, trusted)
  const note =
    (about: SessionNote['about']) =>
    (text: string): SessionNote => ({ session: session.id, about, text })
  const isOver = !isLive(session) && session.phase !== 'stale' && session.endReason !== 'crash'
  return [
    ...(isOver ? [] : [`Session ${name} ${state}.`]).map(note('state')),
    ...(session.paused
      ? [`Session ${name} was stopped by ${pauseOf(session.paused, trusted)} ${agoOf(session, nowMs)}.`]
      : []
    ).map(note('pause')),
    ...sayLeft(name, leftRunningIn(session), trusted).map(note('running')),
    ...quietNote(session, name).map(note('hooks')),
  ]
}

/** The client's own word for it, or the provider's sentence. */
const pauseOf = ({ reason }: { reason: string }, trusted: boolean) =>
  trusted || /^\w{1,60}$/.test(reason) ? reason : 'the provider'

const agoOf = ({ lastActivityAt }: Session, nowMs: number) =>
  `${ageOf(nowMs - Date.parse(lastActivityAt))} ago`

/** Where a session stands, in words that follow its name. */
export function stateOf(session: Session, nowMs: number, trusted: boolean): string {
  const { gitBranch } = session.environment
  const branch = gitBranch === null || !trusted ? '' : `, branch ${gitBranch}`
  const ago = agoOf(session, nowMs)
  if (isLive(session)) return `may still be live: last heard of ${ago}${branch}`
  const isBroken = session.phase === 'stale' || session.endReason === 'crash'
  return `${isBroken ? 'broke off without an end' : 'ended'} ${ago}${branch}`
}

function sayLeft(name: string, left: Array<{ what: string }>, trusted: boolean): string[] {
  if (trusted)
    return left.map(
      ({ what }) => `Session ${name} left this running: ${what}. Look at it before starting it again.`,
    )
  const things = formatCount(left.length, 'helper or command').replace(
    'helper or commands',
    'helpers or commands',
  )
  return left.length === 0
    ? []
    : [`Session ${name} left ${things} running. Look before starting anything again.`]
}

/** A session that ended in order also ended its helpers and commands. */
function leftRunningIn(session: Session): Array<{ what: string }> {
  const { phase, endReason } = session
  if (phase === 'recent' && endReason !== 'crash' && endReason !== 'clear') return []
  return runningIn(session).slice(-MOST_RUNNING)
}

/** Warns at the next start that hooks were silent: users do not notice missing records. */
const quietNote = (session: Session, name: string): string[] =>
  quietFor(session) === null
    ? []
    : [`Session ${name} went on without its hooks being heard: savepoint doctor tells why.`]
