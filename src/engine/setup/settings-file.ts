import { lstatSync, mkdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import {
  type AgentSetUp,
  type HookChange,
  isMalformed,
  type SettingsFacts,
  type SettingsProblem,
} from '../../core/agent-setup.ts'
import { sha256 } from '../../core/canonical.ts'
import { randomToken } from '../../core/id.ts'
import { errorCode, ReasonError } from '../../core/reason.ts'
import { type Folder, openFolder } from '../../fs/disk.ts'
import { findFolder, makeFolders } from '../../fs/durable.ts'
import { removeGuarded, replaceGuarded, type WriteOutcome } from '../../fs/guarded.ts'
import type { Context } from '../context/context.ts'
import { isBelow } from '../context/inside.ts'
import { MOST_ATTEMPTS } from '../context/most-attempts.ts'
import { giveBack } from '../publish/guard.ts'
import { type BytesNote, bytesBefore, keepSettings, readSetupJournal } from './journal.ts'
import { MAX_SETTINGS_BYTES, type SetupPlace } from './settings-places.ts'
import { performStep, type SetupChange, type SetupRun } from './setup-run.ts'

/** A file, and the folder that it must not leave; null for the user's own, which may be linked to anywhere. */
export type FilePlace = Pick<SetupPlace, 'path' | 'root'>

/** A settings file as it was read. */
export interface SettingsFile {
  /** As the user knows it. */
  path: string
  /** Where its bytes are, after all links. */
  target: string
  root: string | null
  bytes: Buffer | null
  text: string
}

/** Reads it; `path_unsafe` where a link leads out of the workspace. */
export function readSettingsFile({ path, root: inside }: FilePlace): SettingsFile {
  const target = realOf(path)
  if (inside !== null && !isBelow(inside, target))
    throw new ReasonError('path_unsafe', { path, problem: `it is a link to a place outside ${inside}` })
  using folder = openParent(target, inside)
  const bytes = folder?.read(basename(target), MAX_SETTINGS_BYTES) ?? null
  return { path, target, root: inside, bytes, text: bytes?.toString('utf8') ?? '' }
}

export const hashOf = ({ bytes }: SettingsFile) => (bytes === null ? null : sha256(bytes))

/** What it says that concerns us; `settings_malformed` where it cannot be read. */
export function factsIn({ settings }: AgentSetUp, { path, bytes, text }: SettingsFile): SettingsFacts {
  const isText = bytes === null || Buffer.from(text).equals(bytes)
  return refuseMalformed(path, isText ? settings.read(text) : { line: 1, problem: 'it is not UTF-8' })
}

export function refuseMalformed<T extends object>(path: string, found: T | SettingsProblem): T {
  if (isMalformed(found)) throw new ReasonError('settings_malformed', { path, ...found })
  return found
}

/**
 * A settings file as it would be without us: the bytes that it had before, where it says no more than it did then, but
 * for plugins that are `going`; else what stands there, without ours.
 */
export function withoutOurs(
  { settings }: AgentSetUp,
  { path, bytes, text }: SettingsFile,
  old: Buffer | null | undefined,
  going: readonly string[],
): { bytes: Buffer | null; changes: HookChange[] } {
  if (bytes === null) return { bytes, changes: [] }
  const before = old?.toString('utf8') ?? ''
  const bare = refuseMalformed(path, settings.put(text, { hooks: 'out', statusLine: 'out', before }))
  const isSame = old !== undefined && settings.saysTheSame(before, bare.text, going)
  return { bytes: isSame ? old : Buffer.from(bare.text), changes: bare.changes }
}

/** Keeps what a file is without us. What was kept before stays where that is the same. */
export function noteBefore({ home, ports }: Context, client: AgentSetUp, file: SettingsFile): BytesNote {
  const ours = client.plugin ? [client.plugin.market, ...client.plugin.plugins] : []
  const old = bytesBefore(home.path, file.target)
  const { bytes } = withoutOurs(client, file, old, ours)
  const noted = readSetupJournal(home.path)?.before[file.target]
  return noted && bytes === old ? noted : keepSettings(home.path, bytes, ports)
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
function openParent(target: string, inside: string | null, { make = false } = {}): Folder | null {
  if (inside === null) {
    if (make) mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
    return lstatSync(dirname(target), { throwIfNoEntry: false }) ? openFolder(dirname(target)) : null
  }
  const names = relative(inside, dirname(target)).split(sep).filter(Boolean)
  using root = openFolder(inside)
  return make ? makeFolders(root, names) : findFolder(root, names)
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
  using folder = openParent(file.target, file.root, { make: bytes !== null })
  if (folder === null) return bytes === null
  const name = basename(file.target)
  const guard = {
    token: randomToken(context.ports.random),
    expected: hashOf(file),
    limit: MAX_SETTINGS_BYTES,
  }
  const outcome: WriteOutcome =
    bytes === null ? removeGuarded(folder, name, guard) : replaceGuarded(folder, name, bytes, guard)
  if (!outcome.done && outcome.ours && bytes !== null)
    await giveBack(context, folder, name, outcome, sha256(bytes))
  return outcome.done
}

/** What is to become of a file. */
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
  decide: (file: SettingsFile) => FileStep,
): Promise<void> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS.settings; attempt += 1) {
    const file = readSettingsFile(place)
    const { bytes, change, note } = decide(file)
    if (!run.dryRun) note?.()
    if (change === null) return
    if (await performStep(run, change, () => putSettings(run.context, file, bytes))) return
  }
  throw new ReasonError('settings_busy', { path: place.path })
}
