import { sha256 } from '../../core/canonical.ts'
import type { StoreProblem } from '../store-file.ts'
import { SQLITE, sqliteCode } from './driver.ts'
import { IS_GIST, unpackText } from './rows.ts'
import { isIndexDamage, lostTables } from './search-damage.ts'
import type { Sql } from './sql.ts'

/** Everything that is wrong with a database: its pages, its references, its checksums, its sequences. */
export function checkDatabase(sql: Sql): StoreProblem[] {
  const pages = pageProblems(sql)
  if (pages.some(({ derived }) => derived !== true)) return pages
  const strays = sql
    .all<{ table: string }>('PRAGMA foreign_key_check')
    .map((row) => ({ what: `a row of ${row.table} refers to nothing` }))
  const damaged = sql
    .all<{ id: string; hash: string; body: string }>(
      'SELECT id, hash, body FROM checkpoints WHERE body IS NOT NULL',
    )
    .filter((row) => sha256(row.body) !== row.hash)
    .map((row) => ({ what: `checkpoint ${row.id} does not match its checksum`, checkpoint: row.id }))
  return [
    ...pages,
    ...lostTables(sql).map((name) => ({ what: `the table ${name} is missing`, derived: true as const })),
    ...strays,
    ...damaged,
    ...damagedGists(sql),
    ...damagedTexts(sql),
    ...damagedSessions(sql),
    ...gaps(sql),
  ]
}

function damagedGists(sql: Sql): StoreProblem[] {
  return sql
    .all<{ id: string }>(`SELECT c.id FROM checkpoints c WHERE NOT ${IS_GIST}`)
    .map(({ id }) => ({ what: `the summary of checkpoint ${id} is unreadable`, checkpoint: id }))
}

function damagedTexts(sql: Sql): StoreProblem[] {
  return sql
    .all<{ hash: string; body: Uint8Array }>('SELECT hash, body FROM texts')
    .filter((row) => unpackText(row) === null)
    .map(({ hash }) => ({ what: `the document version ${hash.slice(0, 12)} does not match its checksum` }))
}

const damagedSessions = (sql: Sql): StoreProblem[] =>
  sql
    .all<{ agent: string; id: string }>('SELECT agent, id FROM sessions WHERE NOT json_valid(body)')
    .map(({ agent, id }) => ({ what: `the row of the ${agent} session ${id} is unreadable` }))

function gaps(sql: Sql): StoreProblem[] {
  return sql
    .all<{ kind: string; name: string; head_seq: number; found: number; top: string | null }>(
      `SELECT s.kind, s.name, s.head_seq, (SELECT count(*) FROM checkpoints WHERE stream = s.id) AS found,
       (SELECT id FROM checkpoints WHERE id = s.head_id) AS top FROM streams s`,
    )
    .filter((row) => row.found !== row.head_seq || row.top === null)
    .map((row) => ({
      what: `${row.kind} ${row.name} should have ${row.head_seq} checkpoints and has ${row.found}`,
    }))
}

const MOST = 100

/**
 * What SQLite finds wrong with a database file. Damage of the search index alone is derived: it takes no part in
 * whether the file can be relied upon.
 */
function pageProblems(sql: Sql): StoreProblem[] {
  try {
    return problemsIn(sql, `PRAGMA integrity_check(${MOST})`)
  } catch (error) {
    // The check opens the words of the index too, and gives up where they cannot be opened: then table by table.
    if (!isIndexDamage(error) || sqliteCode(error) === SQLITE.corrupt) throw error
    const problem = error instanceof Error ? error.message : String(error)
    const own = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'search_*'`
    return [
      ...sql
        .all<{ name: string }>(own)
        .flatMap(({ name }) => problemsIn(sql, `PRAGMA integrity_check('${name}')`)),
      lostProblem(problem),
    ]
  }
}

/** The first thing that is wrong with a database file itself, or null. */
export const fileProblem = (sql: Sql): string | null =>
  pageProblems(sql).find(({ derived }) => derived !== true)?.what ?? null

const lostProblem = (what: string): StoreProblem => ({ what, derived: true })

const problemsIn = (sql: Sql, statement: string): StoreProblem[] =>
  sql
    .all<{ integrity_check: string }>(statement)
    .filter((row) => row.integrity_check !== 'ok')
    .map(({ integrity_check: what }) => (OF_SEARCH.test(what) ? lostProblem(what) : { what }))

/** Lines that name the index; a damaged page has only its number, and is damage of the file. */
const OF_SEARCH = /search_/
