import type { Checkpoint } from '../../core/checkpoint.ts'
import type {
  DocumentView,
  FileView,
  Glance,
  Intent,
  LedgerText,
  LocalChange,
  LocalState,
  NewView,
  OverviewRow,
  OwedView,
  Release,
  StartingView,
  ViewFilter,
  ViewKey,
  ViewRow,
  WorkspaceRow,
} from '../local-state.ts'
import type { Connection } from './connection.ts'
import {
  documentsIn,
  focusOf,
  markStamped,
  owedViews,
  putGlance,
  readGlance,
  shownHashes,
} from './documents.ts'
import { applyChange } from './local-writes.ts'
import type { Locks } from './lock.ts'
import {
  fileViews,
  forgetViews,
  ledgerTexts,
  listViews,
  markPublished,
  oweView,
  putViews,
  readFileView,
  replaceView,
} from './views.ts'

export class SqliteLocalState implements LocalState {
  private readonly connection: Connection
  private readonly locks: Locks

  constructor(connection: Connection, locks: Locks) {
    this.connection = connection
    this.locks = locks
  }

  async seeWorkspace({ id, repository, path }: WorkspaceRow, at: string): Promise<void> {
    await this.connection.write((sql) =>
      sql.run(
        `INSERT INTO workspaces (id, repository, path, seen_at) VALUES (?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET repository = excluded.repository, path = excluded.path, seen_at = excluded.seen_at`,
        ...([id, repository, path, at] as const),
      ),
    )
  }

  listWorkspaces(): Promise<WorkspaceRow[]> {
    return this.connection.read((sql) => sql.all<WorkspaceRow>('SELECT id, repository, path FROM workspaces'))
  }

  async apply(change: LocalChange): Promise<void> {
    await this.connection.write((sql) => applyChange(sql, change))
  }

  /** A row of `meta`, whose key refuses a second one: so it needs no table of its own. */
  async intend(intent: Intent): Promise<void> {
    await this.connection.write((sql) =>
      sql.run(`INSERT INTO meta (key, value) VALUES ('intent', ?)`, JSON.stringify(intent)),
    )
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

  listViews(filter: ViewFilter): Promise<ViewRow[]> {
    return this.connection.read((sql) => listViews(sql, filter))
  }

  async markPublished(views: Array<NewView & { expected: string }>): Promise<void> {
    await this.connection.writeSoft((sql) => markPublished(sql, views))
  }

  async putView(checkpoint: Pick<Checkpoint, 'id' | 'stream'>, view: StartingView): Promise<void> {
    await this.connection.write((sql) => putViews(sql, checkpoint, [view]))
  }

  async oweView(view: ViewKey): Promise<void> {
    await this.connection.write((sql) => oweView(sql, view))
  }

  async replaceView(old: ViewKey, view: NewView): Promise<void> {
    await this.connection.write((sql) => replaceView(sql, old, view))
  }

  async forgetViews(views: ViewKey[]): Promise<void> {
    await this.connection.writeSoft((sql) => forgetViews(sql, views))
  }

  readFileView(workspace: string, path: string): Promise<FileView | null> {
    return this.connection.read((sql) => readFileView(sql, workspace, path))
  }

  listFileViews(workspace: string): Promise<FileView[]> {
    return this.connection.read((sql) => fileViews(sql, workspace))
  }

  listOwedViews(workspace: string): Promise<OwedView[]> {
    return this.connection.read((sql) => owedViews(sql, workspace))
  }

  async markStamped(
    workspace: string,
    rows: Array<{ path: string; hash: string; stamp: string | null }>,
  ): Promise<void> {
    await this.connection.writeSoft((sql) => markStamped(sql, workspace, rows))
  }

  listDocuments(workspace: string): Promise<Array<DocumentView & { stream: string }>> {
    return this.connection.read((sql) => documentsIn(sql, workspace))
  }

  readFocus(workspace: string): Promise<string | null> {
    return this.connection.read((sql) => focusOf(sql, workspace))
  }

  listLedgerTexts(workspace: string): Promise<LedgerText[]> {
    return this.connection.read((sql) => ledgerTexts(sql, workspace))
  }

  listShownHashes(repository: string): Promise<string[]> {
    return this.connection.read((sql) => shownHashes(sql, repository))
  }

  wasLedger(workspace: string, hash: string): Promise<boolean> {
    return this.connection.read(
      (sql) =>
        sql.get('SELECT 1 FROM ledgers WHERE workspace = ? AND hash = ?', workspace, hash) !== undefined,
    )
  }

  readGlance(workspace: string, glance: Glance): Promise<OverviewRow[] | null> {
    return this.connection.read((sql) => readGlance(sql, workspace, glance))
  }

  async putGlance(workspace: string, glance: Glance, rows: readonly OverviewRow[]): Promise<void> {
    await this.connection.writeSoft((sql) => putGlance(sql, workspace, glance, rows))
  }

  isTrusted(workspace: string, path: string): Promise<boolean> {
    return this.connection.read(
      (sql) =>
        path !== '' &&
        sql.get('SELECT 1 FROM trust WHERE workspace = ? AND path = ?', workspace, path) !== undefined,
    )
  }

  isDistrusted(workspace: string): Promise<boolean> {
    return this.connection.read(
      (sql) => sql.get(`SELECT 1 FROM trust WHERE workspace = ? AND path = ''`, workspace) !== undefined,
    )
  }

  /** Trust that is taken leaves its row, with a path that is none: an old backup must not give it back. */
  async setTrust(workspace: string, path: string | null, at: string): Promise<void> {
    await this.connection.write((sql) =>
      sql.run(
        'INSERT OR REPLACE INTO trust (workspace, path, at) VALUES (?, ?, ?)',
        ...([workspace, path ?? '', at] as const),
      ),
    )
  }

  takeLock(name: string, waitMs: number): Promise<Release | null> {
    return this.locks.take(name, waitMs)
  }
}
