import { join, resolve } from 'node:path'
import { errorCode } from '../../core/reason.ts'
import { locateWorkspace, type Place, readGitText } from '../../workspace/locate.ts'
import type { Context } from '../context/context.ts'

/**
 * How far this workspace is trusted: by itself at this path, or as a worktree that git made for a repository
 * whose other worktree is. Both share git's settings; text from elsewhere stays marked in either.
 */
export async function trustHere({ store, identity, place }: Context): Promise<TrustHere> {
  const given = [await store.local.readTrust(identity.workspace, place.root)]
  if (place.git !== null && isLinkedWorktree(place))
    for (const { id, repository, path } of await store.local.listWorkspaces())
      if (repository === identity.repository && id !== identity.workspace) {
        const trust = await store.local.readTrust(id, path)
        if ((trust === 'own' || trust === 'vouched') && commonOf(path) === place.git.common) given.push(trust)
      }
  return given.includes('vouched') ? 'vouched' : given.includes('own') ? 'own' : 'none'
}

type TrustHere = 'none' | 'own' | 'vouched'

export const isTrustedHere = async (context: Context) => (await trustHere(context)) !== 'none'

/** Git's folder names this place in return; a directory that only claims to be a worktree is not named there. */
function isLinkedWorktree({ root, git }: Place): boolean {
  if (git === null || git.folder === git.common) return false
  const named = readGitText(join(git.folder, 'gitdir'))?.trim()
  return named !== undefined && resolve(git.folder, named) === join(root, '.git')
}

function commonOf(path: string): string | null {
  try {
    const { root, git } = locateWorkspace(path)
    return root === path ? (git?.common ?? null) : null
  } catch (error) {
    // A removed worktree passes no trust on to others.
    if (errorCode(error) === undefined) throw error
    return null
  }
}
