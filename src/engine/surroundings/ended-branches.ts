import { streamId } from '../../core/id.ts'
import { likelyOrigins } from '../../policy/branch-origin.ts'
import { branchSlug, isBranchs, trunkOr } from '../../policy/resolve.ts'
import type { WorkRow } from '../../store/acts.ts'
import { type RefMove, readBranchLog, readOwnCommits, readSwitches } from '../../workspace/branch-log.ts'
import { readBranchTip, readDefaultBranch } from '../../workspace/git-state.ts'
import type { Place } from '../../workspace/locate.ts'
import type { Context } from '../context/context.ts'
import { readPrivateJson, rememberJson } from '../context/private-json.ts'
import { newestWholeOrNull } from '../documents/newest-whole-point.ts'
import { type Survey, standingOf } from '../documents/survey.ts'

/** Open work whose branch is merged into the present one, or is gone and was merged nowhere. */
export interface EndedBranch {
  row: WorkRow
  how: 'merged' | 'gone'
}

/** More work than this is looked at by the next command. */
const MOST_EXAMINED = 8
/** So many of a branch's own commits are looked for in it: others were amended, or thrown away. */
const MOST_OWN = 8

/**
 * The work of branches that have ended, as far as the present branch is concerned, until `noteEnded` says that it was
 * dealt with. Only git's files are read, unless a branch is gone or the present one moved since the work was saved:
 * then git is asked, once. Long-lived branches do not end, and neither does the one that the present one was cut from:
 * it is merged to be up to date.
 */
export async function findEndedBranches(context: Context, survey: Survey): Promise<EndedBranch[]> {
  const { place } = context
  const { branch, commit } = survey.head
  if (!survey.trusted || survey.operation !== null || branch === null || commit === null) return []
  const defaultName = readDefaultBranch(place)?.name
  const isTrunk = (name: string) => trunkOr(name) === 'main' || name === defaultName
  const others = survey.rows.filter((row) => {
    const saved = branchOf(row)
    return saved !== null && saved !== branch && !isTrunk(saved) && isOpenBranchWork(survey, row)
  })
  if (others.length === 0) return []
  const parents = isTrunk(branch) ? [] : readOrigins(place, branch, [])
  const isHome = (saved: string) => isTrunk(branch) || readOrigins(place, saved, []).includes(branch)
  const target = { commit, log: readBranchLog(place, branch) }
  const memory = readMemory(context)
  const before = JSON.stringify(memory)
  const ended: EndedBranch[] = []
  let examined = 0
  for (const row of others.sort((a, b) => (a.position.at < b.position.at ? 1 : -1))) {
    const saved = branchOf(row) ?? ''
    // A branch that only the remote has goes on there.
    const tip = readBranchTip(place, saved) ?? readBranchTip(place, saved, 'origin')
    const then = commitAt(target.log, row.position.at)
    if (parents.includes(saved) || (tip !== null && (then === commit || !isHome(saved)))) continue
    const seen = [row.position.checkpoint, tip, branch, commit].join(' ')
    const known = memory[row.stream.id]
    if (known?.seen !== seen) {
      if (examined >= MOST_EXAMINED) continue
      examined += 1
      const how = await examine(context, row, { saved, tip, then, commit, noted: known?.own })
      memory[row.stream.id] = { ...known, seen, how }
    }
    const { how, told } = memory[row.stream.id] ?? {}
    if (how && told !== toldKey(row, how)) ended.push({ row, how })
  }
  if (JSON.stringify(memory) !== before) writeMemory(context, survey, memory)
  return ended
}

/** Says that ended branches were dealt with: joined, or told to somebody. */
export function noteEnded(context: Context, survey: Survey, ended: readonly EndedBranch[]): void {
  if (ended.length === 0) return
  const memory = readMemory(context)
  for (const { row, how } of ended)
    memory[row.stream.id] = { ...memory[row.stream.id], how, told: toldKey(row, how) }
  writeMemory(context, survey, memory)
}

/** Notes at a save what git forgets with a branch and its worktree: that it was here, and its newest own commit. */
export function noteBranch(context: Context, survey: Survey, stream: string): void {
  const { branch } = survey.head
  if (branch === null || trunkOr(branch) === 'main') return
  const memory = readMemory(context)
  const own = readOwnCommits(context.place, branch).at(-1) ?? null
  if (memory[stream]?.own === own) return
  memory[stream] = { ...memory[stream], own }
  writeMemory(context, survey, memory)
}

export const branchOf = ({ position }: WorkRow) => position.gist.document?.branch ?? null

/** Work that began as that of its branch; what somebody named otherwise outlives branches. */
function isOpenBranchWork({ repository }: Survey, row: WorkRow): boolean {
  const branch = branchOf(row)
  if (branch === null || row.position.foreign || standingOf(row) === 'archived') return false
  const { id, name } = row.stream
  return isBranchs({ name, branch }) || id === streamId(repository, branchSlug(branch))
}

/** A reflog knows whole seconds: what came in the same one came after. */
const secondOf = (at: string) => Math.floor(Date.parse(at) / 1_000) * 1_000

/** Where a branch was at some time. */
function commitAt(log: readonly RefMove[], at: string): string | null {
  const [first] = log
  return log.findLast((move) => move.atMs < secondOf(at))?.made ?? first?.old ?? first?.made ?? null
}

interface Situation {
  saved: string
  /** Where the branch is; null where it is gone. */
  tip: string | null
  /** Where the present branch was when the work was saved, and where it is. */
  then: string | null
  commit: string
  /** The newest own commit of the branch at a save here, null where it had none; absent where none was made here. */
  noted: string | null | undefined
}

/** A merge is proven by commits of the branch's own. Work that was imported may be of a branch that lives elsewhere. */
async function examine(context: Context, row: WorkRow, { saved, tip, then, commit, noted }: Situation) {
  const { place } = context
  const { isAncestor, isMerged } = await import('../../workspace/git-commits.ts')
  const since = noted === undefined ? 0 : secondOf(row.position.at)
  const own = [...(noted ? [noted] : []), ...readOwnCommits(place, saved, since)]
  const left = tip ?? readSwitches(place).findLast(({ from }) => from === saved)?.left ?? null
  if (left === null && noted === undefined && own.length === 0) return null
  const savedAt = (await newestWholeOrNull(context, row.position.checkpoint))?.provenance?.commit ?? null
  // Another worktree, which is gone with its reflog, may have been further.
  const isBehind =
    tip === null && left !== null && savedAt !== null && (await isAncestor(place, left, savedAt)) === true
  const head = isBehind ? savedAt : (left ?? savedAt)
  const hasOwn = async () => {
    for (const one of own.slice(-MOST_OWN).reverse())
      if (head !== null && (await isAncestor(place, one, head)) === true) return true
    return false
  }
  if (head === null || !(await hasOwn())) return tip === null ? 'gone' : null
  if (await isMerged(place, head, commit)) {
    // Work that was saved after a merge goes on, as long as its branch is there.
    if (tip === null) return 'merged'
    return then !== null && !(await isMerged(place, head, then)) ? 'merged' : null
  }
  if (tip !== null) return null
  const { name = '', commit: remote = null } = readDefaultBranch(place) ?? {}
  const homes = ['main', 'master', 'trunk', name].map((one) => readBranchTip(place, one))
  for (const home of new Set([...homes, remote]))
    if (home !== null && home !== commit && (await isMerged(place, head, home))) return null
  return 'gone'
}

/** What was found of each stream's branch, and what was told of it. It may be lost at any time: git is asked again. */
type Memory = Record<
  string,
  { seen?: string; how?: EndedBranch['how'] | null; told?: string; own?: string | null }
>

const toldKey = ({ position }: WorkRow, how: EndedBranch['how']) => `${how} ${position.checkpoint}`

const memoryName = ({ identity }: Context) => `branches-${identity.repository}.json`

function readMemory(context: Context): Memory {
  const found = readPrivateJson(context.home.path, memoryName(context))
  // `as`: written by this program alone; anything else says nothing.
  return typeof found === 'object' && found !== null ? (found as Memory) : {}
}

function writeMemory(context: Context, { rows }: Survey, memory: Memory): void {
  const over = new Set(rows.filter((row) => standingOf(row) === 'archived').map(({ stream }) => stream.id))
  const kept = Object.fromEntries(Object.entries(memory).filter(([stream]) => !over.has(stream)))
  rememberJson(context.home.path, memoryName(context), kept, context.ports)
}

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
