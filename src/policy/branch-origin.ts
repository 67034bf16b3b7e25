/** What git's files say of how a branch began. */
export interface BranchBirth {
  branch: string
  /** What the first line of its reflog names: a branch, a branch of a remote, a commit or `HEAD`; null without one. */
  createdFrom: string | null
  commit: string | null
  renamedFrom: string | null
  /** Checkouts that led to it, the oldest first. */
  switches: ReadonlyArray<{ from: string; entered: string }>
  /** Branches that were at that commit, too. */
  holders: readonly string[]
  defaultBranch: string | null
}

/**
 * The branches that a branch may have been cut from, the likeliest first and the default branch last. A name that is no
 * branch does no harm: there is no work of it. A branch that came from a remote was cut nobody knows where.
 */
export function likelyOrigins(birth: BranchBirth): string[] {
  const { branch, createdFrom, commit, renamedFrom, switches, holders, defaultBranch } = birth
  const names: string[] = renamedFrom === null ? [] : [renamedFrom]
  if (createdFrom === 'HEAD') {
    const first = switches.find(({ entered }) => commit === null || entered === commit)
    // A worktree that was added for it was never switched to it.
    names.push(...(first ? [first.from] : holders.length === 1 ? holders : []))
  } else if (createdFrom !== null) names.push(localName(createdFrom), withoutRemote(createdFrom))
  if (defaultBranch !== null) names.push(defaultBranch)
  return [...new Set([...names, 'main'])].filter((name) => name !== branch)
}

const localName = (name: string) => name.replace(/^refs\/(?:heads\/)?/, '')
const withoutRemote = (name: string) => name.replace(/^(?:refs\/)?(?:remotes\/)?[^/]+\//, '')
