import { lstatSync, mkdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { sha256 } from '../../core/canonical.ts'
import { randomToken } from '../../core/id.ts'
import { errorCode, ReasonError } from '../../core/reason.ts'
import { type Folder, openFolder } from '../../fs/disk.ts'
import { findFolder, makeFolders } from '../../fs/durable.ts'
import { removeGuarded, replaceGuarded, type WriteOutcome } from '../../fs/guarded.ts'
import type { Context } from '../context/context.ts'
import { giveBack } from '../publish/guard.ts'
import { MAX_SETTINGS_BYTES } from './settings-places.ts'

/** A settings file as it was read. */
export interface SettingsFile {
  /** As the user knows it. */
  path: string
  /** Where its bytes are, after all links. */
  target: string
  /** The folder that it must not leave; null for the user's own, which may be linked to anywhere. */
  inside: string | null
  bytes: Buffer | null
  text: string
}

/** Reads it; `settings_malformed` where it is no text, `path_unsafe` where a link leads out of the workspace. */
export function readSettingsFile(path: string, inside: string | null): SettingsFile {
  const target = realOf(path)
  if (inside !== null && isOutside(inside, target))
    throw new ReasonError('path_unsafe', { path, problem: `it is a link that leaves ${inside}` })
  const folder = openParent(target, inside)
  try {
    const bytes = folder?.read(basename(target), MAX_SETTINGS_BYTES) ?? null
    const text = bytes?.toString('utf8') ?? ''
    if (bytes && !Buffer.from(text).equals(bytes))
      throw new ReasonError('settings_malformed', { path, line: 1, problem: 'it is not UTF-8' })
    return { path, target, inside, bytes, text }
  } finally {
    folder?.close()
  }
}

export const hashOf = ({ bytes }: SettingsFile) => (bytes === null ? null : sha256(bytes))

const isOutside = (root: string, path: string) => {
  const down = relative(root, path)
  return down === '..' || down.startsWith(`..${sep}`) || resolve(down) === down
}

/** The path after all links, of a file that may not be there yet. A link that leads nowhere is not followed. */
function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new ReasonError('path_unsafe', { path, problem: 'it is a link that leads nowhere' })
    return join(realOf(dirname(path)), basename(path))
  }
}

/** The folder of a file. Inside a workspace it is reached from its root, so that no link can come in between. */
function openParent(target: string, inside: string | null, { make = false } = {}): Folder | null {
  if (inside === null) {
    if (make) mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
    return lstatSync(dirname(target), { throwIfNoEntry: false }) ? openFolder(dirname(target)) : null
  }
  const names = relative(inside, dirname(target)).split(sep).filter(Boolean)
  const root = openFolder(inside)
  let found: Folder | null = null
  try {
    found = make ? makeFolders(root, names) : findFolder(root, names)
    return found
  } finally {
    if (found !== root) root.close()
  }
}

/** The folder that `putSettings` would have to make; null where it is there. */
export const missingFolder = ({ target }: SettingsFile) =>
  lstatSync(dirname(target), { throwIfNoEntry: false }) ? null : dirname(target)

/**
 * Puts other bytes in its place (null: none), only while it is what was read. False where somebody else wrote it
 * meanwhile: theirs stands, and all is to be begun again.
 */
export async function putSettings(
  context: Context,
  file: SettingsFile,
  bytes: Uint8Array | null,
): Promise<boolean> {
  const folder = openParent(file.target, file.inside, { make: bytes !== null })
  if (folder === null) return bytes === null
  const name = basename(file.target)
  const guard = {
    token: randomToken(context.ports.random),
    expected: hashOf(file),
    limit: MAX_SETTINGS_BYTES,
  }
  try {
    const outcome: WriteOutcome =
      bytes === null ? removeGuarded(folder, name, guard) : replaceGuarded(folder, name, bytes, guard)
    if (outcome.done) return true
    if (outcome.ours && bytes !== null) await giveBack(context, folder, name, outcome, sha256(bytes))
    return false
  } finally {
    folder.close()
  }
}
