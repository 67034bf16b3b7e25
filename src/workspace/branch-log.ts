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
      const [, from, to] = /^checkout: moving from (\S+) to (\S+)$/.exec(text) ?? []
      return from === undefined || to === undefined ? [] : { from, to, left: old ?? made, entered: made }
    })
}
