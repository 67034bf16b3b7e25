import type { Session, SessionKey } from '../../core/session.ts'
import { isEarlier } from '../../policy/session-earlier.ts'
import { nextPhase } from '../../policy/session-lifecycle.ts'
import type { Context } from '../context/context.ts'
import type { Here } from '../trust/here.ts'
import { catchUpSessions } from './ingest-sessions.ts'
import { changeSession, isolateFailure } from './update-session-rows.ts'

/** A session that broke off, and is history now. */
export interface ReconciledSession {
  id: string
  lastActivityAt: string
  branch: string | null
}

/**
 * Does what the ends of sessions would have done: reads what they wrote, moves those that broke off to the history,
 * and counts what is uncommitted. Whoever starts next does it, so nothing depends on a client that is dying.
 */
export async function reconcileHere(
  context: Context,
  { trusted }: Here,
  { except }: { except: SessionKey | null },
): Promise<ReconciledSession[]> {
  await catchUpSessions(context, { except })
  const moved: ReconciledSession[] = []
  for (const session of await staleSessions(context)) {
    if (isSame(session, except)) continue
    // Those of this workspace are caught up with already.
    if (session.workspace !== context.identity.workspace)
      await isolateFailure(context, session, async () =>
        (await import('./catch-up.ts')).catchUpSession(context, session, BROKE_OFF),
      )
    await changeSession(context, session, markCrashed)
    moved.push(describeReconciled(session))
  }
  if (trusted) await countUncommitted(context, except)
  return moved
}

/** Those of this workspace, and some of others: whichever session starts next does what their ends would have done. */
export async function staleSessions({ store, identity }: Context): Promise<Session[]> {
  const all = (await store.log.listSessions({ phases: ['stale'] })).map(({ session }) => session)
  const here = all.filter(({ workspace }) => workspace === identity.workspace)
  const elsewhere = all.filter(({ workspace }) => workspace !== identity.workspace)
  return [...here, ...elsewhere.slice(0, MOST_ELSEWHERE)]
}

const MOST_ELSEWHERE = 5

const isSame = ({ agent, id }: SessionKey, other: SessionKey | null) =>
  agent === other?.agent && id === other.id

const BROKE_OFF = { kind: 'session-end', note: 'the session broke off' } as const

const sessionsOf = async ({ store, identity }: Context, phases: Array<Session['phase']>) =>
  identity.workspace === ''
    ? []
    : (await store.log.listSessions({ workspace: identity.workspace, phases })).map(({ session }) => session)

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
async function countUncommitted(context: Context, except: SessionKey | null): Promise<void> {
  const open = (await sessionsOf(context, ['recent'])).filter(
    (session) => session.uncommittedFiles === null && !isSame(session, except) && !isEarlier(session),
  )
  if (open.length === 0 || context.place.git === null) return
  const { dirtyFiles } = await import('../../workspace/git-dirty.ts')
  const { files, problem } = await dirtyFiles(context.place, context.settings.ledger_path)
  if (problem !== null) return
  for (const session of open)
    await changeSession(context, session, (now) => ({ ...now, uncommittedFiles: files.length }))
}

export const describeReconciled = ({ id, lastActivityAt, environment }: Session): ReconciledSession => ({
  id,
  lastActivityAt,
  branch: environment.gitBranch,
})
