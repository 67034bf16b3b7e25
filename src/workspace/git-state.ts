import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
} from 'node:fs'
import { join } from 'node:path'
import { errorCode, ReasonError } from '../core/reason.ts'
import { readPlainFile } from '../fs/disk.ts'
import { type Place, readGitText } from './locate.ts'

// Everything here reads git's files and runs nothing: it may be asked about a workspace that nobody trusts.

/** What git left half done in a worktree. */
export type GitOperation = 'merge' | 'rebase' | 'cherry-pick' | 'revert' | 'bisect' | 'am'

/** The outermost first: a rebase that stopped may also hold a merge or a pick. */
const SIGNS: ReadonlyArray<readonly [file: string, operation: GitOperation]> = [
  ['rebase-apply/applying', 'am'],
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
]

/** What is under way in this worktree, by the files that git keeps meanwhile. */
export function gitOperation({ git }: Place): GitOperation | null {
  if (git === null) return null
  const sign = SIGNS.find(([file]) => existsSync(join(git.folder, file)))
  return sign?.[1] ?? sequence(git.folder) ?? (existsSync(join(git.folder, 'BISECT_LOG')) ? 'bisect' : null)
}

/** A series of picks or reverts, between two of them: only its list is there. */
function sequence(folder: string): GitOperation | null {
  const todo = readGitText(join(folder, 'sequencer', 'todo'))
  if (todo === null) return null
  return /^\s*(?:revert|r)\s/.test(todo) ? 'revert' : 'cherry-pick'
}

/** The folder around a file, below the root, that is a repository of its own: what lies in it is that one's. */
export function repositoryAround({ root }: Place, path: string): string | null {
  const folders = path.split('/').slice(0, -1)
  for (let depth = 1; depth <= folders.length; depth++) {
    const folder = folders.slice(0, depth).join('/')
    if (lstatSync(join(root, folder, '.git'), { throwIfNoEntry: false })) return folder
  }
  return null
}

/** Full object names only: what a command is given can then be neither an option nor an expression. */
export const isObjectName = (text: string) => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)

const MAX_PACKED = 64 * 1024 * 1024
/** Refs of these folders belong to one worktree, all others to the repository. */
const OWN_REF = /^refs\/(?:bisect|worktree|rewritten)\//
const MAX_HOPS = 5

/** The checked-out branch, or the one that is being rebased, and the commit; no branch where HEAD is detached, no commit where none was made yet. */
/** The branch and the commit that are checked out, as git's files say; null where they do not. */
export interface Head {
  branch: string | null
  commit: string | null
}

export function headOf({ git }: Place): Head {
  const head = git && readGitText(join(git.folder, 'HEAD'))?.trim()
  if (!git || !head) return { branch: null, commit: null }
  if (isObjectName(head)) return { branch: branchUnderWay(git.folder), commit: head }
  const ref = symbolic(head)
  // A repository whose refs are not files (reftable) has this name in their stead.
  if (ref === null || ref === 'refs/heads/.invalid') return { branch: null, commit: null }
  return { branch: /^refs\/heads\/(.+)/.exec(ref)?.[1] ?? null, commit: commitOf(git, ref) }
}

/** A rebase or a bisect leaves the branch for a while, and git keeps its name: the work is still that branch's. */
function branchUnderWay(folder: string): string | null {
  for (const file of ['rebase-merge/head-name', 'rebase-apply/head-name', 'BISECT_START']) {
    const name = readGitText(join(folder, file))?.trim() ?? ''
    const branch = file === 'BISECT_START' ? name : /^refs\/heads\/(.+)/.exec(name)?.[1]
    if (branch && !isObjectName(branch) && symbolic(`ref: refs/heads/${branch}`) !== null) return branch
  }
  return null
}

/** The ref that a symbolic one names. One that would lead out of the folder of refs is nobody's. */
function symbolic(text: string): string | null {
  const ref = /^ref:\s*(refs\/[^\0\s\\]+)$/.exec(text)?.[1]
  return ref === undefined || ref.split('/').some((part) => /^(?:\.{0,2}|.*\.lock)$/.test(part)) ? null : ref
}

/** The commit of a branch of this repository, or of its remote; null where there is no such branch. */
export function readBranchTip({ git }: Place, branch: string, remote = ''): string | null {
  const ref = symbolic(`ref: refs/${remote === '' ? 'heads' : `remotes/${remote}`}/${branch}`)
  return git === null || ref === null ? null : commitOf(git, ref)
}

/** The default branch of the remote, as it was at the clone; null where none was noted. */
export function readDefaultBranch({ git }: Place): { name: string; commit: string | null } | null {
  const head = git && readGitText(join(git.common, 'refs/remotes/origin/HEAD'))?.trim()
  const ref = head ? symbolic(head) : null
  const name = /^refs\/remotes\/origin\/(.+)/.exec(ref ?? '')?.[1]
  return !git || ref === null || name === undefined ? null : { name, commit: commitOf(git, ref) }
}

/** The file with the reflog of a branch; null where the name is none that git allows. */
export function branchLogFile({ git }: Place, branch: string): string | null {
  const ref = symbolic(`ref: refs/heads/${branch}`)
  return git === null || ref === null ? null : join(git.common, 'logs', ref)
}

function commitOf(git: NonNullable<Place['git']>, name: string): string | null {
  let ref = name
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    // First the ref's own file, then the packed ones: git packs in the other order.
    const text = readGitText(join(OWN_REF.test(ref) ? git.folder : git.common, ref))?.trim()
    if (!text) return readPackedRef(git.common, ref)
    if (isObjectName(text)) return text
    const next = symbolic(text)
    if (next === null) return null
    ref = next
  }
  return null
}

function readPackedRef(common: string, ref: string): string | null {
  const refs = unlessRefused(() => readPlainFile(join(common, 'packed-refs'), MAX_PACKED))
  const at = refs?.indexOf(` ${ref}\n`) ?? -1
  if (!refs || at === -1) return null
  const hash = refs.toString('latin1', at === 0 ? 0 : refs.lastIndexOf(10, at - 1) + 1, at)
  return isObjectName(hash) ? hash : null
}

function unlessRefused<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof ReasonError) return null
    throw error
  }
}

export const MAX_REFLOG = 4 * 1024 * 1024
const ENTRY = /^([0-9a-f]+) ([0-9a-f]+) [^\t\n]*\t([a-z-]+)([^:\n]*):/gm

/** How a reflog says that a commit came to be: the commit that it replaced, the verb, and its options. */
interface LogEntry {
  old: string
  verb: string
  how: string
}

/** What a commit owes to this repository. */
export type CommitOrigin =
  /** `git commit` made it in a worktree of this repository, of what the user had there. */
  | 'made'
  /** A rebase or a revert made it here, of a commit that may be anybody's. */
  | 'replayed'
  /** It was fetched, applied, picked or merged, or nothing is known about it. */
  | 'arrived'

/**
 * How commits came to be, as the reflogs tell; only the newest part of a long one is looked at. An amended commit
 * is what it was before: with a stranger's, most of the text is the stranger's. A merge vouches for nothing, even
 * if the user concluded it by hand: what stands in it may be of either side.
 */
export function commitOrigins({ git }: Place): (commit: string) => CommitOrigin {
  const entries = git === null ? new Map<string, LogEntry[]>() : readReflogs(git)
  const isMade = (commit: string): boolean => {
    const seen = new Set<string>()
    const open = [commit]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen.has(next)) continue
      seen.add(next)
      for (const { old, verb, how } of entries.get(next) ?? []) {
        if (verb !== 'commit') continue
        if (how === '' || how === ' (initial)') return true
        if (how === ' (amend)') open.push(old)
      }
    }
    return false
  }
  const isReplayed = (commit: string) =>
    (entries.get(commit) ?? []).some(({ verb, how }) => REPLAYED.test(verb + how))
  return (commit) => (isMade(commit) ? 'made' : isReplayed(commit) ? 'replayed' : 'arrived')
}

const REPLAYED = /^(?:revert$|(?:rebase|pull)\b.*\((?:pick|reword|edit|squash|fixup|continue)\)$)/

function readReflogs(git: NonNullable<Place['git']>): Map<string, LogEntry[]> {
  const entries = new Map<string, LogEntry[]>()
  for (const file of reflogsOf(git))
    for (const [, old = '', made = '', verb = '', how = ''] of tailOf(file, MAX_REFLOG).matchAll(ENTRY)) {
      if (!isObjectName(old) || !isObjectName(made)) continue
      const known = entries.get(made)
      if (known) known.push({ old, verb, how })
      else entries.set(made, [{ old, verb, how }])
    }
  return entries
}

/** The reflogs of all worktrees of the repository: a commit that was made in one may be merged in another. */
export function reflogsOf({ folder, common }: NonNullable<Place['git']>): string[] {
  const worktrees = join(common, 'worktrees')
  const others = existsSync(worktrees) ? readdirSync(worktrees).map((name) => join(worktrees, name)) : []
  return [...new Set([folder, common, ...others])].map((path) => join(path, 'logs', 'HEAD'))
}

/** The end of a file, one character a byte; nothing where there is no plain file that may be read. */
export function tailOf(path: string, limit: number): string {
  let fd: number
  try {
    // O_NONBLOCK: a pipe in the file's place must not make us wait for its writer.
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return ''
  }
  try {
    const found = fstatSync(fd)
    if (!found.isFile()) return ''
    const tail = Buffer.alloc(Math.min(found.size, limit))
    const got = readSync(fd, tail, 0, tail.length, found.size - tail.length)
    return tail.toString('latin1', 0, got)
  } finally {
    closeSync(fd)
  }
}
