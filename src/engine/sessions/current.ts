import { ReasonError } from '../../core/reason.ts'
import type { SessionRow } from '../../core/session.ts'
import { shortId } from '../../core/session-name.ts'
import { formatCount } from '../../core/text.ts'
import type { Context } from '../context/context.ts'
import { findSession } from './find-session.ts'

/**
 * The session in which a command is given; for a person the newest active one of this workspace. One that is named and
 * not recorded is none, and neither is one that an agent does not name: the words of one must never go to another.
 */
export async function currentSession(context: Context): Promise<SessionRow | null> {
  if (context.session) return context.store.log.readSession(context.session)
  if (context.speaker === 'agent') return null
  const [row = null] = await activeHere(context)
  return row
}

const activeHere = ({ store, identity }: Context): Promise<SessionRow[]> =>
  store.log.listSessions({ workspace: identity.workspace, phases: ['active'] })

/** The session that is meant: by its id, else the current one. Says which it is where that could be in doubt. */
export async function requireCurrent(context: Context, id?: string): Promise<SessionRow> {
  if (id !== undefined) return ofHere(context, await findSession(context, id))
  const row = await currentSession(context)
  if (!row) throw missing(context)
  if (context.session === null) await tellChoice(context, row)
  return row
}

/** The same; where none goes on, the last one of this workspace, and that is said. */
export async function requireLast(context: Context, id?: string): Promise<SessionRow> {
  if (id !== undefined || (await currentSession(context))) return requireCurrent(context, id)
  const { store, identity, notices } = context
  const [last] = await store.log.listSessions({ workspace: identity.workspace })
  if (!last || context.session || context.speaker === 'agent') throw missing(context)
  notices.push(`No session is active here: this is the last one, ${shortId(last.session.id)}.`)
  return last
}

/** Of another repository only people are told. */
function ofHere({ speaker, identity }: Context, row: SessionRow): SessionRow {
  if (speaker === 'agent' && row.session.repository !== identity.repository)
    throw new ReasonError('session_unknown', { id: row.session.id })
  return row
}

/** Where several go on, a person is told which one is meant. */
export async function tellChoice(context: Context, { session }: SessionRow): Promise<void> {
  const active = await activeHere(context)
  if (active.length > 1)
    context.notices.push(
      `${formatCount(active.length, 'session')} are active here: this is ${shortId(session.id)}, the newest. All of them: savepoint sessions`,
    )
}

function missing({ session, speaker }: Context): ReasonError {
  if (session) return new ReasonError('session_unrecorded', { id: session.id })
  return new ReasonError(speaker === 'agent' ? 'session_unnamed' : 'session_none')
}
