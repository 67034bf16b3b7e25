/** By what a repository is known wherever it lies. */
export interface RepositoryMarks {
  remote: string | null
  /** Its first commits; none where nobody could say. */
  roots: readonly string[]
}

/**
 * Whether two places look like one repository. First commits decide where both are known: a remote can be renamed, and
 * another repository can be put in its place. Both can be forged, so this is a reason to ask, and never to act.
 */
export function looksLikeSame(here: RepositoryMarks, there: RepositoryMarks): boolean {
  if (here.roots.length > 0 && there.roots.length > 0)
    return here.roots.some((root) => there.roots.includes(root))
  return here.remote !== null && here.remote === there.remote
}
