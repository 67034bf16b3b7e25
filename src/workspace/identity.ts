import { join } from 'node:path'
import { sha256 } from '../core/canonical.ts'
import { nameProblem, randomId, randomToken } from '../core/id.ts'
import type { Ports } from '../core/ports.ts'
import { errorCode, ReasonError } from '../core/reason.ts'
import { openFolder } from '../fs/disk.ts'
import { createDurably, writeDurably } from '../fs/durable.ts'
import { locateWorkspace, type Place, readGitText } from './locate.ts'

export interface Identity {
  repository: string
  workspace: string
}

/** Where a known workspace was last seen. */
export interface KnownWorkspace {
  id: string
  repository: string
  path: string
}

const ID_FILE = 'savepoint-id'

/** Who a place is to somebody who only reads; nothing is minted. A new worktree knows its repository already. */
export function recogniseWorkspace(place: Place, known: readonly KnownWorkspace[]): Identity | null {
  if (place.git === null) return knownByPath(place, known)
  const found = readIdentity(place)
  if (found) return isCopy(place, found, known) ? null : found
  const repository = readId(place.git.common)
  return knownByPath(place, known) ?? (repository === null ? null : { repository, workspace: '' })
}

/**
 * The ids of a place, minted where there are none. They live in git's own folders, so moving a directory
 * keeps its history. A copy carries its original's ids along: where the original is still there with the
 * same ids, the copy gets new ones.
 */
export function identifyWorkspace(place: Place, known: readonly KnownWorkspace[], ports: Ports): Identity {
  const found = readIdentity(place)
  if (place.git === null || (found && !isCopy(place, found, known))) return found ?? pathIdentity(place)
  const byPath = knownByPath(place, known)
  if (byPath) return byPath
  try {
    return found ? mintAnew(place, ports) : mint(place, ports)
  } catch (error) {
    // Git's folder cannot be written: the path is the best id there is.
    if (error instanceof ReasonError || errorCode(error) !== undefined) return pathIdentity(place)
    throw error
  }
}

/** Gives a place the id of the repository that it turned out to be a clone of. Its workspace keeps its own. */
export function takeRepositoryId({ git }: Place, repository: string, ports: Ports): void {
  if (git !== null)
    inFolder(git.common, (folder) =>
      writeDurably(folder, ID_FILE, encode(repository), { token: token(ports) }),
    )
}

/** The ids that lie in git's folders now; null where one is missing. Changes nothing. */
export function readIdentity(place: Place): Identity | null {
  if (place.git === null) return pathIdentity(place)
  const repository = readId(place.git.common)
  const workspace = readId(place.git.folder, '-workspace')
  return repository !== null && workspace !== null ? { repository, workspace } : null
}

/** A workspace that is known by its path: without git, or because git's folder once could not be written. */
function knownByPath(place: Place, known: readonly KnownWorkspace[]): Identity | null {
  const row = known.find(({ id, path }) => path === place.root && id.startsWith(`${BY_PATH}-`))
  return row ? { repository: row.repository, workspace: row.id } : null
}

const BY_PATH = 'ws_path'

/** Without git there is nowhere to keep an id but the path itself. */
function pathIdentity(place: Place): Identity {
  const id = sha256(place.root).slice(0, 24)
  return { repository: `repo_path-${id}`, workspace: `${BY_PATH}-${id}` }
}

function isCopy(place: Place, found: Identity, known: readonly KnownWorkspace[]): boolean {
  const original = known.find(({ id }) => id === found.workspace)
  if (!original || original.path === place.root) return false
  const there = placeAt(original.path)
  return there !== null && there.root === original.path && readIdentity(there)?.workspace === found.workspace
}

function placeAt(path: string): Place | null {
  try {
    return locateWorkspace(path)
  } catch (error) {
    // A path that cannot be looked at holds no original.
    if (errorCode(error) === undefined) throw error
    return null
  }
}

function mint(place: Place, ports: Ports): Identity {
  const git = place.git
  if (git === null) return pathIdentity(place)
  return {
    repository: mintId(git.common, '', 'repo', ports),
    workspace: mintId(git.folder, '-workspace', 'ws', ports),
  }
}

function mintAnew(place: Place, ports: Ports): Identity {
  const git = place.git
  // Two directories that share one git folder cannot have an id each in it.
  if (git === null || git.folder !== git.common) return pathIdentity(place)
  for (const ending of ['', '-workspace']) {
    const id = randomId(ending === '' ? 'repo' : 'ws', ports.random)
    inFolder(git.folder, (folder) =>
      writeDurably(folder, ID_FILE + ending, encode(id), { token: token(ports) }),
    )
  }
  return readIdentity(place) ?? pathIdentity(place)
}

/** Of two processes that mint at once one wins, and both use its id. */
function mintId(gitFolder: string, ending: string, prefix: string, ports: Ports): string {
  const id = randomId(prefix, ports.random)
  const name = ID_FILE + ending
  inFolder(gitFolder, (folder) => {
    createDurably(folder, name, encode(id), { token: token(ports) })
    // What stands there and is no id is nobody's.
    if (readId(gitFolder, ending) === null) writeDurably(folder, name, encode(id), { token: token(ports) })
  })
  return readId(gitFolder, ending) ?? id
}

const encode = (id: string) => Buffer.from(`${id}\n`)
const token = (ports: Ports) => randomToken(ports.random)

function inFolder<T>(path: string, act: (folder: ReturnType<typeof openFolder>) => T): T {
  const folder = openFolder(path)
  try {
    return act(folder)
  } finally {
    folder.close()
  }
}

function readId(gitFolder: string, ending = ''): string | null {
  const id = readGitText(join(gitFolder, ID_FILE + ending))?.trim() ?? ''
  return id !== '' && nameProblem(id) === null ? id : null
}
