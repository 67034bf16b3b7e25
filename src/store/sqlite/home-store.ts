import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Ports } from '../../core/ports.ts'
import { ReasonError } from '../../core/reason.ts'
import { makePrivateFolder } from '../../fs/private.ts'
import type { Store } from '../store.ts'
import type { StoreFile } from '../store-file.ts'
import { databaseProblem } from './backup.ts'
import { describeDatabase, replaceStore } from './replace.ts'
import { backupName, backupsIn, backupTime, listUnread, restoreStore, type StoreFolders } from './restore.ts'
import { openSqliteStore, type SqliteOptions, type SqliteStore } from './sqlite-store.ts'

const BACKUP_EVERY_MS = 86_400_000
const KEPT_BACKUPS = 5

/** Opens the store of a home, with the file behind it. A backup comes before every change of its shape. */
export function openHomeStore(
  folders: StoreFolders,
  ports: Ports,
  options: Pick<SqliteOptions, 'waitMs' | 'mayMigrate' | 'readOnly'>,
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
  return { store, file: fileOf(store, folders, ports) }
}

/** A store in memory, for who only reads where nothing was ever saved. */
export const openEmptyStore = (ports: Ports): Store =>
  openSqliteStore({ path: ':memory:', ports, locksFolder: null })

function fileOf(store: SqliteStore, folders: StoreFolders, ports: Ports): StoreFile {
  const backups = () => backupsIn(folders.backups, ports.now())
  return {
    check: () => store.check(),
    copyTo: (path) => store.copyTo(path),
    async keepBackup() {
      const now = ports.now()
      if (backups().some((file) => Math.abs(now - backupTime(file)) < BACKUP_EVERY_MS)) return
      const release = await store.local.takeLock('backup', 0)
      if (release === null) return
      try {
        makePrivateFolder(folders.backups)
        await store.copyTo(join(folders.backups, backupName(now)))
        for (const old of backups().slice(KEPT_BACKUPS)) rmSync(old, { force: true })
      } finally {
        release()
      }
    },
    listDamagedBackups: () =>
      backups().flatMap((path) => {
        const problem = databaseProblem(path)
        return problem === null ? [] : [{ path, problem }]
      }),
    needsRestoring() {
      const isGone = !existsSync(folders.database) && backups().length > 0
      return isGone || listUnread(folders.setAside).length > 0
    },
    describe: async (copy) => describeDatabase(copy ?? store.path),
    replaceWith: (copy) => replaceStore(store, folders, ports.now(), copy),
    restore: (how) => restoreStore(store, folders, ports.now(), how),
  }
}
