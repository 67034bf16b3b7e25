import { parseOrUndefined } from '../../core/json.ts'
import type {
  DocumentView,
  FileView,
  LedgerText,
  LocalState,
  NewAct,
  OverviewRow,
  OwedView,
  RepositoryRow,
  ViewKey,
  ViewRow,
  WorkspaceRow,
} from '../local-state.ts'
import type { Connection } from './connection.ts'
import { applyChange } from './local-writes.ts'
import type { Locks } from './lock.ts'
import { withCurrent } from './rows.ts'
import { conditionsOf, type Sql } from './sql.ts'

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
    return connection.all<ViewRow>(
      `SELECT workspace, path, stream, checkpoint, hash, content_hash AS contentHash, state FROM views
       WHERE ${where}${owed} ORDER BY path`,
      ...values,
    )
  },

  async markPublished(views) {
    await connection.writeSoft((sql) => {
      for (const { hash, contentHash, workspace, path, expected } of views)
        sql.run(
          `UPDATE views SET state = 'published', hash = ?, content_hash = ?
           WHERE workspace = ? AND path = ? AND hash = ? AND state <> 'leaving'`,
          ...[hash, contentHash, workspace, path, expected],
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

  async replaceView(old, view) {
    await connection.write((sql) => {
      sql.run(
        `INSERT OR REPLACE INTO views (workspace, path, stream, checkpoint, hash, content_hash, state)
         SELECT ?, ?, stream, checkpoint, ?, ?, 'published' FROM views WHERE workspace = ? AND path = ?`,
        ...[view.workspace, view.path, view.hash, view.contentHash, old.workspace, old.path],
      )
      forgetView(sql, old)
    })
  },

  async forgetViews(views) {
    await connection.writeSoft((sql) => {
      for (const view of views) forgetView(sql, view)
    })
  },

  readFileView: (workspace, path) =>
    connection.get<FileView>(`${SELECT_FILE_VIEW} AND path = ?`, workspace, path),

  listFileViews: (workspace) => connection.all<FileView>(`${SELECT_FILE_VIEW} ORDER BY path`, workspace),

  /**
   * Who says `current` comes last: until then nobody does, where two would be one too many. The planner, left alone,
   * would read all views of the workspace, thousands of notes among them.
   */
  listOwedViews: (workspace) =>
    connection.all<OwedView>(
      `SELECT kind, path, stream, checkpoint, hash, base, state FROM views INDEXED BY owed_views
       WHERE workspace = ? AND kind <> 'file' AND state <> 'published' ORDER BY current, path`,
      workspace,
    ),

  async markStamped(workspace, rows) {
    await connection.writeSoft((sql) => {
      for (const { path, hash, stamp } of rows)
        sql.run(
          `UPDATE views SET state = 'published', base = NULL, stamp = ?
           WHERE workspace = ? AND path = ? AND hash = ? AND state <> 'leaving'`,
          ...[stamp, workspace, path, hash],
        )
    })
  },

  async listDocuments(workspace) {
    const rows = await connection.all<Omit<DocumentView, 'current'> & { stream: string; current: number }>(
      `SELECT stream, path, checkpoint, hash, base, stamp, state, current FROM views
       WHERE workspace = ? AND kind = 'document' AND state <> 'leaving' ORDER BY path`,
      workspace,
    )
    return rows.map(withCurrent)
  },

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

const SELECT_FILE_VIEW = `SELECT kind, path, stream, checkpoint, hash, base, state FROM views
  WHERE workspace = ? AND kind IN ('note', 'ledger', 'index', 'handoff')`

const forgetView = (sql: Sql, { workspace, path }: ViewKey) =>
  sql.run('DELETE FROM views WHERE workspace = ? AND path = ?', workspace, path)
