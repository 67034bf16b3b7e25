import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DatabaseSync } from '@photostructure/sqlite'
import { ReasonError } from '../../core/reason.ts'
import { ancestorsOf } from '../../fs/ancestors.ts'

export type Database = InstanceType<typeof DatabaseSync>
type Constructor = typeof DatabaseSync

let loaded: Constructor | undefined

/** The one place that chooses: Node's own SQLite where it exists, else the package with the same interface. */
export function openDatabase(path: string, options: { readOnly?: boolean; timeout?: number } = {}): Database {
  loaded ??= loadBuiltIn() ?? fromPackage()
  return new loaded(path, options)
}

/** Opens a database for one act. */
export function withDatabase<T>(
  path: string,
  options: { readOnly: boolean; timeout: number },
  act: (db: Database) => T,
): T {
  const db = openDatabase(path, options)
  try {
    return act(db)
  } finally {
    db.close()
  }
}

function loadBuiltIn(): Constructor | undefined {
  const original = process.emitWarning
  // Node 22 warns at the first import that node:sqlite is experimental; a user can do nothing about it.
  process.emitWarning = () => undefined
  try {
    // `as`: both export the same class; the types of Node 20 do not know node:sqlite.
    return (
      process.getBuiltinModule('node:sqlite' as 'node:fs') as { DatabaseSync?: Constructor } | undefined
    )?.DatabaseSync
  } finally {
    process.emitWarning = original
  }
}

function fromPackage(): Constructor {
  try {
    const binary = nearbyBinary(fileURLToPath(import.meta.url))
    if (binary === null) return requirePackage()
    const addon: { exports: { DatabaseSync?: Constructor } } = { exports: {} }
    process.dlopen(addon, binary)
    return addon.exports.DatabaseSync ?? requirePackage()
  } catch (error) {
    const problem = 'this Node has no node:sqlite and the package @photostructure/sqlite is not installed'
    throw new ReasonError('store_unavailable', { path: 'SQLite', problem }, { cause: error })
  }
}

/** Node's loader of packages is itself loaded only here: it costs more than a millisecond. */
function requirePackage(): Constructor {
  const { createRequire } = process.getBuiltinModule('node:module')
  return createRequire(import.meta.url)('@photostructure/sqlite').DatabaseSync
}

/** The package's binary, where it usually is: the package's own search costs more than opening the store. */
function nearbyBinary(from: string): string | null {
  const libc = existsSync('/etc/alpine-release') ? 'musl' : 'glibc'
  const file = `${process.platform}-${process.arch}/@photostructure+sqlite.${libc}.node`
  for (const here of ancestorsOf(dirname(from))) {
    const binary = join(here, 'node_modules/@photostructure/sqlite/prebuilds', file)
    if (existsSync(binary)) return binary
  }
  return null
}

/** SQLite's primary result code of an error, or undefined where it is not SQLite's. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined
  // `as`: both drivers add it, though not to every error, and without a type to test for.
  const { errcode } = error as Error & { errcode?: number }
  if (errcode !== undefined) return errcode & 0xff
  return MESSAGES.find(([message]) => error.message.includes(message))?.[1]
}

/** Somebody else is at work: later it may go. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === SQLITE.busy || code === SQLITE.locked
}

export const SQLITE = {
  error: 1,
  busy: 5,
  locked: 6,
  nomem: 7,
  readonly: 8,
  ioerr: 10,
  corrupt: 11,
  full: 13,
  cantopen: 14,
  constraint: 19,
  notadb: 26,
} as const

/** SQLite's own words, for errors that come without a code. */
const MESSAGES: ReadonlyArray<readonly [string, number]> = [
  ['database is locked', SQLITE.busy],
  ['database table is locked', SQLITE.locked],
  ['out of memory', SQLITE.nomem],
  ['attempt to write a readonly database', SQLITE.readonly],
  ['disk I/O error', SQLITE.ioerr],
  ['database disk image is malformed', SQLITE.corrupt],
  ['database or disk is full', SQLITE.full],
  ['unable to open database file', SQLITE.cantopen],
  ['constraint failed', SQLITE.constraint],
  ['file is not a database', SQLITE.notadb],
]
