import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runGit } from './git.ts'
import type { Place } from './locate.ts'

// These run git commands: for a trusted workspace only. Paths are relative to the root, with forward slashes.

interface IndexEntry {
  mode: string
  blob: string
  stage: string
  path: string
}

/** Whether git's index has a file. Where git does not answer it counts as tracked: nothing automatic touches it. */
export async function isTracked(place: Place, path: string): Promise<boolean> {
  if (place.git === null) return false
  const found = await listStaged(place, [path])
  return 'problem' in found || found.entries.some((entry) => entry.path === path)
}

/** Whether git's index has a file below a folder whose path is of a kind; as `isTracked` where git does not answer. */
export async function tracksAnyOf(place: Place, folder: string, kind: RegExp): Promise<boolean> {
  const found = await listStaged(place, [folder])
  return 'problem' in found || found.entries.some(({ path }) => kind.test(path))
}

async function listStaged(
  place: Place,
  paths: string[],
): Promise<{ entries: IndexEntry[] } | { problem: string }> {
  const listed = await runGit(place, ['ls-files', '--stage', '-z', '--', ...paths])
  if (!listed.ok) return { problem: listed.problem }
  const found = listed.out.matchAll(/(\d+) ([0-9a-f]+) (\d)\t([^\0]+)\0/g)
  return {
    entries: [...found].map(([, mode = '', blob = '', stage = '', path = '']) => ({
      mode,
      blob,
      stage,
      path,
    })),
  }
}

/** Writing the index of a large repository takes its time, and is not to be broken off. */
const WRITE_MS = 30_000

/**
 * Gives an index entry another path, as `git mv` does, and leaves the working tree alone. One write of the
 * index: both paths change or neither does, and it may be repeated.
 */
export async function moveInIndex(
  place: Place,
  from: string,
  to: string,
): Promise<'moved' | 'untracked' | { problem: string }> {
  if (place.git === null) return 'untracked'
  const found = await listStaged(place, [from, to])
  if ('problem' in found) return found
  const source = found.entries.filter(({ path }) => path === from)
  const target = found.entries.filter(({ path }) => path === to)
  const [entry] = source
  if (entry === undefined) return target.length > 0 ? 'moved' : 'untracked'
  if (from === to) return 'moved'
  if ([...source, ...target].some(({ stage }) => stage !== '0'))
    return { problem: `git holds an unresolved conflict of ${from} or ${to}` }
  if (target.some(({ mode, blob }) => mode !== entry.mode || blob !== entry.blob))
    return { problem: `git tracks another ${to} already` }
  if (existsSync(join(place.git.folder, 'index.lock')))
    return { problem: 'another git command holds index.lock' }
  const intent = await isIntent(place, from)
  if (intent !== false) return intent === true ? { problem: `${from} is only marked to be added` } : intent
  // Not --index-info: that would silently drop what stands in the way, a folder in the place of the file.
  const add = ['--add', '--cacheinfo', `${entry.mode},${entry.blob},${to}`]
  const done = await runGit(place, ['update-index', ...add, '--force-remove', '--', from], {
    timeoutMs: WRITE_MS,
  })
  return done.ok ? 'moved' : { problem: done.problem }
}

/** An entry of `git add -N` has no content yet. It looks like an empty file's, save for this comparison. */
async function isIntent(place: Place, path: string): Promise<boolean | { problem: string }> {
  const nothing = await runGit(place, ['hash-object', '-t', 'tree', '--stdin'], { input: '' })
  if (!nothing.ok) return { problem: nothing.problem }
  const options = ['--cached', '--name-only', '-z', '--no-renames', '--ita-invisible-in-index']
  const real = await runGit(place, ['diff-index', ...options, nothing.out.trim(), '--', path])
  return real.ok ? !real.out.split('\0').includes(path) : { problem: real.problem }
}
