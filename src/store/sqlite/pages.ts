import type { StoreProblem } from '../store-file.ts'
import { type Database, SQLITE, sqliteCode } from './driver.ts'
import { isIndexDamage } from './search-damage.ts'

const MOST = 100

/**
 * What SQLite finds wrong with a database file. Damage of the search index alone is derived: it takes no part in
 * whether the file can be relied upon.
 */
export function pageProblems(db: Database): StoreProblem[] {
  try {
    return problemsIn(db, `PRAGMA integrity_check(${MOST})`)
  } catch (error) {
    // The check opens the words of the index too, and gives up where they cannot be opened: then table by table.
    if (!isIndexDamage(error) || sqliteCode(error) === SQLITE.corrupt) throw error
    const problem = error instanceof Error ? error.message : String(error)
    return [
      ...ownTables(db).flatMap((name) => problemsIn(db, `PRAGMA integrity_check('${name}')`)),
      lostProblem(problem),
    ]
  }
}

/** The first thing that is wrong with a database file itself, or null. */
export const fileProblem = (db: Database): string | null =>
  pageProblems(db).find(({ derived }) => derived !== true)?.what ?? null

const lostProblem = (what: string): StoreProblem => ({ what, derived: true })

// `as`: the statements give these columns.
const problemsIn = (db: Database, statement: string): StoreProblem[] =>
  (db.prepare(statement).all() as Array<{ integrity_check: string }>)
    .filter((row) => row.integrity_check !== 'ok')
    .map(({ integrity_check: what }) => (OF_SEARCH.test(what) ? lostProblem(what) : { what }))

/** Lines that name the index; a damaged page has only its number, and is damage of the file. */
const OF_SEARCH = /search_/

const ownTables = (db: Database): string[] =>
  (
    db
      .prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'search_*'`)
      .all() as Array<{ name: string }>
  ).map(({ name }) => name)
