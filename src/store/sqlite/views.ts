import type { Checkpoint } from '../../core/checkpoint.ts'
import type { NewView, StartingView, ViewFilter, ViewKey, ViewRow } from '../store.ts'
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
