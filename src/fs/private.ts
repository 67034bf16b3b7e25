import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCode } from '../core/reason.ts'

/** Makes a folder that only its owner may enter, and the missing ones above it; their names are durable. */
export function makePrivateFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })) return
  if (dirname(path) !== path) makePrivateFolder(dirname(path))
  try {
    mkdirSync(path, 0o700)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    return
  }
  syncFolder(dirname(path))
}

/** Makes the names in a folder durable. Windows cannot open a folder, nor does it need this. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/**
 * Creates an empty file that only its owner may read, unless it is there. A file that is there is not opened:
 * closing any descriptor of a database file would drop the locks that this process holds on it.
 */
export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    return
  }
  syncFolder(dirname(path))
}
