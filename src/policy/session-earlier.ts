import { instant } from '../core/ports.ts'
import type { Session, SessionKey } from '../core/session.ts'
import { beginSession, type SessionPlace } from './session-apply.ts'
import { nextPhase, phaseAt } from './session-lifecycle.ts'

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
  const over: Session = {
    ...open,
    phase: nextPhase('active', 'end'),
    endedAt: lastActivityAt,
    endReason: 'other',
  }
  return { ...over, phase: phaseAt(over, nowMs) }
}

/** No hook was ever heard of it: what its end left behind can not be known. */
export const isEarlier = ({ events }: Pick<Session, 'events'>) => events.length === 0
