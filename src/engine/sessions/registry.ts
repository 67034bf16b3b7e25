import { sha256 } from '../../core/canonical.ts'
import { randomToken } from '../../core/id.ts'
import { REGISTRY_PATH } from '../../core/layout.ts'
import { ReasonError } from '../../core/reason.ts'
import type { Session } from '../../core/session.ts'
import { stands, type WorkState } from '../../core/work.ts'
import { MAX_DOCUMENT_BYTES } from '../../formats/checkpoint-md/layout.ts'
import { SET_ASIDE_FOLDER } from '../../formats/snapshot/layout.ts'
import { type Folder, openFolder } from '../../fs/disk.ts'
import { makeFolders, writeDurably } from '../../fs/durable.ts'
import { encodeRegistry, type Registry, registryOf } from '../../policy/registry.ts'
import { sessionStream, streamOf } from '../../policy/resolve.ts'
import { excludeFromGit } from '../../workspace/exclude.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { readPrivateJson, writePrivateJson } from '../context/private-json.ts'
import { workspaceLock } from '../context/workspace-lock.ts'
import { newestWholeOrNull } from '../documents/newest-whole-point.ts'
import { foldersOf, nameOf } from '../publish/guard.ts'
import { setAside } from '../publish/publish-snapshot.ts'
import { countUncommitted } from '../surroundings/world.ts'
import { lookHere } from '../trust/here.ts'
import { listSessions } from './current.ts'

/** Whoever holds the lock for longer is at work here, and writes the file afterwards. */
const WAIT_MS = 50

/**
 * Brings the session registry's file up to date, where the user asked for one. It is a view of the store and nothing
 * is owed to it: whoever comes next writes what a crash left undone. One that somebody changed is set aside, a file
 * that was never ours is left alone, and nothing is written that git tracks, or where git may not be asked.
 */
export async function keepRegistryFile(context: Context): Promise<void> {
  const { settings, identity, place, file } = context
  if (!settings.registry || file === null || identity.workspace === '') return
  if (!(await lookHere(context)).trusted) return
  using lock = await workspaceLock(context, identity.workspace, WAIT_MS)
  if (lock === null) return
  const { repository } = identity
  const sessions = await listSessions(context, { repository, phases: ['active', 'stale', 'recent'] })
  const registry = await registryHere(context, await withUncommittedNow(context, sessions))
  const bytes = Buffer.from(`${encodeRegistry(registry)}\n`)
  try {
    using root = openFolder(place.root)
    using folder = makeFolders(root, foldersOf(REGISTRY_PATH))
    await writeRegistry(context, folder, bytes)
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
    context.notices.push(NOTICES.registryNotWritten(REGISTRY_PATH, error.message))
  }
}

async function writeRegistry(context: Context, folder: Folder, bytes: Buffer): Promise<void> {
  const { place, ports, notices } = context
  const name = nameOf(REGISTRY_PATH)
  const standing = folder.read(name, MAX_DOCUMENT_BYTES)
  if (standing?.equals(bytes)) return
  const { isTracked } = await import('../../workspace/git-index.ts')
  if (await isTracked(place, REGISTRY_PATH)) {
    notices.push(NOTICES.registryTracked(REGISTRY_PATH))
    return
  }
  const known = knownHashes(context)
  const hash = standing && sha256(standing)
  if (hash !== null && known.length === 0) {
    notices.push(NOTICES.registryPlaceTaken(REGISTRY_PATH))
    return
  }
  if (place.git !== null) {
    const { common } = place.git
    excludeFromGit(common, `/${REGISTRY_PATH}`, ports)
    excludeFromGit(common, `/${foldersOf(REGISTRY_PATH).join('/')}/${SET_ASIDE_FOLDER}/`, ports)
  }
  if (hash !== null && !known.includes(hash))
    notices.push(NOTICES.registrySetAside(REGISTRY_PATH, setAside(context, folder, folder, name)))
  // Noted before it is written: a crash in between must not make our own file somebody's edit.
  const hashes = [sha256(bytes), ...known.filter((one) => one === hash)]
  writePrivateJson(context.home.path, memoryOf(context), hashes, ports)
  writeDurably(folder, name, bytes, { token: randomToken(ports.random) })
}

/** The hashes of what this workspace's file was given: the one that stands there, and the one that was to come. */
function knownHashes(context: Context): string[] {
  const known = readPrivateJson(context.home.path, memoryOf(context))
  return Array.isArray(known) ? known.filter((one) => typeof one === 'string') : []
}

const memoryOf = ({ identity }: Context) => `registry-${sha256(identity.workspace).slice(0, 16)}.json`

/** The registry of sessions. Decisions and next steps are read for the one session that it tells them of. */
export async function registryHere(context: Context, sessions: readonly Session[]): Promise<Registry> {
  const registryWith = (work: WorkState | null) =>
    registryOf(sessions, {
      nowMs: context.ports.now(),
      // Who reads this may act on it: what nobody confirmed says so.
      keyDecisions: () =>
        (work?.decisions ?? [])
          .filter(stands)
          .map(({ text, confirmed }) => (confirmed ? text : `${text} (UNCONFIRMED)`)),
      nextSteps: () => (work?.next ?? []).map(({ text }) => text),
      workSummary: () => work?.now || (work?.intent ?? ''),
    })
  const bare = registryWith(null)
  const last = sessions.find(({ id }) => id === bare.lastWorked?.sessionId)
  return last ? registryWith(await workOf(context, last)) : bare
}

/** Where a session's work stands; null where it saved none, or where others wrote it and nobody here read it. */
async function workOf(context: Context, session: Session): Promise<WorkState | null> {
  const { store } = context
  // A stream that may not be told took nothing from it: what it did then stands in its own.
  for (const name of new Set([streamOf(session), sessionStream(session.id)])) {
    const stream = await store.log.findStream(session.repository, name, 'work')
    const head = stream && (await store.log.readCheckpoint(stream.headId))
    if (!head || head.row.foreign) continue
    return head.state === 'whole'
      ? head.checkpoint.work
      : ((await newestWholeOrNull(context, head.row.id))?.work ?? null)
  }
  return null
}

/** Sessions, those of this workspace that go on with what is uncommitted there now: git is asked once, if at all. */
export async function withUncommittedNow(context: Context, sessions: readonly Session[]): Promise<Session[]> {
  const isMeant = ({ workspace, endedAt }: Session) =>
    workspace === context.identity.workspace && endedAt === null
  if (!sessions.some(isMeant)) return [...sessions]
  const uncommittedFiles = await countUncommitted(context, await lookHere(context))
  return sessions.map((session) => (isMeant(session) ? { ...session, uncommittedFiles } : session))
}
