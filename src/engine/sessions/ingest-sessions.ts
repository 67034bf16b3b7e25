import { existsSync } from 'node:fs'
import { agentNamed } from '../../agents/table.ts'
import type { Session, SessionKey } from '../../core/session.ts'
import { isEarlier } from '../../policy/session-apply.ts'
import { nextPhase } from '../../policy/session-lifecycle.ts'
import { type Context, settleIdentity } from '../context/context.ts'
import { READING } from '../surroundings/read-state.ts'
import { countUncommitted } from '../surroundings/world.ts'
import { type Here, lookHere } from '../trust/here.ts'
import { listSessions } from './current.ts'
import { AT_A_COMMAND, AT_A_START, NONE, readEarlier, withoutLedger } from './earlier-sessions.ts'
import type { SessionSaveReason } from './save-session.ts'
import { changeSession, isolateFailure, updateSessionRows } from './update-session-rows.ts'

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
  if (what === 'talk') {
    await catchUpSessions(context, { except: context.session })
    await noteUncommitted(context, null, context.session)
  }
  keepRegistryAfterwards(context)
}

/** Once all is done that changes sessions. Loaded where it is wanted: most keep no such file. */
export function keepRegistryAfterwards(context: Context): void {
  if (context.settings.registry)
    context.afterwards.push(async () => (await import('./registry.ts')).keepRegistryFile(context))
}

/** Whoever starts hundreds of sessions in three days starts them by a program. */
const MOST_SESSIONS = 200
/** More than so many bytes in one go are for who has the time. */
const AT_ONCE = 256 * 1024 * 1024

/**
 * Saves what the sessions of this workspace wrote since they were last looked at, but one that is at work itself; then
 * some of those that were over before anybody followed them.
 */
export async function catchUpSessions(context: Context, { except }: { except: SessionKey | null }) {
  if (!hasSessions(context)) return
  const all = await sessionsLookedAfter(context, ['active', 'stale', 'recent'], MOST_SESSIONS)
  const others = all.filter((session) => session.id !== except?.id)
  // Where nobody worked for three days: some that were archived before anybody read to their end.
  const archived =
    others.length > 0 ? [] : await sessionsLookedAfter(context, ['archived'], AT_A_START.newest)
  const late = [
    ...others.filter((session) => isBehind(context, session)),
    ...archived.filter(isUnread).slice(0, AT_A_START.sessions),
  ]
  for (const session of late) {
    const whence = session.phase === 'archived' ? withoutLedger(context) : context
    await catchUpApart(whence, session, whyOf(session))
  }
  await readEarlier(context, AT_A_START, { except })
}

/** One that cannot be read takes nothing from the others. */
const catchUpApart = (context: Context, session: Session, why: SessionSaveReason) =>
  isolateFailure(context, session, async () =>
    (await import('./catch-up.ts')).catchUpSession(context, session, why, { maxBytes: AT_ONCE }),
  )

/** The sessions that this workspace looks after: its own, and those of worktrees that are gone. */
async function sessionsLookedAfter(context: Context, phases: ReadonlyArray<Session['phase']>, most: number) {
  const { store, identity } = context
  if (identity.workspace === '') return []
  const gone = (await store.local.listWorkspaces()).filter(
    ({ id, repository, path }) =>
      repository === identity.repository && id !== identity.workspace && !existsSync(path),
  )
  const mine = new Set([identity.workspace, ...gone.map(({ id }) => id)])
  const asked = mine.size === 1 ? { workspace: identity.workspace } : { repository: identity.repository }
  const all = await listSessions(context, { ...asked, phases, most })
  return all.filter(({ workspace }) => mine.has(workspace))
}

/** Goes on with the sessions of before, as far as somebody waits who asked for sessions. */
export const readMoreEarlier = async (context: Context) =>
  hasSessions(context) ? readEarlier(context, AT_A_COMMAND) : NONE

const INTERRUPTED: SessionSaveReason = { kind: 'session-end', note: 'session interrupted' }

function whyOf({ phase, endReason }: Session): SessionSaveReason {
  if (phase === 'active') return { kind: 'timer', note: 'read from the transcript of a running session' }
  return endReason === null ? INTERRUPTED : { kind: 'session-end', note: `session ended: ${endReason}` }
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

/**
 * Does what the ends of sessions would have done: reads what they wrote, moves those that broke off to the history
 * (they are answered), counts what is uncommitted. Whoever comes next does it: nothing depends on a dying client.
 */
export async function reconcileHere(context: Context, here: Here, { except }: { except: SessionKey | null }) {
  await catchUpSessions(context, { except })
  const moved: Session[] = []
  for (const session of await staleSessions(context)) {
    if (isSame(session, except)) continue
    // Those of this workspace are caught up with already.
    if (session.workspace !== context.identity.workspace) await catchUpApart(context, session, INTERRUPTED)
    await changeSession(context, session, markCrashed)
    moved.push(session)
  }
  await noteUncommitted(context, here, except)
  return moved
}

const MOST_ELSEWHERE = 5

/** Those of this workspace, and some of others: whichever session starts next does what their ends would have done. */
export async function staleSessions(context: Context): Promise<Session[]> {
  const all = await listSessions(context, { phases: ['stale'] })
  const isHere = ({ workspace }: Session) => workspace === context.identity.workspace
  return [...all.filter(isHere), ...all.filter((one) => !isHere(one)).slice(0, MOST_ELSEWHERE)]
}

const isSame = ({ agent, id }: SessionKey, other: SessionKey | null) =>
  agent === other?.agent && id === other.id

/** It may have spoken meanwhile: then it is left alone. */
const markCrashed = (session: Session): Session =>
  session.phase === 'stale'
    ? {
        ...session,
        phase: nextPhase(session.phase, 'reconcile'),
        endedAt: session.lastActivityAt,
        endReason: 'crash',
      }
    : session

/** Git is asked once, for the sessions whose end nobody has counted yet. */
async function noteUncommitted(context: Context, here: Here | null, except: SessionKey | null) {
  const { workspace } = context.identity
  if (workspace === '') return
  const recent = await listSessions(context, { workspace, phases: ['recent'] })
  const open = recent.filter(
    (one) => one.uncommittedFiles === null && !isSame(one, except) && !isEarlier(one),
  )
  if (open.length === 0) return
  // Who asked for something else is not told that git could not say it.
  const quiet = { ...context, notices: [] }
  const uncommittedFiles = await countUncommitted(quiet, here ?? (await lookHere(context)))
  if (uncommittedFiles === null) return
  for (const session of open) await changeSession(context, session, (now) => ({ ...now, uncommittedFiles }))
}
