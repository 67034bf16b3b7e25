import type { Session } from '../../core/session.ts'
import type { Context } from '../context/context.ts'
import { countUncommitted } from '../surroundings/world.ts'
import { lookHere } from '../trust/here.ts'

/** Sessions, those of this workspace that go on with what is uncommitted there now: git is asked once, if at all. */
export async function withUncommittedNow(context: Context, sessions: readonly Session[]): Promise<Session[]> {
  const isMeant = ({ workspace, endedAt }: Session) =>
    workspace === context.identity.workspace && endedAt === null
  if (!sessions.some(isMeant)) return [...sessions]
  const uncommittedFiles = await countUncommitted(context, await lookHere(context))
  return sessions.map((session) => (isMeant(session) ? { ...session, uncommittedFiles } : session))
}
