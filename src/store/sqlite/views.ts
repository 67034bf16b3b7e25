import type { Checkpoint } from '../../core/checkpoint.ts'
import type { LedgerRow } from '../acts.ts'
import type {
  FileView,
  LedgerText,
  NewView,
  StartingView,
  ViewFilter,
  ViewKey,
  ViewRow,
} from '../local-state.ts'
import type { Sql } from './sql.ts'

const VIEW = `SELECT workspace, path, stream, checkpoint, hash, content_hash AS contentHash, state FROM views`

export function putViews(
  sql: Sql,
  checkpoint: Pick<Checkpoint, 'id' | 'stream'>,
  views: StartingView[],
): void {
  for (const { workspace, path, hash, contentHash, state } of views)
    sql.run(
      `INSERT OR REPLACE INTO views (workspace, path, stream, checkpoint, hash, content_hash, state) VALUES (?, ?, ?, ?, ?, ?, ?)`,
      ...([workspace, path, checkpoint.stream, checkpoint.id, hash, contentHash, state] as const),
    )
}

export function listViews(sql: Sql, filter: ViewFilter): ViewRow[] {
  const workspace = filter.workspace ?? null
  const open = filter.unsettled ? `AND state IN ('pending', 'leaving')` : ''
  const both = `(? IS NULL OR workspace = ?) ${open} ORDER BY path`
  return filter.stream === undefined
    ? sql.all<ViewRow>(`${VIEW} WHERE ${both}`, workspace, workspace)
    : sql.all<ViewRow>(`${VIEW} WHERE stream = ? AND ${both}`, filter.stream, workspace, workspace)
}

/** A row that meanwhile wants other bytes, or is to go, is left as it is. */
export function markPublished(sql: Sql, views: Array<NewView & { expected: string }>): void {
  for (const view of views)
    sql.run(
      `UPDATE views SET state = 'published', hash = ?, content_hash = ?
       WHERE workspace = ? AND path = ? AND hash = ? AND state <> 'leaving'`,
      ...([view.hash, view.contentHash, view.workspace, view.path, view.expected] as const),
    )
}

export function oweView(sql: Sql, { workspace, path }: ViewKey): void {
  sql.run(
    `UPDATE views SET state = 'pending' WHERE workspace = ? AND path = ? AND state = 'published'`,
    ...([workspace, path] as const),
  )
}

export function replaceView(sql: Sql, old: ViewKey, view: NewView): void {
  sql.run(
    `INSERT OR REPLACE INTO views (workspace, path, stream, checkpoint, hash, content_hash, state)
     SELECT ?, ?, stream, checkpoint, ?, ?, 'published' FROM views WHERE workspace = ? AND path = ?`,
    ...([view.workspace, view.path, view.hash, view.contentHash, old.workspace, old.path] as const),
  )
  forgetViews(sql, [old])
}

export function forgetViews(sql: Sql, views: readonly ViewKey[]): void {
  for (const { workspace, path } of views)
    sql.run('DELETE FROM views WHERE workspace = ? AND path = ?', workspace, path)
}

const FILE_VIEW = `SELECT kind, path, stream, checkpoint, hash, base, state FROM views
  WHERE workspace = ? AND kind IN ('note', 'ledger', 'index')`

/** A file of a workspace that is no document, as it should stand there. */
export const readFileView = (sql: Sql, workspace: string, path: string): FileView | null =>
  sql.get<FileView>(`${FILE_VIEW} AND path = ?`, workspace, path) ?? null

export const fileViews = (sql: Sql, workspace: string): FileView[] =>
  sql.all<FileView>(`${FILE_VIEW} ORDER BY path`, workspace)

/** Oldest first; the number counts those of the workspace. */
export const ledgerTexts = (sql: Sql, workspace: string): LedgerText[] =>
  sql.all<LedgerText>(
    `SELECT row_number() OVER (ORDER BY seq) AS number, path, checkpoint, hash, at FROM ledgers
     WHERE workspace = ? ORDER BY seq`,
    workspace,
  )

/** The same, with the name of each stream. */
export function ledgerRows(sql: Sql, workspace: string): LedgerRow[] {
  return sql.all<LedgerRow>(
    `SELECT row_number() OVER (ORDER BY l.seq) AS number, l.path, l.checkpoint, l.hash, l.at, s.name AS stream
     FROM ledgers l JOIN checkpoints c ON c.id = l.checkpoint JOIN streams s ON s.id = c.stream
     WHERE l.workspace = ? ORDER BY l.seq`,
    workspace,
  )
}
