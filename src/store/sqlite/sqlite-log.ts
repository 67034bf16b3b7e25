import { canonicalJson } from '../../core/canonical.ts'
import type { Checkpoint, CommandOutcome, Progress, Trigger } from '../../core/checkpoint.ts'
import { nameKey } from '../../core/id.ts'
import type { Session, SessionKey, SessionRow } from '../../core/session.ts'
import type {
  CheckpointRow,
  CommitResult,
  Log,
  LogChange,
  SessionFilter,
  Situation,
  StoredCheckpoint,
  Stream,
  StreamKind,
  StreamSummary,
  Version,
} from '../log.ts'
import type { Connection } from './connection.ts'
import { readVersion, readVersionText, versionHashes } from './documents.ts'
import { addNoteToHead, appendToLog, readmitCheckpoint, removeBodies } from './log-writes.ts'
import { closeGaps } from './merge.ts'
import {
  checkpointRowOf,
  newestWholeCheckpoint,
  type RawRow,
  readGist,
  readStored,
  SELECT_CHECKPOINT,
  SELECT_STREAM,
  streamById,
} from './rows.ts'
import { advanceSession, journalPositions, readReading, readSessionRow, sessionRows } from './sessions.ts'

export class SqliteLog implements Log {
  private readonly connection: Connection

  constructor(connection: Connection) {
    this.connection = connection
  }

  findStream(repository: string, name: string, kind: StreamKind = 'run'): Promise<Stream | null> {
    return this.connection.read(
      (sql) =>
        sql.get<Stream>(
          `${SELECT_STREAM} WHERE repository = ? AND kind = ? AND name_key = ?`,
          ...([repository, kind, nameKey(name)] as const),
        ) ?? null,
    )
  }

  listStreams(repository: string | null, kind: StreamKind = 'run'): Promise<Stream[]> {
    return this.connection.read((sql) =>
      sql.all<Stream>(
        `${SELECT_STREAM} WHERE kind = ? AND (? IS NULL OR repository = ?) ORDER BY created_at, rowid`,
        ...([kind, repository, repository] as const),
      ),
    )
  }

  listRuns(repository: string): Promise<StreamSummary[]> {
    return this.connection.read((sql) =>
      sql
        .all<Stream & { at: string; progress: Progress; gist: string }>(
          `SELECT s.*, c.at, c.progress, c.gist FROM (${SELECT_STREAM}) s JOIN checkpoints c ON c.id = s.headId
           WHERE s.repository = ? AND s.kind = 'run'`,
          repository,
        )
        .map(({ at, progress, gist, ...stream }) => ({ stream, at, progress, gist: readGist(gist) })),
    )
  }

  readSituation(id: string): Promise<Situation> {
    return this.connection.read((sql) => {
      const stream = streamById(sql, id)
      return {
        stream,
        base: newestWholeCheckpoint(sql, stream),
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

  readCheckpoint(id: string): Promise<StoredCheckpoint | null> {
    return this.connection.read((sql) => {
      const raw = sql.get<RawRow>(`${SELECT_CHECKPOINT} WHERE c.id = ?`, id)
      return raw ? readStored(sql, raw) : null
    })
  }

  readHistory(stream: string): Promise<CheckpointRow[]> {
    return this.connection.read((sql) =>
      sql.all<RawRow>(`${SELECT_CHECKPOINT} WHERE c.stream = ? ORDER BY c.seq`, stream).map(checkpointRowOf),
    )
  }

  readRows(checkpoints: readonly string[]): Promise<CheckpointRow[]> {
    return this.connection.read((sql) =>
      sql
        .all<RawRow>(
          `${SELECT_CHECKPOINT} WHERE c.id IN (SELECT value FROM json_each(?))`,
          JSON.stringify(checkpoints),
        )
        .map(checkpointRowOf),
    )
  }

  append(change: LogChange): Promise<CommitResult> {
    return this.connection.write((sql) => appendToLog(sql, change))
  }

  addNote(stream: string, expected: { head: string; notes: number }, trigger: Trigger): Promise<boolean> {
    return this.connection.write((sql) => addNoteToHead(sql, stream, expected, trigger))
  }

  readmit(checkpoint: Checkpoint, sequence: number): Promise<boolean> {
    return this.connection.write((sql) => readmitCheckpoint(sql, checkpoint, sequence))
  }

  remove(stream: string, checkpoints: string[], at: string): Promise<string[]> {
    return this.connection.write((sql) => removeBodies(sql, stream, checkpoints, at))
  }

  recordOutcome(stream: string, outcome: CommandOutcome, at: string): Promise<number> {
    return this.connection.write((sql) => {
      sql.run('INSERT INTO events (stream, at, body) VALUES (?, ?, ?)', stream, at, canonicalJson(outcome))
      return sql.get<{ seq: number }>('SELECT last_insert_rowid() AS seq')?.seq ?? 0
    })
  }

  async pin(checkpoint: string, pinned: boolean): Promise<void> {
    const text = pinned
      ? 'INSERT OR IGNORE INTO pins (checkpoint) VALUES (?)'
      : 'DELETE FROM pins WHERE checkpoint = ?'
    await this.connection.write((sql) => sql.run(text, checkpoint))
  }

  closeGaps(at: string): Promise<number> {
    return this.connection.write((sql) => closeGaps(sql, at))
  }

  async markMaintained(stream: string, at: string): Promise<void> {
    await this.connection.writeSoft((sql) =>
      sql.run('UPDATE streams SET maintained_at = ? WHERE id = ?', at, stream),
    )
  }

  readText(hash: string): Promise<string | null> {
    return this.connection.read((sql) => readVersionText(sql, hash))
  }

  findVersion(stream: string, hash: string): Promise<Version | null> {
    return this.connection.read((sql) => readVersion(sql, stream, hash))
  }

  listVersionHashes(repository: string): Promise<string[]> {
    return this.connection.read((sql) => versionHashes(sql, repository))
  }

  listUnreadVersions(stream: string): Promise<Array<Version & { hash: string }>> {
    return this.connection.read((sql) =>
      sql
        .all<{ hash: string; checkpoint: string; problem: string }>(
          'SELECT hash, checkpoint, problem FROM versions WHERE stream = ? AND problem IS NOT NULL ORDER BY hash',
          stream,
        )
        .map((row) => ({ ...row, current: false })),
    )
  }

  readSession(key: SessionKey): Promise<SessionRow | null> {
    return this.connection.read((sql) => readSessionRow(sql, key))
  }

  listSessions(filter: SessionFilter): Promise<SessionRow[]> {
    return this.connection.read((sql) => sessionRows(sql, filter))
  }

  advance(session: Session, expected: number | null, reading?: string | null): Promise<boolean> {
    return this.connection.writeSoft((sql) => advanceSession(sql, session, expected, reading))
  }

  readReading(key: SessionKey): Promise<string | null> {
    return this.connection.read((sql) => readReading(sql, key))
  }

  readJournalPositions(): Promise<Map<string, number>> {
    return this.connection.read(journalPositions)
  }
}
