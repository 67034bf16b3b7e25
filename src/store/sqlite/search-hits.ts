import { clipText, wellFormed } from '../../core/canonical.ts'
import { decisionIn } from '../../core/searchable.ts'
import type { SearchHit } from '../search-index.ts'
import { readGist } from './rows.ts'
import { IndexBroken } from './search-damage.ts'
import { searchKindOf } from './search-fill.ts'
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
  const found = new Map<number, Omit<SearchHit, 'snippet'>>()
  let gone = 0
  for (const n of numbers) {
    if (found.size >= most) break
    const hit = hitOf(sql, n)
    if (hit === null) gone += 1
    else found.set(n, hit)
  }
  const snippets = snippetsOf(sql, [...found.keys()], look)
  const hits = [...found].map(([n, hit]) => {
    const snippet = snippets.get(n)
    if (snippet === undefined) throw new IndexBroken('a record has lost its words')
    return { ...hit, snippet }
  })
  return { hits, gone }
}

interface RawHit {
  id: string
  at: string
  branch: string | null
  repository: string
  number: number
  checkpoint: string | null
  stream: string | null
  sequence: number | null
  isWhole: number
  headGist: string | null
}

/** Null where its checkpoint has lost its body since. */
function hitOf(sql: Sql, n: number): Omit<SearchHit, 'snippet'> | null {
  const row = sql.get<RawHit>(
    `SELECT r.id, r.at, r.branch, p.repository, p.number, r.checkpoint, s.name AS stream, c.seq AS sequence,
       typeof(c.body) = 'text' AS isWhole, h.gist AS headGist
     FROM search_records r JOIN search_repositories p ON p.number = r.repository
     LEFT JOIN streams s ON s.id = r.stream LEFT JOIN checkpoints c ON c.id = r.checkpoint
     LEFT JOIN checkpoints h ON h.id = s.head_id WHERE r.n = ?`,
    n,
  )
  if (row === undefined) throw new IndexBroken('a record has lost its repository')
  if (row.checkpoint !== null && row.isWhole !== 1) return null
  const { id, at, branch, repository, checkpoint, stream, sequence } = row
  const archived = readGist(row.headGist ?? '').document?.archived ?? false
  const place =
    checkpoint === null || stream === null || sequence === null
      ? null
      : { stream, sequence, checkpoint, archived }
  const kind = searchKindOf(n)
  const superseded = kind === 'decision' ? readSuccessor(sql, row.number, id) : null
  return { id, kind, at, branch, repository, superseded, place }
}

/** The newest word about that which may be told. */
const readSuccessor = (sql: Sql, repository: number, id: string): string | null =>
  sql.get<{ superseded: string | null }>(
    `SELECT d.superseded FROM search_superseded d WHERE d.repository = ? AND d.decision = ?
     AND NOT EXISTS (SELECT 1 FROM foreign_marks WHERE checkpoint = d.checkpoint) ORDER BY d.seq DESC LIMIT 1`,
    ...[repository, decisionIn(id)],
  )?.superseded ?? null

function snippetsOf(sql: Sql, numbers: readonly number[], look: HitOptions['look']): Map<number, string> {
  if (numbers.length === 0) return new Map()
  const list = JSON.stringify(numbers)
  // The sum keeps the list from the index, which would ask the whole expression anew for each number.
  const rows =
    typeof look === 'string'
      ? sql.all<{ n: number; part: string }>(
          `SELECT rowid AS n, snippet(search_texts, 0, char(1), char(2), '…', ${WORDS_SHOWN}) AS part FROM search_texts
           WHERE search_texts MATCH ? AND rowid BETWEEN ? AND ? AND rowid + 0 IN (SELECT value FROM json_each(?))`,
          ...[look, Math.min(...numbers), Math.max(...numbers), list],
        )
      : sql
          .all<{ n: number; text: string }>(
            'SELECT rowid AS n, text FROM search_texts WHERE rowid IN (SELECT value FROM json_each(?))',
            list,
          )
          .map(({ n, text }) => ({ n, part: snippetAround(text, look) }))
  return new Map(rows.map(({ n, part }) => [n, part]))
}

const BEFORE = 30
const SHOWN = 120

/** The part of a text around the first place of the first words that are in it, each of their places marked. */
function snippetAround(text: string, words: readonly string[]): string {
  // Of a few letters the small form is longer: then only the same letters are found.
  const lower = text.toLowerCase().length === text.length ? text.toLowerCase() : text
  const places = words.map((word) => lower.indexOf(word.toLowerCase())).filter((at) => at >= 0)
  const start = Math.max(0, Math.min(...(places.length > 0 ? places : [0])) - BEFORE)
  const part = clipText(wellFormed(text.slice(start)), SHOWN)
  const escaped = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  const marked = part.replace(new RegExp(escaped.join('|'), 'giu'), (match) => `\u0001${match}\u0002`)
  return start === 0 ? marked : `…${marked}`
}
