import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type GitAnswer, runGit } from './git.ts'
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
 * The commits that a repository began with, by which a clone of it is known. It runs git: for a trusted workspace only.
 * None where the history is cut off (a shallow clone), or where git does not say it in time.
 */
export async function listFirstCommits(place: Place): Promise<string[]> {
  if (place.git === null || existsSync(join(place.git.common, 'shallow'))) return []
  const found = await runGit(place, ['rev-list', '--max-parents=0', 'HEAD'], { timeoutMs: 10_000 })
  return found.ok ? found.out.split('\n').filter(isObjectName).sort().slice(0, MOST_FIRST) : []
}
