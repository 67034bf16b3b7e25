import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { askGit, emptyTree, orGitProblem } from './git.ts'
import type { Place } from './locate.ts'

// These run git commands: for a trusted workspace only. Paths are relative to the root, with forward slashes.

interface IndexEntry {
  mode: string
  blob: string
  stage: string
  path: string
}

/** Whether git's index has a file. Where git does not answer it counts as tracked: nothing automatic touches it. */
export const isTracked = async (place: Place, path: string) =>
  place.git !== null && (await listTracked(place, path))?.has(path) !== false

/** Whether git's index has a file below a folder whose path is of a kind; as `isTracked` where git does not answer. */
export async function tracksAnyOf(place: Place, folder: string, kind: RegExp): Promise<boolean> {
  const tracked = await listTracked(place, folder)
  return tracked === null || [...tracked].some((path) => kind.test(path))
}

/** The files of git's index below a folder; null where git does not answer. */
export async function listTracked(place: Place, folder: string): Promise<Set<string> | null> {
  const found = await orGitProblem(() => listStaged(place, [folder]))
  return 'problem' in found ? null : new Set(found.map(({ path }) => path))
}

async function listStaged(place: Place, paths: string[]): Promise<IndexEntry[]> {
  const listed = await askGit(place, ['ls-files', '--stage', '-z', '--', ...paths])
  const found = listed.matchAll(/(\d+) ([0-9a-f]+) (\d)\t([^\0]+)\0/g)
  return [...found].map(([, mode = '', blob = '', stage = '', path = '']) => ({ mode, blob, stage, path }))
}

/** Writing the index of a large repository takes its time, and is not to be broken off. */
const WRITE_MS = 30_000

/**
 * Gives an index entry another path, as `git mv` does, and leaves the working tree alone. One write of the
 * index: both paths change or neither does, and it may be repeated.
 */
export const moveInIndex = (
  place: Place,
  from: string,
  to: string,
): Promise<'moved' | 'untracked' | { problem: string }> =>
  place.git === null ? Promise.resolve('untracked') : orGitProblem(() => moveEntry(place, from, to))

async function moveEntry(place: Place, from: string, to: string) {
  const found = await listStaged(place, [from, to])
  const source = found.filter(({ path }) => path === from)
  const target = found.filter(({ path }) => path === to)
  const [entry] = source
  if (entry === undefined) return target.length > 0 ? 'moved' : 'untracked'
  if (from === to) return 'moved'
  if ([...source, ...target].some(({ stage }) => stage !== '0'))
    return { problem: `unresolved merge conflict in ${from} or ${to}` }
  if (target.some(({ mode, blob }) => mode !== entry.mode || blob !== entry.blob))
    return { problem: `git already tracks another ${to}` }
  if (place.git && existsSync(join(place.git.folder, 'index.lock')))
    return { problem: 'another git command is running (index.lock exists)' }
  if (await isIntent(place, from)) return { problem: `${from} is not committed (git add -N)` }
  // Not --index-info: that would silently drop what stands in the way, a folder in the place of the file.
  const add = ['--add', '--cacheinfo', `${entry.mode},${entry.blob},${to}`]
  await askGit(place, ['update-index', ...add, '--force-remove', '--', from], { timeoutMs: WRITE_MS })
  return 'moved'
}

/** An entry of `git add -N` has no content yet. It looks like an empty file's, save for this comparison. */
async function isIntent(place: Place, path: string): Promise<boolean> {
  const options = ['--cached', '--name-only', '-z', '--no-renames', '--ita-invisible-in-index']
  const real = await askGit(place, ['diff-index', ...options, await emptyTree(place), '--', path])
  return !real.split('\0').includes(path)
}
