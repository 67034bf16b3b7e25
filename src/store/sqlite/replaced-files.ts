import { statSync } from 'node:fs'
import { parseOrUndefined } from '../../core/json.ts'
import { type Database, withDatabase } from './driver.ts'

export const ABSENT = 'absent'

/** Which file is at a path: a file that takes its place is another one. */
export function identityOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  return found ? `${found.dev}:${found.ino}` : ABSENT
}

const KEY = 'replaces'

/** A process that slept through more of them merges what it holds: it loses nothing. */
const MOST = 20

/** The files in whose place the user put this database, newest first. */
export function listReplaced(db: Database): string[] {
  // `as`: meta has this one text column.
  const row = db.prepare('SELECT value FROM meta WHERE key = ?').get(KEY) as { value: string } | undefined
  const found = parseOrUndefined(row?.value ?? '[]')
  return Array.isArray(found) ? found.map(String) : []
}

export function markReplaced(db: Database, files: readonly string[]): void {
  db.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)').run(
    KEY,
    JSON.stringify(files.slice(0, MOST)),
  )
}

/** Whether the user put the database at a path in the place of a file. */
export const isReplacement = (path: string, file: string): boolean =>
  withDatabase(path, { readOnly: true, timeout: 2_000 }, (db) => listReplaced(db).includes(file))
