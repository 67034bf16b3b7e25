import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sha256 } from '../../core/canonical.ts'
import { randomToken } from '../../core/id.ts'
import { ReasonError } from '../../core/reason.ts'
import { openFolder, readPlainFile } from '../../fs/disk.ts'
import { replaceGuarded } from '../../fs/guarded.ts'
import { excludeFromGit } from '../../workspace/exclude.ts'
import { runGit } from '../../workspace/git.ts'
import type { Context } from '../context/context.ts'

const MAX_EXCLUDE = 1024 * 1024

/** The line that keeps a file of a workspace out of git. */
export const excludeLineFor = (file: string) => `/${file}`

/** How git sees a file. Asked only where the workspace is trusted: git may run what its settings name. */
export async function gitSees(
  { place }: Context,
  file: string,
): Promise<'ignored' | 'tracked' | 'seen' | 'no git'> {
  if (place.git === null) return 'no git'
  if ((await runGit(place, ['ls-files', '--error-unmatch', '--', file])).ok) return 'tracked'
  // This command knows no literal paths, and fails where all paths are to be taken so.
  const asked = ['--no-literal-pathspecs', 'check-ignore', '--quiet', '--', file]
  return (await runGit(place, asked)).ok ? 'ignored' : 'seen'
}

export const excludeFile = ({ place }: Context) => join(place.git?.common ?? '', 'info', 'exclude')

/** Keeps a file out of `git status`. Git's folder may be closed to us: that is told, and hurts nobody. */
export function addExclude(context: Context, file: string): boolean {
  const { place, ports, notices } = context
  if (place.git === null) return false
  try {
    excludeFromGit(place.git.common, excludeLineFor(file), ports)
    return true
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
    notices.push(`${file} could not be kept out of git: ${error.message}`)
    return false
  }
}

/** Whether the line is there: a crash may have come before it was noted, and another worktree may share it. */
export function hasExclude(context: Context, file: string): boolean {
  const text = readPlainFile(excludeFile(context), MAX_EXCLUDE)?.toString('latin1') ?? ''
  return text.split(/\r?\n/).includes(excludeLineFor(file))
}

/** Takes the line out again; false where it is gone, or the file is. */
export function removeExclude({ ports }: Context, path: string, file: string): boolean {
  if (!existsSync(path)) return false
  const folder = openFolder(dirname(path))
  try {
    const bytes = folder.read('exclude', MAX_EXCLUDE)
    if (bytes === null) return false
    // One character a byte: the file need not be text.
    const lines = bytes.toString('latin1').split(/(?<=\n)/)
    const at = lines.findLastIndex((line) => line.replace(/\r?\n$/, '') === excludeLineFor(file))
    if (at === -1) return false
    const text = lines.toSpliced(at, 1).join('')
    const guard = { token: randomToken(ports.random), expected: sha256(bytes), limit: MAX_EXCLUDE }
    return replaceGuarded(folder, 'exclude', Buffer.from(text, 'latin1'), guard).done
  } finally {
    folder.close()
  }
}
