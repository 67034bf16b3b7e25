import { nameKey, streamId } from '../../core/id.ts'
import type { Session } from '../../core/session.ts'
import { didSomething } from '../../policy/digest/outcome.ts'
import { branchSlug, type ResolveFacts, streamOf, trunkOr } from '../../policy/resolve.ts'
import { isLive } from '../../policy/session-lifecycle.ts'
import type { Context } from '../context/context.ts'
import { isHere, type Survey, standingOf } from '../documents/survey.ts'
import { readOrigins } from './ended-branches.ts'
import { type DigestReader, digestReader } from './session-digest.ts'
import type { World } from './world.ts'

/** What the resolver has to know, and the newest sessions of this workspace. */
export async function readResolveFacts(
  { store, identity, session, ports, place }: Context,
  survey: Survey,
  { head: { branch }, index }: World,
  { named, plan = null }: { named: string | null; plan?: string | null },
): Promise<{ facts: ResolveFacts; sessions: Session[]; readDigest: DigestReader }> {
  const { workspace, repository } = identity
  const rows = workspace === '' ? [] : await store.log.listSessions({ workspace, most: 50 })
  const sessions = rows.map((row) => row.session)
  const byName = new Map(survey.rows.map(({ stream }) => [nameKey(stream.name), stream.name]))
  const byId = new Map(survey.rows.map(({ stream }) => [stream.id, stream.name]))
  // A session wrote down the name that its work had then.
  const nameNow = (name: string) => byName.get(nameKey(name)) ?? byId.get(streamId(repository, name))
  // One that never saved anything has no stream to tell of.
  const saved = sessions.filter((one) => nameNow(streamOf(one)) !== undefined)
  const readDigest = digestReader(store)
  const last = (await newestThatWorked(readDigest, saved)) ?? saved[0]
  const slug = nameKey(branchSlug(trunkOr(branch)))
  const ofBranch = streamId(repository, slug)
  const streams = survey.rows.map((row) => ({
    name: row.stream.name,
    standing: standingOf(row),
    updatedMs: Date.parse(row.position.at),
    branch: row.position.gist.document?.branch ?? null,
    plan: row.position.gist.document?.plan ?? null,
    here: isHere(survey, row),
    foreign: row.position.foreign,
    isRenamed: row.stream.id === ofBranch && nameKey(row.stream.name) !== slug,
  }))
  const branches = new Set(
    streams.flatMap((one) => (one.foreign || one.standing === 'archived' ? [] : (one.branch ?? []))),
  )
  const bound = session && ((await store.log.readSession(session))?.session.stream ?? null)
  const facts = {
    named,
    plan: plan ?? index?.activePlan ?? null,
    branch,
    nowMs: ports.now(),
    bound: bound && (nameNow(bound) ?? bound),
    worked: last ? describeLast(last, nameNow(streamOf(last))) : null,
    focused: survey.rows.find(({ focused }) => focused)?.stream.name ?? null,
    // Asked only where the branch has no work: the log of a long-lived worktree is large.
    origins: branch === null || branches.has(branch) ? [] : readOrigins(place, branch, [...branches]),
    streams,
  }
  return { facts, sessions, readDigest }
}

const describeLast = (last: Session, name = streamOf(last)) => ({
  ...{ stream: name, atMs: Date.parse(last.lastActivityAt), isLive: isLive(last) },
})

/** So many are looked into for one that did something. */
const MOST_READ = 12

/** The newest session that did something: a question that somebody asked in between is not what is worked on. */
async function newestThatWorked(readDigest: DigestReader, sessions: readonly Session[]) {
  for (const session of sessions.slice(0, MOST_READ)) {
    const digest = await readDigest(session)
    if (digest === null || didSomething(digest)) return session
  }
  return null
}
