import { sha256 } from '../../core/canonical.ts'
import type { Checkpoint } from '../../core/checkpoint.ts'
import { parseOrUndefined } from '../../core/json.ts'
import { decisionIn, SEARCH_KINDS, type SearchKind } from '../../core/searchable.ts'
import type { AgentName, Session } from '../../core/session.ts'
import { idsIn, standingLines } from '../../core/standing-line.ts'
import type { StreamKind } from '../log.ts'
import type { IndexPart, SearchRecord } from '../search-index.ts'
import { readGist, wholeBody } from './rows.ts'
import { clearSearch, lostTables } from './search-damage.ts'
import type { Sql, Value } from './sql.ts'

/** Goes up where records are made in another way: what is there is then made anew. */
const FORMAT = 2

/** How far the index is. */
interface Mark {
  format: number
  /**
   * The last checkpoint that is in it, by its row and its id. Where another stands in that row, rows were numbered
   * anew (a copy) or used again (a place that was held for a lost checkpoint): then nothing here can be relied upon.
   */
  row: number
  id: string
  /** How many sessions there were, and the sum of their versions, which only grow. */
  sessions: string
  /** How many checkpoints had lost their bodies. */
  removed: number
}

const NOTHING: Mark = { format: FORMAT, row: 0, id: '', sessions: '0:0', removed: 0 }

const markText = (sql: Sql): string =>
  sql.get<{ value: string }>(`SELECT value FROM meta WHERE key = 'search'`)?.value ?? ''

function soundMark(sql: Sql, text: string): Mark | null {
  // `as`: only this file writes it; what else may stand there fails the test below it.
  const mark = parseOrUndefined(text) as Mark | null | undefined
  if (!mark || !(mark.format >= FORMAT) || !Number.isSafeInteger(mark.row)) return null
  if (mark.row === 0) return mark
  const found = sql.get<{ id: string }>('SELECT id FROM checkpoints WHERE rowid = ?', mark.row)
  return found?.id === mark.id ? mark : null
}

export function readUnsearched(sql: Sql, most: number): IndexPart {
  const from = markText(sql)
  const known = lostTables(sql).length > 0 ? null : soundMark(sql, from)
  const mark = known ?? NOTHING
  const rows = sql.all<CheckpointBody>(
    `${SELECT_BODY} WHERE c.rowid > ? ORDER BY c.rowid LIMIT ?`,
    ...[mark.row, most],
  )
  // Every checkpoint below a head has its number, so those without a body are the rest; few rows tell it.
  const totals = sql.get<{ top: number; removed: number; sessions: string }>(
    `SELECT (SELECT coalesce(max(rowid), 0) FROM checkpoints) AS top,
       (SELECT coalesce(sum(head_seq - live), 0) FROM streams) AS removed,
       (SELECT count(*) || ':' || coalesce(sum(version), 0) FROM sessions INDEXED BY sessions_by_version) AS sessions`,
  ) ?? { top: 0, removed: 0, sessions: '' }
  const sessions = totals.sessions === mark.sessions ? [] : changedSessions(sql, known === null, most)
  const to: Mark = {
    format: mark.format,
    row: rows.at(-1)?.row ?? mark.row,
    id: rows.at(-1)?.id ?? mark.id,
    sessions: sessions.length < most ? totals.sessions : mark.sessions,
    removed: totals.removed,
  }
  const { standing, undone } = turnsIn(sql, rows, mark.row, to.row)
  return {
    ...{ from, to: JSON.stringify(to), anew: known === null, left: Math.max(0, totals.top - to.row) },
    checkpoints: withParents(sql, standing),
    undone,
    sessions,
  }
}

/**
 * Which checkpoints an index has to take in, and which to drop, where some of the new ones are an undo, a redo or a
 * restore: of such a stream it has what stands after the last of them, and nothing else.
 */
function turnsIn(
  sql: Sql,
  rows: readonly CheckpointBody[],
  fromRow: number,
  toRow: number,
): { standing: CheckpointBody[]; undone: string[] } {
  const turned = new Set(rows.filter(({ body }) => body?.includes('"stands":')).map(({ stream }) => stream))
  const standing = rows.filter(({ stream }) => !turned.has(stream))
  const undone: string[] = []
  for (const stream of turned) {
    const history = sql.all<{ row: number; id: string; gist: string }>(
      'SELECT rowid AS row, id, gist FROM checkpoints WHERE stream = ? AND rowid <= ? ORDER BY seq',
      ...[stream, toRow],
    )
    const points = history.map((one) => ({ ...one, stands: readGist(one.gist).document?.stands }))
    const lineAt = (last: number) => {
      const known = points.filter(({ row }) => row <= last)
      return new Set(idsIn(standingLines(known).get(known.at(-1)?.id ?? '') ?? null))
    }
    const [before, after] = [lineAt(fromRow), lineAt(toRow)]
    undone.push(...[...before].filter((id) => !after.has(id)))
    for (const { id } of points)
      if (after.has(id) && !before.has(id))
        standing.push(...sql.all<CheckpointBody>(`${SELECT_BODY} WHERE c.id = ?`, id))
  }
  return { standing, undone }
}

const SELECT_BODY = `SELECT c.rowid AS row, c.id, c.stream, s.kind, s.repository, c.hash, c.body
  FROM checkpoints c CROSS JOIN streams s ON s.id = c.stream`

interface CheckpointBody {
  row: number
  id: string
  stream: string
  kind: StreamKind
  repository: string
  hash: string
  body: string | null
}

function withParents(sql: Sql, rows: readonly CheckpointBody[]): IndexPart['checkpoints'] {
  // The newest of each stream: nearly always the parent of the next one, and parsed already.
  const newest = new Map<string, Checkpoint>()
  return rows.flatMap(({ stream: id, kind, repository, ...row }) => {
    const checkpoint = wholeBody(row)
    if (checkpoint === null) return []
    const before = newest.get(id)
    const parent = before?.id === checkpoint.parent ? (before ?? null) : parentOf(sql, checkpoint, kind)
    newest.set(id, checkpoint)
    return [{ stream: { id, kind, repository }, checkpoint, parent }]
  })
}

/** A snapshot of a run is told without its parent. */
function parentOf(sql: Sql, { parent }: Checkpoint, kind: StreamKind): Checkpoint | null {
  if (parent === null || kind === 'run') return null
  const row = sql.get<CheckpointBody>('SELECT hash, body FROM checkpoints WHERE id = ?', parent)
  return row ? wholeBody(row) : null
}

function changedSessions(sql: Sql, anew: boolean, most: number): IndexPart['sessions'] {
  const known = anew
    ? 'NULL'
    : 'SELECT k.version FROM search_sessions k WHERE k.agent = s.agent AND k.id = s.id'
  return sql
    .all<{ agent: AgentName; id: string; version: number; body: string }>(
      `SELECT agent, id, version, body FROM sessions WHERE rowid IN (
         SELECT s.rowid FROM sessions s INDEXED BY sessions_by_version WHERE (${known}) IS NOT s.version LIMIT ?)
       ORDER BY activity_at, rowid`,
      most,
    )
    .map(({ body, ...key }) => ({
      ...key,
      // `as`: only this program writes there; a damaged body is none.
      session: (parseOrUndefined(body) ?? null) as Session | null,
    }))
}

export function putRecords(sql: Sql, part: IndexPart, records: readonly SearchRecord[]): boolean {
  const { from, to, anew, undone, sessions } = part
  if (markText(sql) !== from) return false
  if (anew) clearSearch(sql)
  for (const id of undone) {
    dropRecords(sql, 'checkpoint = ?', id)
    sql.run('DELETE FROM search_superseded WHERE checkpoint = ?', id)
  }
  for (const record of records) putRecord(sql, record)
  for (const { agent, id, version } of sessions) sql.replace('search_sessions', { agent, id, version })
  const before = anew ? NOTHING : soundMark(sql, from)
  // What retention has removed is not found any more.
  if (before?.removed !== soundMark(sql, to)?.removed) dropRecords(sql, IS_REMOVED)
  sql.replace('meta', { key: 'search', value: to })
  return true
}

const IS_REMOVED = `checkpoint IS NOT NULL
  AND (SELECT typeof(body) FROM checkpoints WHERE id = search_records.checkpoint) IS NOT 'text'`

function dropRecords(sql: Sql, where: string, ...values: Value[]): void {
  for (const { n } of sql.all<{ n: number }>(`SELECT n FROM search_records WHERE ${where}`, ...values)) {
    sql.run('DELETE FROM search_records WHERE n = ?', n)
    sql.run('DELETE FROM search_texts WHERE rowid = ?', n)
  }
}

/**
 * What is put in depends on the order of the commits, not on when it is put in. Whoever says a decision or a learning
 * again has a record too: which of them is told is found out when somebody searches.
 */
function putRecord(sql: Sql, record: SearchRecord): void {
  const { id, kind, text, at, branch, stream, checkpoint, superseded } = record
  const { number: repository, sequence, high } = takeTurn(sql, record)
  if (superseded !== undefined)
    sql.insert('search_superseded', { repository, decision: decisionIn(id), checkpoint, superseded })
  // A session goes on: what it says now is newer than all that was said meanwhile.
  if (kind === 'session') dropRecords(sql, 'repository = ? AND id = ?', repository, id)
  const n = recordNumber(repository, sequence, kind)
  const said = { id, repository, at, high, branch, stream, checkpoint }
  sql.insert('search_records', { n, ...said, again: false })
  sql.insert('search_texts', { rowid: n, text, branch: branchWord(branch) })
}

interface Turn {
  number: number
  sequence: number
  high: string
}

/** The number of a repository, the next turn in it, and the latest time up to that turn. */
function takeTurn(sql: Sql, { repository, at }: SearchRecord): Turn {
  sql.run(
    `INSERT INTO search_repositories (number, repository, sequence, high)
     SELECT coalesce(max(number), -1) + 1, ?, 1, ? FROM search_repositories WHERE true
     ON CONFLICT (repository) DO UPDATE SET sequence = sequence + 1, high = max(high, excluded.high)`,
    ...[repository, at],
  )
  const taken = 'SELECT number, sequence, high FROM search_repositories WHERE repository = ?'
  return sql.get<Turn>(taken, repository) ?? { number: 0, sequence: 1, high: at }
}

/** A branch as one word that no stemmer changes and no other branch has; a record without one has a word too. */
export const branchWord = (branch: string | null) =>
  branch === null ? 'n0' : `b${sha256(branch).slice(0, 16)}0`

/**
 * A record's number: its repository, its turn there, its kind. A range of numbers is a repository, a higher number is
 * newer, and the kind is known without reading the record: so the index alone narrows a search, however many match.
 * A double holds it for the first 131,072 repositories of a user.
 */
const KINDS = 8
const TURNS = 2 ** 33
const REPOSITORY = KINDS * TURNS

const recordNumber = (repository: number, turn: number, kind: SearchKind) =>
  repository * REPOSITORY + turn * KINDS + SEARCH_KINDS.indexOf(kind)

export const searchKindOf = (n: number): SearchKind => SEARCH_KINDS[n % KINDS] ?? 'checkpoint'

/** The lowest and the highest number of a repository. */
export const rangeOf = (repository: number): readonly [number, number] => [
  repository * REPOSITORY,
  (repository + 1) * REPOSITORY - 1,
]
