import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { instant } from '../../core/ports.ts'
import type { Session, SessionKey } from '../../core/session.ts'
import { ageOf } from '../../core/text.ts'
import type { Talk, Talks } from '../../policy/brief/brief-talk.ts'
import { fileNamer } from '../../policy/digest/name-file.ts'
import { didSomething } from '../../policy/digest/outcome.ts'
import type { Digest } from '../../policy/digest/state.ts'
import { isSessionStream, streamOf } from '../../policy/resolve.ts'
import { isLive } from '../../policy/session-lifecycle.ts'
import { readBranchLog } from '../../workspace/branch-log.ts'
import type { Context } from '../context/context.ts'
import { isAutomatic } from '../documents/automatic.ts'
import { isFormerName } from '../documents/survey.ts'
import type { World } from '../surroundings/world.ts'
import type { SavedWorkHere } from './resume-work.ts'
import { stateOf } from './session-notes.ts'

const MOST_SESSIONS = 50
/** So many are looked into for one that did something, and so many more before that. */
const MOST_READ = { inAll: 12, before: 3 }
const DAY_MS = 86_400_000

/**
 * What the sessions of a piece of work said, but the one that is told (`except`). The main one is the newest that did
 * something; without any, the newest. One that ended a day before somebody saved by hand is history, and told in a line.
 */
export async function talksFor(
  context: Context,
  world: World,
  here: SavedWorkHere,
  except: SessionKey | null,
): Promise<Talks | null> {
  const nowMs = context.ports.now()
  const { checkpoint } = here.saved
  const isCurrent = ({ lastActivityAt }: Session) =>
    isAutomatic(checkpoint) || Date.parse(lastActivityAt) > Date.parse(checkpoint.at) - DAY_MS
  const found: Array<Talk & { session: Session }> = []
  let worked = -1
  for (const session of await sessionsOf(context, world, here)) {
    const digest = session.id === except?.id ? null : await here.readDigest(session)
    if (!digest || digest.requests.length === 0) continue
    const age = ageOf(nowMs - Date.parse(session.lastActivityAt))
    found.push({
      ...{ id: session.id, age, state: stateOf(session, nowMs, world.trusted), digest, session },
      ...{ isLive: isLive(session), parent: session.parent },
    })
    if (worked < 0 && isCurrent(session) && didSomething(digest)) worked = found.length - 1
    const before = worked < 0 ? 0 : found.length - 1 - worked
    if (before >= MOST_READ.before || found.length >= MOST_READ.inAll) break
  }
  const place = worked >= 0 ? worked : found.findIndex(({ session }) => isCurrent(session))
  const main = found[place]
  if (main === undefined) return null
  const around = await surroundingsOf(context, world, main)
  return { main, after: found.slice(0, place), before: found.slice(place + 1), around }
}

/**
 * Those that saved to the stream, and those of this branch that saved to none but their own; where the work is such a
 * session's own, all of this branch. Of work that was asked for by its name only those that saved to it.
 */
async function sessionsOf(
  context: Context,
  { head: { branch } }: World,
  { survey, saved: { row, why }, sessions }: SavedWorkHere,
): Promise<readonly Session[]> {
  const { store, identity } = context
  const { name } = row.stream
  const isOfWork = (stream: string) => stream === name || isFormerName(survey, row, stream)
  if (why === 'named' && identity.workspace !== '') {
    // Such work is the repository's: its sessions may have been in any worktree.
    const all = await store.log.listSessions({ repository: identity.repository, most: MOST_SESSIONS })
    return all.flatMap(({ session }) => (isOfWork(streamOf(session)) ? session : []))
  }
  const isHere = ({ stream, environment: { gitBranch } }: Session) =>
    (stream === null || isSessionStream(name)) &&
    (gitBranch === null || branch === null || gitBranch === branch)
  // What sessions said before a branch began is about another one.
  const since = why === 'origin' ? whenBranchBegan(context, branch) : null
  return sessions.filter(
    (session) =>
      (since === null || session.lastActivityAt >= since) && (isOfWork(streamOf(session)) || isHere(session)),
  )
}

function whenBranchBegan({ place }: Context, branch: string | null): string | null {
  const [first] = branch === null ? [] : readBranchLog(place, branch)
  return first?.old === null ? instant(first.atMs) : null
}

/** Git is asked only where there is a file to ask about: that costs a process. */
async function surroundingsOf(
  { place, settings }: Context,
  world: World,
  { session, digest: { files } }: { session: Session; digest: Digest },
): Promise<Talks['around']> {
  const { trusted } = world
  const { workingDirectory } = session.environment
  const nameFile = fileNamer(place.root, workingDirectory)
  const known = world.dirty && { files: world.dirty, problem: null }
  const asksGit =
    trusted && known === null && place.git !== null && files.some(({ path }) => nameFile(path) !== null)
  const dirty = asksGit
    ? await (await import('../../workspace/git-changes.ts')).dirtyFiles(place, settings.ledger_path)
    : known
  return {
    trusted,
    roots: [place.root, workingDirectory],
    nameFile,
    uncommitted:
      dirty === null || dirty.problem !== null ? null : new Set(dirty.files.map(({ path }) => path)),
    isGone: (path) => !existsSync(join(place.root, path)),
  }
}
