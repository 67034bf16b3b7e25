import { join } from 'node:path'
import { sha256 } from '../../core/canonical.ts'
import type { Ports } from '../../core/ports.ts'
import { describeError, ReasonError } from '../../core/reason.ts'
import { createPrivateFile, makePrivateFolder } from '../../fs/private.ts'
import type { Release } from '../local-state.ts'
import { type Database, openDatabase, SQLITE, sqliteCode } from './driver.ts'

/**
 * Named locks that the kernel ends with their process: each is an empty SQLite file whose write lock is held.
 * No pid is guessed and nothing goes stale. A stopped holder keeps its lock, so waiting always has an end.
 */
export class Locks {
  private readonly folder: string | null
  private readonly ports: Ports
  private readonly held = new Set<string>()
  private readonly files = new Map<string, Database>()

  /** Without a folder the locks hold inside this process only: enough for a store in memory. */
  constructor(folder: string | null, ports: Ports) {
    this.folder = folder
    this.ports = ports
  }

  async take(name: string, waitMs: number): Promise<Release | null> {
    for (let waited = 0; !this.holds(name); ) {
      if (waited >= waitMs) return null
      const pause = 2 + (this.ports.random(1)[0] ?? 0) / 32
      await this.ports.sleep(pause)
      waited += pause
    }
    return () => this.release(name)
  }

  private holds(name: string): boolean {
    if (this.held.has(name)) return false
    if (this.folder !== null && !begins(this.open(this.folder, name), name)) return false
    this.held.add(name)
    return true
  }

  private release(name: string): void {
    if (this.held.delete(name)) this.files.get(name)?.exec('ROLLBACK')
  }

  private open(folder: string, name: string): Database {
    const known = this.files.get(name)
    if (known) return known
    const path = join(folder, `${sha256(name).slice(0, 24)}.lock`)
    try {
      makePrivateFolder(folder)
      createPrivateFile(path)
      const db = openDatabase(path, { timeout: 0 })
      // Nothing is ever written to it, so there is nothing to roll back on the disk.
      db.exec('PRAGMA journal_mode = MEMORY')
      this.files.set(name, db)
      return db
    } catch (error) {
      throw new ReasonError('store_unavailable', { path, problem: describeError(error) }, { cause: error })
    }
  }

  close(): void {
    for (const db of this.files.values()) db.close()
    this.files.clear()
    this.held.clear()
  }
}

function begins(db: Database, name: string): boolean {
  try {
    db.exec('BEGIN IMMEDIATE')
    return true
  } catch (error) {
    const code = sqliteCode(error)
    if (code === SQLITE.busy || code === SQLITE.locked) return false
    throw new ReasonError(
      'store_unavailable',
      { path: `of the lock ${name}`, problem: describeError(error) },
      { cause: error },
    )
  }
}
