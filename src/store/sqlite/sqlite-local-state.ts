import type {
  ActRow,
  DocumentView,
  FileView,
  Glance,
  Intent,
  LedgerText,
  LocalChange,
  LocalState,
  NewAct,
  NewView,
  OverviewRow,
  OwedView,
  Release,
  RepositoryRow,
  Trust,
  ViewFilter,
  ViewKey,
  ViewRow,
  WorkspaceRow,
} from '../local-state.ts'
import type { Connection } from './connection.ts'
import { applyChange } from './local-writes.ts'
import type { Locks } from './lock.ts'
import { parseOrNull } from './rows.ts'
import { conditionsOf, type Sql } from './sql.ts'

export class SqliteLocalState implements LocalState {
  private readonly connection: Connection
  private readonly locks: Locks

  constructor(connection: Connection, locks: Locks) {
    this.connection = connection
    this.locks = locks
  }

  async seeWorkspace({ id, repository, path }: WorkspaceRow, at: string): Promise<void> {
    await this.connection.write((sql) =>
      sql.insert(
        'workspaces',
        { id, repository, path, seen_at: at },
        '(id) DO UPDATE SET repository = excluded.repository, path = excluded.path, seen_at = excluded.seen_at',
      ),
    )
  }

  listWorkspaces(): Promise<WorkspaceRow[]> {
    return this.connection.read((sql) => sql.all<WorkspaceRow>('SELECT id, repository, path FROM workspaces'))
  }

  async seeRepository({ id, name, remote, roots, declined }: RepositoryRow): Promise<void> {
    const lists = { roots: JSON.stringify(roots), declined: JSON.stringify(declined) }
    await this.connection.write((sql) => sql.replace('repositories', { id, name, remote, ...lists }))
  }

  listRepositories(): Promise<RepositoryRow[]> {
    return this.connection.read((sql) =>
      sql
        .all<Omit<RepositoryRow, 'roots' | 'declined'> & { roots: string; declined: string }>(
          'SELECT id, name, remote, roots, declined FROM repositories ORDER BY id',
        )
        // `as`: written by `seeRepository` and by nobody else.
        .map(({ roots, declined, ...row }) => ({
          ...row,
          roots: (parseOrNull(roots) ?? []) as string[],
          declined: (parseOrNull(declined) ?? []) as string[],
        })),
    )
  }

  async apply(change: LocalChange): Promise<void> {
    await this.connection.write((sql) => applyChange(sql, change))
  }

  /** A row of `meta`, whose key refuses a second one: so it needs no table of its own. */
  async intend(intent: Intent): Promise<void> {
    const value = JSON.stringify(intent)
    await this.connection.write((sql) => sql.insert('meta', { key: 'intent', value }))
  }

  readIntent(): Promise<Intent | null> {
    return this.connection.read((sql) => {
      const row = sql.get<{ value: string }>(`SELECT value FROM meta WHERE key = 'intent'`)
      // `as`: written by `intend` and by nobody else.
      return row ? (JSON.parse(row.value) as Intent) : null
    })
  }

  async settleIntent(change: LocalChange | null): Promise<void> {
    await this.connection.write((sql) => {
      if (change !== null) applyChange(sql, change)
      sql.run(`DELETE FROM meta WHERE key = 'intent'`)
    })
  }

  listViews({ stream, workspace, unsettled = false }: ViewFilter): Promise<ViewRow[]> {
    const { where, values } = conditionsOf({
      'stream = ?': stream,
      'workspace = ?': workspace,
    })
    // The index of what is owed serves a literal only: as a parameter it would read every view there is.
    const owed = unsettled ? ` AND state IN ('pending', 'leaving')` : ''
    return this.connection.read((sql) =>
      sql.all<ViewRow>(
        `SELECT workspace, path, stream, checkpoint, hash, content_hash AS contentHash, state FROM views
         WHERE ${where}${owed} ORDER BY path`,
        ...values,
      ),
    )
  }

  async markPublished(views: Array<NewView & { expected: string }>): Promise<void> {
    await this.connection.writeSoft((sql) => {
      for (const { hash, contentHash, workspace, path, expected } of views)
        sql.run(
          `UPDATE views SET state = 'published', hash = ?, content_hash = ?
           WHERE workspace = ? AND path = ? AND hash = ? AND state <> 'leaving'`,
          ...[hash, contentHash, workspace, path, expected],
        )
    })
  }

  async oweView({ workspace, path }: ViewKey): Promise<void> {
    await this.connection.write((sql) =>
      sql.run(
        `UPDATE views SET state = 'pending' WHERE workspace = ? AND path = ? AND state = 'published'`,
        ...[workspace, path],
      ),
    )
  }

  async replaceView(old: ViewKey, view: NewView): Promise<void> {
    await this.connection.write((sql) => {
      sql.run(
        `INSERT OR REPLACE INTO views (workspace, path, stream, checkpoint, hash, content_hash, state)
         SELECT ?, ?, stream, checkpoint, ?, ?, 'published' FROM views WHERE workspace = ? AND path = ?`,
        ...[view.workspace, view.path, view.hash, view.contentHash, old.workspace, old.path],
      )
      forgetView(sql, old)
    })
  }

  async forgetViews(views: ViewKey[]): Promise<void> {
    await this.connection.writeSoft((sql) => {
      for (const view of views) forgetView(sql, view)
    })
  }

  readFileView(workspace: string, path: string): Promise<FileView | null> {
    return this.connection.read(
      (sql) => sql.get<FileView>(`${SELECT_FILE_VIEW} AND path = ?`, workspace, path) ?? null,
    )
  }

  listFileViews(workspace: string): Promise<FileView[]> {
    return this.connection.read((sql) => sql.all<FileView>(`${SELECT_FILE_VIEW} ORDER BY path`, workspace))
  }

  /**
   * Who says `current` comes last: until then nobody does, where two would be one too many. The planner, left alone,
   * would read all views of the workspace, thousands of notes among them.
   */
  listOwedViews(workspace: string): Promise<OwedView[]> {
    return this.connection.read((sql) =>
      sql.all<OwedView>(
        `SELECT kind, path, stream, checkpoint, hash, base, state FROM views INDEXED BY owed_views
         WHERE workspace = ? AND kind <> 'file' AND state <> 'published' ORDER BY current, path`,
        workspace,
      ),
    )
  }

  async markStamped(
    workspace: string,
    rows: Array<{ path: string; hash: string; stamp: string | null }>,
  ): Promise<void> {
    await this.connection.writeSoft((sql) => {
      for (const { path, hash, stamp } of rows)
        sql.run(
          `UPDATE views SET state = 'published', base = NULL, stamp = ?
           WHERE workspace = ? AND path = ? AND hash = ? AND state <> 'leaving'`,
          ...[stamp, workspace, path, hash],
        )
    })
  }

  listDocuments(workspace: string): Promise<Array<DocumentView & { stream: string }>> {
    return this.connection.read((sql) =>
      sql
        .all<Omit<DocumentView, 'current'> & { stream: string; current: number }>(
          `SELECT stream, path, checkpoint, hash, base, stamp, state, current FROM views
           WHERE workspace = ? AND kind = 'document' AND state <> 'leaving' ORDER BY path`,
          workspace,
        )
        .map((row) => ({ ...row, current: row.current === 1 })),
    )
  }

  readFocus(workspace: string): Promise<string | null> {
    return this.connection.read((sql) => {
      const focus = `SELECT stream FROM standings WHERE workspace = ? AND standing = 'focused'`
      return sql.get<{ stream: string }>(focus, workspace)?.stream ?? null
    })
  }

  listLedgerTexts(workspace: string): Promise<LedgerText[]> {
    return this.connection.read((sql) =>
      sql.all<LedgerText>(
        `SELECT row_number() OVER (ORDER BY seq) AS number, path, checkpoint, hash, at FROM ledgers
         WHERE workspace = ? ORDER BY seq`,
        workspace,
      ),
    )
  }

  listShownHashes(repository: string): Promise<string[]> {
    return this.connection.read((sql) =>
      sql
        .all<{ hash: string }>(
          `SELECT v.hash FROM workspaces w CROSS JOIN views v ON v.workspace = w.id
             WHERE w.repository = ? AND v.kind <> 'file'
           UNION SELECT l.hash FROM workspaces w CROSS JOIN ledgers l ON l.workspace = w.id WHERE w.repository = ?`,
          ...[repository, repository],
        )
        .map(({ hash }) => hash),
    )
  }

  wasLedger(workspace: string, hash: string): Promise<boolean> {
    return this.connection.read((sql) =>
      sql.has('SELECT 1 FROM ledgers WHERE workspace = ? AND hash = ?', workspace, hash),
    )
  }

  listActs(workspace: string): Promise<ActRow[]> {
    return this.connection.read((sql) =>
      sql
        .all<{ body: string; undone: number }>(
          'SELECT body, undone FROM acts WHERE workspace = ? ORDER BY seq',
          workspace,
        )
        .flatMap(({ body, undone }) => {
          // `as`: written by `recordAct` and by nobody else; a damaged one cannot be undone.
          const act = parseOrNull(body) as NewAct | null
          return act === null ? [] : [{ ...act, isUndone: undone === 1 }]
        }),
    )
  }

  /** One text for all rows: to read thousands of them from their tables would cost more than all the rest of a list. */
  readGlance(workspace: string, { names, marks }: Glance): Promise<OverviewRow[] | null> {
    return this.connection.read((sql) => {
      const found = sql.get<{ rows: string }>(
        `SELECT rows FROM glances WHERE workspace = ? AND names = ? AND marks = ? AND NOT EXISTS
           (SELECT 1 FROM views INDEXED BY owed_views WHERE workspace = ? AND state <> 'published' AND kind <> 'file')`,
        ...[workspace, glanceNames(names), marks, workspace],
      )
      // `as`: written by `putGlance` and by nobody else.
      return found ? (JSON.parse(found.rows) as OverviewRow[]) : null
    })
  }

  async putGlance(workspace: string, glance: Glance, rows: readonly OverviewRow[]): Promise<void> {
    const { names, marks } = glance
    await this.connection.writeSoft((sql) =>
      sql.replace('glances', { workspace, names: glanceNames(names), marks, rows: JSON.stringify(rows) }),
    )
  }

  async readTrust(workspace: string, path: string): Promise<Trust> {
    const row = await this.connection.read((sql) =>
      sql.get<{ path: string; vouches: number }>(
        'SELECT path, vouches FROM trust WHERE workspace = ?',
        workspace,
      ),
    )
    if (row?.path === '') return 'withdrawn'
    if (row?.path !== path) return 'none'
    return row.vouches === 1 ? 'vouched' : 'own'
  }

  /** Trust that is taken leaves its row, with a path that is none: an old backup must not give it back. */
  async setTrust(workspace: string, path: string, trust: Exclude<Trust, 'none'>, at: string): Promise<void> {
    await this.connection.write((sql) =>
      sql.run(
        'INSERT OR REPLACE INTO trust (workspace, path, at, vouches) VALUES (?, ?, ?, ?)',
        ...([workspace, trust === 'withdrawn' ? '' : path, at, trust === 'vouched' ? 1 : 0] as const),
      ),
    )
  }

  takeLock(name: string, waitMs: number, mostMs = waitMs): Promise<Release | null> {
    return this.locks.take(name, waitMs, mostMs)
  }
}

/** What an older program wrote has other rows, and names without this mark: it is taken for no answer. */
const glanceNames = (names: string) => `2\n${names}`

const SELECT_FILE_VIEW = `SELECT kind, path, stream, checkpoint, hash, base, state FROM views
  WHERE workspace = ? AND kind IN ('note', 'ledger', 'index', 'handoff')`

const forgetView = (sql: Sql, { workspace, path }: ViewKey) =>
  sql.run('DELETE FROM views WHERE workspace = ? AND path = ?', workspace, path)
