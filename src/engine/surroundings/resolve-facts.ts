import type { Session } from '../../core/session.ts'
import { didSomething } from '../../policy/digest/weight.ts'
import { type ResolveFacts, streamOf } from '../../policy/resolve.ts'
import { isLive } from '../../policy/session-lifecycle.ts'
import type { Context } from '../context/context.ts'
import { isHere, type Survey, standingOf } from '../documents/survey.ts'
import { type DigestReader, digestReader } from './session-digest.ts'
import type { World } from './world.ts'

/** What the resolver has to know, and the newest sessions of this workspace. */
export async function readResolveFacts(
  { store, identity, session, ports }: Context,
  survey: Survey,
  { branch, index }: World,
  { named, plan = null }: { named: string | null; plan?: string | null },
): Promise<{ facts: ResolveFacts; sessions: Session[]; readDigest: DigestReader }> {
  const rows =
    identity.workspace === '' ? [] : await store.log.listSessions({ workspace: identity.workspace, most: 50 })
  const sessions = rows.map((row) => row.session)
  const names = new Set(survey.rows.map(({ stream }) => stream.name))
  // One that never saved anything has no stream to tell of.
  const saved = sessions.filter((one) => names.has(streamOf(one)))
  const readDigest = digestReader(store)
  const last = (await newestThatWorked(readDigest, saved)) ?? saved[0]
  const facts = {
    named,
    plan: plan ?? index?.activePlan ?? null,
    branch,
    nowMs: ports.now(),
    bound: session && ((await store.log.readSession(session))?.session.stream ?? null),
    worked: last
      ? { stream: streamOf(last), atMs: Date.parse(last.lastActivityAt), isLive: isLive(last) }
      : null,
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
  }
  return { facts, sessions, readDigest }
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
