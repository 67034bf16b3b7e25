import { existsSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { unlessRefused } from '../core/reason.ts'
import { openPlainFile } from '../fs/disk.ts'
import { branchLogFile, isObjectName } from './git-state.ts'
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

const MAX_REFLOG = 4 * 1024 * 1024
const LINE = /^([0-9a-f]+) ([0-9a-f]+) [^\t\n]*?(\d+) [+-]\d{4}\t(.*)$/gm

/** What a reflog says, the oldest first; of a long one the newest part. */
function readReflog(path: string): RefMove[] {
  const text = unlessRefused(() => readTail(path, MAX_REFLOG))
  return [...(text ?? '').matchAll(LINE)].flatMap(([, old = '', made = '', seconds = '', words = '']) =>
    isObjectName(old) && isObjectName(made)
      ? { old: /^0+$/.test(old) ? null : old, made, atMs: Number(seconds) * 1_000, text: words }
      : [],
  )
}

function readTail(path: string, limit: number): string {
  using file = openPlainFile(path)
  const tail = Buffer.alloc(Math.min(file.size, limit))
  return tail.toString('utf8', 0, readSync(file.fd, tail, 0, tail.length, file.size - tail.length))
}

/** What the reflogs of all worktrees say, each by itself: a commit that was made in one may be merged in another. */
function readWorktreeLogs({ git }: Place): RefMove[][] {
  if (git === null) return []
  const worktrees = join(git.common, 'worktrees')
  const others = existsSync(worktrees) ? readdirSync(worktrees).map((name) => join(worktrees, name)) : []
  return [...new Set([git.folder, git.common, ...others])].map((path) =>
    readReflog(join(path, 'logs', 'HEAD')),
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
export const readSwitches = (place: Place): BranchSwitch[] =>
  readWorktreeLogs(place)
    .flat()
    .flatMap(({ old, made, text }) => {
      const { from, to } = switchIn(text)
      return from === undefined || to === undefined ? [] : { from, to, left: old ?? made, entered: made }
    })

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
function movesOn(place: Place, branch: string): RefMove[] {
  const found: RefMove[] = []
  for (const log of readWorktreeLogs(place)) {
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

/** What a commit owes to this repository. */
export type CommitOrigin =
  /** `git commit` made it in a worktree of this repository, of what the user had there. */
  | 'made'
  /** A rebase or a revert made it here, of a commit that may be anybody's. */
  | 'replayed'
  /** It was fetched, applied, picked or merged, or nothing is known about it. */
  | 'arrived'

const REPLAYED = /^(?:revert:|(?:rebase|pull)\b[^:]*\((?:pick|reword|edit|squash|fixup|continue)\):)/

/**
 * How commits came to be, as the reflogs tell; only the newest part of a long one is looked at. An amended commit
 * is what it was before: with a stranger's, most of the text is the stranger's. A merge vouches for nothing, even
 * if the user concluded it by hand: what stands in it may be of either side.
 */
export function commitOrigins(place: Place): (commit: string) => CommitOrigin {
  const movesTo = new Map<string, RefMove[]>()
  for (const move of readWorktreeLogs(place).flat())
    movesTo.set(move.made, [...(movesTo.get(move.made) ?? []), move])
  const isMadeHere = (commit: string): boolean => {
    // A set goes on with what is added to it, and has each but once.
    const open = new Set([commit])
    for (const next of open)
      for (const { old, text } of movesTo.get(next) ?? []) {
        if (/^commit(?: \(initial\))?:/.test(text)) return true
        if (old !== null && text.startsWith('commit (amend):')) open.add(old)
      }
    return false
  }
  const isReplayed = (commit: string) => (movesTo.get(commit) ?? []).some(({ text }) => REPLAYED.test(text))
  return (commit) => (isMadeHere(commit) ? 'made' : isReplayed(commit) ? 'replayed' : 'arrived')
}
