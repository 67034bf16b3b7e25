import { existsSync, linkSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { compactTime } from '../../core/id.ts'
import { ReasonError } from '../../core/reason.ts'
import { makePrivateFolder, syncFolder } from '../../fs/private.ts'
import type { RestoredFile, RestoreOptions } from '../store-file.ts'
import { databaseProblem } from './backup.ts'
import { identityOf, isReplacement } from './replaced-files.ts'
import type { SqliteStore } from './sqlite-store.ts'

const BACKUP = /^savepoint-\d{8}T\d{9}Z\.db$/

/** The backups in a folder, newest first; those of a clock that was ahead are trusted least, and come last. */
export function backupsIn(folder: string, nowMs: number): string[] {
  const newestFirst = listNewest(folder, (name) => BACKUP.test(name))
  const isAhead = (file: string) => backupTime(file) > nowMs + DAY_MS
  return [...newestFirst.filter((file) => !isAhead(file)), ...newestFirst.filter(isAhead)]
}

const DAY_MS = 86_400_000

export const backupName = (nowMs: number) => `savepoint-${compactTime(nowMs)}.db`

/** When a backup was made, by its name. */
export function backupTime(file: string): number {
  const stamp = basename(file).slice('savepoint-'.length)
  const iso = stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z.*/, '$1-$2-$3T$4:$5:$6.$7Z')
  return Date.parse(iso)
}

/** Where the files of a store on this machine are. */
export interface StoreFolders {
  database: string
  backups: string
  locks: string
  setAside: string
}

/**
 * Moves a damaged database out of the way, whole, and fills a fresh one from the newest good backup and from
 * what can still be read of the damaged file. Nothing is copied over a database file: others may have it open.
 */
export async function restoreStore(
  store: SqliteStore,
  folders: Pick<StoreFolders, 'backups' | 'setAside'>,
  nowMs: number,
  { force, bringBack }: RestoreOptions,
): Promise<RestoredFile> {
  const release = await store.local.takeLock('restore', 10_000)
  if (release === null) throw new ReasonError('store_busy', { path: store.path, waitedMs: 10_000 })
  try {
    const damaged = existsSync(store.path) && (force || databaseProblem(store.path) !== null)
    if (!damaged) finishReplacing(store.path, folders.setAside)
    const name = backupName(nowMs).replace('.db', '')
    if (damaged) setAside(store.path, join(folders.setAside, name + UNREAD))
    // What was set aside is newer than any backup, and comes first: the newest view of a file is the one to keep.
    const salvage = listUnread(folders.setAside)
    // Where there is nothing to restore any more, somebody else did it.
    const isWhole = !damaged && salvage.length === 0 && existsSync(store.path)
    const backups = isWhole ? [] : backupsIn(folders.backups, nowMs)
    const backup = backups.find((file) => databaseProblem(file) === null) ?? null
    let checkpoints = 0
    for (const folder of salvage) checkpoints += await store.mergeFrom(join(folder, DATABASE))
    if (backup !== null) checkpoints += await store.mergeFrom(backup)
    await bringBack()
    for (const folder of salvage) markRead(folder)
    const aside = salvage[0]?.slice(0, -UNREAD.length)
    return { setAside: aside ? join(aside, DATABASE) : null, backup, checkpoints }
  } finally {
    release()
  }
}

/**
 * A store that its user replaced is not merged into the one that they chose: who replaced it died before they could
 * say that it is done.
 */
function finishReplacing(path: string, setAsideFolder: string): void {
  for (const folder of listUnread(setAsideFolder))
    if (existsSync(path) && isReplacement(path, identityOf(join(folder, DATABASE)))) markRead(folder)
}

export const markRead = (folder: string) => renameSync(folder, folder.slice(0, -UNREAD.length))

/** The ending of a folder whose database was set aside and not read yet: a crash may come between. */
export const UNREAD = '.unread'

/** Folders with a database that was set aside and not read yet, newest first. */
export const listUnread = (setAsideFolder: string): string[] =>
  listNewest(
    setAsideFolder,
    (name) => name.endsWith(UNREAD) && existsSync(join(setAsideFolder, name, DATABASE)),
  )

/** The paths in a folder by their names, the last first: those have the newest times. */
function listNewest(folder: string, isWanted: (name: string) => boolean): string[] {
  const names = existsSync(folder) ? readdirSync(folder).filter(isWanted) : []
  return names
    .sort()
    .reverse()
    .map((name) => join(folder, name))
}

export const DATABASE = 'savepoint.db'

/** Gives the file and its log a second name; durable when it returns. */
export function linkAside(path: string, folder: string): void {
  makePrivateFolder(folder)
  for (const ending of ['-wal', ''])
    if (existsSync(path + ending)) linkSync(path + ending, join(folder, DATABASE + ending))
  syncFolder(folder)
}

/**
 * The file and its log get their second name first, and lose their old one only when both are safe there.
 * The index is rebuilt from them.
 */
function setAside(path: string, folder: string): void {
  linkAside(path, folder)
  for (const ending of ['-wal', '', '-shm']) rmSync(path + ending, { force: true })
}
