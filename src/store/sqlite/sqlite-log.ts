import { canonicalJson } from '../../core/canonical.ts'
import type { CommandOutcome, Progress } from '../../core/checkpoint.ts'
import { nameKey } from '../../core/id.ts'
import { parseOrUndefined } from '../../core/json.ts'
import { ReasonError } from '../../core/reason.ts'
import type { Session, SessionRow } from '../../core/session.ts'
import type { Log, LogCounts, SessionFilter, Stream, Version } from '../log.ts'
import type { Connection } from './connection.ts'
import { appendToLog, closeGaps, moveRepository } from './log-writes.ts'
import { SESSION_BRANCH, SESSION_OUTCOMES, SESSION_PARENT, SESSION_STREAM } from './migrations.ts'
import {
  checkpointRowOf,
  newestWholeCheckpoint,
  type RawRow,
  readGist,
  readStored,
  SELECT_CHECKPOINT,
  SELECT_ROW,
  SELECT_STREAM,
  streamById,
  unpackText,
  withCurrent,
} from './rows.ts'
import { conditionsOf } from './sql.ts'

export const sqliteLog = (connection: Connection): Log => ({
  findStream: (repository, name, kind = 'run') =>
    connection.get<Stream>(
      `${SELECT_STREAM} WHERE repository = ? AND kind = ? AND name_key = ?`,
      ...[repository, kind, nameKey(name)],
    ),

  listStreams: (repository, kind = 'run') =>
    connection.all<Stream>(
      `${SELECT_STREAM} WHERE kind = ? AND (? IS NULL OR repository = ?) ORDER BY created_at, rowid`,
      ...[kind, repository, repository],
    ),

  readStream: (id) => connection.get<Stream>(`${SELECT_STREAM} WHERE id = ?`, id),

  async listHeads(repository, kind) {
    const rows = await connection.all<HeadRow>(
      `SELECT s.*, c.at, c.progress, c.gist, EXISTS (SELECT 1 FROM foreign_marks WHERE checkpoint = c.id) AS isForeign
       FROM (${SELECT_STREAM}) s JOIN checkpoints c ON c.id = s.headId
       WHERE s.kind = ? AND (? IS NULL OR s.repository = ?)`,
      ...[kind, repository, repository],
    )
    return rows.map(({ at, progress, gist, isForeign, ...stream }) => ({
      ...{ stream, at, progress, foreign: isForeign === 1, gist: readGist(gist) },
    }))
  },

  async count() {
    const counts = await connection.get<LogCounts>(
      `SELECT (SELECT count(*) FROM streams WHERE kind = 'work') AS works,
         (SELECT count(*) FROM streams WHERE kind = 'run') AS runs,
         (SELECT count(*) FROM checkpoints) AS checkpoints, (SELECT count(*) FROM sessions) AS sessions`,
    )
    return counts ?? { works: 0, runs: 0, checkpoints: 0, sessions: 0 }
  },

  readSituation: (id) =>
    connection.read((sql) => {
      const stream = streamById(sql, id)
      const pending = sql.all<{ seq: number; body: string }>(
        'SELECT seq, body FROM events WHERE stream = ? ORDER BY seq',
        id,
      )
      const pinned = sql.all<{ id: string }>(
        'SELECT c.id FROM pins p CROSS JOIN checkpoints c ON c.id = p.checkpoint WHERE c.stream = ? ORDER BY c.seq',
        id,
      )
      return {
        stream,
        base: newestWholeCheckpoint(sql, stream),
        // `as`: written by `recordOutcome` and by nobody else.
        pending: pending.map(({ seq, body }) => ({
          event: seq,
          outcome: JSON.parse(body) as CommandOutcome,
        })),
        pinned: pinned.map((row) => row.id),
      }
    }),

  readCheckpoint: (id) =>
    connection.read((sql) => {
      const raw = sql.get<RawRow>(`${SELECT_CHECKPOINT} WHERE c.id = ?`, id)
      return raw ? readStored(sql, raw) : null
    }),

  readCheckpoints: (ids) =>
    connection.read((sql) =>
      sql
        .all<RawRow>(
          `${SELECT_CHECKPOINT} WHERE c.id IN (SELECT value FROM json_each(?))`,
          JSON.stringify(ids),
        )
        .map((raw) => readStored(sql, raw)),
    ),

  async readHistory(stream, most = -1) {
    const rows = await connection.all<RawRow>(
      `${SELECT_ROW} WHERE c.stream = ? ORDER BY c.seq DESC LIMIT ?`,
      ...[stream, most],
    )
    return rows.map(checkpointRowOf).reverse()
  },

  async readRows(checkpoints) {
    const rows = await connection.all<RawRow>(
      `${SELECT_ROW} WHERE c.id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(checkpoints),
    )
    return rows.map(checkpointRowOf)
  },

  append: (change) => connection.write((sql) => appendToLog(sql, change)),

  recordOutcome: (stream, outcome, at) =>
    connection.write((sql) => {
      sql.insert('events', { stream, at, body: canonicalJson(outcome) })
      return sql.get<{ seq: number }>('SELECT last_insert_rowid() AS seq')?.seq ?? 0
    }),

  async pin(checkpoint, pinned) {
    await connection.write((sql) =>
      pinned
        ? sql.insert('pins', { checkpoint }, 'DO NOTHING')
        : sql.run('DELETE FROM pins WHERE checkpoint = ?', checkpoint),
    )
  },

  closeGaps: (at) => connection.write((sql) => closeGaps(sql, at)),

  async markMaintained(stream, at) {
    await connection.writeSoft((sql) =>
      sql.run('UPDATE streams SET maintained_at = ? WHERE id = ?', at, stream),
    )
  },

  moveRepository: (from, to) => connection.write((sql) => moveRepository(sql, from, to)),

  /** Damage is told, never shown. */
  async readText(hash) {
    const row = await connection.get<{ body: Uint8Array }>('SELECT body FROM texts WHERE hash = ?', hash)
    if (row === null) return null
    const text = unpackText({ hash, ...row })
    if (text !== null) return text.toString('utf8')
    throw new ReasonError('checkpoint_integrity_mismatch', {
      path: 'a version of a document in the store',
      problem: `the content does not match ${hash.slice(0, 12)}`,
    })
  },

  async findVersion(stream, hash) {
    const row = await connection.get<Omit<Version, 'current'> & { current: number }>(
      'SELECT checkpoint, current, problem FROM versions WHERE stream = ? AND hash = ?',
      ...[stream, hash],
    )
    return row && withCurrent(row)
  },

  async listVersions(stream) {
    const rows = await connection.all<Omit<Version, 'current'> & { hash: string; current: number }>(
      'SELECT hash, checkpoint, current, problem FROM versions WHERE stream = ? ORDER BY hash',
      stream,
    )
    return rows.map(withCurrent)
  },

  async readSession({ agent, id }) {
    const raw = await connection.get<RawSession>(`${SELECT_SESSION} WHERE agent = ? AND id = ?`, agent, id)
    return raw && sessionRowOf(raw)
  },

  async listSessions(filter) {
    const { where, values } = sessionConditions(filter)
    const { most = -1, skip = 0 } = filter
    const rows = await connection.all<RawSession>(
      `${SELECT_SESSION} WHERE ${where} ORDER BY activity_at DESC, rowid DESC LIMIT ? OFFSET ?`,
      ...[...values, most, skip],
    )
    return rows.flatMap((raw) => sessionRowOf(raw) ?? [])
  },

  async countSessions(filter) {
    const { where, values } = sessionConditions(filter)
    const counted = `SELECT count(*) AS count FROM sessions WHERE ${where}`
    return (await connection.get<{ count: number }>(counted, ...values))?.count ?? 0
  },

  listSessionNames: (repository) =>
    connection.read((sql) => {
      const list = (value: string, from = '') =>
        sql
          .all<{ name: string }>(
            `SELECT DISTINCT ${value} AS name FROM sessions ${from}
             WHERE ${value} IS NOT NULL AND (? IS NULL OR repository = ?) ORDER BY name`,
            ...[repository, repository],
          )
          .map(({ name }) => name)
      return {
        agents: list('agent'),
        branches: list(SESSION_BRANCH),
        outcomes: list(OUTCOME, `, json_each(${SESSION_OUTCOMES}) AS outcome`),
      }
    }),

  advance(session, expected, reading) {
    const { agent, id, repository, workspace, phase, lastActivityAt, journalRead } = session
    const place = { repository, workspace, phase, activity_at: lastActivityAt, journal_read: journalRead }
    const body = JSON.stringify(session)
    return connection.writeSoft((sql) => {
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
  },

  async readReading({ agent, id }) {
    const found = 'SELECT body FROM readings WHERE agent = ? AND id = ?'
    return (await connection.get<{ body: string }>(found, agent, id))?.body ?? null
  },

  async readJournalPositions() {
    const rows = await connection.all<{ key: string; read: number }>(
      `SELECT agent || '/' || id AS key, journal_read AS read FROM sessions`,
    )
    return new Map(rows.map(({ key, read }) => [key, read]))
  },
})

type HeadRow = Stream & { at: string; progress: Progress; gist: string; isForeign: number }

const OUTCOME = `coalesce(json_extract(outcome.value, '$.path'), json_extract(outcome.value, '$.outcomeName'))`
/** In a question of its own, so that it is answered from the index alone. */
const HAS_OUTCOME = `rowid IN (
  SELECT s.rowid FROM sessions s, json_each(${SESSION_OUTCOMES.replaceAll('body', 's.body')}) AS outcome
  WHERE ? IN (json_extract(outcome.value, '$.path'), json_extract(outcome.value, '$.outcomeName')))`

const sessionConditions = (asked: SessionFilter) =>
  conditionsOf({
    'repository = ?': asked.repository,
    'workspace = ?': asked.workspace,
    'activity_at < ?': asked.heardBefore,
    'phase IN (SELECT value FROM json_each(?))': asked.phases && JSON.stringify(asked.phases),
    [`${SESSION_BRANCH} = ?`]: asked.branch,
    [`${SESSION_STREAM} = ?`]: asked.stream,
    [`${SESSION_PARENT} = ?`]: asked.parent,
    [HAS_OUTCOME]: asked.outcome,
  })

const SELECT_SESSION = 'SELECT version, body FROM sessions'

interface RawSession {
  version: number
  body: string
}

/** A body that is damaged tells nothing; its session begins anew with its next event. */
function sessionRowOf({ version, body }: RawSession): SessionRow | null {
  // `as`: only this program writes here.
  const session = parseOrUndefined(body) as Session | undefined
  return session ? { session, version } : null
}
