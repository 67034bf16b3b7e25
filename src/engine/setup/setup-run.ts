import { lstatSync, mkdirSync, readdirSync, realpathSync, rmdirSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { sha256 } from '../../core/canonical.ts'
import { randomToken } from '../../core/id.ts'
import { errorCode, ReasonError, unlessRefused } from '../../core/reason.ts'
import { differenceOf, sayDifference } from '../../formats/checkpoint-md/difference.ts'
import { type Folder, openFolder } from '../../fs/disk.ts'
import { findFolder, makeFolders } from '../../fs/durable.ts'
import { removeGuarded, replaceGuarded } from '../../fs/guarded.ts'
import type { Context } from '../context/context.ts'
import { isBelow } from '../context/inside.ts'
import { MOST_ATTEMPTS } from '../context/most-attempts.ts'
import { giveBack } from '../publish/guard.ts'
import { MAX_SETTINGS_BYTES } from './settings-places.ts'

/** One thing that was done, or would be. */
export interface SetupChange {
  /** For `ran` the command, which the client of the agent carried out. */
  path: string
  what: 'made' | 'changed' | 'removed' | 'restored' | 'trusted' | 'ran'
  about: string
  /** What changes in a file of others, line by line. */
  diff: string | null
}

/**
 * One pass through the steps of `init` or `uninstall`. A dry run goes through the same steps and performs none of
 * them, so that it cannot tell anything else than what would be done.
 */
export interface SetupRun {
  context: Context
  dryRun: boolean
  changes: SetupChange[]
  /** What was removed; in a dry run it is still there. */
  removed: Set<string>
}

const WAIT_MS = 10_000

/** One run at a time changes what is set up: two would lose each other's notes of it. */
export async function inSetupRun<T>(
  context: Context,
  dryRun: boolean,
  act: (run: SetupRun) => Promise<T>,
): Promise<T> {
  const run: SetupRun = { context, dryRun, changes: [], removed: new Set() }
  if (dryRun) return await act(run)
  const { store, home } = context
  const release = await store.local.takeLock('setup', WAIT_MS)
  if (release === null) throw new ReasonError('store_busy', { path: home.database, waitedMs: WAIT_MS })
  try {
    return await act(run)
  } finally {
    release()
  }
}

export const setupChange = (
  what: SetupChange['what'],
  path: string,
  about: string,
  diff: string | null = null,
): SetupChange => ({ path, what, about, diff })

export const diffOf = ({ path, text }: SetupFile, made: string) =>
  sayDifference(differenceOf(text, made), { from: path, to: path })

/** Performs a change and tells it; false where `act` says so: then it was not done. */
export async function performStep(run: SetupRun, change: SetupChange, act: () => unknown): Promise<boolean> {
  if (!run.dryRun && (await act()) === false) return false
  if (change.what === 'removed') run.removed.add(change.path)
  run.changes.push(change)
  return true
}

/** Removes a folder in which nothing is left; with `about` it is told. */
export async function removeEmptyFolder(run: SetupRun, folder: string, about?: string): Promise<void> {
  // What cannot be looked at is not removed.
  const names = unlessRefused(() => readdirSync(folder))
  if (!names?.every((name) => run.removed.has(join(folder, name)))) return
  if (about !== undefined)
    await performStep(run, setupChange('removed', folder, about), () => removeEmpty(folder))
  else if (run.dryRun || removeEmpty(folder)) run.removed.add(folder)
}

/** False where something else is in it, or it is gone. */
export function removeEmpty(folder: string): boolean {
  try {
    rmdirSync(folder)
    return true
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) throw error
    return false
  }
}

/** A file, and the folder that it must not leave; null for the user's own, which may be linked to anywhere. */
interface FilePlace {
  /** As the user knows it. */
  path: string
  root: string | null
}

/** A file that others write, too, as it was read. */
export interface SetupFile extends FilePlace {
  /** Where its bytes are, after all links. */
  target: string
  bytes: Buffer | null
  text: string
  /** Null where there is no file. */
  hash: string | null
}

/** Reads it; `path_unsafe` where a link leads out of the workspace. */
export function readSetupFile({ path, root }: FilePlace): SetupFile {
  const target = realOf(path)
  if (root !== null && !isBelow(root, target))
    throw new ReasonError('path_unsafe', { path, problem: `it is a link to a place outside ${root}` })
  using folder = openParent({ target, root })
  const bytes = folder?.read(basename(target), MAX_SETTINGS_BYTES) ?? null
  return { path, root, target, bytes, text: bytes?.toString('utf8') ?? '', hash: bytes && sha256(bytes) }
}

/** The path after all links, of a file that may not be there yet. A link that leads nowhere is not followed. */
function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new ReasonError('path_unsafe', { path, problem: 'it is a broken link' })
    return join(realOf(dirname(path)), basename(path))
  }
}

/** The folder of a file. Inside a workspace it is reached from its root, so that no link can come in between. */
function openParent(file: Pick<SetupFile, 'target' | 'root'>, { make = false } = {}): Folder | null {
  const parent = dirname(file.target)
  if (file.root === null) {
    if (make) mkdirSync(parent, { recursive: true, mode: 0o700 })
    return lstatSync(parent, { throwIfNoEntry: false }) ? openFolder(parent) : null
  }
  const names = relative(file.root, parent).split(sep).filter(Boolean)
  using root = openFolder(file.root)
  return make ? makeFolders(root, names) : findFolder(root, names)
}

/** The folder that writing it would have to make; null where it is there. */
export const missingFolder = ({ target }: SetupFile) =>
  lstatSync(dirname(target), { throwIfNoEntry: false }) ? null : dirname(target)

/**
 * Puts other bytes in its place (null: none), only while it is what was read. False where somebody else wrote it
 * meanwhile: theirs stands, and all is to be begun again.
 */
export async function putFile(context: Context, file: SetupFile, bytes: Uint8Array | null): Promise<boolean> {
  using folder = openParent(file, { make: bytes !== null })
  if (folder === null) return bytes === null
  const name = basename(file.target)
  const guard = { token: randomToken(context.ports.random), expected: file.hash, limit: MAX_SETTINGS_BYTES }
  const outcome =
    bytes === null ? removeGuarded(folder, name, guard) : replaceGuarded(folder, name, bytes, guard)
  if (!outcome.done && outcome.ours && bytes !== null)
    await giveBack(context, folder, name, outcome, sha256(bytes))
  return outcome.done
}

export interface FileStep {
  /** What is to stand there; null where no file is to. */
  bytes: Buffer | null
  /** Null where it stays as it is. */
  change: SetupChange | null
  /** Notes down what is about to be done, so that it can be undone after a crash. */
  note?(): void
}

/** Changes a file that others write, too: decided anew, from what stands there, until nobody was faster. */
export async function rewriteFile(
  run: SetupRun,
  place: FilePlace,
  decide: (file: SetupFile) => FileStep,
): Promise<void> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS.settings; attempt += 1) {
    const file = readSetupFile(place)
    const { bytes, change, note } = decide(file)
    if (!run.dryRun) note?.()
    if (change === null) return
    if (await performStep(run, change, () => putFile(run.context, file, bytes))) return
  }
  throw new ReasonError('settings_busy', { path: place.path })
}
