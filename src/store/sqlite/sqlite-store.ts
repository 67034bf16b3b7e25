import type { Ports } from '../../core/ports.ts'
import type { LocalState } from '../local-state.ts'
import type { Store } from '../store.ts'
import type { StoreProblem } from '../store-file.ts'
import { copyDatabase } from './backup.ts'
import { checkDatabase } from './check.ts'
import { Connection } from './connection.ts'
import { Locks } from './lock.ts'
import { mergeStore, readFrom } from './merge.ts'
import { MIGRATIONS } from './migrations.ts'
import { SqliteActs } from './sqlite-acts.ts'
import { SqliteLocalState } from './sqlite-local-state.ts'
import { SqliteLog } from './sqlite-log.ts'
import { SqliteSearchIndex } from './sqlite-search-index.ts'

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
  return new SqliteStore(connection, new Locks(locksFolder, ports))
}

/** The local state alone, where another engine holds the log. It is always SQLite: it never leaves the machine. */
export function openLocalState({
  path,
  ports,
  locksFolder,
}: Pick<SqliteOptions, 'path' | 'ports' | 'locksFolder'>): { local: LocalState; close(): Promise<void> } {
  const connection = new Connection({
    ...{ path, ports, waitMs: WAIT_MS, migrations: MIGRATIONS, holdsLog: false },
    beforeMigration: () => undefined,
  })
  const locks = new Locks(locksFolder, ports)
  return {
    local: new SqliteLocalState(connection, locks),
    async close() {
      connection.close()
      locks.close()
    },
  }
}

/** All parts of a store in one file, and what only a file needs: a check, a copy, and what another file has. */
export class SqliteStore implements Store {
  readonly log: SqliteLog
  readonly local: SqliteLocalState
  readonly index: SqliteSearchIndex
  readonly acts: SqliteActs
  private readonly connection: Connection
  private readonly locks: Locks

  constructor(connection: Connection, locks: Locks) {
    this.connection = connection
    this.locks = locks
    this.log = new SqliteLog(connection)
    this.local = new SqliteLocalState(connection, locks)
    this.index = new SqliteSearchIndex(connection)
    this.acts = new SqliteActs(connection, this.log, this.local)
  }

  get path(): string {
    return this.connection.path
  }

  check(): Promise<StoreProblem[]> {
    return this.connection.bare(checkDatabase)
  }

  /** A consistent copy at a path that does not exist yet, while others write. */
  backup(file: string): Promise<void> {
    return this.connection.bare((sql) => copyDatabase(sql.db, file))
  }

  /** Adds what another database file has and this one has not; answers how many checkpoints came over. */
  mergeFrom(file: string): Promise<number> {
    return this.connection.write((into) => readFrom(file, (from) => mergeStore(from, into)) ?? 0)
  }

  async close(): Promise<void> {
    this.connection.close()
    this.locks.close()
  }
}
