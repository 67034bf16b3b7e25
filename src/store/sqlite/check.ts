import { sha256 } from '../../core/canonical.ts'
import type { StoreProblem } from '../store-file.ts'
import { SQLITE, sqliteCode } from './driver.ts'
import { IS_GIST, unpackText } from './rows.ts'
import { isIndexDamage, lostTables } from './search-damage.ts'
import type { Sql } from './sql.ts'

/** Everything that is wrong with a database: its pages, its references, its checksums, its sequences. */
export function checkDatabase(sql: Sql): StoreProblem[] {
  const pages = pageProblems(sql)
  return pages.some(({ derived }) => derived !== true) ? pages : [...pages, ...contentProblems(sql)]
}

function* contentProblems(sql: Sql): Generator<StoreProblem> {
  for (const name of lostTables(sql)) yield lostProblem(`the table ${name} is missing`)
  for (const { table } of sql.all<{ table: string }>('PRAGMA foreign_key_check'))
    yield { what: `a row of ${table} refers to nothing` }
  for (const { id, hash, body } of sql.all<{ id: string; hash: string; body: string }>(
    'SELECT id, hash, body FROM checkpoints WHERE body IS NOT NULL',
  ))
    if (sha256(body) !== hash) yield { what: `checkpoint ${id} does not match its checksum`, checkpoint: id }
  for (const { id } of sql.all<{ id: string }>(`SELECT c.id FROM checkpoints c WHERE NOT ${IS_GIST}`))
    yield { what: `the summary of checkpoint ${id} is unreadable`, checkpoint: id }
  for (const row of sql.all<{ hash: string; body: Uint8Array }>('SELECT hash, body FROM texts'))
    if (unpackText(row) === null)
      yield { what: `the document version ${row.hash.slice(0, 12)} does not match its checksum` }
  for (const { agent, id } of sql.all<{ agent: string; id: string }>(
    'SELECT agent, id FROM sessions WHERE NOT json_valid(body)',
  ))
    yield { what: `the row of the ${agent} session ${id} is unreadable` }
  for (const { kind, name, head, found } of sql.all<Record<'kind' | 'name' | 'head' | 'found', string>>(GAPS))
    yield { what: `${kind} ${name} should have ${head} checkpoints and has ${found}` }
}

/** Streams without their head, or with another number of checkpoints than it has. */
const GAPS = `SELECT s.kind, s.name, s.head_seq AS head, count(c.id) AS found FROM streams s
  LEFT JOIN checkpoints c ON c.stream = s.id GROUP BY s.rowid
  HAVING found <> head OR NOT EXISTS (SELECT 1 FROM checkpoints WHERE id = s.head_id)`

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
