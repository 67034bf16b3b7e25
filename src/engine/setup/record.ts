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
import type { CommandNote } from './command-file.ts'

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
  /** What stood there before: the hash of the file (null: there was none), and where its bytes are kept. */
  before: { hash: string | null; backup: string | null }
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

/** The user's settings as they were before the client wrote our marketplace into them. */
export interface MarketNote {
  settings: string
  before: Setup['before']
}

const NO_PLUGIN = { plugin: false, command: null }

const FILE = 'setup.json'

const BACKUPS = 'backups-settings'

/** All that is set up; null where nobody remembers. */
export function readSetups(home: string): Setup[] | null {
  const found = readPrivateJson(home, FILE)
  if (typeof found !== 'object' || found === null || !('setups' in found) || !Array.isArray(found.setups))
    return null
  // Notes of an older version know of no plugin.
  return found.setups.filter(isSetup).map((setup) => ({ ...NO_PLUGIN, ...setup }))
}

/** The file is ours alone and written whole: what decides over other files is looked at all the same. */
function isSetup(value: unknown): value is Setup {
  if (typeof value !== 'object' || value === null) return false
  const { agent, scope, settings, before, after, made, command } = value as Partial<Setup>
  return (
    typeof agent === 'string' &&
    (scope === 'project' || scope === 'user') &&
    typeof settings === 'string' &&
    typeof before === 'object' &&
    before !== null &&
    (after === null || typeof after === 'string') &&
    (made === null || Array.isArray(made)) &&
    (command === undefined || command === null || typeof command.path === 'string')
  )
}

export const writeSetups = (home: string, setups: readonly Setup[], ports: Ports) =>
  write(home, setups, readMarket(home), ports)

export function readMarket(home: string): MarketNote | null {
  const found = readPrivateJson(home, FILE)
  // `as`: what is taken from it is looked at below.
  const { market } = Object(found) as { market?: Partial<MarketNote> }
  const { settings, before } = Object(market) as Partial<MarketNote>
  return typeof settings === 'string' && typeof before === 'object' && before !== null
    ? { settings, before }
    : null
}

export const writeMarket = (home: string, market: MarketNote | null, ports: Ports) =>
  write(home, readSetups(home) ?? [], market, ports)

function write(home: string, setups: readonly Setup[], market: MarketNote | null, ports: Ports): void {
  if (setups.length === 0 && market === null) removePrivate(home, FILE)
  else writePrivateJson(home, FILE, { version: 1, setups, ...(market ? { market } : {}) }, ports)
}

/** Keeps the bytes of a settings file before it is changed, and gives the path of the copy. */
export function keepSettings(home: string, bytes: Uint8Array, ports: Ports): string {
  const stamp = instant(ports.now()).replace(/[-:]/g, '').slice(0, 15)
  const hash = sha256(bytes)
  return writePrivate(join(home, BACKUPS), `${stamp}Z-${hash.slice(0, 12)}.json`, bytes, ports)
}

/** The bytes that stood there before `init`; null where there was no file; undefined where the copy is not whole. */
export function bytesBefore(home: string, { before }: Pick<Setup, 'before'>): Buffer | null | undefined {
  if (before.hash === null) return null
  if (before.backup === null) return undefined
  const name = before.backup.slice(before.backup.search(/[^\\/]*$/))
  const bytes = readPrivate(join(home, BACKUPS), name)
  return bytes !== null && sha256(bytes) === before.hash ? bytes : undefined
}
