import { canonicalJson } from '../../core/canonical.ts'
import type { Checkpoint, CommandOutcome, Progress, Trigger } from '../../core/checkpoint.ts'
import { nameKey } from '../../core/id.ts'
import { ReasonError } from '../../core/reason.ts'
import type { Session, SessionKey, SessionRow } from '../../core/session.ts'
import type {
  CheckpointRow,
  CommitResult,
  Log,
  LogChange,
  LogPlace,
  SessionFilter,
  Situation,
  StoredCheckpoint,
  Stream,
  StreamKind,
  StreamSummary,
  Version,
} from '../log.ts'
import type { Connection } from './connection.ts'
import {
  addNoteToHead,
  appendToLog,
  closeGaps,
  moveRepository,
  readmitCheckpoint,
  removeBodies,
} from './log-writes.ts'
import {
  checkpointRowOf,
  newestWholeCheckpoint,
  parseOrNull,
  type RawRow,
  readGist,
  readStored,
  SELECT_CHECKPOINT,
  SELECT_ROW,
  SELECT_STREAM,
  streamById,
  unpackText,
} from './rows.ts'
import { conditionsOf } from './sql.ts'

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
          ...[repository, kind, nameKey(name)],
        ) ?? null,
    )
  }

  listStreams(repository: string | null, kind: StreamKind = 'run'): Promise<Stream[]> {
    return this.connection.read((sql) =>
      sql.all<Stream>(
        `${SELECT_STREAM} WHERE kind = ? AND (? IS NULL OR repository = ?) ORDER BY created_at, rowid`,
        ...[kind, repository, repository],
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
      sql.all<RawRow>(`${SELECT_ROW} WHERE c.stream = ? ORDER BY c.seq`, stream).map(checkpointRowOf),
    )
  }

  readRows(checkpoints: readonly string[]): Promise<CheckpointRow[]> {
    return this.connection.read((sql) =>
      sql
        .all<RawRow>(
          `${SELECT_ROW} WHERE c.id IN (SELECT value FROM json_each(?))`,
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
      sql.insert('events', { stream, at, body: canonicalJson(outcome) })
      return sql.get<{ seq: number }>('SELECT last_insert_rowid() AS seq')?.seq ?? 0
    })
  }

  async pin(checkpoint: string, pinned: boolean): Promise<void> {
    await this.connection.write((sql) =>
      pinned
        ? sql.insert('pins', { checkpoint }, 'DO NOTHING')
        : sql.run('DELETE FROM pins WHERE checkpoint = ?', checkpoint),
    )
  }

  closeGaps(at: string): Promise<number> {
    return this.connection.write((sql) => closeGaps(sql, at))
  }

  async markMaintained(stream: string, at: string): Promise<void> {
    await this.connection.writeSoft((sql) =>
      sql.run('UPDATE streams SET maintained_at = ? WHERE id = ?', at, stream),
    )
  }

  moveRepository(from: LogPlace, to: LogPlace): Promise<Array<{ was: string; now: string }>> {
    return this.connection.write((sql) => moveRepository(sql, from, to))
  }

  /** Damage is told, never shown. */
  readText(hash: string): Promise<string | null> {
    return this.connection.read((sql) => {
      const row = sql.get<{ body: Uint8Array }>('SELECT body FROM texts WHERE hash = ?', hash)
      if (!row) return null
      const text = unpackText({ hash, ...row })
      if (text !== null) return text.toString('utf8')
      throw new ReasonError('checkpoint_integrity_mismatch', {
        path: 'a version of a document in the store',
        problem: `its bytes are not those of ${hash.slice(0, 12)}`,
      })
    })
  }

  findVersion(stream: string, hash: string): Promise<Version | null> {
    return this.connection.read((sql) => {
      const row = sql.get<Omit<Version, 'current'> & { current: number }>(
        'SELECT checkpoint, current, problem FROM versions WHERE stream = ? AND hash = ?',
        ...[stream, hash],
      )
      return row ? { ...row, current: row.current === 1 } : null
    })
  }

  listVersionHashes(repository: string): Promise<string[]> {
    return this.connection.read((sql) =>
      sql
        .all<{ hash: string }>(
          `SELECT DISTINCT v.hash FROM streams s CROSS JOIN versions v ON v.stream = s.id
           WHERE s.repository = ? AND s.kind = 'work' AND v.problem IS NULL`,
          repository,
        )
        .map(({ hash }) => hash),
    )
  }

  listVersions(stream: string): Promise<Array<Version & { hash: string }>> {
    return this.connection.read((sql) =>
      sql
        .all<Omit<Version, 'current'> & { hash: string; current: number }>(
          'SELECT hash, checkpoint, current, problem FROM versions WHERE stream = ? ORDER BY hash',
          stream,
        )
        .map((row) => ({ ...row, current: row.current === 1 })),
    )
  }

  readSession({ agent, id }: SessionKey): Promise<SessionRow | null> {
    return this.connection.read((sql) => {
      const raw = sql.get<RawSession>(`${SELECT_SESSION} WHERE agent = ? AND id = ?`, agent, id)
      return raw ? sessionRowOf(raw) : null
    })
  }

  listSessions(filter: SessionFilter): Promise<SessionRow[]> {
    const { repository, workspace, phases, heardBefore, most = -1 } = filter
    const { where, values } = conditionsOf({
      'repository = ?': repository,
      'workspace = ?': workspace,
      'activity_at < ?': heardBefore,
      'phase IN (SELECT value FROM json_each(?))': phases && JSON.stringify(phases),
    })
    return this.connection.read((sql) =>
      sql
        .all<RawSession>(
          `${SELECT_SESSION} WHERE ${where} ORDER BY activity_at DESC, rowid DESC LIMIT ?`,
          ...[...values, most],
        )
        .flatMap((raw) => sessionRowOf(raw) ?? []),
    )
  }

  advance(session: Session, expected: number | null, reading?: string | null): Promise<boolean> {
    const { agent, id, repository, workspace, phase, lastActivityAt, journalRead } = session
    const place = { repository, workspace, phase, activity_at: lastActivityAt, journal_read: journalRead }
    const body = JSON.stringify(session)
    return this.connection.writeSoft((sql) => {
      const found = sql.get<{ version: number; isWhole: number }>(
        'SELECT version, json_valid(body) AS isWhole FROM sessions WHERE agent = ? AND id = ?',
        ...[agent, id],
      )
      if (expected === null ? found?.isWhole === 1 : found?.version !== expected) return false
      sql.insert(
        'sessions',
        { agent, id, ...place, version: (found?.version ?? 0) + 1, body },
        `(agent, id) DO UPDATE SET repository = excluded.repository, workspace = excluded.workspace,
           phase = excluded.phase, activity_at = excluded.activity_at, journal_read = excluded.journal_read,
           version = excluded.version, body = excluded.body`,
      )
      if (reading === null) sql.run('DELETE FROM readings WHERE agent = ? AND id = ?', agent, id)
      else if (reading !== undefined) sql.replace('readings', { agent, id, body: reading })
      return true
    })
  }

  readReading({ agent, id }: SessionKey): Promise<string | null> {
    return this.connection.read(
      (sql) =>
        sql.get<{ body: string }>('SELECT body FROM readings WHERE agent = ? AND id = ?', agent, id)?.body ??
        null,
    )
  }

  readJournalPositions(): Promise<Map<string, number>> {
    return this.connection.read((sql) => {
      const rows = sql.all<{ key: string; read: number }>(
        `SELECT agent || '/' || id AS key, journal_read AS read FROM sessions`,
      )
      return new Map(rows.map(({ key, read }) => [key, read]))
    })
  }
}

const SELECT_SESSION = 'SELECT version, body FROM sessions'

interface RawSession {
  version: number
  body: string
}

/** A body that is damaged tells nothing; its session begins anew with its next event. */
function sessionRowOf({ version, body }: RawSession): SessionRow | null {
  // `as`: only this program writes here.
  const session = parseOrNull(body) as Session | null
  return session && { session, version }
}
