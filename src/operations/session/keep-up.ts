import { existsSync, statSync } from 'node:fs'
import { errorCode } from '../../core/reason.ts'
import type { Session, SessionKey } from '../../core/session.ts'
import type { Context } from '../context.ts'
import { apart, follow } from './follow.ts'
import type { Why } from './save-session.ts'
import { sessionsLookedAfter } from './workspace-of.ts'

/** Whether any session was ever followed on this machine: most of what follows is loaded only then. */
const hasSessions = ({ file, home }: Context) => file !== null && existsSync(home.sessions)

/** Takes in what hooks left behind. */
export async function keepJournals(context: Context): Promise<void> {
  if (hasSessions(context)) await follow(context)
}

/** The same, and what the sessions of this workspace wrote since. */
export async function keepUp(context: Context, { except = null as SessionKey | null } = {}): Promise<void> {
  await keepJournals(context)
  await catchUpHere(context, { except })
}

/** Whoever starts hundreds of sessions in three days starts them by a program. */
const MOST_SESSIONS = 200
/** More than so many bytes in one go are for who has the time. */
const AT_ONCE = 256 * 1024 * 1024

/** Saves what the sessions of this workspace wrote since they were last looked at, but one that is at work itself. */
export async function catchUpHere(
  context: Context,
  { except = null as SessionKey | null, maxBytes = AT_ONCE } = {},
): Promise<void> {
  if (!hasSessions(context)) return
  const all = await sessionsLookedAfter(context, ['active', 'stale', 'recent'], MOST_SESSIONS)
  const behind = all.filter((session) => session.id !== except?.id && isBehind(session))
  if (behind.length === 0) return
  const { catchUp } = await import('./catch-up.ts')
  for (const session of behind)
    await apart(context, session, () => catchUp(context, session, whyOf(session), { maxBytes }))
}

const whyOf = ({ phase, endReason }: Session): Why =>
  phase === 'active'
    ? { kind: 'timer', note: 'read from the transcript while the session goes on' }
    : {
        kind: 'session-end',
        note: endReason === null ? 'the session broke off' : `the session ended: ${endReason}`,
      }

/** Its transcript has grown, or it was heard of, since it was last looked at. */
function isBehind({ environment, transcriptRead, caughtUpAt, lastActivityAt }: Session): boolean {
  if (caughtUpAt === null || lastActivityAt > caughtUpAt) return true
  const path = environment.transcriptPath
  if (path === null) return false
  try {
    return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > transcriptRead
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return false
  }
}
