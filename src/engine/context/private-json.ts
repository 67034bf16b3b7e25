import { join } from 'node:path'
import { randomToken } from '../../core/id.ts'
import { parseOrUndefined } from '../../core/json.ts'
import type { Ports } from '../../core/ports.ts'
import { errorCode, unlessRefused } from '../../core/reason.ts'
import { type Folder, openFolder } from '../../fs/disk.ts'
import { removeDurably, writeDurably } from '../../fs/durable.ts'
import { makePrivateFolder } from '../../fs/private.ts'

const MAX_BYTES = 4 * 1024 * 1024
const MODE = 0o600

/** A file of ours in the home; undefined where there is none, or it is no JSON. */
export const readPrivateJson = (home: string, name: string): unknown =>
  parseOrUndefined(readPrivate(home, name)?.toString('utf8') ?? '')

export function readPrivate(folderPath: string, name: string): Buffer | null {
  return inFolder(folderPath, (folder) => folder.read(name, MAX_BYTES))
}

/** Durable, and for this user alone. */
export function writePrivate(
  folderPath: string,
  name: string,
  bytes: Uint8Array,
  ports: Ports,
  { mode = MODE } = {},
): string {
  makePrivateFolder(folderPath)
  inFolder(folderPath, (folder) =>
    writeDurably(folder, name, bytes, { token: randomToken(ports.random), mode }),
  )
  return join(folderPath, name)
}

export const writePrivateJson = (home: string, name: string, value: unknown, ports: Ports) =>
  writePrivate(home, name, Buffer.from(`${JSON.stringify(value, null, 2)}\n`), ports)

/** Only a memory: where it cannot be written, it is found out again. */
export const rememberJson = (home: string, name: string, value: unknown, ports: Ports) =>
  void unlessRefused(() => writePrivateJson(home, name, value, ports))

export const removePrivate = (folderPath: string, name: string): boolean =>
  inFolder(folderPath, (folder) => removeDurably(folder, name)) ?? false

/** Null where the folder is not there. */
function inFolder<T>(path: string, act: (folder: Folder) => T): T | null {
  using folder = openPresent(path)
  return folder && act(folder)
}

function openPresent(path: string): Folder | null {
  try {
    return openFolder(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    return null
  }
}
