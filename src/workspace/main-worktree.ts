import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { unlessRefused } from '../core/reason.ts'
import { readGitSettings } from './git-config.ts'
import { locateWorkspace, type Place } from './locate.ts'

/**
 * The root of the repository's main worktree, from any of its worktrees. Reads git's files and runs nothing. A
 * submodule, a git folder that lies elsewhere and a directory without git are their own main worktree.
 */
export function mainWorktree({ root, git }: Place): { root: string } | { problem: string } {
  if (git === null || git.folder === git.common) return { root }
  if (isBare(git.common)) return { problem: 'the repository is bare and has no main worktree' }
  const found = unlessRefused(() => worktreeAround(git))
  return found === null ? { problem: 'the main worktree was not found' } : { root: found }
}

/** The folder around the common one, where that is its own git folder and has this worktree on its list. */
function worktreeAround({ folder, common }: NonNullable<Place['git']>): string | null {
  const real = realpathSync.native(common)
  // A file `.git` can name any repository as its own: only that repository's entry says that it is so.
  if (dirname(realpathSync.native(folder)) !== join(real, 'worktrees')) return null
  const main = locateWorkspace(dirname(common))
  if (main.git === null || main.git.folder !== main.git.common) return null
  return realpathSync.native(main.git.common) === real ? main.root : null
}

/** Where git knows settings of single worktrees, the main one's say it, over the shared ones. */
function isBare(common: string): boolean {
  const all = ['config', 'config.worktree'].flatMap((name) => readGitSettings(join(common, name), 'core'))
  return /^(?:true|yes|on|1)$/i.test(all.findLast(({ key }) => key === 'bare')?.value ?? '')
}
