import type { Session, SessionKey, SessionRow } from '../../core/session.ts'
import type { SessionFilter } from '../log.ts'
import type { Sql } from './sql.ts'

interface Raw {
  version: number
  body: string
}

export function readSessionRow(sql: Sql, { agent, id }: SessionKey): SessionRow | null {
  const raw = sql.get<Raw>('SELECT version, body FROM sessions WHERE agent = ? AND id = ?', agent, id)
  return raw ? rowOf(raw) : null
}

export function sessionRows(sql: Sql, filter: SessionFilter): SessionRow[] {
  const { repository, workspace, phases, heardBefore, most } = filter
  const conditions = [
    ...(repository === undefined ? [] : ['repository = ?']),
    ...(workspace === undefined ? [] : ['workspace = ?']),
    ...(heardBefore === undefined ? [] : ['activity_at < ?']),
    ...(phases === undefined ? [] : [`phase IN (${phases.map(() => '?').join(', ')})`]),
  ]
  const values = [repository, workspace, heardBefore].filter((value) => value !== undefined)
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
  return sql
    .all<Raw>(
      `SELECT version, body FROM sessions ${where} ORDER BY activity_at DESC, rowid DESC LIMIT ?`,
      ...values,
      ...(phases ?? []),
      most ?? -1,
    )
    .flatMap((raw) => rowOf(raw) ?? [])
}

export function advanceSession(
  sql: Sql,
  session: Session,
  expected: number | null,
  reading?: string | null,
): boolean {
  const { agent, id, repository, workspace, phase, lastActivityAt, journalRead } = session
  const body = JSON.stringify(session)
  const changed =
    expected === null
      ? sql.run(
          `INSERT INTO sessions (agent, id, repository, workspace, phase, activity_at, journal_read, version, body)
           VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?)
           ON CONFLICT (agent, id) DO UPDATE SET repository = excluded.repository, workspace = excluded.workspace,
             phase = excluded.phase, activity_at = excluded.activity_at, journal_read = excluded.journal_read,
             version = version + 1, body = excluded.body
           WHERE NOT json_valid(sessions.body)`,
          ...([agent, id, repository, workspace, phase, lastActivityAt, journalRead, body] as const),
        )
      : sql.run(
          `UPDATE sessions SET repository = ?, workspace = ?, phase = ?, activity_at = ?, journal_read = ?,
             version = version + 1, body = ?
           WHERE agent = ? AND id = ? AND version = ?`,
          ...([repository, workspace, phase, lastActivityAt, journalRead, body] as const),
          ...([agent, id, expected] as const),
        )
  if (changed > 0 && reading === null) sql.run('DELETE FROM readings WHERE agent = ? AND id = ?', agent, id)
  else if (changed > 0 && reading !== undefined)
    sql.run('INSERT OR REPLACE INTO readings (agent, id, body) VALUES (?, ?, ?)', agent, id, reading)
  return changed > 0
}

export const journalPositions = (sql: Sql): Map<string, number> =>
  new Map(
    sql
      .all<{ key: string; read: number }>(
        `SELECT agent || '/' || id AS key, journal_read AS read FROM sessions`,
      )
      .map(({ key, read }) => [key, read]),
  )

export const readReading = (sql: Sql, { agent, id }: SessionKey): string | null =>
  sql.get<{ body: string }>('SELECT body FROM readings WHERE agent = ? AND id = ?', agent, id)?.body ?? null

/** A body that is damaged tells nothing; its session begins anew with its next event. */
function rowOf({ version, body }: Raw): SessionRow | null {
  try {
    // `as`: only this program writes here.
    return { session: JSON.parse(body) as Session, version }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return null
  }
}
