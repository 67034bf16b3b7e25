import type { DocumentChange, LocalChange, OwedView } from '../local-state.ts'
import type { Sql } from './sql.ts'
import { putViews } from './views.ts'

export function applyChange(sql: Sql, change: LocalChange): void {
  if (change.of === 'documents') placeDocuments(sql, change.change)
  else if (change.of === 'views') putViews(sql, change.checkpoint, change.views)
  else
    for (const id of change.checkpoints)
      sql.run(`UPDATE views SET state = 'leaving' WHERE stream = ? AND checkpoint = ?`, change.stream, id)
}

function placeDocuments(sql: Sql, change: DocumentChange): void {
  // What a list says, here or in another worktree, may change with any of this.
  sql.run('DELETE FROM glances')
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
  if (change.focus !== undefined) setFocus(sql, workspace, change.focus)
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
