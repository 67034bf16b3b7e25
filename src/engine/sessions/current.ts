import { ReasonError } from '../../core/reason.ts'
import type { Session, SessionKey } from '../../core/session.ts'
import { shortId } from '../../core/session-name.ts'
import type { SessionFilter } from '../../store/log.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'

/** Sessions that a filter asks for, the newest first, without their versions. */
export const listSessions = async ({ store }: Context, asked: SessionFilter): Promise<Session[]> =>
  (await store.log.listSessions(asked)).map(({ session }) => session)

/**
 * The session in which a command is given; for a person the newest active one of this workspace. One that is named and
 * not recorded is none, and neither is one that an agent does not name: the words of one must never go to another.
 */
export async function currentSession(context: Context): Promise<Session | null> {
  if (context.session) return (await context.store.log.readSession(context.session))?.session ?? null
  return context.speaker === 'agent' ? null : ((await activeHere(context))[0] ?? null)
}

const activeHere = (context: Context): Promise<Session[]> =>
  listSessions(context, { workspace: context.identity.workspace, phases: ['active'] })

/** The session that is meant: by its id, else the current one. Says which it is where that could be in doubt. */
export async function requireCurrent(context: Context, id?: string): Promise<Session> {
  if (id !== undefined) return findSession(context, id)
  const session = await currentSession(context)
  if (!session) throw missing(context)
  await tellChoice(context, session)
  return session
}

/** The same; where none goes on, the last one of this workspace, and that is said. */
export async function requireLast(context: Context, id?: string): Promise<Session> {
  if (id !== undefined || context.session || context.speaker === 'agent') return requireCurrent(context, id)
  if (await currentSession(context)) return requireCurrent(context)
  const [last] = await listSessions(context, { workspace: context.identity.workspace })
  if (!last) throw missing(context)
  context.notices.push(NOTICES.noActiveSession(shortId(last.id)))
  return last
}

/** Where several go on, a person is told which one is meant. */
export async function tellChoice(context: Context, { id }: Session): Promise<void> {
  const active = context.session === null ? await activeHere(context) : []
  if (active.length > 1) context.notices.push(NOTICES.severalSessions(active.length, shortId(id)))
}

function missing({ session, speaker }: Context): ReasonError {
  if (session) return new ReasonError('session_unrecorded', { id: session.id })
  return new ReasonError(speaker === 'agent' ? 'session_unnamed' : 'session_none')
}

const MOST_NAMED = 5

/** A session by its whole id, or one of this repository by how its id begins. Of another only people are told. */
async function findSession(context: Context, id: string): Promise<Session> {
  const { store, identity, agents, speaker } = context
  for (const { name } of agents) {
    const row = await store.log.readSession({ agent: name, id })
    if (row && (speaker !== 'agent' || row.session.repository === identity.repository)) return row.session
  }
  const found = (await listSessions(context, { repository: identity.repository })).filter(
    (session) => id !== '' && session.id.startsWith(id),
  )
  const [session] = found
  if (!session) throw new ReasonError('session_unknown', { id })
  if (found.length === 1) return session
  const ids = found.slice(0, MOST_NAMED).map((one) => one.id)
  const more = found.length > MOST_NAMED ? ', …' : ''
  throw new ReasonError('session_ambiguous', { id, ids: `${ids.join(', ')}${more}` })
}

/** A conversation that is cleared more often than this goes on unnamed. */
const MOST_CLEARS = 1_000

/**
 * The session that goes on where a process was started in another one: the client gives a conversation that is
 * cleared another id, and its servers hear nothing of it. Null where that cannot be told: the words of one session
 * must never go to another. The events of all sessions were taken in before.
 */
export async function sessionGoingOn(context: Context, key: SessionKey | null): Promise<SessionKey | null> {
  let now = key
  if (context.file === null) return now
  for (let clears = 0; now !== null && clears < MOST_CLEARS; clears += 1) {
    const session = (await context.store.log.readSession(now))?.session
    // Whoever still speaks is not over, though its session was given up: only these two give it another id.
    if (session?.endReason !== 'clear' && session?.endReason !== 'resume') return now
    now = await nextOf(context, session)
  }
  return null
}

/** After a clear the one that names it as its parent; after a resume, where just one is at work since, that one. */
async function nextOf(context: Context, { agent, id, workspace, endedAt, endReason }: Session) {
  const others = (await listSessions(context, { workspace })).filter(
    (other) => other.agent === agent && other.id !== id,
  )
  const next = others.filter(({ parent, source, phase, lastActivityAt }) =>
    endReason === 'clear'
      ? parent === id && source === 'clear'
      : phase === 'active' && lastActivityAt >= (endedAt ?? ''),
  )
  const [first] = next
  return first && (endReason === 'clear' || next.length === 1) ? { agent, id: first.id } : null
}
