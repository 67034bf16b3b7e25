import { sha256 } from '../../core/canonical.ts'
import type { Checkpoint, Gist } from '../../core/checkpoint.ts'
import { nameKey } from '../../core/id.ts'
import { errorCode, ReasonError } from '../../core/reason.ts'
import type { Committed, DocumentCommit, WorkRow } from '../acts.ts'
import type { DocumentView, Glance, OverviewRow, OwedView } from '../local-state.ts'
import type { NewStream, Version } from '../log.ts'
import { addCheckpoint, addStream } from './rows.ts'
import type { Sql } from './sql.ts'

/** The columns of a work row in the order of the statement below; those of the view are null without one. */
type RawWork = [
  stream: string,
  name: string,
  headId: string,
  headSequence: number,
  path: string | null,
  /** Null where it is the head. */
  checkpoint: string | null,
  hash: string,
  base: string | null,
  stamp: string | null,
  state: DocumentView['state'],
  current: number,
  sequence: number,
  at: string,
  gist: Gist,
]

/** Whether `c.gist` can be read. In two steps: `json_type` fails on what is not JSON. */
export const IS_GIST = `iif(json_valid(c.gist), json_type(c.gist), '') = 'object'`

/**
 * Thousands of rows at every start of `savepoint list`: they come as one text, because a driver takes longer to
 * make the rows than SQLite takes to find them, and the joins go by index from the streams outward (the planner,
 * left alone, would scan all views for each). A gist that is damaged says nothing, and keeps no other from being told.
 */
export function workRows(sql: Sql, repository: string, workspace: string): WorkRow[] {
  const focused = sql.get<{ stream: string }>(
    `SELECT stream FROM standings WHERE workspace = ? AND standing = 'focused'`,
    workspace,
  )?.stream
  const foreign = new Set<string>()
  for (const { checkpoint } of sql.all<{ checkpoint: string }>('SELECT checkpoint FROM foreign_marks'))
    foreign.add(checkpoint)
  const found = sql.get<{ rows: string }>(
    `SELECT json_group_array(json_array(s.id, s.name, s.head_id, s.head_seq, v.path, nullif(v.checkpoint, s.head_id),
       v.hash, v.base, v.stamp, v.state, v.current, c.seq, c.at,
       iif(${IS_GIST}, json(c.gist), json('{"step":null,"stepsDone":0,"steps":0}')))) AS rows
     FROM streams s
     LEFT JOIN views v INDEXED BY documents_of_stream
       ON v.stream = s.id AND v.workspace = ? AND v.kind = 'document' AND v.state <> 'leaving'
     CROSS JOIN checkpoints c ON c.id = coalesce(v.checkpoint, s.head_id)
     WHERE s.repository = ? AND s.kind = 'work'`,
    ...([workspace, repository] as const),
  )
  // `as`: made by the statement above.
  const rows = JSON.parse(found?.rows ?? '[]') as RawWork[]
  return rows.map((row) => workRow(row, focused, foreign))
}

/** By place and not by pattern: taking a list of fourteen apart costs more than all the rest of it. */
function workRow(row: RawWork, focused: string | undefined, foreign: ReadonlySet<string>): WorkRow {
  const path = row[4]
  const checkpoint = row[5] ?? row[2]
  return {
    stream: { id: row[0], name: row[1], headId: row[2], headSequence: row[3] },
    view:
      path === null
        ? null
        : {
            path,
            checkpoint,
            hash: row[6],
            base: row[7],
            stamp: row[8],
            state: row[9],
            current: row[10] === 1,
          },
    position: { checkpoint, sequence: row[11], at: row[12], gist: row[13], foreign: foreign.has(checkpoint) },
    focused: row[0] === focused,
  }
}

type RawOverview = [
  ...[name: string, headSequence: number, path: string | null, isArchived: boolean, current: boolean],
  ...[focused: boolean, sequence: number, at: string, foreign: boolean],
  ...[created: string, parent: string | null, problem: string, next: string],
]

/** One text for all rows: to read thousands of them from their tables would cost more than all the rest of a list. */
export function readGlance(sql: Sql, workspace: string, { names, marks }: Glance): OverviewRow[] | null {
  const found = sql.get<{ rows: string }>(
    `SELECT rows FROM glances WHERE workspace = ? AND names = ? AND marks = ? AND NOT EXISTS
       (SELECT 1 FROM views INDEXED BY owed_views WHERE workspace = ? AND state <> 'published' AND kind <> 'file')`,
    ...([workspace, names, marks, workspace] as const),
  )
  if (!found) return null
  // `as`: written by `putGlance` and by nobody else.
  const rows = JSON.parse(found.rows) as RawOverview[]
  return rows.map((row) => ({
    name: row[0],
    headSequence: row[1],
    path: row[2],
    isArchived: row[3],
    current: row[4],
    focused: row[5],
    sequence: row[6],
    at: row[7],
    foreign: row[8],
    created: row[9],
    parent: row[10],
    problem: row[11],
    next: row[12],
  }))
}

export function putGlance(sql: Sql, workspace: string, glance: Glance, rows: readonly OverviewRow[]): void {
  const raw = rows.map((row): RawOverview => {
    const { name, headSequence, path, isArchived, current, focused, sequence, at, foreign } = row
    const { created, parent, problem, next } = row
    return [
      ...([name, headSequence, path, isArchived, current, focused, sequence, at, foreign] as const),
      ...([created, parent, problem, next] as const),
    ]
  })
  sql.run(
    'INSERT OR REPLACE INTO glances (workspace, names, marks, rows) VALUES (?, ?, ?, ?)',
    ...([workspace, glance.names, glance.marks, JSON.stringify(raw)] as const),
  )
}

/** Looks first and writes after, so that a refusal leaves nothing behind. */
export function commitDocuments(sql: Sql, change: DocumentCommit): Committed {
  const { begins = [], appends = [] } = change
  const heads = new Map<string, Head>()
  const sequences: number[] = []
  for (const { checkpoint, after } of appends) {
    const head = heads.get(checkpoint.stream) ?? headOf(sql, checkpoint.stream)
    if (head.id !== after) return { done: false, why: 'head_moved' }
    sequences.push(head.sequence + 1)
    heads.set(checkpoint.stream, { id: checkpoint.id, sequence: head.sequence + 1 })
  }
  for (const stream of begins) if (isTaken(sql, stream)) return { done: false, why: 'name_taken' }

  // What a list says, here or in another worktree, may change with any of this.
  sql.run('DELETE FROM glances')
  for (const stream of begins) addStream(sql, stream, firstOf(stream, appends))
  for (const { hash, text } of change.texts ?? []) addText(sql, hash, text)
  for (const [at, { checkpoint, foreign }] of appends.entries()) {
    addCheckpoint(sql, checkpoint, sequences[at] ?? 1)
    if (foreign) sql.run('INSERT INTO foreign_marks (checkpoint) VALUES (?)', checkpoint.id)
  }
  for (const { stream, hash, checkpoint, current, problem } of change.versions ?? [])
    sql.run(
      'INSERT OR REPLACE INTO versions (stream, hash, checkpoint, current, problem) VALUES (?, ?, ?, ?, ?)',
      ...([stream, hash, checkpoint, current ? 1 : 0, problem] as const),
    )
  for (const id of change.reviews ?? []) sql.run('DELETE FROM foreign_marks WHERE checkpoint = ?', id)
  placeViews(sql, change)
  if (change.focus !== undefined) setFocus(sql, change.workspace, change.focus)
  return { done: true }
}

interface Head {
  /** Null where there is no such stream yet. */
  id: string | null
  sequence: number
}

const headOf = (sql: Sql, stream: string): Head =>
  sql.get<Head>('SELECT head_id AS id, head_seq AS sequence FROM streams WHERE id = ?', stream) ?? {
    id: null,
    sequence: 0,
  }

function isTaken(sql: Sql, { id, repository, kind, name }: NewStream): boolean {
  return (
    sql.get(
      'SELECT 1 FROM streams WHERE id = ? OR (repository = ? AND kind = ? AND name_key = ?)',
      ...([id, repository, kind, nameKey(name)] as const),
    ) !== undefined
  )
}

function firstOf(stream: NewStream, appends: Array<{ checkpoint: Checkpoint }>): Checkpoint {
  const found = appends.find(({ checkpoint }) => checkpoint.stream === stream.id)
  if (found === undefined) throw new Error(`stream ${stream.name} begins without a checkpoint`)
  return found.checkpoint
}

function placeViews(sql: Sql, change: DocumentCommit): void {
  const { workspace } = change
  for (const row of change.documents ?? []) {
    sql.run(
      `DELETE FROM views INDEXED BY documents_of_stream
       WHERE stream = ? AND workspace = ? AND kind = 'document' AND state <> 'leaving'`,
      ...([row.stream, workspace] as const),
    )
    putView(sql, workspace, { ...row, kind: 'document' })
  }
  for (const row of change.leaving ?? [])
    putView(sql, workspace, { ...row, ...UNSTATED, kind: 'document', state: 'leaving' })
  for (const row of change.entries ?? [])
    putView(sql, workspace, { ...row, ...UNSTATED, kind: 'entry', hash: '', state: 'pending' })
  for (const row of change.files ?? []) putView(sql, workspace, { ...UNSTATED, ...row })
  for (const { path, checkpoint, hash, at } of change.ledgers ?? [])
    sql.run(
      'INSERT OR IGNORE INTO ledgers (workspace, path, checkpoint, hash, at) VALUES (?, ?, ?, ?, ?)',
      ...([workspace, path, checkpoint, hash, at] as const),
    )
}

const UNSTATED = { base: null, stamp: null, current: false }

interface RawView extends Omit<OwedView, 'state'> {
  stamp: string | null
  state: string
  current: boolean
}

function putView(sql: Sql, workspace: string, view: RawView): void {
  const { path, stream, checkpoint, hash, state, kind, base, stamp, current } = view
  sql.run(
    `INSERT OR REPLACE INTO views (workspace, path, stream, checkpoint, hash, content_hash, state, kind, base, stamp, current)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...([
      workspace,
      path,
      stream,
      checkpoint,
      hash,
      hash,
      state,
      kind,
      base,
      stamp,
      current ? 1 : 0,
    ] as const),
  )
}

/** The index `one_focused_stream` refuses a second one, whatever this does. */
function setFocus(sql: Sql, workspace: string, stream: string | null): void {
  sql.run(`UPDATE standings SET standing = 'open' WHERE workspace = ? AND standing = 'focused'`, workspace)
  if (stream !== null)
    sql.run(
      `INSERT INTO standings (workspace, stream, standing) VALUES (?, ?, 'focused')
       ON CONFLICT (workspace, stream) DO UPDATE SET standing = 'focused'`,
      ...([workspace, stream] as const),
    )
}

export function readVersion(sql: Sql, stream: string, hash: string): Version | null {
  const row = sql.get<{ checkpoint: string; current: number; problem: string | null }>(
    'SELECT checkpoint, current, problem FROM versions WHERE stream = ? AND hash = ?',
    ...([stream, hash] as const),
  )
  return row ? { ...row, current: row.current === 1 } : null
}

/** The hash of every text that a repository's streams and shared files have shown. */
export function textsOf(sql: Sql, repository: string): Set<string> {
  const found = sql.all<{ hash: string }>(
    `SELECT v.hash FROM streams s CROSS JOIN versions v ON v.stream = s.id
       WHERE s.repository = ? AND s.kind = 'work' AND v.problem IS NULL
     UNION SELECT v.hash FROM workspaces w CROSS JOIN views v ON v.workspace = w.id
       WHERE w.repository = ? AND v.kind <> 'file'
     UNION SELECT l.hash FROM workspaces w CROSS JOIN ledgers l ON l.workspace = w.id WHERE w.repository = ?`,
    ...([repository, repository, repository] as const),
  )
  return new Set(found.map(({ hash }) => hash))
}

/**
 * Who says `current` comes last: until then nobody does, where two would be one too many. The planner, left alone,
 * would read all views of the workspace, thousands of notes among them.
 */
export function owedViews(sql: Sql, workspace: string): OwedView[] {
  return sql.all<OwedView>(
    `SELECT kind, path, stream, checkpoint, hash, base, state FROM views INDEXED BY owed_views
     WHERE workspace = ? AND kind <> 'file' AND state <> 'published' ORDER BY current, path`,
    workspace,
  )
}

export function markStamped(
  sql: Sql,
  workspace: string,
  rows: Array<{ path: string; hash: string; stamp: string | null }>,
): void {
  for (const { path, hash, stamp } of rows)
    sql.run(
      `UPDATE views SET state = 'published', base = NULL, stamp = ?
       WHERE workspace = ? AND path = ? AND hash = ? AND state <> 'leaving'`,
      ...([stamp, workspace, path, hash] as const),
    )
}

const zlib = () => process.getBuiltinModule('node:zlib')

export function addText(sql: Sql, hash: string, text: string): void {
  if (sql.get('SELECT 1 FROM texts WHERE hash = ?', hash) !== undefined) return
  sql.run('INSERT INTO texts (hash, body) VALUES (?, ?)', hash, zlib().gzipSync(text, { level: 6 }))
}

/** The bytes of a version; null where there is none. Damage is told, never shown. */
export function readText(sql: Sql, hash: string): string | null {
  const row = sql.get<{ body: Uint8Array }>('SELECT body FROM texts WHERE hash = ?', hash)
  if (!row) return null
  const text = unpacked(row.body)
  if (text !== null && sha256(text) === hash) return text.toString('utf8')
  throw new ReasonError('checkpoint_integrity_mismatch', {
    path: 'a version of a document in the store',
    problem: `its bytes are not those of ${hash.slice(0, 12)}`,
  })
}

/** Unpacks a version's bytes; null where they are not what was packed. */
export function unpacked(body: Uint8Array): Buffer | null {
  try {
    return zlib().gunzipSync(body)
  } catch (error) {
    if (!errorCode(error)?.startsWith('Z_')) throw error
    return null
  }
}
