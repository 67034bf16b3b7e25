import { existsSync } from 'node:fs'
import { agentNamed } from '../../agents/table.ts'
import type { Session, SessionKey } from '../../core/session.ts'
import { type Context, settleIdentity } from '../context/context.ts'
import { READING } from '../surroundings/read-state.ts'
import { AT_A_COMMAND, AT_A_START, type Earlier, readEarlier, withoutLedger } from './earlier-sessions.ts'
import type { SessionSaveReason } from './save-session.ts'
import { isolateFailure, updateSessionRows } from './update-session-rows.ts'
import { sessionsLookedAfter } from './workspace-of.ts'

/** Whether any session was ever followed on this machine: most of what follows is loaded only then. */
const hasSessions = ({ file, home }: Context) => file !== null && existsSync(home.sessions)

/**
 * Takes in what sessions left: the events that hooks wrote down, and with `talk` also what other sessions wrote since.
 * Of the session that gives the command nothing is saved. A workspace that only a journal knew has its ids from then on.
 */
export async function ingestSessions(context: Context, what: 'events' | 'talk'): Promise<void> {
  if (!hasSessions(context)) return
  await updateSessionRows(context)
  if (context.identity.workspace === '') context.identity = await settleIdentity(context, 'read')
  if (what === 'talk') await catchUpSessions(context, { except: context.session })
}

/** Whoever starts hundreds of sessions in three days starts them by a program. */
const MOST_SESSIONS = 200
/** More than so many bytes in one go are for who has the time. */
const AT_ONCE = 256 * 1024 * 1024

/**
 * Saves what the sessions of this workspace wrote since they were last looked at, but one that is at work itself; then
 * some of those that were over before anybody followed them.
 */
export async function catchUpSessions(
  context: Context,
  { except = null as SessionKey | null, maxBytes = AT_ONCE } = {},
): Promise<void> {
  if (!hasSessions(context)) return
  const all = await sessionsLookedAfter(context, ['active', 'stale', 'recent'], MOST_SESSIONS)
  const others = all.filter((session) => session.id !== except?.id)
  const late =
    others.length > 0 ? others.filter((session) => isBehind(context, session)) : await archivedUnread(context)
  for (const session of late)
    await isolateFailure(context, session, async () =>
      (await import('./catch-up.ts')).catchUpSession(
        session.phase === 'archived' ? withoutLedger(context) : context,
        session,
        whyOf(session),
        { maxBytes },
      ),
    )
  await readEarlier(context, AT_A_START, { except })
}

/** Where nobody worked for three days: some that were archived before anybody read to their end. */
const archivedUnread = async (context: Context): Promise<Session[]> =>
  (await sessionsLookedAfter(context, ['archived'], AT_A_START.newest))
    .filter(isUnread)
    .slice(0, AT_A_START.sessions)

/** Goes on with the sessions of before, as far as somebody waits who asked for sessions. */
export async function readMoreEarlier(context: Context): Promise<Earlier> {
  return hasSessions(context)
    ? readEarlier(context, AT_A_COMMAND, { except: context.session })
    : { read: 0, unread: 0, newestAt: null }
}

const whyOf = ({ phase, endReason }: Session): SessionSaveReason =>
  phase === 'active'
    ? { kind: 'timer', note: 'read from the transcript while the session goes on' }
    : {
        kind: 'session-end',
        note: endReason === null ? 'the session broke off' : `the session ended: ${endReason}`,
      }

const isUnread = ({ caughtUpAt, lastActivityAt, readBy }: Session): boolean =>
  readBy !== READING || caughtUpAt === null || lastActivityAt > caughtUpAt

/** Its transcript has grown, or it was heard of, since it was last looked at; or an older version looked. */
function isBehind({ agents }: Context, session: Session): boolean {
  if (isUnread(session)) return true
  const { agent, environment, transcriptRead } = session
  const path = environment.transcriptPath
  return path !== null && agentNamed(agents, agent)?.transcript.isBehind(path, transcriptRead) === true
}
