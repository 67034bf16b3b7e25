import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Ports } from '../../core/ports.ts'
import { instant } from '../../core/ports.ts'
import { makePrivateFolder } from '../../fs/private.ts'
import { databaseProblem } from './backup.ts'
import type { SqliteStore } from './sqlite-store.ts'

const KEPT_BACKUPS = 5
const BACKUP = /^savepoint-\d{8}T\d{9}Z\.db$/

/** The backups in a folder, newest first. */
export function backupsIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => BACKUP.test(name))
    .sort()
    .reverse()
    .map((name) => join(folder, name))
}

export const backupName = (nowMs: number) => `savepoint-${instant(nowMs).replace(/[-:.]/g, '')}.db`

/** When a backup was made, by its name. */
export function backupTime(file: string): number {
  const stamp = basename(file).slice('savepoint-'.length)
  const iso = stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z.*/, '$1-$2-$3T$4:$5:$6.$7Z')
  return Date.parse(iso)
}

/** Drops the oldest backups; the newest ones stay. */
export function rotateBackups(folder: string, keep = KEPT_BACKUPS): void {
  for (const old of backupsIn(folder).slice(keep)) rmSync(old, { force: true })
}

export interface Restored {
  setAside: string | null
  backup: string | null
  checkpoints: number
}

/**
 * Moves a damaged database out of the way, whole, and fills a fresh one from the newest good backup and from
 * what can still be read of the damaged file. `force` is for damage that SQLite itself does not see. Nothing is copied over a database file: others may have it open.
 */
export async function restoreStore(
  store: SqliteStore,
  {
    setAsideFolder,
    backupsFolder,
    ports,
    force,
  }: { setAsideFolder: string; backupsFolder: string; ports: Ports; force: boolean },
): Promise<Restored> {
  const release = await store.lock('restore', 10_000)
  try {
    const damaged = existsSync(store.path) && (force || databaseProblem(store.path) !== null)
    const aside = damaged
      ? setAside(store.path, join(setAsideFolder, backupName(ports.now()).replace('.db', '')))
      : null
    const backup = backupsIn(backupsFolder).find((file) => databaseProblem(file) === null) ?? null
    let checkpoints = 0
    for (const source of [backup, aside]) if (source !== null) checkpoints += await store.mergeFrom(source)
    return { setAside: aside, backup, checkpoints }
  } finally {
    release?.()
  }
}

/** The log goes first: SQLite deletes the log of a database file that is not there. */
function setAside(path: string, folder: string): string {
  makePrivateFolder(folder)
  for (const ending of ['-wal', '', '-shm'])
    if (existsSync(path + ending)) renameSync(path + ending, join(folder, basename(path) + ending))
  return join(folder, basename(path))
}
