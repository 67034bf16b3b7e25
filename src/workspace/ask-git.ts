import { type GitOptions, runGit } from './git.ts'
import type { Place } from './locate.ts'

/** Git did not answer; the message is its problem. */
export class GitProblem extends Error {}

/** One of several commands that must all succeed: what git says, or a `GitProblem`. As `runGit`, for a trusted workspace only. */
export async function askGit(place: Place, args: readonly string[], options?: GitOptions): Promise<string> {
  const answer = await runGit(place, args, options)
  if (!answer.ok) throw new GitProblem(answer.problem)
  return answer.out
}

/** Where several commands end: their result, or the problem of the one that failed. */
export async function orGitProblem<T>(act: () => Promise<T>): Promise<T | { problem: string }> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof GitProblem)) throw error
    return { problem: error.message }
  }
}

/** The full name of a commit, or null where there is none; exit code 1 is git's word for that. */
export async function findCommit(place: Place, name: string): Promise<string | null> {
  const answer = await runGit(place, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`])
  if (answer.ok) return answer.out.trim()
  if (answer.code !== 1) throw new GitProblem(answer.problem)
  return null
}

export const emptyTree = async (place: Place) =>
  (await askGit(place, ['hash-object', '-t', 'tree', '--stdin'], { input: '' })).trim()
