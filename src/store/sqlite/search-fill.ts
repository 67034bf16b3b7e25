import { sha256 } from '../../core/canonical.ts'
import type { Checkpoint } from '../../core/checkpoint.ts'
import { decisionIn } from '../../core/searchable.ts'
import type { AgentName, Session } from '../../core/session.ts'
import type { StreamKind } from '../log.ts'
import type { IndexPart, SearchRecord } from '../search-index.ts'
import { clearSearch, lostTables } from './search-damage.ts'
import { recordNumber } from './search-number.ts'
import type { Sql } from './sql.ts'

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
  const mark = text.startsWith('{') ? (parseOrNull(text) as Mark | null) : null
  if (mark === null || !(mark.format >= FORMAT) || !Number.isSafeInteger(mark.row)) return null
  if (mark.row === 0) return mark
  const found = sql.get<{ id: string }>('SELECT id FROM checkpoints WHERE rowid = ?', mark.row)
  return found?.id === mark.id ? mark : null
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return null
  }
}

export function readUnsearched(sql: Sql, most: number): IndexPart {
  const from = markText(sql)
  const known = lostTables(sql).length > 0 ? null : soundMark(sql, from)
  const mark = known ?? NOTHING
  const rows = rowsAfter(sql, mark.row, most)
  const last = rows.at(-1)
  const top = sql.get<{ top: number | null }>('SELECT max(rowid) AS top FROM checkpoints')?.top ?? 0
  const totals = sessionTotals(sql)
  const sessions = totals === mark.sessions ? [] : changedSessions(sql, known === null, most)
  const to: Mark = {
    format: mark.format,
    row: last?.row ?? mark.row,
    id: last?.id ?? mark.id,
    sessions: sessions.length < most ? totals : mark.sessions,
    removed: removedCount(sql),
  }
  return {
    ...{ from, to: JSON.stringify(to), anew: known === null, left: Math.max(0, top - to.row) },
    checkpoints: withParents(sql, rows),
    sessions,
  }
}

interface CheckpointBody {
  row: number
  id: string
  stream: string
  kind: StreamKind
  repository: string
  hash: string
  body: string | null
}

const rowsAfter = (sql: Sql, row: number, most: number) =>
  sql.all<CheckpointBody>(
    `SELECT c.rowid AS row, c.id, c.stream, s.kind, s.repository, c.hash, c.body
     FROM checkpoints c CROSS JOIN streams s ON s.id = c.stream WHERE c.rowid > ? ORDER BY c.rowid LIMIT ?`,
    ...([row, most] as const),
  )

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
  const row = sql.get<Pick<CheckpointBody, 'hash' | 'body'>>(
    'SELECT hash, body FROM checkpoints WHERE id = ?',
    parent,
  )
  return row ? wholeBody(row) : null
}

const wholeBody = ({ hash, body }: Pick<CheckpointBody, 'hash' | 'body'>): Checkpoint | null =>
  // `as`: the checksum says that it is what `addCheckpoint` wrote.
  body === null || sha256(body) !== hash ? null : (JSON.parse(body) as Checkpoint)

const sessionTotals = (sql: Sql): string =>
  sql.get<{ totals: string }>(
    `SELECT count(*) || ':' || coalesce(sum(version), 0) AS totals FROM sessions INDEXED BY sessions_by_version`,
  )?.totals ?? ''

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
    .map(({ agent, id, version, body }) => ({
      ...{ agent, id, version },
      // `as`: only this program writes there; a damaged body is none.
      session: parseOrNull(body) as Session | null,
    }))
}

/** Every checkpoint below a head has its number, so those without a body are the rest; few rows tell it. */
const removedCount = (sql: Sql): number =>
  sql.get<{ removed: number }>('SELECT coalesce(sum(head_seq - live), 0) AS removed FROM streams')?.removed ??
  0

export function putRecords(sql: Sql, part: IndexPart, records: readonly SearchRecord[]): boolean {
  const { from, to, anew, sessions } = part
  if (markText(sql) !== from) return false
  if (anew) clearSearch(sql)
  for (const record of records) putRecord(sql, record)
  for (const { agent, id, version } of sessions)
    sql.run(
      'INSERT OR REPLACE INTO search_sessions (agent, id, version) VALUES (?, ?, ?)',
      agent,
      id,
      version,
    )
  const before = anew ? NOTHING : soundMark(sql, from)
  const after = soundMark(sql, to)
  if (before?.removed !== after?.removed) dropRemoved(sql)
  sql.run(
    `INSERT INTO meta (key, value) VALUES ('search', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    to,
  )
  return true
}

/** What retention has removed is not found any more. */
function dropRemoved(sql: Sql): void {
  const gone = sql.all<{ n: number }>(
    `SELECT n FROM search_records WHERE checkpoint IS NOT NULL
     AND (SELECT typeof(body) FROM checkpoints WHERE id = search_records.checkpoint) IS NOT 'text'`,
  )
  for (const { n } of gone) dropRecord(sql, n)
}

function dropRecord(sql: Sql, n: number): void {
  sql.run('DELETE FROM search_records WHERE n = ?', n)
  sql.run('DELETE FROM search_texts WHERE rowid = ?', n)
}

interface KnownRecord {
  n: number
  at: string
  branch: string | null
  text: string
  isForeign: number
}

/**
 * What is put in depends on the order of the commits, not on when it is put in. A decision or a learning stays where
 * it was first said, in the words of then. Where only text said it that nobody has reviewed, who says it next has a
 * record too; which of them is told is found out when somebody searches.
 */
function putRecord(sql: Sql, record: SearchRecord): void {
  const repository = repositoryNumber(sql, record.repository)
  if (record.superseded !== undefined) putSuperseded(sql, repository, record, record.superseded)
  const known = sql.get<KnownRecord>(
    `SELECT r.n, r.at, r.branch, t.text,
       EXISTS (SELECT 1 FROM foreign_marks WHERE checkpoint = r.checkpoint) AS isForeign
     FROM search_records r LEFT JOIN search_texts t ON t.rowid = r.n WHERE r.repository = ? AND r.id = ?
     ORDER BY r.n DESC LIMIT 1`,
    ...([repository, record.id] as const),
  )
  if (known === undefined) addRecord(sql, repository, record)
  else if (record.kind === 'session') moveSession(sql, repository, record, known)
  else if (isFact(record) && known.isForeign === 1) addRecord(sql, repository, record, { again: true })
}

const isFact = ({ kind }: SearchRecord) => kind === 'decision' || kind === 'learning'

/** A session goes on: what it says now is newer than all that was said meanwhile. */
function moveSession(sql: Sql, repository: number, record: SearchRecord, { n, ...known }: KnownRecord): void {
  if (known.text === record.text && known.at === record.at && known.branch === record.branch) return
  dropRecord(sql, n)
  addRecord(sql, repository, record)
}

function putSuperseded(sql: Sql, repository: number, record: SearchRecord, superseded: string | null): void {
  sql.run(
    'INSERT INTO search_superseded (repository, decision, checkpoint, superseded) VALUES (?, ?, ?, ?)',
    ...([repository, decisionIn(record.id), record.checkpoint, superseded] as const),
  )
}

function addRecord(sql: Sql, repository: number, record: SearchRecord, { again = false } = {}): void {
  const { id, kind, at, branch, stream, checkpoint } = record
  sql.run(
    'UPDATE search_repositories SET sequence = sequence + 1, high = max(high, ?) WHERE number = ?',
    ...([at, repository] as const),
  )
  const turn = sql.get<{ sequence: number; high: string }>(
    'SELECT sequence, high FROM search_repositories WHERE number = ?',
    repository,
  )
  const n = recordNumber(repository, turn?.sequence ?? 0, kind)
  sql.run(
    `INSERT INTO search_records (n, id, repository, at, high, branch, stream, checkpoint, again)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...([n, id, repository, at, turn?.high ?? at, branch, stream, checkpoint, again ? 1 : 0] as const),
  )
  sql.run(
    'INSERT INTO search_texts (rowid, text, branch) VALUES (?, ?, ?)',
    ...([n, record.text, branchWord(branch)] as const),
  )
}

/** A branch as one word that no stemmer changes and no other branch has; a record without one has a word too. */
export const branchWord = (branch: string | null) =>
  branch === null ? 'n0' : `b${sha256(branch).slice(0, 16)}0`

function repositoryNumber(sql: Sql, repository: string): number {
  const found = 'SELECT number FROM search_repositories WHERE repository = ?'
  const known = sql.get<{ number: number }>(found, repository)?.number
  if (known !== undefined) return known
  sql.run(
    `INSERT INTO search_repositories (number, repository, sequence, high)
     SELECT coalesce(max(number), -1) + 1, ?, 0, '' FROM search_repositories`,
    repository,
  )
  return sql.get<{ number: number }>(found, repository)?.number ?? 0
}
