import { lstatSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { unlessRefused } from '../core/reason.ts'
import { ancestorsOf } from '../fs/ancestors.ts'
import { readPlainFile } from '../fs/disk.ts'

/** A directory being worked in, as the file system shows it. No git command is run to find it. */
export interface Place {
  root: string
  git: { folder: string; common: string } | null
}

/** The worktree around a directory, or the directory itself where there is no git. */
export function locateWorkspace(from: string): Place {
  const start = realpathSync.native(from)
  for (const here of ancestorsOf(start)) {
    const git = gitFolders(here)
    if (git) return { root: here, git }
  }
  return { root: start, git: null }
}

function gitFolders(root: string): Place['git'] {
  const dot = join(root, '.git')
  const found = lstatSync(dot, { throwIfNoEntry: false })
  if (!found) return null
  const folder = found.isFile() ? linkedFolder(dot, root) : dot
  if (folder === null || readGitText(join(folder, 'HEAD')) === null) return null
  const common = readGitText(join(folder, 'commondir'))
  return { folder, common: common === null ? folder : resolve(folder, withoutLineEnd(common)) }
}

/** A linked worktree and a submodule have a file `.git` that names their folder. */
function linkedFolder(file: string, root: string): string | null {
  const target = /^gitdir: ([^\0]+)$/.exec(withoutLineEnd(readGitText(file) ?? ''))?.[1]
  return target === undefined ? null : resolve(root, target)
}

/** A path in one of git's files, as git reads it: spaces belong to it. */
const withoutLineEnd = (text: string) => text.replace(/[\r\n]+$/, '')

const MAX_GIT_FILE = 64 * 1024

/** One of git's small files; null where it is missing, or is nothing that git could have written. */
export const readGitText = (path: string): string | null =>
  unlessRefused(() => readPlainFile(path, MAX_GIT_FILE)?.toString('utf8') ?? null)
