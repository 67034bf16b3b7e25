import { ReasonError } from '../../core/reason.ts'
import { SQLITE, sqliteCode } from './driver.ts'
import { SEARCH_TABLES } from './migrations.ts'
import type { Sql } from './sql.ts'

/** What the index has does not fit together, though SQLite found nothing wrong. */
export class IndexBroken extends Error {}

/** Troubles of the file or of the moment: an index that is made anew would meet them too. */
const NOT_THE_INDEX: ReadonlySet<number> = new Set([
  ...[SQLITE.busy, SQLITE.locked, SQLITE.nomem, SQLITE.readonly],
  ...[SQLITE.ioerr, SQLITE.full, SQLITE.cantopen, SQLITE.notadb],
])

/**
 * Whether an error of a statement on the index may come from damage there. A lost table, a lost row of the words' own
 * tables and a wrong byte come with many codes and words, and with one driver without a code: so it is all that is
 * nothing else.
 */
export function isIndexDamage(error: unknown): boolean {
  if (error instanceof IndexBroken) return true
  if (error instanceof ReasonError) return error.reason === 'store_damaged' && isIndexDamage(error.cause)
  // `as`: both drivers say so of every error of SQLite.
  if (!(error instanceof Error) || (error as Error & { code?: string }).code !== 'ERR_SQLITE_ERROR')
    return false
  return !NOT_THE_INDEX.has(sqliteCode(error) ?? SQLITE.error)
}

/** Null where the index is damaged: it is derived, and made anew. */
export async function unlessDamaged<T>(act: () => Promise<T>): Promise<T | null> {
  try {
    return await act()
  } catch (error) {
    if (!isIndexDamage(error)) throw error
    return null
  }
}

const TABLES = ['search_records', 'search_superseded', 'search_repositories', 'search_sessions'] as const
const WORDS = 'search_texts'
/** The tables in which FTS5 keeps the words. */
const OF_WORDS = ['data', 'idx', 'content', 'docsize', 'config'].map((part) => `${WORDS}_${part}`)

/** Dropped whole and made again: so it works on an index that is damaged, and takes no longer for a large one. */
export function clearSearch(sql: Sql): void {
  dropWords(sql)
  for (const table of [...OF_WORDS, ...TABLES]) sql.db.exec(`DROP TABLE IF EXISTS ${table}`)
  sql.db.exec(SEARCH_TABLES)
  sql.run(`DELETE FROM meta WHERE key = 'search'`)
}

function dropWords(sql: Sql): void {
  try {
    sql.db.exec(`DROP TABLE IF EXISTS ${WORDS}`)
  } catch (error) {
    if (!isIndexDamage(error)) throw error
    takeFromSchema(sql)
  }
}

/** FTS5 drops no table that it cannot open, such as one whose settings are lost: then its name is taken out. */
function takeFromSchema({ db }: Sql): void {
  // `as`: the first releases with node:sqlite neither have it nor need it.
  const guarded = db as { enableDefensive?: (isOn: boolean) => void }
  guarded.enableDefensive?.(false)
  try {
    db.exec(`PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE name = '${WORDS}'`)
  } finally {
    db.exec('PRAGMA writable_schema = RESET')
    guarded.enableDefensive?.(true)
  }
}

/** Which of the tables of the index are gone, where a database has any of them. */
export function lostTables(sql: Sql): string[] {
  const rows = sql.all<{ name: string }>(`SELECT name FROM sqlite_master WHERE name GLOB 'search_*'`)
  const known = new Set(rows.map(({ name }) => name))
  return known.size === 0 ? [] : [...TABLES, WORDS, ...OF_WORDS].filter((name) => !known.has(name))
}
