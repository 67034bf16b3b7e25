import type { Session, SessionKey } from '../../core/session.ts'
import type { Context } from '../context/context.ts'

/** A conversation that is cleared more often than this goes on unnamed. */
const MOST_CLEARS = 1_000

/**
 * The session that goes on where a process was started in another one: the client gives a conversation that is
 * cleared another id, and its servers hear nothing of it. Null where that cannot be told: the words of one session
 * must never go to another. The events of all sessions were taken in before.
 */
export async function sessionGoingOn(context: Context, key: SessionKey | null): Promise<SessionKey | null> {
  if (key === null || context.file === null) return key
  let now: SessionKey = key
  for (let clears = 0; clears < MOST_CLEARS; clears += 1) {
    const session = (await context.store.log.readSession(now))?.session
    // Whoever still speaks is not over, though its session was given up: only these two give it another id.
    if (session?.endReason !== 'clear' && session?.endReason !== 'resume') return now
    const next = nextOf(session, await otherSessions(context, session))
    if (next === null) return null
    now = { agent: next.agent, id: next.id }
  }
  return null
}

const otherSessions = async ({ store }: Context, { agent, id, workspace }: Session): Promise<Session[]> =>
  (await store.log.listSessions({ workspace }))
    .map(({ session }) => session)
    .filter((other) => other.agent === agent && other.id !== id)

/** After a clear the one that names it as its parent; after a resume, where just one is at work since, that one. */
function nextOf({ id, endedAt, endReason }: Session, others: readonly Session[]): Session | null {
  if (endReason === 'clear')
    return others.find(({ parent, source }) => parent === id && source === 'clear') ?? null
  const since = others.filter(
    ({ phase, lastActivityAt }) => phase === 'active' && lastActivityAt >= (endedAt ?? ''),
  )
  return since.length === 1 ? (since[0] ?? null) : null
}
