import { canonicalJson, sha256 } from '../../core/canonical.ts'
import { type Checkpoint, gistOf } from '../../core/checkpoint.ts'
import { unpackText } from './documents.ts'
import { openDatabase, SQLITE, sqliteCode } from './driver.ts'
import { Sql } from './sql.ts'

const NO_GIST = '{"step":null,"stepsDone":0,"steps":0}'

interface StreamRow {
  id: string
  repository: string
  workspace: string
  kind: string
  name: string
  name_key: string
  head_id: string
  head_seq: number
  live: number
  created_at: string
  maintained_at: string | null
}

interface BodyRow {
  id: string
  stream: string
  seq: number
  at: string
  progress: string
  hash: string
  body: string | null
  removed_at: string | null
  /** Absent in files that an older program wrote. */
  gist?: string
}

/**
 * Adds to one database what another has and it has not; answers how many checkpoints came over.
 * Checkpoints are immutable, so this is safe to do twice, and in any order. It is how a backup is restored,
 * a damaged file is salvaged, and a file that was replaced under a running process gives up nothing.
 */
export function mergeStore(from: Sql, into: Sql): number {
  for (const row of rows<{ id: string; repository: string; path: string; seen_at: string }>(
    from,
    'workspaces',
  ))
    into.run(
      `INSERT INTO workspaces (id, repository, path, seen_at) VALUES (?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET path = excluded.path WHERE path = ''`,
      row.id,
      row.repository,
      row.path,
      row.seen_at,
    )

  const known = new Set<string>()
  for (const row of rows<StreamRow>(from, 'streams')) {
    // The row that says where it lies may be the damaged one: a run must not go with it. The next write finds the path.
    into.run(
      `INSERT OR IGNORE INTO workspaces (id, repository, path, seen_at) VALUES (?, ?, '', ?)`,
      ...([row.workspace, row.repository, row.created_at] as const),
    )
    into.run(
      'INSERT OR IGNORE INTO streams (id, repository, workspace, kind, name, name_key, head_id, head_seq, live, created_at, maintained_at) VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?)',
      ...([row.id, row.repository, row.workspace, row.kind, row.name, row.name_key, row.head_id] as const),
      ...([row.created_at, row.maintained_at] as const),
    )
    // Another stream may have taken the name meanwhile; its checkpoints then have no home here.
    if (into.get('SELECT 1 FROM streams WHERE id = ?', row.id)) known.add(row.id)
  }

  const added = new Set<string>()
  for (const row of rows<BodyRow>(from, 'checkpoints', 'ORDER BY seq')) {
    const whole = row.body === null || sha256(row.body) === row.hash
    if (whole && known.has(row.stream) && addRow(into, row) === 1) added.add(row.id)
  }

  for (const row of rows<{ checkpoint: string; n: number; body: string }>(
    from,
    'notes',
    'ORDER BY checkpoint, n',
  ))
    if (has(into, row.checkpoint)) addNote(into, row.checkpoint, row.body)
  for (const row of rows<{ checkpoint: string }>(from, 'pins'))
    if (has(into, row.checkpoint))
      into.run('INSERT OR IGNORE INTO pins (checkpoint) VALUES (?)', row.checkpoint)
  for (const row of rows<{ stream: string; at: string; body: string }>(from, 'events'))
    if (known.has(row.stream)) addWaiting(into, row.stream, row.at, row.body)
  mergeDocuments(from, into, added)
  mergeLedgers(from, into)
  mergeViews(from, into)
  mergeSessions(from, into)
  return added.size
}

interface RawVersion {
  stream: string
  hash: string
  checkpoint: string
  current: number
  problem: string | null
}

/** Texts, versions, focus and trust. What an older program wrote has none of these tables, and gives nothing. */
function mergeDocuments(from: Sql, into: Sql, added: ReadonlySet<string>): void {
  into.run('DELETE FROM glances')
  for (const row of rows<{ hash: string; body: Uint8Array }>(from, 'texts')) {
    const text = unpackText(row.body)
    if (text !== null && sha256(text) === row.hash)
      into.run('INSERT OR IGNORE INTO texts (hash, body) VALUES (?, ?)', row.hash, row.body)
  }
  for (const row of rows<RawVersion>(from, 'versions'))
    if (has(into, row.checkpoint))
      into.run(
        `INSERT OR IGNORE INTO versions (stream, hash, checkpoint, current, problem)
         SELECT ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM texts WHERE hash = ?)`,
        ...([row.stream, row.hash, row.checkpoint, row.current, row.problem, row.hash] as const),
      )
  for (const row of rows<{ workspace: string; stream: string; standing: string }>(from, 'standings'))
    into.run(
      `INSERT OR IGNORE INTO standings (workspace, stream, standing)
       SELECT w.id, s.id, ? FROM workspaces w, streams s WHERE w.id = ? AND s.id = ?`,
      ...([row.standing, row.workspace, row.stream] as const),
    )
  for (const row of rows<{ workspace: string; path: string; at: string }>(from, 'trust'))
    into.run(
      `INSERT INTO trust (workspace, path, at) SELECT id, ?, ? FROM workspaces WHERE id = ?
       ON CONFLICT (workspace) DO UPDATE SET path = excluded.path, at = excluded.at WHERE excluded.at > at`,
      ...([row.path, row.at, row.workspace] as const),
    )
  // A mark that was taken away since must not come back with an old file.
  for (const row of rows<{ checkpoint: string }>(from, 'foreign_marks'))
    if (added.has(row.checkpoint))
      into.run('INSERT OR IGNORE INTO foreign_marks (checkpoint) VALUES (?)', row.checkpoint)
}

interface RawLedger {
  workspace: string
  path: string
  checkpoint: string
  hash: string
  at: string
}

function mergeLedgers(from: Sql, into: Sql): void {
  for (const row of rows<RawLedger>(from, 'ledgers', 'ORDER BY seq'))
    if (has(into, row.checkpoint))
      into.run(
        `INSERT OR IGNORE INTO ledgers (workspace, path, checkpoint, hash, at)
         SELECT w.id, ?, ?, t.hash, ? FROM workspaces w, texts t WHERE w.id = ? AND t.hash = ?`,
        ...([row.path, row.checkpoint, row.at, row.workspace, row.hash] as const),
      )
}

interface RawSession {
  agent: string
  id: string
  repository: string
  workspace: string
  phase: string
  activity_at: string
  journal_read: number
  version: number
  body: string
}

/** Of two rows of a session the one that was moved on more often is the newer; what was read goes with its row. */
function mergeSessions(from: Sql, into: Sql): void {
  const newer = new Set<string>()
  for (const row of rows<RawSession>(from, 'sessions')) {
    const taken = into.run(
      `INSERT INTO sessions (agent, id, repository, workspace, phase, activity_at, journal_read, version, body)
       SELECT ?, ?, ?, w.id, ?, ?, ?, ?, ? FROM workspaces w WHERE w.id = ?
       ON CONFLICT (agent, id) DO UPDATE SET phase = excluded.phase, activity_at = excluded.activity_at,
         journal_read = excluded.journal_read, version = excluded.version, body = excluded.body WHERE excluded.version > version`,
      ...([row.agent, row.id, row.repository, row.phase, row.activity_at] as const),
      ...([row.journal_read, row.version, row.body, row.workspace] as const),
    )
    if (taken > 0) newer.add(`${row.agent} ${row.id}`)
  }
  for (const row of rows<{ agent: string; id: string; body: string }>(from, 'readings'))
    if (newer.has(`${row.agent} ${row.id}`))
      into.run(
        'INSERT OR REPLACE INTO readings (agent, id, body) VALUES (?, ?, ?)',
        ...([row.agent, row.id, row.body] as const),
      )
}

const has = (into: Sql, checkpoint: string) =>
  into.get('SELECT 1 FROM checkpoints WHERE id = ?', checkpoint) !== undefined

/**
 * Adds a checkpoint at its sequence number; answers 1 where it was added. Where another has the number it
 * takes the next one, or is left out: what only comes back from a file must not become the newest.
 */
export function addRow(into: Sql, row: BodyRow, whenTaken: 'next' | 'leave out' = 'next'): number {
  if (has(into, row.id)) return 0
  into.run(`DELETE FROM checkpoints WHERE stream = ? AND seq = ? AND hash = ''`, row.stream, row.seq)
  const taken = into.get('SELECT 1 FROM checkpoints WHERE stream = ? AND seq = ?', row.stream, row.seq)
  if (taken && whenTaken === 'leave out') return 0
  const head =
    into.get<{ head_seq: number }>('SELECT head_seq FROM streams WHERE id = ?', row.stream)?.head_seq ?? 0
  const seq = taken ? head + 1 : row.seq
  into.run(
    'INSERT INTO checkpoints (id, stream, seq, at, progress, hash, body, removed_at, gist) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ...([
      row.id,
      row.stream,
      seq,
      row.at,
      row.progress,
      row.hash,
      row.body,
      row.removed_at,
      soundGist(row),
    ] as const),
  )
  if (row.body !== null) into.run('UPDATE streams SET live = live + 1 WHERE id = ?', row.stream)
  if (seq > head)
    into.run('UPDATE streams SET head_id = ?, head_seq = ? WHERE id = ?', row.id, seq, row.stream)
  return 1
}

/** What lists tell of it; made anew from the body where it is damaged. */
function soundGist({ gist = NO_GIST, body }: BodyRow): string {
  if (isObject(gist)) return gist
  // `as`: a body whose checksum is right was written by this program.
  return body === null ? NO_GIST : canonicalJson(gistOf(JSON.parse(body) as Checkpoint))
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return false
  }
}

/** A tombstone for every number below a stream's head that nothing could be found for. */
export function closeGaps(sql: Sql, at: string): number {
  let closed = 0
  for (const { id, head_seq } of sql.all<{ id: string; head_seq: number }>(
    'SELECT id, head_seq FROM streams',
  )) {
    const found = sql.all<{ seq: number }>('SELECT seq FROM checkpoints WHERE stream = ?', id)
    const known = new Set(found.map(({ seq }) => seq))
    for (let seq = 1; seq < head_seq; seq += 1)
      if (!known.has(seq)) {
        const lost = `cp_00000000T000000000Z_${seq}-${sha256(`${id}:${seq}`).slice(0, 12)}`
        closed += addRow(sql, {
          id: lost,
          stream: id,
          seq,
          at,
          progress: 'failed',
          hash: '',
          body: null,
          removed_at: at,
        })
      }
  }
  return closed
}

/** Two files may have given the same number to different notes: each was confirmed, both stay. */
function addNote(into: Sql, checkpoint: string, body: string): void {
  if (into.get('SELECT 1 FROM notes WHERE checkpoint = ? AND body = ?', checkpoint, body)) return
  into.run(
    'INSERT INTO notes (checkpoint, n, body) SELECT ?, coalesce(max(n) + 1, 0), ? FROM notes WHERE checkpoint = ?',
    ...([checkpoint, body, checkpoint] as const),
  )
}

/** An outcome that a checkpoint has taken in since waits no longer; both are canonical text. */
function addWaiting(into: Sql, stream: string, at: string, body: string): void {
  if (into.get('SELECT 1 FROM events WHERE stream = ? AND at = ? AND body = ?', stream, at, body)) return
  const taken = 'SELECT 1 FROM checkpoints WHERE stream = ? AND at >= ? AND instr(body, ?) > 0'
  if (into.get(taken, stream, at, body)) return
  into.run('INSERT INTO events (stream, at, body) VALUES (?, ?, ?)', stream, at, body)
}

interface RawView {
  workspace: string
  path: string
  stream: string
  checkpoint: string
  hash: string
  content_hash: string
  state: string
  /** Absent in files that an older program wrote. */
  kind?: string
  base?: string | null
  current?: number
}

function mergeViews(from: Sql, into: Sql): void {
  for (const row of rows<RawView>(from, 'views'))
    if (has(into, row.checkpoint) && takesPlace(into, row))
      into.run(
        `INSERT INTO views (workspace, path, stream, checkpoint, hash, content_hash, state, kind, base, current)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (workspace, path) DO UPDATE SET checkpoint = excluded.checkpoint, hash = excluded.hash,
           content_hash = excluded.content_hash, state = excluded.state, base = excluded.base, stamp = NULL, current = excluded.current
         WHERE stream = excluded.stream AND (SELECT seq FROM checkpoints WHERE id = excluded.checkpoint)
           > (SELECT seq FROM checkpoints WHERE id = views.checkpoint)`,
        ...([row.workspace, row.path, row.stream, row.checkpoint] as const),
        ...([row.hash, row.content_hash, row.state, row.kind ?? 'file', row.base ?? null] as const),
        row.current ?? 0,
      )
}

/** A document has one place in a workspace: of a file that was moved since, the newer place counts. */
function takesPlace(into: Sql, row: RawView): boolean {
  const { kind, state, stream, workspace, path, checkpoint, hash } = row
  const isWritten = kind === 'document' || kind === 'note' || kind === 'ledger'
  if (!into.get('SELECT 1 FROM workspaces WHERE id = ?', workspace)) return false
  // What is lost cannot be written any more: the file that stands there counts.
  if (isWritten && state === 'pending' && !into.get('SELECT 1 FROM texts WHERE hash = ?', hash)) return false
  if (kind !== 'document' || state === 'leaving') return true
  const others = `FROM views WHERE stream = ? AND workspace = ? AND path <> ? AND kind = 'document' AND state <> 'leaving'`
  into.run(
    `DELETE ${others} AND (SELECT seq FROM checkpoints WHERE id = views.checkpoint)
       < (SELECT seq FROM checkpoints WHERE id = ?)`,
    ...([stream, workspace, path, checkpoint] as const),
  )
  return into.get(`SELECT 1 ${others}`, stream, workspace, path) === undefined
}

/** Opens a file to read from it; null where nothing at all can be read. */
export function readFrom<T>(file: string, act: (from: Sql) => T): T | null {
  const db = openDatabase(file, { timeout: 1_000 })
  try {
    db.prepare('SELECT count(*) FROM sqlite_master').get()
    return act(new Sql(db))
  } catch (error) {
    if (!isDamage(error)) throw error
    return null
  } finally {
    db.close()
  }
}

function isDamage(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === SQLITE.corrupt || code === SQLITE.notadb || code === SQLITE.error
}

/** A table's rows; of a damaged one, those before the damage. */
function* rows<Row>(from: Sql, table: string, order = ''): Generator<Row> {
  try {
    // `as`: the columns are those of the table, named where this is called.
    for (const row of from.db.prepare(`SELECT * FROM ${table} ${order}`).iterate()) yield row as Row
  } catch (error) {
    if (!isDamage(error)) throw error
  }
}
