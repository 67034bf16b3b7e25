import { SEARCH_KINDS, type SearchKind } from '../../core/searchable.ts'
import type { SearchAnswer, SearchFilter, SearchWanted } from '../search-index.ts'
import { IndexBroken } from './search-damage.ts'
import { expressionOf } from './search-expression.ts'
import { branchWord, rangeOf, searchKindOf } from './search-fill.ts'
import { hitsOf } from './search-hits.ts'
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
}

/** Records of checkpoints that nobody has reviewed, with the names of their streams: no hits. */
type ForeignRecords = ReadonlyMap<number, string>

/** What narrows a search, and what it may not tell. */
interface SearchScope {
  sql: Sql
  /** The ranges of numbers in which to look: one for each repository. */
  ranges: readonly Range[]
  /** In its range: the kind is in the number; the time is looked up, from the first that may count. */
  narrow: ReturnType<typeof conditionsOf>
  foreign: ForeignRecords
}

export function findRecords(sql: Sql, wanted: SearchWanted, filter: SearchFilter): SearchAnswer {
  const foreign = foreignRecords(sql)
  const narrow = conditionsOf({
    'f.rowid % 8 = ?': filter.kind === null ? undefined : SEARCH_KINDS.indexOf(filter.kind),
    '(SELECT at FROM search_records WHERE n = f.rowid) >= ?': filter.since ?? undefined,
  })
  const scope = { sql, ranges: rangesOf(sql, filter), narrow, foreign }
  const branch = filter.branch === null ? null : branchWord(filter.branch)
  const { rows, more, look } =
    'terms' in wanted
      ? rankMatches(scope, wanted.terms.map(expressionOf), wanted.of, branch)
      : { ...scanTexts(scope, wanted.contains, branch), look: wanted.contains }
  if (rows.length === 0) mustHaveWords(sql, scope.ranges)
  const { told, unseen } = tellApart(sql, inOrder(rows), foreign)
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

/** One for each repository, from the first that may be recent enough. */
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
 * what the rare ones find would not be among them. `terms` are in the syntax of FTS5; `look` is what is found by them.
 */
function rankMatches(
  scope: SearchScope,
  terms: readonly string[],
  of: 'all' | 'any',
  branch: string | null,
): Candidates & { look: string } {
  const matches = (match: string, score: string) => {
    const look = inText(match)
    const asked = branch === null ? look : `${look} AND branch : ${branch}`
    const share = Math.ceil(MOST_RANKED / Math.max(1, scope.ranges.length))
    return { ...newest(scope, { where: 'search_texts MATCH ?', values: [asked] }, share, score), look }
  }
  if (terms.length === 1 || of === 'any') {
    const telling = terms.length === 1 ? terms : tellingOf(scope, terms, MOST_RANKED)
    return telling.length > 0 ? matches(telling.join(' OR '), BM25) : matches(terms.join(' OR '), UNRANKED)
  }
  const found = matches(terms.join(' AND '), UNRANKED)
  if (found.rows.length === 0) return found
  const telling = tellingOf(scope, terms, COMMON)
  return telling.length === 0
    ? found
    : { ...found, rows: scoreBy(scope.sql, telling.join(' AND '), found.rows) }
}

const BM25 = 'bm25(search_texts, 1.0, 0.0)'
const UNRANKED = '-1.0'

/** What is not told makes no word a common one. */
const tellingOf = ({ sql, ranges, foreign }: SearchScope, terms: readonly string[], most: number) =>
  terms.filter((term) => ranges.every((range) => !hasMore(sql, term, range, most + foreign.size)))

const hasMore = (sql: Sql, term: string, [low, high]: Range, most: number) =>
  sql.has(
    'SELECT 1 FROM search_texts WHERE search_texts MATCH ? AND rowid BETWEEN ? AND ? LIMIT 1 OFFSET ?',
    ...[inText(term), low, high, most],
  )

const inText = (match: string) => `text : (${match})`

/** The newest records that meet a condition, a share of each range; those that are not told take nobody's place. */
function newest(
  { sql, ranges, narrow, foreign }: SearchScope,
  { where, values }: ReturnType<typeof conditionsOf>,
  share: number,
  score: string,
): Candidates {
  const found: Candidates = { rows: [], more: false }
  for (const [low, high] of ranges) {
    const part = sql.all<Candidate>(
      `SELECT f.rowid AS n, ${score} AS score FROM search_texts f
       WHERE ${where} AND f.rowid BETWEEN ? AND ? AND ${narrow.where} ORDER BY f.rowid DESC LIMIT ?`,
      ...[...values, low, high, ...narrow.values, share + 1 + foreign.size],
    )
    const ours = part.filter(({ n }) => !foreign.has(n))
    found.more ||= ours.length > share
    found.rows.push(...ours.slice(0, share), ...part.filter(({ n }) => foreign.has(n)))
  }
  return found
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
function scanTexts(scope: SearchScope, contains: readonly string[], branch: string | null): Candidates {
  let isCut = false
  const ranges = scope.ranges.map(([low, high]): Range => {
    const before = scope.sql.get<{ n: number }>(
      'SELECT n FROM search_records WHERE n BETWEEN ? AND ? ORDER BY n DESC LIMIT 1 OFFSET ?',
      ...[low, high, Math.ceil(MOST_SCANNED / scope.ranges.length)],
    )
    isCut ||= before !== undefined
    return [before === undefined ? low : before.n + 1, high]
  })
  const branches = branch === null ? [] : [branch]
  const where = [...branches.map(() => 'f.branch = ?'), ...contains.map(() => `f.text LIKE ? ESCAPE '\\'`)]
  const values = [...branches, ...contains.map((text) => `%${text.replace(/[\\%_]/g, '\\$&')}%`)]
  const found = newest({ ...scope, ranges }, { where: where.join(' AND '), values }, MOST_RANKED, UNRANKED)
  return { ...found, more: found.more || isCut }
}

const weigh = ({ n, score }: Candidate) => score * WEIGHT[searchKindOf(n)]

/** The best first, and of equals the newer. */
const inOrder = (rows: Candidate[]): Candidate[] => rows.sort((a, b) => weigh(a) - weigh(b) || b.n - a.n)
