import { readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ReasonError } from '../../core/reason.ts'
import { makePrivateFolder, syncFolder } from '../../fs/private.ts'
import type { ReplacedFile, StoreContent } from '../store-file.ts'
import { copyDatabase, databaseProblem } from './backup.ts'
import { type Database, isBusy, withDatabase } from './driver.ts'
import { MIGRATIONS } from './migrations.ts'
import { identityOf, listReplaced, markReplaced } from './replaced-files.ts'
import { backupName, DATABASE, linkAside, markRead, type StoreFolders, UNREAD } from './restore.ts'
import { versionOf } from './schema.ts'
import { Sql } from './sql.ts'
import type { SqliteStore } from './sqlite-store.ts'

/** What a database file holds. One that is damaged, of a newer program or no store at all is refused. */
export function describeDatabase(path: string): StoreContent {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) throw new ReasonError('file_unknown', { path })
  const problem = found.isFile() ? databaseProblem(path) : 'it is not a file'
  if (problem !== null) throw new ReasonError('backup_invalid', { path, problem })
  return withDatabase(path, READING, (db) => {
    const sql = new Sql(db)
    const found = versionOf(db)
    if (found > MIGRATIONS.length)
      throw new ReasonError('store_newer', { path, found, known: MIGRATIONS.length })
    const has = (table: string) => sql.has('SELECT 1 FROM sqlite_master WHERE name = ?', table)
    if (found === 0 || !has('checkpoints'))
      throw new ReasonError('backup_invalid', { path, problem: 'it is not a Savepoint store' })
    const count = (table: string) =>
      sql.get<{ number: number }>(`SELECT count(*) AS number FROM ${table}`)?.number ?? 0
    const newest = sql.get<{ at: string | null }>('SELECT max(at) AS at FROM checkpoints')
    return {
      ...{ streams: count('streams'), checkpoints: count('checkpoints'), newestAt: newest?.at ?? null },
      sessions: has('sessions') ? count('sessions') : 0,
    }
  })
}

const READING = { readOnly: true, timeout: 5_000 }
const WRITING = { readOnly: false, timeout: 5_000 }

/**
 * Puts a copy of a backup in the place of the store. Nobody writes meanwhile, and the order of these lines is the
 * promise (docs/durability.md): until the rename the old store counts, and a process that dies leaves a folder by which
 * the next one finds the old log; from the rename on the new one does.
 */
export async function replaceStore(
  store: SqliteStore,
  folders: StoreFolders,
  nowMs: number,
  copy: string,
): Promise<ReplacedFile> {
  describeDatabase(copy)
  const { path } = store
  const release = await store.local.takeLock('restore', 10_000)
  if (release === null) throw new ReasonError('store_busy', { path, waitedMs: 10_000 })
  const name = backupName(nowMs).replace('.db', '')
  const before = join(folders.backups, `before-restore-${name}.db`)
  const aside = join(folders.setAside, name + UNREAD)
  const temp = `${path}.restore-${process.pid}`
  try {
    dropLeftovers(path)
    withDatabase(copy, READING, (db) => copyDatabase(db, temp))
    makePrivateFolder(folders.backups)
    holdingWrites(path, (held) => {
      withDatabase(temp, WRITING, (db) => markReplaced(db, [identityOf(path), ...listReplaced(held)]))
      withDatabase(path, READING, (db) => copyDatabase(db, before))
      linkAside(path, aside)
      for (const ending of ['-wal', '-shm']) rmSync(path + ending, { force: true })
      renameSync(temp, path)
      syncFolder(dirname(path))
      markRead(aside)
    })
    // A heal takes the newest backup: it must not bring back what was replaced.
    await store.copyTo(join(folders.backups, backupName(nowMs)))
    return { before, setAside: join(aside.slice(0, -UNREAD.length), DATABASE) }
  } finally {
    rmSync(temp, { force: true })
    release()
  }
}

/** What a restore left that was killed before its rename. */
function dropLeftovers(path: string): void {
  const start = `${basename(path)}.restore-`
  for (const name of readdirSync(dirname(path)))
    if (name.startsWith(start)) rmSync(join(dirname(path), name), { force: true })
}

/** Keeps other writers waiting; those who only read go on. */
function holdingWrites(path: string, act: (held: Database) => void): void {
  withDatabase(path, WRITING, (held) => {
    try {
      held.exec('BEGIN IMMEDIATE')
    } catch (error) {
      if (!isBusy(error)) throw error
      throw new ReasonError('store_busy', { path, waitedMs: 5_000 }, { cause: error })
    }
    try {
      act(held)
    } finally {
      held.exec('ROLLBACK')
    }
  })
}
