import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { realPorts } from '../../src/apps/process/real-ports.ts'
import { openDatabase } from '../../src/store/sqlite/driver.ts'
import { MIGRATIONS } from '../../src/store/sqlite/migrations.ts'
import { openSqliteStore, type SqliteOptions, type SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { freshFolder, grow } from './make.ts'

/** The store in a file, closed when the test is over. */
export function openAt(path: string, more: Partial<SqliteOptions> = {}): SqliteStore {
  const store = openSqliteStore({ path, ports: realPorts, locksFolder: null, ...more })
  onTestFinished(() => store.close())
  return store
}

export const freshPath = () => join(freshFolder(), 'savepoint.db')

/** Runs statements on a database file beside the store. */
export function onFile(path: string, ...statements: string[]): void {
  const db = openDatabase(path)
  try {
    for (const statement of statements) db.exec(statement)
  } finally {
    db.close()
  }
}

/** The tables of the shape before there were checkpoint documents, and the columns of one that has more since. */
export const TABLES_BEFORE_DOCUMENTS = [
  'meta',
  'workspaces',
  'streams',
  'checkpoints',
  'notes',
  'pins',
  'events',
]
export const VIEWS_BEFORE_DOCUMENTS = 'workspace, path, stream, checkpoint, hash, content_hash, state'

/** A file of the shape before there were checkpoint documents, with the runs of a closed one. */
export function copyBeforeDocuments(from: string, path: string): void {
  onFile(
    path,
    MIGRATIONS[0] ?? '',
    `PRAGMA user_version = 1; PRAGMA foreign_keys = OFF; ATTACH '${from}' AS newer`,
    ...TABLES_BEFORE_DOCUMENTS.map((table) => `INSERT INTO main.${table} SELECT * FROM newer.${table}`),
    `INSERT INTO main.views SELECT ${VIEWS_BEFORE_DOCUMENTS} FROM newer.views`,
  )
}

/** Runs a statement on the tables of the search index, some of which SQLite guards. */
export function damageIndex(path: string, statement: string): void {
  const db = openDatabase(path)
  try {
    // `as`: the first releases with node:sqlite neither have it nor need it.
    const guarded = db as { enableDefensive?: (isOn: boolean) => void }
    guarded.enableDefensive?.(false)
    db.exec(statement)
  } finally {
    db.close()
  }
}

/** Spoils the first page of a table, as a bad disk would. */
export function damageTable(path: string, table: string): void {
  const db = openDatabase(path)
  try {
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    // `as`: two whole numbers that SQLite keeps of itself.
    const { page_size } = db.prepare('PRAGMA page_size').get() as { page_size: number }
    const { rootpage } = db.prepare('SELECT rootpage FROM sqlite_master WHERE name = ?').get(table) as {
      rootpage: number
    }
    const file = openSync(path, 'r+')
    writeSync(file, Buffer.alloc(page_size, 0xab), 0, page_size, (rootpage - 1) * page_size)
    closeSync(file)
  } finally {
    db.close()
  }
}

/** A closed database with a run of three checkpoints. */
export async function closedStore(path: string, name = 'r1', length = 3) {
  const store = openSqliteStore({ path, ports: realPorts, locksFolder: null })
  const grown = await grow(store, { name, length })
  await store.close()
  // A log may outlive its store; the tests below move and change the one file.
  onFile(path, 'PRAGMA wal_checkpoint(TRUNCATE)')
  return grown
}
