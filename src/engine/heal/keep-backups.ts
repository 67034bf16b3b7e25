import { join } from 'node:path'
import { describe } from '../../core/reason.ts'
import { makePrivateFolder } from '../../fs/private.ts'
import type { Release } from '../../store/local-state.ts'
import { backupName, backupsIn, backupTime, rotateBackups } from '../../store/sqlite/restore.ts'
import type { Context } from '../context/context.ts'

const EVERY_MS = 86_400_000

/** A backup a day, made by whoever writes; the oldest ones go. A failure is told and hurts nobody. */
export async function keepBackups(context: Context): Promise<void> {
  const { home, ports, store, file } = context
  if (file === null) return
  const isRecent = (file: string) => Math.abs(ports.now() - backupTime(file)) < EVERY_MS
  if (backupsIn(home.backups, ports.now()).some(isRecent)) return
  let release: Release | null = null
  try {
    release = await store.local.takeLock('backup', 0)
    if (release === null) return
    makePrivateFolder(home.backups)
    await file.backup(join(home.backups, backupName(ports.now())))
    rotateBackups(home.backups, ports.now())
  } catch (error) {
    context.notices.push(`The daily backup of the store failed: ${describe(error)}`)
  } finally {
    release?.()
  }
}
