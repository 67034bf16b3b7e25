import { join } from 'node:path'
import { describeError, errorCode, ReasonError } from '../core/reason.ts'
import { type Folder, openFolder } from './disk.ts'

/** Temp files carry this ending: a reader never takes them for a document, doctor finds them. */
export const TEMP_ENDING = '.savepoint-tmp'

export const tempName = (name: string, token: string) => `.${name}.${token}${TEMP_ENDING}`

/**
 * Replaces a file so that at every instant, also after a power cut, the old or the new one is there whole.
 * When it returns, the new one is on the disk. The order of these lines is the promise (docs/durability.md).
 */
export function writeDurably(
  folder: Folder,
  name: string,
  bytes: Uint8Array,
  { token, mode = 0o666 }: { token: string; mode?: number },
): void {
  const temp = tempName(name, token)
  asDurableWrite(folder, name, temp, () => {
    writeTemp(folder, temp, bytes, mode)
    folder.rename(temp, name)
    folder.sync()
  })
}

/** As `writeDurably`, but never replaces: false where the name is taken already. */
export function createDurably(
  folder: Folder,
  name: string,
  bytes: Uint8Array,
  { token, mode = 0o666 }: { token: string; mode?: number },
): boolean {
  const temp = tempName(name, token)
  return asDurableWrite(folder, name, temp, () => {
    writeTemp(folder, temp, bytes, mode)
    const created = folder.link(temp, name)
    folder.unlink(temp)
    folder.sync()
    return created
  })
}

/**
 * As `writeDurably`, for what is too large to be held at once: `fill` writes it piece by piece. Without `replaces` it
 * never replaces: false where the name is taken already.
 */
export async function streamDurably(
  folder: Folder,
  name: string,
  { token, mode, replaces }: { token: string; mode: number; replaces: boolean },
  fill: (write: (bytes: Uint8Array) => void) => Promise<void>,
): Promise<boolean> {
  const temp = tempName(name, token)
  try {
    const file = folder.create(temp, mode)
    try {
      await fill((bytes) => file.write(bytes))
      file.sync()
    } finally {
      file.close()
    }
    const isPlaced = replaces || folder.link(temp, name)
    if (replaces) folder.rename(temp, name)
    else folder.unlink(temp)
    folder.sync()
    return isPlaced
  } catch (error) {
    dropTemp(folder, temp)
    throw asWriteFailure(error, join(folder.path, name))
  }
}

/** `exactMode`: the mode of a file that this one replaces, which the umask must not narrow. */
export function writeTemp(
  folder: Folder,
  temp: string,
  bytes: Uint8Array,
  mode: number,
  { exactMode = false } = {},
): void {
  const file = folder.create(temp, mode)
  try {
    if (exactMode) file.setMode(mode)
    file.write(bytes)
    file.sync()
  } finally {
    file.close()
  }
}

/** Removes a file and makes its absence durable; false where there was none. */
export function removeDurably(folder: Folder, name: string): boolean {
  const removed = folder.unlink(name)
  folder.sync()
  return removed
}

/**
 * Opens a folder below another, making what is missing; a new folder's name is durable in its parent.
 * `sure` is for folders that a writer who died may have made: their names are made durable once more.
 */
export function makeFolders(root: Folder, names: readonly string[], { sure = false } = {}): Folder {
  let here = root.reopen()
  for (const name of names) {
    using parent = here
    try {
      const standing = parent.folder(name)
      const isNew = standing === null && parent.makeFolder(name, 0o777)
      if (isNew || sure) parent.sync()
      const next = standing ?? parent.folder(name)
      if (next === null) throw new Error(`${name} vanished while it was opened`)
      here = next
    } catch (error) {
      throw asWriteFailure(error, join(parent.path, name))
    }
  }
  return here
}

/** Opens a folder below another, or null where one of the names is missing. */
export function findFolder(root: Folder, names: readonly string[]): Folder | null {
  let here: Folder | null = root.reopen()
  for (const name of names) {
    using parent: Folder = here
    here = parent.folder(name)
    if (here === null) return null
  }
  return here
}

/** Looks into a folder below the root of a workspace; null where it is missing. No link is followed on the way. */
export function inFolder<T>(path: string, names: readonly string[], look: (folder: Folder) => T): T | null {
  using root = openFolder(path)
  using folder = findFolder(root, names)
  return folder && look(folder)
}

export function asDurableWrite<T>(folder: Folder, name: string, temp: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    dropTemp(folder, temp)
    throw asWriteFailure(error, join(folder.path, name))
  }
}

/** After a failed write or fsync the temp is worthless, and never retried. Where even that fails, doctor sweeps. */
export function dropTemp(folder: Folder, temp: string): void {
  try {
    folder.unlink(temp)
  } catch (error) {
    if (errorCode(error) === undefined) throw error
  }
}

export function asWriteFailure(error: unknown, path: string): ReasonError {
  if (error instanceof ReasonError) return error
  return new ReasonError(
    'checkpoint_atomic_write_failed',
    { path, problem: describeError(error) },
    { cause: error },
  )
}
