import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { NOTE_GLOBS, OUR_PLAN_FILES, REGISTRY_FILES } from '../core/layout.ts'
import { unlessRefused } from '../core/reason.ts'
import { ancestorsOf } from '../fs/ancestors.ts'
import { TEMP_ENDING } from '../fs/durable.ts'
import { askGit, emptyTree, findCommit, orGitProblem } from './git.ts'
import { isObjectName } from './git-state.ts'
import type { Place } from './locate.ts'

// These run git commands: for a trusted workspace only.

export interface FileChange {
  /** Relative to the root, with forward slashes. */
  path: string
  action: 'created' | 'modified' | 'deleted'
  /** `+12 -3`, `binary`, `new file` or the like. */
  description: string
}

/**
 * What differs between a commit and the working tree: committed since, changed, or new and not ignored. A
 * commit that is not there any more gives way to HEAD, and an unborn HEAD to an empty tree. A file that is
 * merely uncommitted and was last written before `sinceMs` was so already then, and is left out; so is one that
 * was `told` of, and has only been committed since.
 */
export async function listChangedSince(
  place: Place,
  commit: string | null,
  sinceMs: number,
  told: ReadonlySet<string> = new Set(),
): Promise<{ changes: FileChange[]; problem: string | null }> {
  const found = await orGitProblem(() => changesSince(place, commit, sinceMs, told))
  return 'problem' in found ? { changes: [], problem: found.problem } : { changes: found, problem: null }
}

async function changesSince(
  place: Place,
  commit: string | null,
  sinceMs: number,
  told: ReadonlySet<string>,
): Promise<FileChange[]> {
  const head = (await findCommit(place, 'HEAD')) ?? (await emptyTree(place))
  const base = commit !== null && isObjectName(commit) ? ((await findCommit(place, commit)) ?? head) : head
  const [differing, dirty, committed] = await Promise.all([
    differences(place, base),
    listUncommitted(place),
    base === head ? new Set<string>() : committedBetween(place, base, head),
  ])
  const isSince = (path: string) =>
    (committed.has(path) && !told.has(path)) || touchedMs(place, path) >= sinceMs
  const changes = differing.filter(({ path }) => dirty.has(path) || committed.has(path))
  const known = new Set(differing.map(({ path }) => path))
  for (const [path, state] of dirty)
    if (state.endsWith('??') && !known.has(path))
      changes.push({ path, action: 'created', description: 'new file' })
  return changes.filter(({ path }) => isSince(path)).sort(byPath)
}

const byPath = (a: FileChange, b: FileChange) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)

const DIFF = ['-z', '--no-renames', '--no-textconv', '--no-ext-diff', '--no-color', '--ignore-submodules=all']

async function committedBetween(place: Place, base: string, head: string): Promise<Set<string>> {
  return new Set((await askGit(place, ['diff-tree', '-r', '--name-only', ...DIFF, base, head])).split('\0'))
}

/** Unlike `git diff`, `git status` never writes the index here. */
export const STATUS = [
  ...['status', '--porcelain=v1', '-z', '--no-branch', '--no-renames', '--untracked-files=all'],
  '--ignore-submodules=all',
]

/** Uncommitted paths with git's two letters; a file that left the index and is still there has two lines. */
async function listUncommitted(place: Place, only: readonly string[] = []): Promise<Map<string, string>> {
  const states = new Map<string, string>()
  for (const line of (await askGit(place, [...STATUS, '--', ...only])).split('\0')) {
    const path = line.slice(3)
    // A repository inside this one is listed as a folder: its files are its own affair.
    if (path !== '' && !path.endsWith('/')) states.set(path, (states.get(path) ?? '') + line.slice(0, 2))
  }
  return states
}

/**
 * The tree against the working tree. It also lists files whose time stamps alone changed: the caller strikes
 * out what is neither uncommitted nor committed since.
 */
async function differences(place: Place, base: string): Promise<FileChange[]> {
  const fields = (await askGit(place, ['diff-index', '--raw', '--numstat', ...DIFF, base, '--'])).split('\0')
  const rows: Array<{ path: string; status: string; isMode: boolean }> = []
  const counts = new Map<string, string>()
  for (let at = 0; at < fields.length; at++) {
    const raw = /^:(\d+) (\d+) \S+ \S+ ([A-Z])/.exec(fields[at] ?? '')
    const count = /^(\d+|-)\t(\d+|-)\t([\s\S]+)/.exec(fields[at] ?? '')
    if (raw) rows.push({ path: fields[++at] ?? '', status: raw[3] ?? '', isMode: raw[1] !== raw[2] })
    else if (count) counts.set(count[3] ?? '', count[1] === '-' ? 'binary' : `+${count[1]} -${count[2]}`)
  }
  return rows.flatMap(({ path, status, isMode }): FileChange | FileChange[] => {
    const count = counts.get(path)
    if (status === 'A') return { path, action: 'created', description: 'new file' }
    if (status === 'D' && statOf(place, path)?.isFile())
      return { path, action: 'modified', description: 'no longer tracked' }
    if (status === 'D') return { path, action: 'deleted', description: count ?? 'deleted' }
    if (status === 'M' && isMode && (count === undefined || count === '+0 -0'))
      return { path, action: 'modified', description: 'mode changed' }
    // Back to what the commit has.
    if (status === 'M' && count === undefined) return []
    return { path, action: 'modified', description: count ?? (status === 'U' ? 'conflict' : 'type changed') }
  })
}

/** When a file was last written; a file that is gone, when something last went from its folder. */
function touchedMs(place: Place, path: string): number {
  for (const here of ancestorsOf(path)) {
    const found = statOf(place, here)
    if (found) return found.mtimeMs
  }
  return Number.POSITIVE_INFINITY
}

/** What cannot be looked at (its folder became a file, or is closed to us) is as good as gone. */
const statOf = ({ root }: Place, path: string) => unlessRefused(() => lstatSync(join(root, path)))

type DirtyFile = Pick<FileChange, 'path' | 'action'>

/** What is uncommitted: all files are counted, only the first ones listed. */
interface Dirty {
  files: DirtyFile[]
  total: number
  problem: string | null
}

const MOST_FILES = 200

/** Notes are ours, and there may be thousands of them: git need not list each. */
const BUT_NOTES = ['.', ...NOTE_GLOBS.map((glob) => `:(exclude,glob)${glob}`)]

/** The user's uncommitted files as compared with HEAD, by path. Ignored files and our own do not count. */
export async function dirtyFiles(place: Place, ledgerPath: string): Promise<Dirty> {
  const states = await orGitProblem(() => listUncommitted(place, BUT_NOTES))
  if ('problem' in states) return { files: [], total: 0, problem: states.problem }
  const all = [...states].filter(([path]) => !isOurs(path, ledgerPath)).sort(([a], [b]) => (a < b ? -1 : 1))
  const files = all
    .slice(0, MOST_FILES)
    .map(([path, state]) => ({ path, action: actionOf(place, path, state) }))
  return { files, total: all.length, problem: null }
}

/** By git's letters, the index's before the working tree's; the disk is asked only where they leave it open. */
function actionOf(place: Place, path: string, state: string): DirtyFile['action'] {
  if (/^(?:\?\?|A[ MT]| A)$/.test(state)) return 'created'
  // In a conflict, or where an entry left the index, the file may be there all the same.
  return /[UD]|AA/.test(state) && !isThere(place, path) ? 'deleted' : 'modified'
}

function isThere(place: Place, path: string): boolean {
  const found = statOf(place, path)
  return found !== null && !found.isDirectory()
}

/** Where this program writes, besides the ledger: the layouts of src/formats say it one by one. */
const OURS = [
  /^checkpoints\/(?:active|archive)\//,
  /^checkpoints\/LEARNINGS\.md$/,
  /^checkpoints\/[^/]+\/(?:latest\.json|history\/[^/]+\.json(?:\.gz)?|set-aside\/[^/]+)$/,
  ...OUR_PLAN_FILES,
  /^\.agents\/handoffs\//,
  REGISTRY_FILES,
]

/** Whether a file is one that this program writes, and so no work of the user's. */
export const isOurs = (path: string, ledgerPath: string) =>
  path === ledgerPath || path.endsWith(TEMP_ENDING) || OURS.some((pattern) => pattern.test(path))
