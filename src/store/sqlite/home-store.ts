import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Ports } from '../../core/ports.ts'
import { ReasonError } from '../../core/reason.ts'
import { makePrivateFolder } from '../../fs/private.ts'
import type { Store } from '../store.ts'
import type { RestoredFile, StoreFile, StoreProblem } from '../store-file.ts'
import { databaseProblem } from './backup.ts'
import { backupName, backupsIn, backupTime, listUnread, restoreStore, rotateBackups } from './restore.ts'
import { openSqliteStore, type SqliteStore } from './sqlite-store.ts'

const BACKUP_EVERY_MS = 86_400_000

/** Where the files of a store on this machine are. */
export interface StoreFolders {
  database: string
  backups: string
  locks: string
  setAside: string
}

export interface HomeOptions {
  waitMs?: number
  mayMigrate?: boolean
}

/** Opens the store of a home, with the file behind it. A backup comes before every change of its shape. */
export function openHomeStore(
  folders: StoreFolders,
  ports: Ports,
  options: HomeOptions,
): { store: Store; file: StoreFile } {
  const store = openSqliteStore({
    ...options,
    path: folders.database,
    ports,
    locksFolder: folders.locks,
    beforeMigration(copyTo) {
      makePrivateFolder(folders.backups)
      try {
        copyTo(join(folders.backups, backupName(ports.now())))
      } catch (error) {
        // Another process made it in this very millisecond.
        if (!(error instanceof ReasonError) || error.reason !== 'backup_exists') throw error
      }
    },
  })
  return { store, file: new SqliteFile(store, folders, ports) }
}

/** A store in memory, for who only reads where nothing was ever saved. */
export const openEmptyStore = (ports: Ports): Store =>
  openSqliteStore({ path: ':memory:', ports, locksFolder: null })

class SqliteFile implements StoreFile {
  private readonly store: SqliteStore
  private readonly folders: StoreFolders
  private readonly ports: Ports

  constructor(store: SqliteStore, folders: StoreFolders, ports: Ports) {
    this.store = store
    this.folders = folders
    this.ports = ports
  }

  check(): Promise<StoreProblem[]> {
    return this.store.check()
  }

  copyTo(path: string): Promise<void> {
    return this.store.backup(path)
  }

  async keepBackup(): Promise<void> {
    const { backups } = this.folders
    const now = this.ports.now()
    if (this.backups().some((file) => Math.abs(now - backupTime(file)) < BACKUP_EVERY_MS)) return
    const release = await this.store.local.takeLock('backup', 0)
    if (release === null) return
    try {
      makePrivateFolder(backups)
      await this.store.backup(join(backups, backupName(now)))
      rotateBackups(backups, now)
    } finally {
      release()
    }
  }

  listDamagedBackups(): Array<{ path: string; problem: string }> {
    return this.backups().flatMap((path) => {
      const problem = databaseProblem(path)
      return problem === null ? [] : [{ path, problem }]
    })
  }

  needsRestoring(): boolean {
    const isGone = !existsSync(this.folders.database) && this.backups().length > 0
    return isGone || listUnread(this.folders.setAside).length > 0
  }

  restore({ force, bringBack }: Parameters<StoreFile['restore']>[0]): Promise<RestoredFile> {
    const { setAside, backups } = this.folders
    return restoreStore(this.store, {
      setAsideFolder: setAside,
      backupsFolder: backups,
      ports: this.ports,
      force,
      bringBack,
    })
  }

  private backups(): string[] {
    return backupsIn(this.folders.backups, this.ports.now())
  }
}
