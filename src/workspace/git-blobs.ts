import { createHash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode, ReasonError } from '../core/reason.ts'
import { readPlainFile } from '../fs/disk.ts'
import { runGit } from './git.ts'
import { asGitHasThem, type Pair } from './git-filters.ts'
import type { Place } from './locate.ts'

// These run git commands: for a trusted workspace only.

const MAX_FILE = 16 * 1024 * 1024

/** What HEAD has of a file. Where the disk takes no notice of case, the tree may spell its name another way. */
interface TreeEntry {
  mode: string
  blob: string
  name: string
}

interface UnchangedBlobs {
  blobs: Map<string, Pick<TreeEntry, 'blob' | 'name'>>
  /** Files in a folder that HEAD has as another repository, with that folder. */
  inside: Map<string, string>
}

/**
 * The blobs that HEAD has of these files, for those whose working file is the same. The bytes themselves are
 * compared, not time stamps; git is asked for the rest, whose line endings or filters may make the difference.
 */
export async function unchangedBlobs(
  place: Place,
  paths: readonly string[],
): Promise<UnchangedBlobs | { problem: string }> {
  const found: UnchangedBlobs = { blobs: new Map(), inside: new Map() }
  const head = await runGit(place, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'])
  // Nothing is committed yet: git says so by this code.
  if (!head.ok) return head.code === 1 ? found : { problem: head.problem }
  const tree = await entriesFor(place, head.out.trim(), paths)
  if ('problem' in tree) return tree
  const others: Pair[] = []
  for (const path of paths) {
    const link = tree.links.find(({ name }) => isBelow(place, path, name))
    if (link) found.inside.set(path, link.name)
    const entries = (tree.files.get(keyOf(path)) ?? []).filter(({ name }) => isOneFile(place, path, name))
    const bytes = entries.length > 0 ? workingFile(place, path) : null
    if (bytes === null) continue
    const same = entries.find(({ blob }) => blob === blobName(bytes, blob.length === 64 ? 'sha256' : 'sha1'))
    if (same) found.blobs.set(path, same)
    else others.push(...entries.map(({ blob, name }) => ({ path, blob, name, bytes })))
  }
  const filtered = await asGitHasThem(place, others)
  if ('problem' in filtered) return filtered
  for (const { path, blob, name } of filtered.pairs) found.blobs.set(path, { blob, name })
  return found
}

const TREE_ENTRY = /(\d+) \w+ ([0-9a-f]+)\t([^\0]+)\0/g

/** The files of a commit whose names could stand for these paths on some disk, and the repositories inside it. */
async function entriesFor(
  place: Place,
  commit: string,
  paths: readonly string[],
): Promise<{ files: Map<string, TreeEntry[]>; links: TreeEntry[] } | { problem: string }> {
  const files = new Map<string, TreeEntry[]>(paths.map((path) => [keyOf(path), []]))
  const links: TreeEntry[] = []
  const top = await runGit(place, ['ls-tree', '-z', '--full-tree', '--name-only', commit])
  if (!top.ok) return { problem: top.problem }
  const tops = new Set(paths.map((path) => keyOf(path.split('/')[0] ?? '')))
  const names = top.out.split('\0').filter((name) => name !== '' && tops.has(keyOf(name)))
  if (names.length === 0) return { files, links }
  const tree = await runGit(place, ['ls-tree', '-r', '-z', '--full-tree', commit, '--', ...names])
  if (!tree.ok) return { problem: tree.problem }
  for (const [, mode = '', blob = '', name = ''] of tree.out.matchAll(TREE_ENTRY))
    if (mode === '160000') links.push({ mode, blob, name })
    // A link too: where the system has none, git writes its target as a file.
    else files.get(keyOf(name))?.push({ mode, blob, name })
  return { files, links }
}

/** Characters that some disks take no notice of in a name. */
const UNSEEN = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/** One key for all names that any disk takes for one. It may be one for more than those. */
const keyOf = (path: string) => path.normalize('NFD').replace(UNSEEN, '').toUpperCase().toLowerCase()

function isBelow(place: Place, path: string, link: string): boolean {
  if (!keyOf(path).startsWith(`${keyOf(link)}/`)) return false
  return isOneFile(place, path.split('/').slice(0, link.split('/').length).join('/'), link)
}

/** Whether two names lead to one file, or folder, on this disk. */
function isOneFile({ root }: Place, path: string, name: string): boolean {
  if (path === name) return true
  const [one, other] = [path, name].map((each) =>
    unlessUnreadable(() => lstatSync(join(root, each), { bigint: true })),
  )
  return !!one && !!other && one.dev === other.dev && one.ino === other.ino
}

const blobName = (bytes: Uint8Array, algorithm: string) =>
  createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex')

function workingFile(place: Place, path: string): Buffer | null {
  const file = join(place.root, path)
  return unlessUnreadable(() => (lstatSync(file).isFile() ? readPlainFile(file, MAX_FILE) : null))
}

export function unlessUnreadable<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof ReasonError || errorCode(error) !== undefined) return null
    throw error
  }
}
