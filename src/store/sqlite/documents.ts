import { sha256 } from '../../core/canonical.ts'
import type { Gist } from '../../core/checkpoint.ts'
import { errorCode, ReasonError } from '../../core/reason.ts'
import type { WorkRow } from '../acts.ts'
import type { DocumentView, Glance, OverviewRow, OwedView } from '../local-state.ts'
import type { Version } from '../log.ts'
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
  const focused = focusOf(sql, workspace)
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
function workRow(row: RawWork, focused: string | null, foreign: ReadonlySet<string>): WorkRow {
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

export function readVersion(sql: Sql, stream: string, hash: string): Version | null {
  const row = sql.get<{ checkpoint: string; current: number; problem: string | null }>(
    'SELECT checkpoint, current, problem FROM versions WHERE stream = ? AND hash = ?',
    ...([stream, hash] as const),
  )
  return row ? { ...row, current: row.current === 1 } : null
}

/** Of versions that could be read. */
export const versionHashes = (sql: Sql, repository: string): string[] =>
  sql
    .all<{ hash: string }>(
      `SELECT DISTINCT v.hash FROM streams s CROSS JOIN versions v ON v.stream = s.id
       WHERE s.repository = ? AND s.kind = 'work' AND v.problem IS NULL`,
      repository,
    )
    .map(({ hash }) => hash)

/** Of all shared files, with what stood in the ledgers. */
export const shownHashes = (sql: Sql, repository: string): string[] =>
  sql
    .all<{ hash: string }>(
      `SELECT v.hash FROM workspaces w CROSS JOIN views v ON v.workspace = w.id
         WHERE w.repository = ? AND v.kind <> 'file'
       UNION SELECT l.hash FROM workspaces w CROSS JOIN ledgers l ON l.workspace = w.id WHERE w.repository = ?`,
      ...([repository, repository] as const),
    )
    .map(({ hash }) => hash)

export const focusOf = (sql: Sql, workspace: string): string | null =>
  sql.get<{ stream: string }>(
    `SELECT stream FROM standings WHERE workspace = ? AND standing = 'focused'`,
    workspace,
  )?.stream ?? null

export const documentsIn = (sql: Sql, workspace: string): Array<DocumentView & { stream: string }> =>
  sql
    .all<Omit<DocumentView, 'current'> & { stream: string; current: number }>(
      `SELECT stream, path, checkpoint, hash, base, stamp, state, current FROM views
       WHERE workspace = ? AND kind = 'document' AND state <> 'leaving' ORDER BY path`,
      workspace,
    )
    .map((row) => ({ ...row, current: row.current === 1 }))

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
export function readVersionText(sql: Sql, hash: string): string | null {
  const row = sql.get<{ body: Uint8Array }>('SELECT body FROM texts WHERE hash = ?', hash)
  if (!row) return null
  const text = unpackText(row.body)
  if (text !== null && sha256(text) === hash) return text.toString('utf8')
  throw new ReasonError('checkpoint_integrity_mismatch', {
    path: 'a version of a document in the store',
    problem: `its bytes are not those of ${hash.slice(0, 12)}`,
  })
}

/** Unpacks a version's bytes; null where they are not what was packed. */
export function unpackText(body: Uint8Array): Buffer | null {
  try {
    return zlib().gunzipSync(body)
  } catch (error) {
    if (!errorCode(error)?.startsWith('Z_')) throw error
    return null
  }
}
