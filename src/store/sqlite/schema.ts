import { ReasonError } from '../../core/reason.ts'
import type { Database } from './driver.ts'
import { OLDEST_WRITER } from './migrations.ts'
import { Sql, transaction } from './sql.ts'

export const versionOf = (db: Database) =>
  // `as`: the pragma gives this one column.
  (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version

interface Shape {
  migrations: readonly string[]
  mayMigrate: boolean
  beforeMigration(): void
}

/** Brings the database to the newest shape, or refuses one that is too new for this program. */
export function prepareSchema(db: Database, path: string, shape: Shape): void {
  const { migrations, mayMigrate, beforeMigration } = shape
  const found = versionOf(db)
  if (found > migrations.length) requireWritable(db, path, found, migrations.length)
  if (found >= migrations.length) return
  if (found > 0 && !mayMigrate)
    throw new ReasonError('store_older', { path, found, newest: migrations.length })
  if (found > 0) beforeMigration()
  transaction(new Sql(db), 'BEGIN IMMEDIATE', (sql) => {
    const now = versionOf(db)
    // Another process may have been faster between the look and the lock: then there is nothing left to do.
    if (now >= migrations.length) return
    for (const step of migrations.slice(now)) db.exec(step)
    db.exec(`PRAGMA user_version = ${migrations.length}`)
    sql.replace('meta', { key: 'oldest_writer', value: String(OLDEST_WRITER) })
  })
}

function requireWritable(db: Database, path: string, found: number, known: number): void {
  // `as`: meta has this one text column.
  const row = db.prepare(`SELECT value FROM meta WHERE key = 'oldest_writer'`).get() as
    | { value: string }
    | undefined
  if (Number(row?.value ?? found) > known) throw new ReasonError('store_newer', { path, found, known })
}
