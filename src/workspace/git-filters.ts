import { createHash } from 'node:crypto'
import { askGit } from './ask-git.ts'
import type { Place } from './locate.ts'

// These run git commands, and with them filters: for a trusted workspace only.

/** A file of the working tree and a blob that it may have come from. */
export interface Pair {
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
export async function asGitHasThem(place: Place, pairs: readonly Pair[]): Promise<Pair[]> {
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
