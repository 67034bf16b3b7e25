import type { Acts, LedgerRow, WorkRow } from '../acts.ts'
import type { Connection } from './connection.ts'
import { applyChange } from './local-writes.ts'
import { appendToLog } from './log-writes.ts'
import { IS_GIST, NO_GIST } from './rows.ts'

/** Log and local state are one file here, so one commit spans both. */
export const sqliteActs = (connection: Connection): Acts => ({
  commit: (change) =>
    connection.write((sql) => {
      const committed = appendToLog(sql, change)
      if (committed.done) applyChange(sql, change)
      return committed
    }),

  /**
   * There may be thousands: they come as one text, because a driver takes longer to make the rows than SQLite takes to
   * find them, and the joins go by index from the streams outward (the planner, left alone, would scan all views for
   * each). A gist that is damaged says nothing, and keeps no other from being told.
   */
  async listWork(repository, workspace) {
    const found = await connection.get<{ rows: string }>(LIST_WORK, workspace, workspace, repository)
    // `as`: made by the statement.
    return JSON.parse(found?.rows ?? '[]') as WorkRow[]
  },

  listLedgers: (workspace) =>
    connection.all<LedgerRow>(
      `SELECT row_number() OVER (ORDER BY l.seq) AS number, l.path, l.checkpoint, l.hash, l.at,
         coalesce(s.name, '') AS stream
       FROM ledgers l LEFT JOIN checkpoints c ON c.id = l.checkpoint LEFT JOIN streams s ON s.id = c.stream
       WHERE l.workspace = ? ORDER BY l.seq`,
      workspace,
    ),

  async listTextHashes(repository) {
    const rows = await connection.all<{ hash: string }>(
      `SELECT v.hash FROM streams s CROSS JOIN versions v ON v.stream = s.id
         WHERE s.repository = ? AND s.kind = 'work' AND v.problem IS NULL
       UNION SELECT v.hash FROM workspaces w CROSS JOIN views v ON v.workspace = w.id
         WHERE w.repository = ? AND v.kind <> 'file'
       UNION SELECT l.hash FROM workspaces w CROSS JOIN ledgers l ON l.workspace = w.id WHERE w.repository = ?`,
      ...[repository, repository, repository],
    )
    return new Set(rows.map(({ hash }) => hash))
  },
})

const truth = (condition: string) => `json(iif(${condition}, 'true', 'false'))`
const IS_FOREIGN = 'EXISTS (SELECT 1 FROM foreign_marks WHERE checkpoint = c.id)'
const IS_FOCUSED = `EXISTS (SELECT 1 FROM standings WHERE workspace = ? AND stream = s.id AND standing = 'focused')`
const LIST_WORK = `SELECT json_group_array(json_object(
    'stream', json_object('id', s.id, 'name', s.name, 'headId', s.head_id, 'headSequence', s.head_seq),
    'view', iif(v.path IS NULL, NULL, json_object('path', v.path, 'checkpoint', v.checkpoint, 'hash', v.hash,
      'base', v.base, 'stamp', v.stamp, 'state', v.state, 'current', ${truth('v.current')})),
    'position', json_object('checkpoint', c.id, 'sequence', c.seq, 'at', c.at, 'foreign', ${truth(IS_FOREIGN)},
      'gist', json(iif(${IS_GIST}, c.gist, '${JSON.stringify(NO_GIST)}'))),
    'focused', ${truth(IS_FOCUSED)})) AS rows
  FROM streams s
  LEFT JOIN views v INDEXED BY documents_of_stream
    ON v.stream = s.id AND v.workspace = ? AND v.kind = 'document' AND v.state <> 'leaving'
  CROSS JOIN checkpoints c ON c.id = coalesce(v.checkpoint, s.head_id)
  WHERE s.repository = ? AND s.kind = 'work'`
