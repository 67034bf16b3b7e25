import type { Ports } from '../../core/ports.ts'
import type { Store } from '../store.ts'
import type { StoreProblem } from '../store-file.ts'
import { copyDatabase } from './backup.ts'
import { checkDatabase } from './check.ts'
import { Connection } from './connection.ts'
import { Locks } from './lock.ts'
import { mergeStore, readFrom } from './merge.ts'
import { MIGRATIONS } from './migrations.ts'
import { findRecords } from './search.ts'
import { clearSearch, unlessDamaged } from './search-damage.ts'
import { putRecords, readUnsearched } from './search-fill.ts'
import { sqliteActs } from './sqlite-acts.ts'
import { sqliteLocalState } from './sqlite-local-state.ts'
import { sqliteLog } from './sqlite-log.ts'

export interface SqliteOptions {
  path: string
  ports: Ports
  waitMs?: number
  migrations?: readonly string[]
  /** Whether a database of an older shape is brought to the newest, or refused. */
  mayMigrate?: boolean
  /** Whether nothing is written, also where it could be. */
  readOnly?: boolean
  /** Where the kernel's locks are; null for a store that no other process sees. */
  locksFolder: string | null
  beforeMigration?: (copyTo: (file: string) => void) => void
}

/** All parts of a store in one file, and what only a file needs: a check, a copy, and what another file has. */
export interface SqliteStore extends Store {
  readonly path: string
  check(): Promise<StoreProblem[]>
  /** A consistent copy at a path that does not exist yet, while others write. */
  backup(file: string): Promise<void>
  /** Adds what another database file has and this one has not; answers how many checkpoints came over. */
  mergeFrom(file: string): Promise<number>
}

const WAIT_MS = 5_000

/** The store in one SQLite file, or in memory with the path `:memory:`. */
export function openSqliteStore(options: SqliteOptions): SqliteStore {
  const { path, ports, waitMs = WAIT_MS, migrations = MIGRATIONS, locksFolder, beforeMigration } = options
  const { mayMigrate = true, readOnly = false } = options
  let isPrepared = false
  const connection = new Connection({
    path,
    ports,
    waitMs,
    migrations,
    mayMigrate,
    readOnly,
    beforeMigration(db) {
      // Once: a migration that has to wait for another writer begins again and again.
      if (!isPrepared) beforeMigration?.((file) => copyDatabase(db, file))
      isPrepared = true
    },
  })
  const locks = new Locks(locksFolder, ports)
  const log = sqliteLog(connection)
  const local = sqliteLocalState(connection, locks)
  return {
    ...{ path, log, local, acts: sqliteActs(connection, log, local) },
    index: {
      readUnsearched: (most) => connection.read((sql) => readUnsearched(sql, most)),
      putPart: (part, records) =>
        unlessDamaged(() => connection.writeSoft((sql) => putRecords(sql, part, records))),
      search: (wanted, filter) =>
        unlessDamaged(() => connection.read((sql) => findRecords(sql, wanted, filter))),
      forget: () => connection.writeSoft(clearSearch),
    },
    check: () => connection.attempt(checkDatabase),
    backup: (file) => connection.attempt((sql) => copyDatabase(sql.db, file)),
    mergeFrom: (file) => connection.write((into) => readFrom(file, (from) => mergeStore(from, into)) ?? 0),
    async close() {
      connection.close()
      locks.close()
    },
  }
}
