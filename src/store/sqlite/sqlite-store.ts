import { canonical, sha256 } from '../../core/canonical.ts'
import {
  type Checkpoint,
  type CommandOutcome,
  gistOf,
  type Progress,
  type Trigger,
} from '../../core/checkpoint.ts'
import { nameKey } from '../../core/id.ts'
import type { Ports } from '../../core/ports.ts'
import type { Session, SessionKey, SessionRow } from '../../core/session.ts'
import type {
  Appended,
  CheckpointRow,
  Committed,
  DocumentCommit,
  FileView,
  Found,
  Glance,
  HeadMoved,
  LedgerRow,
  Listed,
  NewStream,
  NewView,
  OverviewRow,
  OwedView,
  Release,
  SearchFilter,
  SearchRecord,
  SessionFilter,
  Situation,
  StartingView,
  Store,
  Stored,
  StoreProblem,
  Stream,
  StreamKind,
  Unsearched,
  Version,
  ViewFilter,
  ViewKey,
  ViewRow,
  Wanted,
  WorkRow,
  WorkspaceRow,
} from '../store.ts'
import { copyDatabase } from './backup.ts'
import { checkDatabase } from './check.ts'
import { Connection } from './connection.ts'
import {
  commitDocuments,
  markStamped,
  owedViews,
  putGlance,
  readGlance,
  readText,
  readVersion,
  textsOf,
  workRows,
} from './documents.ts'
import { Locks } from './lock.ts'
import { addRow, closeGaps, merge, readFrom } from './merge.ts'
import { MIGRATIONS } from './migrations.ts'
import {
  addCheckpoint,
  addStream,
  appended,
  newestWhole,
  notesOf,
  type RawRow,
  ROW,
  readGist,
  rowOf,
  STREAM,
  stored,
  streamById,
} from './rows.ts'
import { findRecords } from './search.ts'
import { clearSearch, unlessDamaged } from './search-damage.ts'
import { putRecords, readUnsearched } from './search-fill.ts'
import { advanceSession, journalsRead, readReading, readSession, sessionRows } from './sessions.ts'
import {
  fileViews,
  forgetViews,
  ledgerRows,
  listViews,
  markPublished,
  oweView,
  putViews,
  readFileView,
  replaceView,
} from './views.ts'

export interface SqliteOptions {
  path: string
  ports: Ports
  waitMs?: number
  migrations?: readonly string[]
  /** Whether a database of an older shape is brought to the newest, or refused. */
  mayMigrate?: boolean
  /** Where the kernel's locks are; null for a store that no other process sees. */
  locksFolder: string | null
  beforeMigration?: (copyTo: (file: string) => void) => void
}

/** The store in one SQLite file, or in memory with the path `:memory:`. */
export function openSqliteStore(options: SqliteOptions): SqliteStore {
  const { path, ports, waitMs = 5_000, migrations = MIGRATIONS, locksFolder, beforeMigration } = options
  const { mayMigrate = true } = options
  let isPrepared = false
  const connection = new Connection({
    path,
    ports,
    waitMs,
    migrations,
    mayMigrate,
    beforeMigration(db) {
      // Once: a migration that has to wait for another writer begins again and again.
      if (!isPrepared) beforeMigration?.((file) => copyDatabase(db, file))
      isPrepared = true
    },
  })
  return new SqliteStore(connection, new Locks(locksFolder, ports))
}

export class SqliteStore implements Store {
  private readonly connection: Connection
  private readonly locks: Locks

  constructor(connection: Connection, locks: Locks) {
    this.connection = connection
    this.locks = locks
  }

  get path(): string {
    return this.connection.path
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

  workspaces(): Promise<WorkspaceRow[]> {
    return this.connection.read((sql) => sql.all<WorkspaceRow>('SELECT id, repository, path FROM workspaces'))
  }

  begin(stream: NewStream, first: Checkpoint, views: StartingView[]): Promise<boolean> {
    return this.connection.write((sql) => {
      if (!addStream(sql, stream, first)) return false
      addCheckpoint(sql, first, 1)
      putViews(sql, first, views)
      return true
    })
  }

  stream(repository: string, name: string, kind: StreamKind = 'run'): Promise<Stream | null> {
    return this.connection.read(
      (sql) =>
        sql.get<Stream>(
          `${STREAM} WHERE repository = ? AND kind = ? AND name_key = ?`,
          ...([repository, kind, nameKey(name)] as const),
        ) ?? null,
    )
  }

  streams(repository: string | null, kind: StreamKind = 'run'): Promise<Stream[]> {
    return this.connection.read((sql) =>
      sql.all<Stream>(
        `${STREAM} WHERE kind = ? AND (? IS NULL OR repository = ?) ORDER BY created_at, rowid`,
        ...([kind, repository, repository] as const),
      ),
    )
  }

  list(repository: string): Promise<Listed[]> {
    return this.connection.read((sql) =>
      sql
        .all<Stream & { at: string; progress: Progress; gist: string }>(
          `SELECT s.*, c.at, c.progress, c.gist FROM (${STREAM}) s JOIN checkpoints c ON c.id = s.headId
           WHERE s.repository = ? AND s.kind = 'run'`,
          repository,
        )
        .map(({ at, progress, gist, ...stream }) => ({ stream, at, progress, gist: readGist(gist) })),
    )
  }

  situation(id: string): Promise<Situation> {
    return this.connection.read((sql) => {
      const stream = streamById(sql, id)
      return {
        stream,
        base: newestWhole(sql, stream),
        pending: sql
          .all<{ seq: number; body: string }>(
            'SELECT seq, body FROM events WHERE stream = ? ORDER BY seq',
            id,
          )
          // `as`: written by `record` and by nobody else.
          .map(({ seq, body }) => ({ event: seq, outcome: JSON.parse(body) as CommandOutcome })),
        pinned: sql
          .all<{ id: string }>(
            'SELECT c.id FROM pins p CROSS JOIN checkpoints c ON c.id = p.checkpoint WHERE c.stream = ? ORDER BY c.seq',
            id,
          )
          .map((row) => row.id),
      }
    })
  }

  append(
    checkpoint: Checkpoint,
    expectedHead: string,
    { takes, views }: { takes: number[]; views: StartingView[] },
  ): Promise<Appended | HeadMoved> {
    return this.connection.write((sql) => {
      const before = streamById(sql, checkpoint.stream)
      if (before.headId !== expectedHead) return { done: false }
      addCheckpoint(sql, checkpoint, before.headSequence + 1)
      for (const seq of takes) sql.run('DELETE FROM events WHERE seq = ?', seq)
      putViews(sql, checkpoint, views)
      return appended(sql, checkpoint.stream)
    })
  }

  coalesce(
    stream: string,
    expected: { head: string; notes: number },
    trigger: Trigger,
    view: StartingView,
  ): Promise<Appended | HeadMoved> {
    return this.connection.write((sql) => {
      const { headId } = streamById(sql, stream)
      if (headId !== expected.head || notesOf(sql, headId).length !== expected.notes) return { done: false }
      sql.run(
        'INSERT INTO notes (checkpoint, n, body) VALUES (?, ?, ?)',
        headId,
        expected.notes,
        canonical(trigger),
      )
      putViews(sql, { id: headId, stream }, [view])
      return appended(sql, stream)
    })
  }

  record(stream: string, outcome: CommandOutcome, at: string): Promise<number> {
    return this.connection.write((sql) => {
      sql.run('INSERT INTO events (stream, at, body) VALUES (?, ?, ?)', stream, at, canonical(outcome))
      return sql.get<{ seq: number }>('SELECT last_insert_rowid() AS seq')?.seq ?? 0
    })
  }

  readmit(checkpoint: Checkpoint, sequence: number, views: StartingView[]): Promise<boolean> {
    const { id, stream, at, progress } = checkpoint
    const body = canonical(checkpoint)
    const gist = canonical(gistOf(checkpoint))
    const row = { id, stream, seq: sequence, at, progress, hash: sha256(body), body, removed_at: null, gist }
    return this.connection.write((sql) => {
      if (addRow(sql, row, 'leave out') === 0) return false
      putViews(sql, checkpoint, views)
      return true
    })
  }

  closeGaps(at: string): Promise<number> {
    return this.connection.write((sql) => closeGaps(sql, at))
  }

  checkpoint(id: string): Promise<Stored | null> {
    return this.connection.read((sql) => {
      const raw = sql.get<RawRow>(`${ROW} WHERE c.id = ?`, id)
      return raw ? stored(sql, raw) : null
    })
  }

  history(stream: string): Promise<CheckpointRow[]> {
    return this.connection.read((sql) =>
      sql.all<RawRow>(`${ROW} WHERE c.stream = ? ORDER BY c.seq`, stream).map(rowOf),
    )
  }

  async pin(checkpoint: string, pinned: boolean): Promise<void> {
    const text = pinned
      ? 'INSERT OR IGNORE INTO pins (checkpoint) VALUES (?)'
      : 'DELETE FROM pins WHERE checkpoint = ?'
    await this.connection.write((sql) => sql.run(text, checkpoint))
  }

  remove(stream: string, checkpoints: string[], at: string): Promise<number> {
    return this.connection.write((sql) => {
      let removed = 0
      for (const id of checkpoints) {
        const gone = sql.run(
          `UPDATE checkpoints SET body = NULL, removed_at = ? WHERE id = ? AND stream = ? AND body IS NOT NULL
           AND id <> (SELECT head_id FROM streams WHERE id = ?) AND id NOT IN (SELECT checkpoint FROM pins)`,
          ...([at, id, stream, stream] as const),
        )
        if (gone === 0) continue
        removed += 1
        sql.run(`UPDATE views SET state = 'leaving' WHERE stream = ? AND checkpoint = ?`, stream, id)
        sql.run('DELETE FROM notes WHERE checkpoint = ?', id)
      }
      sql.run('UPDATE streams SET live = live - ? WHERE id = ?', removed, stream)
      return removed
    })
  }

  async maintained(stream: string, at: string): Promise<void> {
    await this.connection.writeSoft((sql) =>
      sql.run('UPDATE streams SET maintained_at = ? WHERE id = ?', at, stream),
    )
  }

  views(filter: ViewFilter): Promise<ViewRow[]> {
    return this.connection.read((sql) => listViews(sql, filter))
  }

  async published(views: Array<NewView & { expected: string }>): Promise<void> {
    await this.connection.writeSoft((sql) => markPublished(sql, views))
  }

  async putView(checkpoint: Pick<Checkpoint, 'id' | 'stream'>, view: StartingView): Promise<void> {
    await this.connection.write((sql) => putViews(sql, checkpoint, [view]))
  }

  async owe(view: ViewKey): Promise<void> {
    await this.connection.write((sql) => oweView(sql, view))
  }

  async replaceView(old: ViewKey, view: NewView): Promise<void> {
    await this.connection.write((sql) => replaceView(sql, old, view))
  }

  async forgetViews(views: ViewKey[]): Promise<void> {
    await this.connection.writeSoft((sql) => forgetViews(sql, views))
  }

  work(repository: string, workspace: string): Promise<WorkRow[]> {
    return this.connection.read((sql) => workRows(sql, repository, workspace))
  }

  glance(workspace: string, glance: Glance): Promise<OverviewRow[] | null> {
    return this.connection.read((sql) => readGlance(sql, workspace, glance))
  }

  async settled(workspace: string, glance: Glance, rows: readonly OverviewRow[]): Promise<void> {
    await this.connection.writeSoft((sql) => putGlance(sql, workspace, glance, rows))
  }

  commit(change: DocumentCommit): Promise<Committed> {
    return this.connection.write((sql) => commitDocuments(sql, change))
  }

  fileView(workspace: string, path: string): Promise<FileView | null> {
    return this.connection.read((sql) => readFileView(sql, workspace, path))
  }

  fileViews(workspace: string): Promise<FileView[]> {
    return this.connection.read((sql) => fileViews(sql, workspace))
  }

  wasLedger(workspace: string, hash: string): Promise<boolean> {
    return this.connection.read(
      (sql) =>
        sql.get('SELECT 1 FROM ledgers WHERE workspace = ? AND hash = ?', workspace, hash) !== undefined,
    )
  }

  ledgers(workspace: string): Promise<LedgerRow[]> {
    return this.connection.read((sql) => ledgerRows(sql, workspace))
  }

  owed(workspace: string): Promise<OwedView[]> {
    return this.connection.read((sql) => owedViews(sql, workspace))
  }

  async stamped(
    workspace: string,
    rows: Array<{ path: string; hash: string; stamp: string | null }>,
  ): Promise<void> {
    await this.connection.writeSoft((sql) => markStamped(sql, workspace, rows))
  }

  text(hash: string): Promise<string | null> {
    return this.connection.read((sql) => readText(sql, hash))
  }

  texts(repository: string): Promise<Set<string>> {
    return this.connection.read((sql) => textsOf(sql, repository))
  }

  version(stream: string, hash: string): Promise<Version | null> {
    return this.connection.read((sql) => readVersion(sql, stream, hash))
  }

  unread(stream: string): Promise<Array<Version & { hash: string }>> {
    return this.connection.read((sql) =>
      sql
        .all<{ hash: string; checkpoint: string; problem: string }>(
          'SELECT hash, checkpoint, problem FROM versions WHERE stream = ? AND problem IS NOT NULL ORDER BY hash',
          stream,
        )
        .map((row) => ({ ...row, current: false })),
    )
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

  session(key: SessionKey): Promise<SessionRow | null> {
    return this.connection.read((sql) => readSession(sql, key))
  }

  sessions(filter: SessionFilter): Promise<SessionRow[]> {
    return this.connection.read((sql) => sessionRows(sql, filter))
  }

  advance(session: Session, expected: number | null, reading?: string | null): Promise<boolean> {
    return this.connection.writeSoft((sql) => advanceSession(sql, session, expected, reading))
  }

  journalsRead(): Promise<Map<string, number>> {
    return this.connection.read(journalsRead)
  }

  reading(key: SessionKey): Promise<string | null> {
    return this.connection.read((sql) => readReading(sql, key))
  }

  unsearched(most: number): Promise<Unsearched> {
    return this.connection.read((sql) => readUnsearched(sql, most))
  }

  indexed(part: Unsearched, records: readonly SearchRecord[]): Promise<boolean | null> {
    return unlessDamaged(() => this.connection.writeSoft((sql) => putRecords(sql, part, records)))
  }

  search(wanted: Wanted, filter: SearchFilter): Promise<Found | null> {
    return unlessDamaged(() => this.connection.read((sql) => findRecords(sql, wanted, filter)))
  }

  async forgetSearch(): Promise<void> {
    await this.connection.writeSoft(clearSearch)
  }

  lock(name: string, waitMs: number): Promise<Release | null> {
    return this.locks.take(name, waitMs)
  }

  check(): Promise<StoreProblem[]> {
    return this.connection.bare(checkDatabase)
  }

  backup(file: string): Promise<void> {
    return this.connection.bare((sql) => copyDatabase(sql.db, file))
  }

  /** Adds what another database file has and this one has not; answers how many checkpoints came over. */
  mergeFrom(file: string): Promise<number> {
    return this.connection.write((into) => readFrom(file, (from) => merge(from, into)) ?? 0)
  }

  async close(): Promise<void> {
    this.connection.close()
    this.locks.close()
  }
}
