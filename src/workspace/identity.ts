import { join } from 'node:path'
import { sha256 } from '../core/canonical.ts'
import { nameProblem, randomId, randomToken } from '../core/id.ts'
import type { Ports } from '../core/ports.ts'
import { unlessRefused } from '../core/reason.ts'
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
  const { git } = place
  const found = readIdentity(place)
  if (git === null || (found && !isCopy(place, found, known))) return found ?? pathIdentity(place)
  const byPath = knownByPath(place, known)
  if (byPath) return byPath
  // Where git's folder cannot be written, the path is the best id there is.
  return unlessRefused(() => (found ? mintAnew(git, ports) : mint(git, ports))) ?? pathIdentity(place)
}

/** Gives a place the id of the repository that it turned out to be a clone of. Its workspace keeps its own. */
export function takeRepositoryId({ git }: Place, repository: string, ports: Ports): void {
  if (git !== null) writeId(git.common, '', repository, ports)
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
  // A path that cannot be looked at holds no original.
  const there = unlessRefused(() => locateWorkspace(original.path))
  return there !== null && there.root === original.path && readIdentity(there)?.workspace === found.workspace
}

type GitFolders = NonNullable<Place['git']>

const mint = (git: GitFolders, ports: Ports): Identity => ({
  repository: mintId(git.common, '', 'repo', ports),
  workspace: mintId(git.folder, '-workspace', 'ws', ports),
})

/** Null where two directories share one git folder: they cannot have an id each in it. */
function mintAnew(git: GitFolders, ports: Ports): Identity | null {
  if (git.folder !== git.common) return null
  const made = { repository: randomId('repo', ports.random), workspace: randomId('ws', ports.random) }
  writeId(git.folder, '', made.repository, ports)
  writeId(git.folder, '-workspace', made.workspace, ports)
  return made
}

/** Of two processes that mint at once one wins, and both use its id. */
function mintId(gitFolder: string, ending: string, prefix: string, ports: Ports): string {
  const id = randomId(prefix, ports.random)
  using folder = openFolder(gitFolder)
  createDurably(folder, ID_FILE + ending, encode(id), { token: randomToken(ports.random) })
  // What stands there and is no id is nobody's.
  if (readId(gitFolder, ending) === null) writeId(gitFolder, ending, id, ports)
  return readId(gitFolder, ending) ?? id
}

function writeId(gitFolder: string, ending: string, id: string, ports: Ports): void {
  using folder = openFolder(gitFolder)
  writeDurably(folder, ID_FILE + ending, encode(id), { token: randomToken(ports.random) })
}

const encode = (id: string) => Buffer.from(`${id}\n`)

function readId(gitFolder: string, ending = ''): string | null {
  const id = readGitText(join(gitFolder, ID_FILE + ending))?.trim() ?? ''
  return id !== '' && nameProblem(id) === null ? id : null
}
