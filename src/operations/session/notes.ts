import { instant } from '../../core/ports.ts'
import type { Session, SessionKey } from '../../core/session.ts'
import { isLive, quietFor, STALE_AFTER_MS } from '../../policy/session-lifecycle.ts'
import type { Context } from '../context.ts'
import { isTrustedHere } from '../document/trusted.ts'
import { ageOf, count } from '../text.ts'
import { runningIn } from './running-in.ts'
import { shortId } from './session-text.ts'

/** So many sessions are told of; `savepoint sessions` has all. */
const MOST_SESSIONS = 3
const MOST_RUNNING = 4

/**
 * What whoever goes on must know of other sessions in this workspace: those that may still be live, those that broke
 * off, what was running in them. What an earlier start told is not told again.
 */
export async function notesHere(context: Context, current: SessionKey | null): Promise<string[]> {
  const { store, identity, ports } = context
  if (identity.workspace === '') return []
  const rows = await store.sessions({
    workspace: identity.workspace,
    phases: ['active', 'stale', 'recent'],
    most: 50,
  })
  const others = rows
    .map(({ session }) => session)
    .filter(({ id }) => id !== (current ?? context.session)?.id)
  const toldAt = others.reduce((latest, { told }) => (told && told.at > latest ? told.at : latest), '')
  const nowMs = ports.now()
  const trusted = await isTrustedHere(context)
  return others
    .filter((session) => isLive(session) || knownSince(session) > toldAt)
    .slice(0, MOST_SESSIONS)
    .flatMap((session) => notesOf(session, nowMs, trusted))
}

/** When a start could first say what it says now: that a session broke off is known an hour after its last word. */
const knownSince = ({ phase, endReason, lastActivityAt }: Session) =>
  phase === 'stale' || endReason === 'crash'
    ? instant(Date.parse(lastActivityAt) + STALE_AFTER_MS)
    : lastActivityAt

/** Names of branches and helpers may be a stranger's words: they are told only where the workspace is trusted. */
export function notesOf(session: Session, nowMs: number, trusted: boolean): string[] {
  const name = shortId(session.id)
  const ago = `${ageOf(nowMs - Date.parse(session.lastActivityAt))} ago`
  const branch =
    session.environment.gitBranch === null || !trusted ? '' : `, branch ${session.environment.gitBranch}`
  return [
    ...(isLive(session) ? [`Session ${name} may still be live: last heard of ${ago}${branch}.`] : []),
    ...(session.phase === 'stale' || session.endReason === 'crash'
      ? [`Session ${name} broke off without an end ${ago}${branch}.`]
      : []),
    ...(session.paused ? [`Session ${name} was stopped by ${session.paused.reason} ${ago}.`] : []),
    ...sayLeft(name, leftIn(session), trusted),
    ...quietNote(session, name),
  ]
}

function sayLeft(name: string, left: Array<{ what: string }>, trusted: boolean): string[] {
  if (trusted)
    return left.map(
      ({ what }) => `Session ${name} left this running: ${what}. Look at it before starting it again.`,
    )
  const things = count(left.length, 'helper or command').replace('helper or commands', 'helpers or commands')
  return left.length === 0
    ? []
    : [`Session ${name} left ${things} running. Look before starting anything again.`]
}

/** Who ended in order has ended what it ran. */
function leftIn(session: Session): Array<{ what: string }> {
  const { phase, endReason } = session
  if (phase === 'recent' && endReason !== 'crash' && endReason !== 'clear') return []
  return runningIn(session).slice(-MOST_RUNNING)
}

/** It warns at the next start: nobody looks for what is missing. */
const quietNote = (session: Session, name: string): string[] =>
  quietFor(session) === null
    ? []
    : [`Session ${name} went on without its hooks being heard: savepoint doctor tells why.`]
