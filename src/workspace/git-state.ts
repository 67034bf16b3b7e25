import { existsSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { unlessRefused } from '../core/reason.ts'
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

/** The checked-out branch, or the one that is being rebased, and the commit, as git's files say; null where they do not. */
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
