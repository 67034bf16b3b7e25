import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { realPorts } from '../../src/apps/real-ports.ts'
import { openDatabase } from '../../src/store/sqlite/driver.ts'
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

/** A closed database with a run of three checkpoints. */
export async function closedStore(path: string, name = 'r1', length = 3) {
  const store = openSqliteStore({ path, ports: realPorts, locksFolder: null })
  const grown = await grow(store, { name, length })
  await store.close()
  // A log may outlive its store; the tests below move and change the one file.
  onFile(path, 'PRAGMA wal_checkpoint(TRUNCATE)')
  return grown
}
