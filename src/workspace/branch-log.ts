import { branchLogFile, isObjectName, MAX_REFLOG, reflogsOf, tailOf } from './git-state.ts'
import type { Place } from './locate.ts'

// Everything here reads git's files and runs nothing: it may be asked about a workspace that nobody trusts.

/** One line of a reflog. */
export interface RefMove {
  /** Null where the ref began with it. */
  old: string | null
  made: string
  atMs: number
  text: string
}

const LINE = /^([0-9a-f]+) ([0-9a-f]+) [^\t\n]*?(\d+) [+-]\d{4}\t(.*)$/gm

/** What a reflog says, the oldest first; of a long one the newest part. */
function readReflog(path: string): RefMove[] {
  const text = Buffer.from(tailOf(path, MAX_REFLOG), 'latin1').toString('utf8')
  return [...text.matchAll(LINE)].flatMap(([, old = '', made = '', seconds = '', words = '']) =>
    isObjectName(old) && isObjectName(made)
      ? { old: /^0+$/.test(old) ? null : old, made, atMs: Number(seconds) * 1_000, text: words }
      : [],
  )
}

/** How a branch moved; nothing where it has no reflog. */
export function readBranchLog(place: Place, branch: string): RefMove[] {
  const file = branchLogFile(place, branch)
  return file === null ? [] : readReflog(file)
}

/** A checkout of one branch (or commit) after another, in any worktree. */
export interface BranchSwitch {
  from: string
  to: string
  /** The commit that was left, and the one that was gone to. */
  left: string
  entered: string
}

/** Every change of branch that the worktrees remember, the oldest of each worktree first. */
export function readSwitches({ git }: Place): BranchSwitch[] {
  if (git === null) return []
  return reflogsOf(git)
    .flatMap(readReflog)
    .flatMap(({ old, made, text }) => {
      const { from, to } = switchIn(text)
      return from === undefined || to === undefined ? [] : { from, to, left: old ?? made, entered: made }
    })
}

const MADE =
  /^(?:commit|cherry-pick|revert|am)\b|^(?:rebase|pull)\b.*\((?:pick|reword|edit|squash|fixup|continue)\)|: Merge made by /
const REBASED = /^(?:rebase|pull)\b.*\(finish\): \S+ onto ([0-9a-f]+)$/

const isMade = ({ text, made }: RefMove) => MADE.test(text) || (REBASED.exec(text)?.[1] ?? made) !== made

/**
 * The commits that were made on a branch, the oldest first: what it was cut from, and what it was brought up to date
 * with by a fast-forward, are not its own. Its reflog goes with the branch; those of the worktrees that are left may
 * also tell of an earlier branch of the same name, and count from a time on.
 */
export function readOwnCommits(place: Place, branch: string, sinceMs = 0): string[] {
  const log = readBranchLog(place, branch)
  const moves = log.length > 0 ? log : movesOn(place, branch).filter(({ atMs }) => atMs >= sinceMs)
  return moves.filter(isMade).map(({ made }) => made)
}

/** What was done in the worktrees while a branch was checked out there. */
function movesOn({ git }: Place, branch: string): RefMove[] {
  const found: RefMove[] = []
  for (const log of git === null ? [] : reflogsOf(git).map(readReflog)) {
    let [since, now]: [RefMove[], string | undefined] = [[], undefined]
    for (const move of log) {
      const { from, to } = switchIn(move.text)
      if (to === undefined) since.push(move)
      else {
        if (from === branch) found.push(...since)
        since = []
        now = to
      }
    }
    if (now === branch) found.push(...since)
  }
  return found
}

function switchIn(text: string): { from?: string; to?: string } {
  const [, from, to] = /^checkout: moving from (\S+) to (\S+)$/.exec(text) ?? []
  return from === undefined || to === undefined ? {} : { from, to }
}
