import type { Store } from '../store.ts'
import type { StoreFile } from '../store-file.ts'
import { copyDatabase } from './backup.ts'
import { checkDatabase } from './check.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import { Locks } from './lock.ts'
import { mergeStore, readFrom } from './merge.ts'
import { findRecords } from './search.ts'
import { clearSearch, unlessDamaged } from './search-damage.ts'
import { putRecords, readUnsearched } from './search-fill.ts'
import { sqliteActs } from './sqlite-acts.ts'
import { sqliteLocalState } from './sqlite-local-state.ts'
import { sqliteLog } from './sqlite-log.ts'

export interface SqliteOptions extends ConnectionOptions {
  /** Where the kernel's locks are; null for a store that no other process sees. */
  locksFolder: string | null
}

/** All parts of a store in one file, and what only a file needs: a check, a copy, and what another file has. */
export interface SqliteStore extends Store, Pick<StoreFile, 'check' | 'copyTo'> {
  readonly path: string
  /** Adds what another database file has and this one has not; answers how many checkpoints came over. */
  mergeFrom(file: string): Promise<number>
}

/** The store in one SQLite file, or in memory with the path `:memory:`. */
export function openSqliteStore(options: SqliteOptions): SqliteStore {
  const { path, ports, locksFolder } = options
  const connection = new Connection(options)
  const locks = new Locks(locksFolder, ports)
  return {
    path,
    log: sqliteLog(connection),
    local: sqliteLocalState(connection, locks),
    acts: sqliteActs(connection),
    index: {
      readUnsearched: (most) => connection.read((sql) => readUnsearched(sql, most)),
      putPart: (part, records) =>
        unlessDamaged(() => connection.writeSoft((sql) => putRecords(sql, part, records))),
      search: (wanted, filter) =>
        unlessDamaged(() => connection.read((sql) => findRecords(sql, wanted, filter))),
      forget: () => connection.writeSoft(clearSearch),
    },
    check: () => connection.attempt(checkDatabase),
    copyTo: (file) => connection.attempt((sql) => copyDatabase(sql.db, file)),
    mergeFrom: (file) => connection.write((into) => readFrom(file, (from) => mergeStore(from, into)) ?? 0),
    async close() {
      connection.close()
      locks.close()
    },
  }
}
