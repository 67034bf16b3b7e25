import { createHash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { unlessRefused } from '../core/reason.ts'
import { readPlainFile } from '../fs/disk.ts'
import { askGit, findCommit } from './git.ts'
import type { Place } from './locate.ts'

// These run git commands, and with them filters: for a trusted workspace only.

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
 * `isEdited`: the blobs of all of them, also where the working file is another.
 */
export async function unchangedBlobs(
  place: Place,
  paths: readonly string[],
  { isEdited = false } = {},
): Promise<UnchangedBlobs> {
  const found: UnchangedBlobs = { blobs: new Map(), inside: new Map() }
  const head = await findCommit(place, 'HEAD')
  if (head === null) return found
  const tree = await entriesFor(place, head, paths)
  const others: Pair[] = []
  for (const path of paths) {
    const link = tree.links.find(({ name }) => isBelow(place, path, name))
    if (link) found.inside.set(path, link.name)
    const entries = (tree.files.get(keyOf(path)) ?? []).filter(({ name }) => isOneFile(place, path, name))
    if (isEdited && entries[0]) found.blobs.set(path, entries[0])
    const bytes = entries.length > 0 && !isEdited ? workingFile(place, path) : null
    if (bytes === null) continue
    const same = entries.find(({ blob }) => blob === blobName(bytes, blob.length === 64 ? 'sha256' : 'sha1'))
    if (same) found.blobs.set(path, same)
    else others.push(...entries.map(({ blob, name }) => ({ path, blob, name, bytes })))
  }
  for (const { path, blob, name } of await asGitHasThem(place, others)) found.blobs.set(path, { blob, name })
  return found
}

const TREE_ENTRY = /(\d+) \w+ ([0-9a-f]+)\t([^\0]+)\0/g

/** The files of a commit whose names could stand for these paths on some disk, and the repositories inside it. */
async function entriesFor(
  place: Place,
  commit: string,
  paths: readonly string[],
): Promise<{ files: Map<string, TreeEntry[]>; links: TreeEntry[] }> {
  const files = new Map<string, TreeEntry[]>(paths.map((path) => [keyOf(path), []]))
  const links: TreeEntry[] = []
  const top = await askGit(place, ['ls-tree', '-z', '--full-tree', '--name-only', commit])
  const tops = new Set(paths.map((path) => keyOf(path.split('/')[0] ?? '')))
  const names = top.split('\0').filter((name) => name !== '' && tops.has(keyOf(name)))
  if (names.length === 0) return { files, links }
  const tree = await askGit(place, ['ls-tree', '-r', '-z', '--full-tree', commit, '--', ...names])
  for (const [, mode = '', blob = '', name = ''] of tree.matchAll(TREE_ENTRY))
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
    unlessRefused(() => lstatSync(join(root, each), { bigint: true })),
  )
  return !!one && !!other && one.dev === other.dev && one.ino === other.ino
}

const blobName = (bytes: Uint8Array, algorithm: string) =>
  createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex')

function workingFile(place: Place, path: string): Buffer | null {
  const file = join(place.root, path)
  return unlessRefused(() => (lstatSync(file).isFile() ? readPlainFile(file, MAX_FILE) : null))
}

/** A file of the working tree and a blob that it may have come from. */
interface Pair {
  path: string
  bytes: Buffer
  blob: string
  /** The path as the tree spells it. */
  name: string
}

/**
 * The pairs that are one for git, though their bytes differ. Both ways are asked for, since whoever writes a blob
 * and its attributes can have either fail: a filter need not lead back to where it came from.
 */
async function asGitHasThem(place: Place, pairs: readonly Pair[]): Promise<Pair[]> {
  const found: Pair[] = []
  let rest = [...pairs]
  for (const way of [asCommitted, asCheckedOut]) {
    if (rest.length === 0) break
    found.push(...(await way(place, rest)))
    const paths = new Set(found.map(({ path }) => path))
    rest = rest.filter(({ path }) => !paths.has(path))
  }
  return found
}

/** What `git add` would make of the file is the blob. */
async function asCommitted(place: Place, pairs: readonly Pair[]): Promise<Pair[]> {
  const input = pairs.map(({ path }) => `${quotePath(path)}\n`).join('')
  const blobs = (await askGit(place, ['hash-object', '--stdin-paths'], { input })).split('\n')
  return pairs.filter(({ blob }, at) => blobs[at] === blob)
}

/** A path on a line of git's input. */
const quotePath = (path: string) =>
  /["\\\r\n]/.test(path)
    ? `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}"`
    : path

/** So many bytes of files are asked for at once: what git answers has a limit. */
const MAX_AT_ONCE = 4 * 1024 * 1024

/** What `git checkout` would make of the blob is the file, by any line ends and idents. */
async function asCheckedOut(place: Place, pairs: readonly Pair[]): Promise<Pair[]> {
  // A name with a line break cannot be asked for: such a file counts as git's.
  const found = pairs.filter(({ name }) => /[\r\n]/.test(name))
  const open = pairs.filter(({ name }) => !/[\r\n]/.test(name))
  while (open.length > 0) {
    let size = 0
    let count = 0
    for (const { bytes } of open) {
      size += bytes.length
      if (count > 0 && size > MAX_AT_ONCE) break
      count += 1
    }
    const some = open.splice(0, count)
    const input = some.map(({ blob, name }) => `${blob} ${name}\n`).join('')
    // No blob can hold a hash of its own name, so this line is git's.
    const mark = createHash('sha256').update(input).digest('hex')
    const args = ['cat-file', '--filters', `--batch=${mark} %(objectname)`]
    const answer = await askGit(place, args, { input, encoding: 'latin1' })
    const texts = answer.split(`${mark} `).slice(1)
    const isWhole = texts.length === some.length
    // Where a blob is missing it cannot be told, and what cannot be told is not the user's.
    found.push(
      ...some.filter(
        ({ bytes }, at) => !isWhole || plain(textOf(texts[at])) === plain(bytes.toString('latin1')),
      ),
    )
  }
  return found
}

/** The attributes of line ends and idents may be others by now than when git wrote the file. */
const plain = (text: string) => text.replace(/\r\n?/g, '\n').replace(/\$Id:[^$\n]*\$/g, '$$Id$$')

/** Without the line with the blob's name, and the end of line that git adds. */
const textOf = (answer = '') => answer.slice(answer.indexOf('\n') + 1, -1)
