import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { askGit, type GitAnswer, orGitProblem, runGit } from './git.ts'
import { isObjectName } from './git-state.ts'
import type { Place } from './locate.ts'

// These run git commands: for a trusted workspace only.

interface CommitsSince {
  /** Null where it cannot be told: no such commit, nothing in common with it, or a problem. */
  count: number | null
  /** Of the newest ones, first the newest, just as they were written: a stranger's words, not fit to be shown. */
  subjects: string[]
  problem: string | null
}

const UNKNOWN: CommitsSince = { count: null, subjects: [], problem: null }
const MOST_SUBJECTS = 5

/** The commits that HEAD has and `commit` has not: none where HEAD went back, all new ones where it was amended. */
export async function commitsSince(place: Place, commit: string | null): Promise<CommitsSince> {
  if (commit === null || !isObjectName(commit)) return UNKNOWN
  const listed = await runGit(place, ['rev-list', '--boundary', `^${commit}`, 'HEAD', '--'])
  if (!listed.ok) return isMissing(listed) ? UNKNOWN : { ...UNKNOWN, problem: listed.problem }
  const lines = listed.out.split('\n').filter((line) => line !== '')
  // Where two histories meet there are commits that the list ends at. Without one they never meet.
  const since = lines.filter((line) => !line.startsWith('-'))
  if (since.length === 0) return { ...UNKNOWN, count: 0 }
  if (since.length === lines.length) return UNKNOWN
  const told = await runGit(place, [...LOG, ...since.slice(0, MOST_SUBJECTS), '--'])
  if (!told.ok) return { count: since.length, subjects: [], problem: told.problem }
  return { count: since.length, subjects: told.out.split('\0').slice(0, -1), problem: null }
}

/** Git's words for an object that is not there (any more), and for a branch without a commit. */
const isMissing = (answer: Exclude<GitAnswer, { ok: true }>) =>
  answer.code === 128 && /^bad (?:object|revision) /.test(answer.problem)

/** Every setting that changes what the log shows, or has a program check signatures, is overruled. */
const LOG = [
  ...['log', '--no-walk=unsorted', '-z', '--no-patch', '--no-show-signature', '--no-color', '--no-notes'],
  ...['--encoding=UTF-8', '--format=%s'],
]

/** A repository that was merged of more than these is known by its first ones. */
const MOST_FIRST = 20

/**
 * The commits that a repository began with, by which a clone of it is known.
 * None where the history is cut off (a shallow clone), or where git does not say it in time.
 */
export async function listFirstCommits(place: Place): Promise<string[]> {
  if (place.git === null || existsSync(join(place.git.common, 'shallow'))) return []
  const found = await runGit(place, ['rev-list', '--max-parents=0', 'HEAD'], { timeoutMs: 10_000 })
  return found.ok ? found.out.split('\n').filter(isObjectName).sort().slice(0, MOST_FIRST) : []
}

/** More files than these are not compared one by one, and so many commits are searched for a squashed one. */
const [MOST_PATHS, MOST_COMMITS] = [500, 300]

const PLAIN = ['-r', '--no-renames', '--no-ext-diff', '--no-textconv']

/** Whether one commit is an ancestor of another, or the same one; null where git cannot say. */
export async function isAncestor(place: Place, commit: string, of: string): Promise<boolean | null> {
  if (!isObjectName(commit) || !isObjectName(of)) return null
  if (commit === of) return true
  const answer = await runGit(place, ['merge-base', '--is-ancestor', commit, of])
  return answer.ok ? true : answer.code === 1 ? false : null
}

/**
 * Whether what a branch changed is in another one, by whatever way it came there: its commit itself (a merge), the same
 * content (a squash), or the same patches (a rebase, or a squash of files that changed further since).
 */
export const isMerged = async (place: Place, tip: string, into: string): Promise<boolean> =>
  (await orGitProblem(() => hasChangesOf(place, tip, into))) === true

async function hasChangesOf(place: Place, tip: string, into: string): Promise<boolean> {
  const contained = await isAncestor(place, tip, into)
  if (contained !== false) return contained === true
  const base = (await askGit(place, ['merge-base', into, tip])).trim()
  if (!isObjectName(base)) return false
  const changed = await askGit(place, ['diff-tree', ...PLAIN, '--name-only', '-z', base, tip, '--'])
  const paths = changed.split('\0').filter((path) => path !== '')
  if (paths.length === 0) return false
  if (paths.length <= MOST_PATHS) {
    const same = ['diff-tree', ...PLAIN, '--quiet', '--exit-code', tip, into, '--', ...paths]
    if ((await runGit(place, same)).ok) return true
  }
  const picked = await askGit(place, ['cherry', into, tip])
  const marks = picked.split('\n').filter((line) => line !== '')
  if (marks.length > 0 && marks.every((line) => line.startsWith('-'))) return true
  return isSquashed(place, { base, tip, into, paths: paths.slice(0, MOST_PATHS) })
}

/** Whether one commit made the whole of the change, as far as the files of the branch go. */
async function isSquashed(
  place: Place,
  { base, tip, into, paths }: { base: string; tip: string; into: string; paths: string[] },
): Promise<boolean> {
  const whole = await askGit(place, ['diff-tree', ...PLAIN, '-p', base, tip, '--', ...paths], BYTES)
  const [wanted] = await patchIds(place, whole)
  if (wanted === undefined) return false
  const limit = `--max-count=${MOST_COMMITS}`
  const listed = await askGit(place, ['rev-list', '--no-merges', limit, `^${base}`, into, '--', ...paths])
  if (listed === '') return false
  const patches = await askGit(place, ['diff-tree', '--stdin', ...PLAIN, '-p', '--', ...paths], {
    ...BYTES,
    input: listed,
  })
  return (await patchIds(place, patches)).includes(wanted)
}

const BYTES = { encoding: 'latin1' } as const

async function patchIds(place: Place, patches: string): Promise<string[]> {
  const ids = await askGit(place, ['patch-id', '--stable'], { input: Buffer.from(patches, 'latin1') })
  return ids.split('\n').flatMap((line) => line.split(' ')[0] || [])
}
