import { join } from 'node:path'
import type { Scope } from '../../core/agent-setup.ts'
import { sha256 } from '../../core/canonical.ts'
import { instant, type Ports } from '../../core/ports.ts'
import {
  readPrivate,
  readPrivateJson,
  removePrivate,
  writePrivate,
  writePrivateJson,
} from '../context/private-json.ts'

/** What stood in a file before: its hash (null: there was none), and where its bytes are kept. */
export interface BytesNote {
  hash: string | null
  backup: string | null
}

/** What `init` did to one settings file, so that `uninstall` can undo exactly that. */
export interface Setup {
  agent: string
  scope: Scope
  /** The file that was written, after all links. */
  settings: string
  /** The workspace, for the scope of a project. */
  workspace: string | null
  root: string | null
  at: string
  before: BytesNote
  /** The hash of what we wrote; null where others had edited in between, so that `before` is not to come back. */
  after: string | null
  /** Lists in the file that were made for our hooks; null where that is not known. */
  made: string[] | null
  /** The folder that was made for the file. */
  folder: string | null
  /** The command of the status line that stood in the file, as it was written there. */
  statusline: string | null
  /** Git's exclude file, where a line was added for the settings. */
  exclude: string | null
  /** Whether the plugins were installed: then the client writes the file, and its old bytes come back by what they say. */
  plugin: boolean
  command: CommandNote | null
}

/** What was done for a word of the client's own that only a file in a commands folder can take. */
export interface CommandNote {
  path: string
  /** The hash of what we wrote. */
  hash: string
  /** The folder that was made for it. */
  folder: string | null
  /** Git's exclude file, where a line was added for it. */
  exclude: string | null
}

/** All that is set up. */
export interface SetupJournal {
  setups: Setup[]
  /** The user's settings as they were before the client wrote our marketplace into them. */
  market: { settings: string; before: BytesNote } | null
}

const FILE = 'setup.json'
const BACKUPS = 'backups-settings'

/** Null where nobody remembers. */
export function readSetupJournal(home: string): SetupJournal | null {
  // `as`: the file is ours alone and written whole; what decides over other files is looked at all the same.
  const { setups, market } = Object(readPrivateJson(home, FILE)) as Partial<SetupJournal>
  if (!Array.isArray(setups)) return null
  return {
    // Notes of an older version know of no plugin.
    setups: setups.filter(namesSettings).map((setup) => ({ ...{ plugin: false, command: null }, ...setup })),
    market: namesSettings(market) ? market : null,
  }
}

function namesSettings<T extends { settings: string; before: BytesNote }>(
  note: T | null | undefined,
): note is T {
  const { settings, before } = Object(note) as Partial<T>
  return typeof settings === 'string' && typeof before === 'object' && before !== null
}

export const readSetups = (home: string): Setup[] => readSetupJournal(home)?.setups ?? []

export const setupOf = (home: string, target: string): Setup | undefined =>
  readSetups(home).find(({ settings }) => settings === target)

/** Writes what `change` makes of it, where that is something else. */
export function changeJournal(
  home: string,
  ports: Ports,
  change: (journal: SetupJournal) => Partial<SetupJournal>,
): void {
  const old = readSetupJournal(home) ?? { setups: [], market: null }
  const made = { ...old, ...change(old) }
  if (JSON.stringify(made) === JSON.stringify(old)) return
  const { setups, market } = made
  if (setups.length === 0 && market === null) removePrivate(home, FILE)
  else writePrivateJson(home, FILE, { version: 1, setups, ...(market ? { market } : {}) }, ports)
}

/** Notes what is done for a word of the client's, with the settings that it belongs to. */
export const noteCommand = (home: string, target: string, command: CommandNote, ports: Ports) =>
  changeJournal(home, ports, ({ setups }) => ({
    setups: setups.map((setup) => (setup.settings === target ? { ...setup, command } : setup)),
  }))

/** Keeps the bytes of a settings file before it is changed, and gives the path of the copy. */
export function keepSettings(home: string, bytes: Uint8Array, ports: Ports): string {
  const stamp = instant(ports.now()).replace(/[-:]/g, '').slice(0, 15)
  const hash = sha256(bytes)
  return writePrivate(join(home, BACKUPS), `${stamp}Z-${hash.slice(0, 12)}.json`, bytes, ports)
}

/** The bytes that stood there; null where there was no file; undefined where the copy is not whole. */
export function bytesBefore(home: string, { hash, backup }: BytesNote): Buffer | null | undefined {
  if (hash === null) return null
  if (backup === null) return undefined
  const name = backup.slice(backup.search(/[^\\/]*$/))
  const bytes = readPrivate(join(home, BACKUPS), name)
  return bytes !== null && sha256(bytes) === hash ? bytes : undefined
}
