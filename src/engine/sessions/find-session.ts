import { ReasonError } from '../../core/reason.ts'
import type { SessionRow } from '../../core/session.ts'
import type { Context } from '../context/context.ts'

const MOST_NAMED = 5

/** A session by its whole id, or one of this repository by how its id begins. */
export async function findSession({ store, identity, agents }: Context, id: string): Promise<SessionRow> {
  for (const { name } of agents) {
    const row = await store.log.readSession({ agent: name, id })
    if (row) return row
  }
  const [row, ...others] = (await store.log.listSessions({ repository: identity.repository })).filter(
    ({ session }) => session.id.startsWith(id),
  )
  if (!row || id === '') throw new ReasonError('session_unknown', { id })
  if (others.length === 0) return row
  const ids = [row, ...others].map(({ session }) => session.id)
  const more = ids.length > MOST_NAMED ? ', …' : ''
  throw new ReasonError('session_ambiguous', { id, ids: `${ids.slice(0, MOST_NAMED).join(', ')}${more}` })
}
