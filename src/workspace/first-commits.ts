import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runGit } from './git.ts'
import { isObjectName } from './git-state.ts'
import type { Place } from './locate.ts'

/** A repository that was merged of more than these is known by its first ones. */
const MOST = 20

/**
 * The commits that a repository began with, by which a clone of it is known. It runs git: for a trusted workspace only.
 * None where the history is cut off (a shallow clone), or where git does not say it in time.
 */
export async function listFirstCommits(place: Place): Promise<string[]> {
  if (place.git === null || existsSync(join(place.git.common, 'shallow'))) return []
  const found = await runGit(place, ['rev-list', '--max-parents=0', 'HEAD'], { timeoutMs: 10_000 })
  return found.ok ? found.out.split('\n').filter(isObjectName).sort().slice(0, MOST) : []
}
