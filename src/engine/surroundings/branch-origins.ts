import { likelyOrigins } from '../../policy/branch-origin.ts'
import { readBranchLog, readSwitches } from '../../workspace/branch-log.ts'
import { readDefaultBranch } from '../../workspace/git-state.ts'
import type { Place } from '../../workspace/locate.ts'

/**
 * The branches that a branch may have been cut from, the likeliest first, as git's files say: no git is run. `others`
 * are the branches with work, of which one may have been at the same commit.
 */
export function readOrigins(place: Place, branch: string, others: readonly string[]): string[] {
  const log = readBranchLog(place, branch)
  const [first] = log
  const born = first?.old === null ? first : null
  const createdFrom = /^branch: Created from (\S+)$/.exec(born?.text ?? '')?.[1] ?? null
  const renamed = log.findLast(({ text }) => /^Branch: renamed /.test(text))?.text ?? ''
  const wasAt = (other: string) => readBranchLog(place, other).some(({ made }) => made === born?.made)
  return likelyOrigins({
    branch,
    createdFrom,
    commit: born?.made ?? null,
    renamedFrom: /^Branch: renamed refs\/heads\/(\S+) to /.exec(renamed)?.[1] ?? null,
    switches: createdFrom === 'HEAD' ? readSwitches(place).filter(({ to }) => to === branch) : [],
    holders: createdFrom === 'HEAD' ? others.filter((other) => other !== branch && wasAt(other)) : [],
    defaultBranch: readDefaultBranch(place)?.name ?? null,
  })
}
