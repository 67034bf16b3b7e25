import { basename, join } from 'node:path'
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
  /** The folder that was made for the file. */
  folder: string | null
  /** Git's exclude file, where a line was added for the settings. */
  exclude: string | null
  /** Whether the plugins were installed: then the client writes into the file. */
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

export interface SetupJournal {
  setups: Setup[]
  /** What each settings file was without us, by its path after all links: also one into which only the client wrote. */
  before: Record<string, BytesNote>
}

const FILE = 'setup.json'
const BACKUPS = 'backups-settings'

/** Null where nobody remembers. */
export function readSetupJournal(home: string): SetupJournal | null {
  // `as`: the file is ours alone and written whole.
  const { setups, before = {} } = Object(readPrivateJson(home, FILE)) as Partial<SetupJournal>
  return Array.isArray(setups) ? { setups, before } : null
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
  const old = readSetupJournal(home) ?? { setups: [], before: {} }
  const { setups, before } = { ...old, ...change(old) }
  if (JSON.stringify({ setups, before }) === JSON.stringify(old)) return
  if (setups.length === 0 && Object.keys(before).length === 0) removePrivate(home, FILE)
  else writePrivateJson(home, FILE, { version: 1, setups, before }, ports)
}

/** Keeps the bytes of a settings file before it is changed; null: there is none. */
export function keepSettings(home: string, bytes: Uint8Array | null, ports: Ports): BytesNote {
  if (bytes === null) return { hash: null, backup: null }
  const stamp = instant(ports.now()).replace(/[-:]/g, '').slice(0, 15)
  const hash = sha256(bytes)
  const name = `${stamp}Z-${hash.slice(0, 12)}.json`
  return { hash, backup: writePrivate(join(home, BACKUPS), name, bytes, ports) }
}

/** The bytes that a file had without us; null where there was none; undefined where that is not known. */
export function bytesBefore(home: string, target: string): Buffer | null | undefined {
  const { hash, backup } = readSetupJournal(home)?.before[target] ?? { hash: '', backup: null }
  if (hash === null) return null
  const bytes = backup && readPrivate(join(home, BACKUPS), basename(backup))
  return bytes && sha256(bytes) === hash ? bytes : undefined
}
