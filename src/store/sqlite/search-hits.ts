import { decisionIn } from '../../core/searchable.ts'
import type { SearchHit } from '../search-index.ts'
import { readGist } from './rows.ts'
import { IndexBroken } from './search-damage.ts'
import { searchKindOf } from './search-number.ts'
import { snippetAround } from './search-snippet.ts'
import type { Sql } from './sql.ts'

const WORDS_SHOWN = 24

interface HitOptions {
  most: number
  /** What is marked in a snippet: an expression of the index, or texts that it contains. */
  look: string | readonly string[]
}

/** The first of some records that can still be told, and how many of those before them have gone since. */
export function hitsOf(
  sql: Sql,
  numbers: readonly number[],
  { most, look }: HitOptions,
): { hits: SearchHit[]; gone: number } {
  const found: Array<Omit<SearchHit, 'snippet'> & { n: number }> = []
  let gone = 0
  const archived = archivedHeads(sql)
  for (const n of numbers) {
    if (found.length >= most) break
    const hit = hitOf(sql, n, archived)
    if (hit === null) gone += 1
    else found.push(hit)
  }
  const snippets = snippetsOf(
    sql,
    found.map(({ n }) => n),
    look,
  )
  return { hits: found.map(({ n, ...hit }) => ({ ...hit, snippet: partOf(snippets, n) })), gone }
}

function partOf(snippets: ReadonlyMap<number, string>, n: number): string {
  const part = snippets.get(n)
  if (part === undefined) throw new IndexBroken('a record has lost its words')
  return part
}

interface RawHit {
  id: string
  at: string
  branch: string | null
  repository: string
  number: number
  checkpoint: string | null
  name: string | null
  sequence: number | null
  isWhole: number
  head: string | null
}

/** Null where its checkpoint has lost its body since. */
function hitOf(
  sql: Sql,
  n: number,
  archived: (head: string) => boolean,
): (Omit<SearchHit, 'snippet'> & { n: number }) | null {
  const row = sql.get<RawHit>(
    `SELECT r.id, r.at, r.branch, p.repository, p.number, r.checkpoint, s.name, c.seq AS sequence,
       typeof(c.body) = 'text' AS isWhole, s.head_id AS head
     FROM search_records r JOIN search_repositories p ON p.number = r.repository
     LEFT JOIN streams s ON s.id = r.stream LEFT JOIN checkpoints c ON c.id = r.checkpoint WHERE r.n = ?`,
    n,
  )
  if (row === undefined) throw new IndexBroken('its words have a record that is not there')
  if (row.checkpoint !== null && row.isWhole !== 1) return null
  const { id, at, branch, repository, checkpoint, name, sequence } = row
  const place =
    checkpoint === null || name === null || sequence === null
      ? null
      : { stream: name, sequence, checkpoint, archived: archived(row.head ?? '') }
  const kind = searchKindOf(n)
  const superseded = kind === 'decision' ? readSuccessor(sql, row.number, id) : null
  return { n, id, kind, at, branch, repository, superseded, place }
}

/** The newest word about that which may be told. */
const readSuccessor = (sql: Sql, repository: number, id: string): string | null =>
  sql.get<{ superseded: string | null }>(
    `SELECT d.superseded FROM search_superseded d WHERE d.repository = ? AND d.decision = ?
     AND NOT EXISTS (SELECT 1 FROM foreign_marks WHERE checkpoint = d.checkpoint) ORDER BY d.seq DESC LIMIT 1`,
    ...([repository, decisionIn(id)] as const),
  )?.superseded ?? null

/** Whether the work that has a checkpoint as its newest is archived; each is looked up once, behind its whole body. */
function archivedHeads(sql: Sql): (head: string) => boolean {
  const known = new Map<string, boolean>()
  return (head) => {
    const before = known.get(head)
    if (before !== undefined) return before
    const gist = sql.get<{ gist: string }>('SELECT gist FROM checkpoints WHERE id = ?', head)?.gist ?? '{}'
    const archived = readGist(gist).document?.archived ?? false
    known.set(head, archived)
    return archived
  }
}

function snippetsOf(sql: Sql, numbers: readonly number[], look: HitOptions['look']): Map<number, string> {
  if (numbers.length === 0) return new Map()
  const list = JSON.stringify(numbers)
  if (typeof look !== 'string')
    return new Map(
      sql
        .all<{ n: number; text: string }>(
          'SELECT rowid AS n, text FROM search_texts WHERE rowid IN (SELECT value FROM json_each(?))',
          list,
        )
        .map(({ n, text }) => [n, snippetAround(text, look)]),
    )
  // The sum keeps the list from the index, which would ask the whole expression anew for each number.
  const rows = sql.all<{ n: number; part: string }>(
    `SELECT rowid AS n, snippet(search_texts, 0, char(1), char(2), '…', ${WORDS_SHOWN}) AS part FROM search_texts
     WHERE search_texts MATCH ? AND rowid BETWEEN ? AND ? AND rowid + 0 IN (SELECT value FROM json_each(?))`,
    ...([look, Math.min(...numbers), Math.max(...numbers), list] as const),
  )
  return new Map(rows.map(({ n, part }) => [n, part]))
}
