import { statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../../core/canonical.ts'
import type { Ports } from '../../core/ports.ts'
import { describeError, errorCode, ReasonError } from '../../core/reason.ts'
import { createPrivateFile, makePrivateFolder } from '../../fs/private.ts'
import type { Release } from '../local-state.ts'
import { type Database, isBusy, openDatabase } from './driver.ts'

/**
 * Named locks that the kernel ends with their process: each is an empty SQLite file whose write lock is held.
 * No pid is guessed and nothing goes stale. A stopped holder keeps its lock, so waiting always has an end.
 */
export class Locks {
  private readonly folder: string | null
  private readonly ports: Ports
  private readonly held = new Set<string>()
  private readonly files = new Map<string, Database>()
  /** How often each lock was taken, where no file can tell. */
  private readonly turns = new Map<string, number>()

  /** Without a folder the locks hold inside this process only: enough for a store in memory. */
  constructor(folder: string | null, ports: Ports) {
    this.folder = folder
    this.ports = ports
  }

  /** Waiting is counted by its pauses, not by the clock: on a busy machine a holder needs more time, too. */
  async take(name: string, waitMs: number, mostMs = waitMs): Promise<Release | null> {
    let turn: number | null = null
    for (let [waited, inAll] = [0, 0]; !this.holds(name); ) {
      const seen = this.turnOf(name)
      if (seen !== turn) waited = 0
      turn = seen
      if (waited >= waitMs || inAll >= mostMs) return null
      const pause = 2 + (this.ports.random(1)[0] ?? 0) / 32
      await this.ports.sleep(pause)
      waited += pause
      inAll += pause
    }
    this.markTurn(name)
    return () => this.release(name)
  }

  private holds(name: string): boolean {
    if (this.held.has(name)) return false
    if (this.folder !== null && !begins(this.open(this.folder, name), name)) return false
    this.held.add(name)
    return true
  }

  /** A number that changes with every holder: the time of the lock's file, which only its holder sets. */
  private turnOf(name: string): number {
    if (this.folder === null) return this.turns.get(name) ?? 0
    return statSync(pathOf(this.folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0
  }

  private markTurn(name: string): void {
    const next = this.turnOf(name) + 1
    this.turns.set(name, next)
    try {
      if (this.folder !== null) utimesSync(pathOf(this.folder, name), next / 1_000, next / 1_000)
    } catch (error) {
      // The lock is held all the same; those who wait take this holder for the one before it.
      if (errorCode(error) === undefined) throw error
    }
  }

  private release(name: string): void {
    if (this.held.delete(name)) this.files.get(name)?.exec('ROLLBACK')
  }

  private open(folder: string, name: string): Database {
    const known = this.files.get(name)
    if (known) return known
    const path = pathOf(folder, name)
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

const pathOf = (folder: string, name: string) => join(folder, `${sha256(name).slice(0, 24)}.lock`)

function begins(db: Database, name: string): boolean {
  try {
    db.exec('BEGIN IMMEDIATE')
    return true
  } catch (error) {
    if (isBusy(error)) return false
    const data = { path: `of the lock ${name}`, problem: describeError(error) }
    throw new ReasonError('store_unavailable', data, { cause: error })
  }
}
