import { parseOrUndefined } from '../../core/json.ts'
import type {
  LedgerText,
  LocalState,
  NewAct,
  OverviewRow,
  RepositoryRow,
  ViewRow,
  WorkspaceRow,
} from '../local-state.ts'
import type { Connection } from './connection.ts'
import { applyChange } from './local-writes.ts'
import type { Locks } from './lock.ts'
import { withCurrent } from './rows.ts'
import { conditionsOf, type Value } from './sql.ts'

export const sqliteLocalState = (connection: Connection, locks: Locks): LocalState => ({
  async seeWorkspace({ id, repository, path }, at) {
    await connection.write((sql) =>
      sql.insert(
        'workspaces',
        { id, repository, path, seen_at: at },
        '(id) DO UPDATE SET repository = excluded.repository, path = excluded.path, seen_at = excluded.seen_at',
      ),
    )
  },

  listWorkspaces: () => connection.all<WorkspaceRow>('SELECT id, repository, path FROM workspaces'),

  async seeRepository({ id, name, remote, roots, declined }) {
    const lists = { roots: JSON.stringify(roots), declined: JSON.stringify(declined) }
    await connection.write((sql) => sql.replace('repositories', { id, name, remote, ...lists }))
  },

  async listRepositories() {
    const rows = await connection.all<
      Omit<RepositoryRow, 'roots' | 'declined'> & { roots: string; declined: string }
    >('SELECT id, name, remote, roots, declined FROM repositories ORDER BY id')
    // `as`: written by `seeRepository` and by nobody else.
    return rows.map(({ roots, declined, ...row }) => ({
      ...row,
      roots: (parseOrUndefined(roots) ?? []) as string[],
      declined: (parseOrUndefined(declined) ?? []) as string[],
    }))
  },

  apply: (change) => connection.write((sql) => applyChange(sql, change)),

  listViews({ stream, workspace, unsettled = false }) {
    const { where, values } = conditionsOf({ 'stream = ?': stream, 'workspace = ?': workspace })
    // The index of what is owed serves a literal only: as a parameter it would read every view there is.
    const owed = unsettled ? ` AND state IN ('pending', 'leaving')` : ''
    return listViewRows(connection, `WHERE ${where}${owed} ORDER BY path`, ...values)
  },

  async markPublished(views) {
    await connection.writeSoft((sql) => {
      for (const { workspace, path, hash, contentHash = hash, stamp = null, expected = hash } of views)
        sql.run(
          `UPDATE views SET state = 'published', hash = ?, content_hash = ?, base = NULL, stamp = ?
           WHERE workspace = ? AND path = ? AND hash = ? AND state <> 'leaving'`,
          ...[hash, contentHash, stamp, workspace, path, expected],
        )
    })
  },

  async oweView({ workspace, path }) {
    await connection.write((sql) =>
      sql.run(
        `UPDATE views SET state = 'pending' WHERE workspace = ? AND path = ? AND state = 'published'`,
        ...[workspace, path],
      ),
    )
  },

  async replaceView(old, { path, hash, contentHash }) {
    await connection.write((sql) =>
      sql.run(
        `UPDATE OR REPLACE views SET path = ?, hash = ?, content_hash = ?, state = 'published'
         WHERE workspace = ? AND path = ?`,
        ...[path, hash, contentHash, old.workspace, old.path],
      ),
    )
  },

  async forgetViews(views) {
    await connection.writeSoft((sql) => {
      for (const { workspace, path } of views)
        sql.run('DELETE FROM views WHERE workspace = ? AND path = ?', workspace, path)
    })
  },

  async readFileView(workspace, path) {
    const where = `workspace = ? AND path = ? AND kind IN ('note', 'ledger', 'index', 'handoff')`
    const [row] = await listViewRows(connection, `WHERE ${where}`, workspace, path)
    return row ?? null
  },

  /**
   * Who says `current` comes last: until then nobody does, where two would be one too many. The planner, left alone,
   * would read all views of the workspace, thousands of notes among them.
   */
  listOwedViews: (workspace) =>
    listViewRows(
      connection,
      `INDEXED BY owed_views
       WHERE workspace = ? AND kind <> 'file' AND state <> 'published' ORDER BY current, path`,
      workspace,
    ),

  listFocused: () =>
    connection.all<{ workspace: string; stream: string }>(
      `SELECT workspace, stream FROM standings WHERE standing = 'focused' ORDER BY workspace`,
    ),

  listLedgerTexts: (workspace) =>
    connection.all<LedgerText>(
      `SELECT row_number() OVER (ORDER BY seq) AS number, path, checkpoint, hash, at FROM ledgers
       WHERE workspace = ? ORDER BY seq`,
      workspace,
    ),

  async listActs(workspace) {
    const rows = await connection.all<{ body: string; undone: number }>(
      'SELECT body, undone FROM acts WHERE workspace = ? ORDER BY seq',
      workspace,
    )
    return rows.flatMap(({ body, undone }) => {
      // `as`: written by `recordAct` and by nobody else; a damaged one cannot be undone.
      const act = parseOrUndefined(body) as NewAct | undefined
      return act ? [{ ...act, isUndone: undone === 1 }] : []
    })
  },

  /** One text for all rows: to read thousands of them from their tables would cost more than all the rest of a list. */
  async readGlance(workspace, { names, marks }) {
    const found = await connection.get<{ rows: string }>(
      `SELECT rows FROM glances WHERE workspace = ? AND names = ? AND marks = ? AND NOT EXISTS
         (SELECT 1 FROM views INDEXED BY owed_views WHERE workspace = ? AND state <> 'published' AND kind <> 'file')`,
      ...[workspace, glanceNames(names), marks, workspace],
    )
    // `as`: written by `putGlance` and by nobody else.
    return found && (JSON.parse(found.rows) as OverviewRow[])
  },

  async putGlance(workspace, { names, marks }, rows) {
    await connection.writeSoft((sql) =>
      sql.replace('glances', { workspace, names: glanceNames(names), marks, rows: JSON.stringify(rows) }),
    )
  },

  async readTrust(workspace, path) {
    const row = await connection.get<{ path: string; vouches: number }>(
      'SELECT path, vouches FROM trust WHERE workspace = ?',
      workspace,
    )
    if (row?.path === '') return 'withdrawn'
    if (row?.path !== path) return 'none'
    return row.vouches === 1 ? 'vouched' : 'own'
  },

  /** Trust that is taken leaves its row, with a path that is none: an old backup must not give it back. */
  async setTrust(workspace, path, trust, at) {
    const given = { path: trust === 'withdrawn' ? '' : path, vouches: trust === 'vouched' }
    await connection.write((sql) => sql.replace('trust', { workspace, at, ...given }))
  },

  takeLock: (name, waitMs, mostMs = waitMs) => locks.take(name, waitMs, mostMs),
})

/** What an older program wrote has other rows, and names without this mark: it is taken for no answer. */
const glanceNames = (names: string) => `2\n${names}`

async function listViewRows(connection: Connection, which: string, ...values: Value[]): Promise<ViewRow[]> {
  const rows = await connection.all<Omit<ViewRow, 'current'> & { current: number }>(
    `SELECT workspace, path, kind, stream, checkpoint, hash, content_hash AS contentHash, base, stamp, state, current
     FROM views ${which}`,
    ...values,
  )
  return rows.map(withCurrent)
}
