import type { LocalChange, NewAct, NewView } from '../local-state.ts'
import type { Sql } from './sql.ts'

export function applyChange(sql: Sql, change: LocalChange): void {
  const { workspace, views = [] } = change
  for (const view of views) putView(sql, workspace, view)
  for (const id of change.remove?.checkpoints ?? [])
    sql.run(
      `UPDATE views SET state = 'leaving' WHERE stream = ? AND checkpoint = ?`,
      change.remove?.stream ?? '',
      id,
    )
  // What a list says, here or in another worktree, may change with all but the files of runs.
  const isOfRun = change.remove !== undefined || views.some(({ kind }) => kind === 'file')
  if (!isOfRun) sql.run('DELETE FROM glances')
  for (const { path, checkpoint, hash, at } of change.ledgers ?? [])
    sql.insert('ledgers', { workspace, path, checkpoint, hash, at }, 'DO NOTHING')
  if (change.focus !== undefined) setFocus(sql, workspace, change.focus)
  if (change.act) recordAct(sql, workspace, change.act)
  if (change.turn)
    sql.run(
      'UPDATE acts SET undone = ? WHERE workspace = ? AND id = ?',
      ...[change.turn.isUndone, workspace, change.turn.act],
    )
}

/** So many can be undone, one after another. */
const MOST_ACTS = 50

function recordAct(sql: Sql, workspace: string, act: NewAct): void {
  const row = { workspace, id: act.id, body: JSON.stringify(act), undone: false }
  sql.insert('acts', row, '(workspace, id) DO UPDATE SET body = excluded.body')
  // What was undone before cannot be done again on top of this.
  sql.run('DELETE FROM acts WHERE workspace = ? AND undone = 1', workspace)
  sql.run(
    `DELETE FROM acts WHERE workspace = ? AND seq <= coalesce(
       (SELECT seq FROM acts WHERE workspace = ? ORDER BY seq DESC LIMIT 1 OFFSET ${MOST_ACTS}), 0)`,
    ...[workspace, workspace],
  )
}

function putView(sql: Sql, workspace: string, view: NewView): void {
  const { path, kind, stream, checkpoint, hash, contentHash = hash, state } = view
  const { base = null, stamp = null, current = false } = view
  if (kind === 'document' && state !== 'leaving')
    sql.run(
      `DELETE FROM views INDEXED BY documents_of_stream
       WHERE stream = ? AND workspace = ? AND kind = 'document' AND state <> 'leaving'`,
      ...[stream, workspace],
    )
  const shown = { kind, stream, checkpoint, hash, content_hash: contentHash }
  sql.replace('views', { workspace, path, ...shown, base, stamp, state, current })
}

/** The index `one_focused_stream` refuses a second one, whatever this does. */
function setFocus(sql: Sql, workspace: string, stream: string | null): void {
  sql.run(`UPDATE standings SET standing = 'open' WHERE workspace = ? AND standing = 'focused'`, workspace)
  if (stream !== null) sql.replace('standings', { workspace, stream, standing: 'focused' })
}
