import type { Session } from '../../core/session.ts'
import { didSomething } from '../../policy/digest/weight.ts'
import type { ResolveFacts } from '../../policy/resolve.ts'
import { isLive } from '../../policy/session-lifecycle.ts'
import { streamOf } from '../../policy/session-stream.ts'
import type { Context } from '../context/context.ts'
import { isHere, type Survey, standingOf } from '../documents/survey.ts'
import { type DigestReader, digestReader } from './session-digest.ts'

/** What the resolver has to know about the streams of a repository. */
export const resolveFactsOf = (
  survey: Survey,
  given: Pick<ResolveFacts, 'named' | 'plan' | 'branch' | 'nowMs' | 'bound' | 'worked'>,
): ResolveFacts => ({
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
export async function boundStream({ store, session }: Context): Promise<string | null> {
  return session === null ? null : ((await store.log.readSession(session))?.session.stream ?? null)
}

/** The newest sessions of this workspace, what this one is bound to, and what the last one worked on. */
export async function readRecentSessions(
  context: Context,
  survey: Survey,
): Promise<
  Required<Pick<ResolveFacts, 'bound' | 'worked'>> & { sessions: Session[]; readDigest: DigestReader }
> {
  const { store, identity } = context
  const rows =
    identity.workspace === '' ? [] : await store.log.listSessions({ workspace: identity.workspace, most: 50 })
  const sessions = rows.map(({ session }) => session)
  const names = new Set(survey.rows.map(({ stream }) => stream.name))
  // One that never saved anything has no stream to tell of.
  const saved = sessions.filter((session) => names.has(streamOf(session)))
  const readDigest = digestReader(store)
  const last = (await newestThatWorked(readDigest, saved)) ?? saved[0]
  return {
    sessions,
    readDigest,
    bound: await boundStream(context),
    worked: last
      ? {
          stream: streamOf(last),
          atMs: Date.parse(last.lastActivityAt),
          isLive: isLive(last),
        }
      : null,
  }
}

/** So many are looked into for one that did something. */
const MOST_READ = 12

/** The newest session that did something: a question that somebody asked in between is not what is worked on. */
async function newestThatWorked(
  readDigest: DigestReader,
  sessions: readonly Session[],
): Promise<Session | null> {
  for (const session of sessions.slice(0, MOST_READ)) {
    const digest = await readDigest(session)
    if (digest === null || didSomething(digest)) return session
  }
  return null
}
