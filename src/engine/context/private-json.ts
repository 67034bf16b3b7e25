import { join } from 'node:path'
import { randomToken } from '../../core/id.ts'
import type { Ports } from '../../core/ports.ts'
import { errorCode, ReasonError } from '../../core/reason.ts'
import { type Folder, openFolder } from '../../fs/disk.ts'
import { removeDurably, writeDurably } from '../../fs/durable.ts'
import { makePrivateFolder } from '../../fs/private.ts'

const MAX_BYTES = 4 * 1024 * 1024
const MODE = 0o600

/** A file of ours in the home; undefined where there is none, or it is no JSON. */
export function readPrivateJson(home: string, name: string): unknown {
  const bytes = readPrivate(home, name)
  try {
    return bytes === null ? undefined : JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return undefined
  }
}

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
export function rememberJson(home: string, name: string, value: unknown, ports: Ports): void {
  try {
    writePrivateJson(home, name, value, ports)
  } catch (error) {
    if (!(error instanceof ReasonError) && errorCode(error) === undefined) throw error
  }
}

export const removePrivate = (folderPath: string, name: string): boolean =>
  inFolder(folderPath, (folder) => removeDurably(folder, name)) ?? false

/** Null where the folder is not there. */
function inFolder<T>(path: string, act: (folder: Folder) => T): T | null {
  let folder: Folder
  try {
    folder = openFolder(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    return null
  }
  try {
    return act(folder)
  } finally {
    folder.close()
  }
}
