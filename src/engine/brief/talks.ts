import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Session, SessionKey } from '../../core/session.ts'
import { ageOf } from '../../core/text.ts'
import type { Talk, Talks } from '../../policy/brief/brief-talk.ts'
import { fileNamer } from '../../policy/digest/name-file.ts'
import type { Digest } from '../../policy/digest/state.ts'
import { didSomething } from '../../policy/digest/weight.ts'
import { isSessionStream, streamOf } from '../../policy/resolve.ts'
import { isLive } from '../../policy/session-lifecycle.ts'
import type { Context } from '../context/context.ts'
import type { DigestReader } from '../surroundings/session-digest.ts'
import type { World } from '../surroundings/world.ts'
import { stateOf } from './session-notes.ts'

/** Which sessions are asked for. */
interface TalkFilter {
  /** Whether a stream's name, as a session wrote it down, is that of the work. */
  isOfWork(stream: string): boolean
  stream: string
  /** It was asked for by its name: then only sessions that saved to it count. */
  isNamed: boolean
  /** When somebody last saved it by hand; null where nobody did. */
  savedAt: string | null
  /** Only sessions that were heard of after this time; null for all. */
  since: string | null
  /** The session that is being told. */
  except: SessionKey | null
  trusted: boolean
  world: World
  /** The newest sessions of this workspace. */
  sessions: readonly Session[]
  readDigest: DigestReader
}

const MOST_SESSIONS = 50
/** So many are looked into for one that did something, and so many more before that. */
const MOST_READ = { inAll: 12, before: 3 }
const DAY_MS = 86_400_000

/**
 * What the sessions of a piece of work said. The main one is the newest that did something; without any, the newest.
 * One that ended a day before somebody saved by hand is history, and told in a line.
 */
export async function talksFor(context: Context, asked: TalkFilter): Promise<Talks | null> {
  const nowMs = context.ports.now()
  const isCurrent = ({ lastActivityAt }: Session) =>
    asked.savedAt === null || Date.parse(lastActivityAt) > Date.parse(asked.savedAt) - DAY_MS
  const found: Array<Talk & { session: Session }> = []
  let worked = -1
  for (const session of await sessionsOf(context, asked)) {
    const digest = await asked.readDigest(session)
    if (!digest || digest.requests.length === 0) continue
    const age = ageOf(nowMs - Date.parse(session.lastActivityAt))
    found.push({
      ...{ id: session.id, age, state: stateOf(session, nowMs, asked.trusted), digest, session },
      ...{ isLive: isLive(session), parent: session.parent },
    })
    if (worked < 0 && isCurrent(session) && didSomething(digest)) worked = found.length - 1
    const before = worked < 0 ? 0 : found.length - 1 - worked
    if (before >= MOST_READ.before || found.length >= MOST_READ.inAll) break
  }
  const place = worked >= 0 ? worked : found.findIndex(({ session }) => isCurrent(session))
  const main = found[place]
  if (main === undefined) return null
  return {
    main,
    after: found.slice(0, place),
    before: found.slice(place + 1),
    around: await surroundingsOf(context, asked, main),
  }
}

/**
 * Those that saved to the stream, and those of this branch that saved to none but their own; where the work is such a
 * session's own, all of this branch.
 */
async function sessionsOf({ store, identity }: Context, asked: TalkFilter): Promise<Session[]> {
  // Work that is asked for by its name is the repository's: its sessions may have been in any worktree.
  const sessions =
    asked.isNamed && identity.workspace !== ''
      ? (await store.log.listSessions({ repository: identity.repository, most: MOST_SESSIONS })).map(
          ({ session }) => session,
        )
      : asked.sessions
  const { branch } = asked.world
  const isOwn = isSessionStream(asked.stream)
  const isHere = ({ environment: { gitBranch } }: Session) =>
    gitBranch === null || branch === null || gitBranch === branch
  return sessions.filter(
    (session) =>
      session.id !== asked.except?.id &&
      (asked.since === null || session.lastActivityAt >= asked.since) &&
      (asked.isOfWork(streamOf(session)) ||
        (!asked.isNamed && (session.stream === null || isOwn) && isHere(session))),
  )
}

/** Git is asked only where there is a file to ask about: that costs a process. */
async function surroundingsOf(
  { place, settings }: Context,
  { trusted, world }: TalkFilter,
  { session, digest: { files } }: { session: Session; digest: Digest },
): Promise<Talks['around']> {
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
