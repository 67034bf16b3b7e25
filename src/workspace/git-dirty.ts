import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { NOTE_GLOBS, OUR_PLAN_FILES, REGISTRY_FILES } from '../core/layout.ts'
import { unlessRefused } from '../core/reason.ts'
import { TEMP_ENDING } from '../fs/durable.ts'
import { runGit } from './git.ts'
import { type FileChange, STATUS } from './git-changes.ts'
import type { Place } from './locate.ts'

// These run git commands: for a trusted workspace only. Paths are relative to the root, with forward slashes.

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
  const answer = await runGit(place, [...STATUS, '--', ...BUT_NOTES])
  if (!answer.ok) return { files: [], total: 0, problem: answer.problem }
  const states = new Map<string, string>()
  for (const line of answer.out.split('\0')) {
    const path = line.slice(3)
    // A repository inside this one is listed as a folder: its files are its own affair.
    if (path === '' || path.endsWith('/') || isOurs(path, ledgerPath)) continue
    // A file that left the index and is still there has two lines.
    states.set(path, (states.get(path) ?? '') + line.slice(0, 2))
  }
  const all = [...states].sort(([a], [b]) => (a < b ? -1 : 1))
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

function isThere({ root }: Place, path: string): boolean {
  const found = unlessRefused(() => lstatSync(join(root, path)))
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
