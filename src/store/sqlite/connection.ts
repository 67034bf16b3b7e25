import { renameSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { randomId } from '../../core/id.ts'
import type { Ports } from '../../core/ports.ts'
import { describeError, ReasonError } from '../../core/reason.ts'
import { createPrivateFile } from '../../fs/private.ts'
import { copyDatabase } from './backup.ts'
import { fileProblem } from './check.ts'
import { type Database, isBusy, openDatabase, SQLITE, sqliteCode } from './driver.ts'
import { mergeStore } from './merge.ts'
import { MIGRATIONS } from './migrations.ts'
import { ABSENT, identityOf, listReplaced } from './replaced-files.ts'
import { prepareSchema } from './schema.ts'
import { Sql, transaction, type Value } from './sql.ts'

export interface ConnectionOptions {
  path: string
  ports: Ports
  /** How long to wait for another writer before `store_busy`. */
  waitMs?: number
  migrations?: readonly string[]
  /** Whether a database of an older shape is brought to the newest, or refused. */
  mayMigrate?: boolean
  /** Nothing is written, not even beside the file: for a disk or a home that takes nothing. */
  readOnly?: boolean
  /** Called before the shape of a database with content changes, with what copies it. */
  beforeMigration?: (copyTo: (file: string) => void) => void
}

const WAIT_MS = 5_000

/** What SQLite says where it cannot make or fill the file in which readers and writers meet. */
const CANNOT_SHARE = new Set<number>([SQLITE.cantopen, SQLITE.readonly, SQLITE.ioerr, SQLITE.full])

/** A slice of waiting inside SQLite; between slices the event loop gets its turn. */
const SLICE_MS = 40
const MEMORY = ':memory:'

/** An open database, and which files it stands on. */
interface OpenFiles {
  sql: Sql
  file: string
  wal: string
  shm: string
}

/** A database file that may be locked, replaced or damaged by others at any moment. */
export class Connection {
  private opened: OpenFiles | null = null
  private hasWritten = false
  private hasMigrated = false
  private readonly options: ConnectionOptions

  constructor(options: ConnectionOptions) {
    this.options = options
  }

  get path(): string {
    return this.options.path
  }

  /** One consistent read. */
  read<T>(act: (sql: Sql) => T): Promise<T> {
    return this.attempt((sql) => transaction(sql, 'BEGIN', act))
  }

  /** One statement: a consistent read by itself. `Row` names its columns, as in `Sql`. */
  all<Row>(text: string, ...values: Value[]): Promise<Row[]> {
    return this.attempt((sql) => sql.all<Row>(text, ...values))
  }

  async get<Row>(text: string, ...values: Value[]): Promise<Row | null> {
    return (await this.attempt((sql) => sql.get<Row>(text, ...values))) ?? null
  }

  /** One atomic write, on the disk when it resolves. */
  write<T>(act: (sql: Sql) => T): Promise<T> {
    this.hasWritten = true
    return this.attempt((sql) => transaction(sql, 'BEGIN IMMEDIATE', act))
  }

  /** One atomic write that a power cut may undo: for what can be found out again. */
  writeSoft<T>(act: (sql: Sql) => T): Promise<T> {
    return this.attempt((sql) => {
      sql.db.exec('PRAGMA synchronous = NORMAL')
      try {
        return transaction(sql, 'BEGIN IMMEDIATE', act)
      } finally {
        sql.db.exec('PRAGMA synchronous = FULL')
      }
    })
  }

  close(): void {
    const { opened } = this
    this.opened = null
    if (opened === null) return
    if (this.hasWritten) emptyLog(opened.sql)
    opened.sql.db.close()
  }

  /**
   * Runs until it went through on the file that is at the path now, or the time is over. By itself for statements that
   * manage their own transaction.
   */
  async attempt<T>(act: (sql: Sql) => T): Promise<T> {
    const { ports, waitMs = WAIT_MS, path } = this.options
    let done: { value: T } | null = null
    let waited = 0
    for (;;) {
      try {
        done ??= { value: act(this.current()) }
        // A commit into a file that was meanwhile replaced would be lost with it: it is carried over first, or done
        // again on the file that the user put in its place.
        if (!this.followFile()) {
          done = null
          continue
        }
        this.noteLog()
        return done.value
      } catch (error) {
        if (!isBusy(error)) throw this.failure(error)
        if (waited >= waitMs)
          throw new ReasonError('store_busy', { path, waitedMs: waitMs }, { cause: error })
        const pause = 5 + (ports.random(1)[0] ?? 0) / 12
        await ports.sleep(pause)
        waited += SLICE_MS + pause
      }
    }
  }

  /** The log appears with the first write; only then can it be known again. */
  private noteLog(): void {
    if (this.opened === null || this.path === MEMORY) return
    if (this.opened.wal === ABSENT) this.opened.wal = identityOf(`${this.path}-wal`)
    if (this.opened.shm === ABSENT) this.opened.shm = identityOf(`${this.path}-shm`)
  }

  private current(): Sql {
    this.followFile()
    this.opened ??= this.open()
    return this.opened.sql
  }

  /**
   * Where the file at the path is another one now: what only the old one holds is carried over. False where it does not
   * count any more, because the user put a backup in its place.
   */
  private followFile(): boolean {
    const old = this.opened
    if (old === null || !this.isReplaced()) return true
    this.setAsideLogOf(old)
    const fresh = this.open()
    const isWanted = listReplaced(fresh.sql.db).includes(old.file)
    try {
      if (fileProblem(fresh.sql) !== null) {
        const problem = 'it was replaced by a damaged file'
        throw new ReasonError('store_damaged', { path: this.path, problem })
      }
      if (!isWanted) transaction(fresh.sql, 'BEGIN IMMEDIATE', (into) => mergeStore(old.sql, into))
    } catch (error) {
      fresh.sql.db.close()
      throw error
    }
    old.sql.db.close()
    this.opened = fresh
    return !isWanted
  }

  /** SQLite would take the log and the index of the old file for those of the new one. */
  private setAsideLogOf({ wal, shm }: OpenFiles): void {
    const token = randomId('stale', this.options.ports.random)
    for (const [ending, mine] of [
      ['-wal', wal],
      ['-shm', shm],
    ] as const) {
      const path = this.path + ending
      if (mine !== ABSENT && identityOf(path) === mine) renameSync(path, `${path}.${token}`)
    }
  }

  private isReplaced(): boolean {
    return this.path !== MEMORY && this.opened !== null && identityOf(this.path) !== this.opened.file
  }

  private open(): OpenFiles {
    const { path } = this
    if (path === MEMORY) return { sql: this.prepare(), file: '', wal: ABSENT, shm: ABSENT }
    for (;;) {
      if (!this.options.readOnly) createUnlessThere(path)
      const file = identityOf(path)
      const sql = this.prepare()
      if (identityOf(path) === file)
        return { sql, file, wal: identityOf(`${path}-wal`), shm: identityOf(`${path}-shm`) }
      sql.db.close()
    }
  }

  private prepare(): Sql {
    const { path } = this
    try {
      return this.prepareFrom(path)
    } catch (error) {
      if (!this.options.readOnly || !CANNOT_SHARE.has(sqliteCode(error) ?? SQLITE.error)) throw error
      // Readers meet writers in a file beside the database, and it cannot be made: the database is read alone.
      return this.prepareFrom(`${pathToFileURL(path)}?immutable=1`)
    }
  }

  private prepareFrom(location: string): Sql {
    const { readOnly = false, migrations = MIGRATIONS, mayMigrate = true } = this.options
    const db = openDatabase(location, { timeout: SLICE_MS, readOnly })
    try {
      if (!readOnly) db.exec('PRAGMA journal_mode = WAL')
      db.exec('PRAGMA synchronous = FULL')
      db.exec('PRAGMA foreign_keys = ON')
      if (process.platform === 'darwin') db.exec('PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON')
      prepareSchema(db, this.path, { migrations, mayMigrate, beforeMigration: () => this.copyOnce(db) })
      return new Sql(db)
    } catch (error) {
      db.close()
      throw error
    }
  }

  /** A migration that has to wait for another writer begins again and again. */
  private copyOnce(db: Database): void {
    if (!this.hasMigrated) this.options.beforeMigration?.((file) => copyDatabase(db, file))
    this.hasMigrated = true
  }

  private failure(error: unknown): unknown {
    const data = { path: this.path, problem: describeError(error) }
    switch (sqliteCode(error)) {
      case SQLITE.corrupt:
      case SQLITE.notadb:
        // A file that was replaced by a damaged one is still whole in our hands.
        if (!this.isReplaced()) this.close()
        return new ReasonError('store_damaged', data, { cause: error })
      case SQLITE.ioerr:
      case SQLITE.full:
      case SQLITE.readonly:
        // After a failed fsync the page cache cannot be trusted: begin again with a fresh handle.
        this.close()
        return new ReasonError('checkpoint_atomic_write_failed', data, { cause: error })
      case SQLITE.cantopen:
        return new ReasonError('store_unavailable', data, { cause: error })
      default:
        return error
    }
  }
}

/**
 * Moves the log into the database, so that the next start need not read it. The package frees a handle only when
 * its statements are collected, so closing alone does not do it. Whoever is at work meanwhile does it in their turn.
 */
function emptyLog({ db }: Sql): void {
  try {
    db.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)')
  } catch (error) {
    // What is committed is in the log, and safe there.
    if (sqliteCode(error) === undefined) throw error
  }
}

/** SQLite would create the file readable for all; its -wal and -shm take the mode of the file. */
function createUnlessThere(path: string): void {
  try {
    createPrivateFile(path)
  } catch (error) {
    throw new ReasonError('store_unavailable', { path, problem: describeError(error) }, { cause: error })
  }
}
