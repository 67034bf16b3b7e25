import { SEARCH_KINDS, type SearchKind } from '../../core/searchable.ts'
import type { SearchAnswer, SearchFilter, SearchWanted } from '../search-index.ts'
import { IndexBroken } from './search-damage.ts'
import { expressionOf } from './search-expression.ts'
import { branchWord } from './search-fill.ts'
import { hitsOf } from './search-hits.ts'
import { rangeOf, searchKindOf } from './search-number.ts'
import { conditionsOf, type Sql } from './sql.ts'

/** Of more matches only the newest are ranked: a word that everything has tells nothing apart, and takes its time. */
const MOST_RANKED = 1_000
/** A word with more matches than this says next to nothing about which of them are better. */
const COMMON = 5_000
/** A plain scan reads no more records than this, the newest. */
const MOST_SCANNED = 20_000

/** How much more a record of a kind weighs than another that matches as well. */
const WEIGHT: Record<SearchKind, number> = {
  decision: 1.4,
  learning: 1.4,
  checkpoint: 1,
  session: 1,
  run: 0.9,
}

type Range = readonly [low: number, high: number]

interface Candidate {
  n: number
  /** What BM25 gives: the lower, the better. */
  score: number
}

interface Candidates {
  rows: Candidate[]
  more: boolean
  /** What they match, in the syntax of the index; null for a scan. */
  match: string | null
}

/** Records of checkpoints that nobody has reviewed, with the names of their streams: no hits. */
type ForeignRecords = ReadonlyMap<number, string>

export function findRecords(sql: Sql, wanted: SearchWanted, filter: SearchFilter): SearchAnswer {
  const ranges = rangesOf(sql, filter)
  const foreign = foreignRecords(sql)
  const asked = { filter, ranges, foreign }
  const { rows, more, match } =
    'terms' in wanted
      ? rankMatches(sql, { terms: wanted.terms.map(expressionOf), of: wanted.of }, asked)
      : scanTexts(sql, wanted.contains, asked)
  if (rows.length === 0) mustHaveWords(sql, ranges)
  const { told, unseen } = tellApart(sql, inOrder(rows), foreign)
  const look = match ?? ('contains' in wanted ? wanted.contains : [])
  const { hits, gone } = hitsOf(sql, told, { most: filter.most, look })
  const streams = [...new Set(unseen.flatMap((n) => foreign.get(n) ?? []))].sort()
  return { hits, total: told.length - gone, more, foreign: { records: unseen.length, streams } }
}

function foreignRecords(sql: Sql): ForeignRecords {
  const rows = sql.all<{ n: number; name: string }>(
    `SELECT r.n, s.name FROM foreign_marks m CROSS JOIN search_records r ON r.checkpoint = m.checkpoint
     CROSS JOIN streams s ON s.id = r.stream`,
  )
  return new Map(rows.map(({ n, name }) => [n, name]))
}

/** Of records that say the same, the first that may be told stands for all; unseen is what only others say. */
function tellApart(
  sql: Sql,
  rows: readonly Candidate[],
  foreign: ForeignRecords,
): { told: number[]; unseen: number[] } {
  const numbers = rows.map(({ n }) => n)
  const records = sql.all<{ n: number; says: string }>(
    `SELECT r.n, r.repository || ' ' || r.id AS says FROM search_records r
     WHERE r.n IN (SELECT value FROM json_each(?)) ORDER BY r.n`,
    JSON.stringify(numbers),
  )
  if (records.length < numbers.length) throw new IndexBroken('its words have a record that is not there')
  const says = new Map(records.map((record) => [record.n, record.says]))
  const first = new Map<string | undefined, number>()
  for (const { n, says } of records) if (!foreign.has(n) && !first.has(says)) first.set(says, n)
  return {
    told: numbers.filter((n) => first.get(says.get(n)) === n),
    unseen: numbers.filter((n) => foreign.has(n) && !first.has(says.get(n))),
  }
}

/** Words that are lost may look like words that nobody said: the newest record is asked for by its branch. */
function mustHaveWords(sql: Sql, ranges: readonly Range[]): void {
  for (const [low, high] of ranges) {
    const newest = sql.get<{ n: number; branch: string | null }>(
      'SELECT n, branch FROM search_records WHERE n BETWEEN ? AND ? ORDER BY n DESC LIMIT 1',
      ...[low, high],
    )
    const has = 'SELECT 1 FROM search_texts WHERE search_texts MATCH ? AND rowid = ?'
    if (newest && sql.get(has, `branch : ${branchWord(newest.branch)}`, newest.n) === undefined)
      throw new IndexBroken('its words are lost')
  }
}

/** The ranges of numbers in which to look: one for each repository, from the first that may be recent enough. */
function rangesOf(sql: Sql, { repository, since }: SearchFilter): Range[] {
  const numbers = sql.all<{ number: number }>(
    'SELECT number FROM search_repositories WHERE ? IS NULL OR repository = ? ORDER BY number',
    ...[repository, repository],
  )
  return numbers.flatMap(({ number }): Range[] => {
    const [low, high] = rangeOf(number)
    if (since === null) return [[low, high]]
    const first = sql.get<{ n: number }>(
      'SELECT n FROM search_records WHERE repository = ? AND high >= ? ORDER BY high, n LIMIT 1',
      ...[number, since],
    )
    return first ? [[first.n, high]] : []
  })
}

/**
 * BM25 counts all matches of every word, which takes its time for one that everything has: those take no part in the
 * ranking. Where any of the words will do they are left out altogether, for they would fill the newest matches, and
 * what the rare ones find would not be among them.
 */
function rankMatches(sql: Sql, { terms, of }: Words, asked: SearchScope): Candidates {
  if (terms.length === 1 || of === 'any') {
    const telling = terms.length === 1 ? terms : tellingOf(sql, terms, asked, MOST_RANKED)
    const match = (telling.length > 0 ? telling : terms).join(' OR ')
    return newest(sql, match, asked, telling.length > 0 ? BM25 : '-1.0')
  }
  const found = newest(sql, terms.join(' AND '), asked, '-1.0')
  if (found.rows.length === 0) return found
  const telling = tellingOf(sql, terms, asked, COMMON)
  return telling.length === 0 ? found : { ...found, rows: scoreBy(sql, telling.join(' AND '), found.rows) }
}

interface Words {
  /** In the syntax of FTS5. */
  terms: readonly string[]
  of: 'all' | 'any'
}

/** What narrows a search, and what it may not tell. */
interface SearchScope {
  filter: SearchFilter
  ranges: readonly Range[]
  foreign: ForeignRecords
}

const BM25 = 'bm25(search_texts, 1.0, 0.0)'

/** What is not told makes no word a common one. */
const tellingOf = (sql: Sql, terms: readonly string[], { ranges, foreign }: SearchScope, most: number) =>
  terms.filter((term) => ranges.every((range) => !hasMore(sql, term, range, most + foreign.size)))

const hasMore = (sql: Sql, term: string, [low, high]: Range, most: number) =>
  sql.get(
    'SELECT 1 FROM search_texts WHERE search_texts MATCH ? AND rowid BETWEEN ? AND ? LIMIT 1 OFFSET ?',
    ...[inText(term), low, high, most],
  ) !== undefined

const inText = (match: string) => `text : (${match})`

/** What narrows a search in its range: the kind is in the number; the time is looked up, from the first that may count. */
const narrow = ({ kind, since }: SearchFilter) =>
  conditionsOf({
    'f.rowid % 8 = ?': kind === null ? undefined : SEARCH_KINDS.indexOf(kind),
    '(SELECT at FROM search_records WHERE n = f.rowid) >= ?': since ?? undefined,
  })

/** The newest matches, so many as are ranked; those that are not told take nobody's place. */
function newest(
  sql: Sql,
  match: string,
  { filter, ranges, foreign }: SearchScope,
  score: typeof BM25 | '-1.0',
): Candidates {
  const { where, values } = narrow(filter)
  const branch = filter.branch === null ? '' : ` AND branch : ${branchWord(filter.branch)}`
  const share = Math.ceil(MOST_RANKED / Math.max(1, ranges.length))
  const found: Candidates = { rows: [], more: false, match: inText(match) }
  for (const [low, high] of ranges) {
    const part = sql.all<Candidate>(
      `SELECT f.rowid AS n, ${score} AS score FROM search_texts f
       WHERE search_texts MATCH ? AND f.rowid BETWEEN ? AND ? AND ${where} ORDER BY f.rowid DESC LIMIT ?`,
      ...[inText(match) + branch, low, high, ...values, share + 1 + foreign.size],
    )
    take(found, part, share, foreign)
  }
  return found
}

function take(found: Candidates, part: readonly Candidate[], share: number, foreign: ForeignRecords): void {
  const ours = part.filter(({ n }) => !foreign.has(n))
  found.more ||= ours.length > share
  found.rows.push(...ours.slice(0, share), ...part.filter(({ n }) => foreign.has(n)))
}

/** The same records, ranked by some of their words alone. */
function scoreBy(sql: Sql, by: string, rows: readonly Candidate[]): Candidate[] {
  const numbers = rows.map(({ n }) => n)
  // The sum keeps the list from the index, which would ask the whole expression anew for each number.
  return sql.all<Candidate>(
    `SELECT rowid AS n, ${BM25} AS score FROM search_texts
     WHERE search_texts MATCH ? AND rowid BETWEEN ? AND ? AND rowid + 0 IN (SELECT value FROM json_each(?))`,
    ...[inText(by), Math.min(...numbers), Math.max(...numbers), JSON.stringify(numbers)],
  )
}

/** For scripts without spaces: a text that contains all of the words, whatever stands beside them. */
function scanTexts(
  sql: Sql,
  contains: readonly string[],
  { filter, ranges, foreign }: SearchScope,
): Candidates {
  const { where, values } = narrow(filter)
  const branch = filter.branch === null ? [] : [branchWord(filter.branch)]
  const found: Candidates = { rows: [], more: false, match: null }
  for (const [low, high] of ranges) {
    const before = sql.get<{ n: number }>(
      'SELECT n FROM search_records WHERE n BETWEEN ? AND ? ORDER BY n DESC LIMIT 1 OFFSET ?',
      ...[low, high, Math.ceil(MOST_SCANNED / ranges.length)],
    )
    found.more ||= before !== undefined
    const part = sql.all<Candidate>(
      `SELECT f.rowid AS n, -1.0 AS score FROM search_texts f WHERE f.rowid BETWEEN ? AND ? AND ${where}
       ${branch.map(() => 'AND f.branch = ?').join('')}
       ${contains.map(() => `AND f.text LIKE ? ESCAPE '\\'`).join(' ')} ORDER BY f.rowid DESC LIMIT ?`,
      ...[before === undefined ? low : before.n + 1, high, ...values, ...branch],
      ...contains.map((text) => `%${text.replace(/[\\%_]/g, '\\$&')}%`),
      MOST_RANKED + 1 + foreign.size,
    )
    take(found, part, MOST_RANKED, foreign)
  }
  return found
}

const weigh = ({ n, score }: Candidate) => score * WEIGHT[searchKindOf(n)]

/** The best first, and of equals the newer. */
const inOrder = (rows: Candidate[]): Candidate[] => rows.sort((a, b) => weigh(a) - weigh(b) || b.n - a.n)
