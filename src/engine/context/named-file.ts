import { basename, dirname, resolve } from 'node:path'
import { describeError, ReasonError, usageError } from '../../core/reason.ts'
import { type Folder, openFolder } from '../../fs/disk.ts'

/** Opens the folder of a file that the user named. What exists already is refused, unless it may be replaced. */
export function openNamedPlace(cwd: string, file: string, { force }: { force: boolean }) {
  const path = resolve(cwd, file)
  const folder = openParent(path)
  try {
    const name = basename(path)
    const standing = folder.entry(name)
    // A device, a pipe or a link that is renamed over is lost, and what it leads to is not written.
    const isOther = standing !== null && standing.kind !== 'file'
    const kind = standing?.kind === 'folder' ? 'a folder' : 'not a plain file'
    if (isOther) throw usageError(`${JSON.stringify(file)} is ${kind}`)
    if (!force && standing !== null) throw new ReasonError('file_exists', { path })
    return { path, folder, name }
  } catch (error) {
    folder[Symbol.dispose]()
    throw error
  }
}

function openParent(path: string): Folder {
  try {
    return openFolder(dirname(path))
  } catch (error) {
    const data = { path: dirname(path), problem: describeError(error) }
    throw new ReasonError('folder_unreadable', data, { cause: error })
  }
}
