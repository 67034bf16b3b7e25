import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { describeError, errorCode, ReasonError } from '../../core/reason.ts'
import { isPlainOrAbsent } from '../../fs/disk.ts'
import { syncFolder } from '../../fs/private.ts'
import { fileProblem } from './check.ts'
import { type Database, withDatabase } from './driver.ts'
import { Sql } from './sql.ts'

/** Copies a database as it stands now, while others write. The name appears only when the copy is whole. */
export function copyDatabase(db: Database, file: string): void {
  if (existsSync(file)) throw new ReasonError('backup_exists', { path: file })
  const folder = dirname(file)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new ReasonError('folder_unreadable', { path: folder, problem: 'folder not found' })
  const temp = `${file}.part-${process.pid}`
  try {
    // SQLite would make the copy readable for all; it writes into an empty file that is private already.
    closeSync(openSync(temp, 'wx', 0o600))
    db.prepare('VACUUM INTO ?').run(temp)
    const problem = databaseProblem(temp)
    if (problem !== null) throw new ReasonError('store_damaged', { path: temp, problem })
    syncFile(temp)
    linkSync(temp, file)
    syncFolder(folder)
  } catch (error) {
    throw errorCode(error) === 'EEXIST'
      ? new ReasonError('backup_exists', { path: file })
      : asWriteFailed(error, file)
  } finally {
    rmSync(temp, { force: true })
  }
}

function asWriteFailed(error: unknown, path: string): unknown {
  return errorCode(error)?.startsWith('E') && !(error instanceof ReasonError)
    ? new ReasonError(
        'checkpoint_atomic_write_failed',
        { path, problem: describeError(error) },
        { cause: error },
      )
    : error
}

/** What is wrong with a database file, or null where it is sound. */
export function databaseProblem(path: string): string | null {
  try {
    // SQLite would wait for ever for what comes out of a pipe. By a look alone: to close a descriptor of a database
    // that this process has open gives up its locks.
    if (!isPlainOrAbsent(path)) return 'it is not a plain file'
    return withDatabase(path, { readOnly: true, timeout: 2_000 }, (db) => fileProblem(new Sql(db)))
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function syncFile(path: string): void {
  const fd = openSync(path, 'r+')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
