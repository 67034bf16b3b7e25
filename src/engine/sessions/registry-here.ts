import type { Session } from '../../core/session.ts'
import type { WorkState } from '../../core/work.ts'
import { type Registry, registryOf } from '../../policy/registry.ts'
import { sessionStream, streamOf } from '../../policy/resolve.ts'
import type { Context } from '../context/context.ts'
import { newestWholeOrNull } from '../documents/newest-whole-point.ts'
import { countUncommitted } from '../surroundings/world.ts'
import { lookHere } from '../trust/here.ts'

/** The registry of sessions. Decisions and next steps are read for the one session that it tells them of. */
export async function registryHere(context: Context, sessions: readonly Session[]): Promise<Registry> {
  const registryWith = (work: WorkState | null) =>
    registryOf(sessions, {
      nowMs: context.ports.now(),
      // Who reads this may act on it: what nobody confirmed says so.
      keyDecisions: () =>
        (work?.decisions ?? [])
          .filter(({ supersededBy }) => supersededBy === null)
          .map(({ text, confirmed }) => (confirmed ? text : `${text} (UNCONFIRMED)`)),
      nextSteps: () => (work?.next ?? []).map(({ text }) => text),
      workSummary: () => work?.now || (work?.intent ?? ''),
    })
  const bare = registryWith(null)
  const last = sessions.find(({ id }) => id === bare.lastWorked?.sessionId)
  return last ? registryWith(await workOf(context, last)) : bare
}

/** Where a session's work stands; null where it saved none, or where others wrote it and nobody here read it. */
async function workOf(context: Context, session: Session): Promise<WorkState | null> {
  const { store } = context
  // A stream that may not be told took nothing from it: what it did then stands in its own.
  for (const name of new Set([streamOf(session), sessionStream(session.id)])) {
    const stream = await store.log.findStream(session.repository, name, 'work')
    const head = stream && (await store.log.readCheckpoint(stream.headId))
    if (!head || head.row.foreign) continue
    return head.state === 'whole'
      ? head.checkpoint.work
      : ((await newestWholeOrNull(context, head.row.id))?.work ?? null)
  }
  return null
}

/** Sessions, those of this workspace that go on with what is uncommitted there now: git is asked once, if at all. */
export async function withUncommittedNow(context: Context, sessions: readonly Session[]): Promise<Session[]> {
  const isMeant = ({ workspace, endedAt }: Session) =>
    workspace === context.identity.workspace && endedAt === null
  if (!sessions.some(isMeant)) return [...sessions]
  const uncommittedFiles = await countUncommitted(context, await lookHere(context))
  return sessions.map((session) => (isMeant(session) ? { ...session, uncommittedFiles } : session))
}
