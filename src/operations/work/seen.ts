import type { Seen } from '../../policy/resolve.ts'
import { isLive } from '../../policy/session-lifecycle.ts'
import type { Context } from '../context.ts'
import { isHere, type Survey, standingOf } from '../document/survey.ts'
import { streamOf } from '../session/session-stream.ts'

/** What the resolver has to know about the streams of a repository. */
export const seenOf = (
  survey: Survey,
  given: Pick<Seen, 'named' | 'plan' | 'branch' | 'nowMs' | 'bound' | 'worked'>,
): Seen => ({
  ...given,
  focused: survey.rows.find(({ focused }) => focused)?.stream.name ?? null,
  streams: survey.rows.map((row) => ({
    name: row.stream.name,
    standing: standingOf(row),
    updatedMs: Date.parse(row.position.at),
    branch: row.position.gist.document?.branch ?? null,
    plan: row.position.gist.document?.plan ?? null,
    here: isHere(survey, row),
    foreign: row.position.foreign,
  })),
})

/** The stream that the session of this command is bound to. */
export async function boundHere({ store, session }: Context): Promise<string | null> {
  return session === null ? null : ((await store.session(session))?.session.stream ?? null)
}

/** What this session is bound to, and what the last one of this workspace worked on. */
export async function sessionsSeen(
  context: Context,
  survey: Survey,
): Promise<Required<Pick<Seen, 'bound' | 'worked'>>> {
  const { store, identity } = context
  const rows =
    identity.workspace === ''
      ? []
      : await store.sessions({
          workspace: identity.workspace,
          phases: ['active', 'stale', 'recent'],
          most: 50,
        })
  const names = new Set(survey.rows.map(({ stream }) => stream.name))
  // One that never saved anything has no stream to tell of.
  const last = rows.find(({ session }) => names.has(streamOf(session)))?.session
  return {
    bound: await boundHere(context),
    worked: last
      ? {
          stream: streamOf(last),
          atMs: Date.parse(last.lastActivityAt),
          isLive: isLive(last),
        }
      : null,
  }
}
