import { canonicalJson, sha256 } from '../../core/canonical.ts'
import { type Checkpoint, gistOf } from '../../core/checkpoint.ts'
import { parseOrUndefined } from '../../core/json.ts'
import { SQLITE, sqliteCode, withDatabase } from './driver.ts'
import { addRow, type BodyRow } from './log-writes.ts'
import { NO_GIST, unpackText } from './rows.ts'
import { type NewRow, Sql } from './sql.ts'

/**
 * Adds to one database what another has and it has not; answers how many checkpoints came over.
 * Checkpoints are immutable, so this is safe to do twice, and in any order. It is how a backup is restored,
 * a damaged file is salvaged, and a file that was replaced under a running process gives up nothing.
 * What an older program wrote lacks some of the tables, and gives nothing of them.
 */
export function mergeStore(from: Sql, into: Sql): number {
  into.run('DELETE FROM glances')
  copyRows(from, into, 'workspaces', {
    onConflict: `(id) DO UPDATE SET path = excluded.path WHERE path = ''`,
  })
  copyRows<RawStream>(from, into, 'streams', {
    adapt(row) {
      // The row that says where it lies may be the damaged one: a run must not go with it. The next write finds the path.
      const { workspace, repository, created_at } = row
      into.insert('workspaces', { id: workspace, repository, path: '', seen_at: created_at }, 'DO NOTHING')
      return { ...row, head_seq: 0, live: 0 }
    },
  })
  const added = mergeCheckpoints(from, into)
  copyRows<RawNote>(from, into, 'notes', { order: 'checkpoint, n', adapt: (row) => adaptNote(into, row) })
  copyRows<RawEvent>(from, into, 'events', { adapt: (row) => adaptEvent(into, row) })
  copyRows<RawText>(from, into, 'texts', { adapt: (row) => (unpackText(row) === null ? null : row) })
  for (const table of ['pins', 'versions', 'standings', 'repositories']) copyRows(from, into, table)
  copyRows(from, into, 'trust', {
    onConflict: `(workspace) DO UPDATE SET path = excluded.path, at = excluded.at, vouches = excluded.vouches
       WHERE excluded.at > at`,
  })
  copyRows<{ checkpoint: string }>(from, into, 'foreign_marks', {
    adapt: (row) => (added.has(row.checkpoint) ? row : null),
  })
  copyRows<{ seq: number }>(from, into, 'ledgers', { order: 'seq', adapt: ({ seq: _own, ...row }) => row })
  mergeActs(from, into)
  mergeViews(from, into)
  mergeSessions(from, into)
  return added.size
}

/**
 * Copies the rows of a table, with the columns that both files have. One that breaks a rule of the table is left out:
 * it is damaged, or what it refers to did not come over. `adapt` gives the row as it should come, or null.
 */
function copyRows<Row extends NewRow>(
  from: Sql,
  into: Sql,
  table: string,
  how: {
    order?: string
    adapt?: (row: Row) => NewRow | null
    onConflict?: string
    taken?: (row: Row) => void
  } = {},
): void {
  const { order, adapt = (row: Row): NewRow | null => row, onConflict = 'DO NOTHING', taken } = how
  const columns = into.all<{ name: string }>(`SELECT name FROM pragma_table_info('${table}')`)
  for (const found of rows<Row>(from, table, order ? `ORDER BY ${order}` : '')) {
    const changed = unlessRefused(() => {
      const row = adapt(found)
      if (row === null) return 0
      const known = columns.flatMap(({ name }) => (row[name] === undefined ? [] : [[name, row[name]]]))
      return into.insert(table, Object.fromEntries(known), onConflict)
    })
    if (changed > 0) taken?.(found)
  }
}

/** How many rows an act changed; none where it breaks a rule of its table. */
function unlessRefused(act: () => number): number {
  try {
    return act()
  } catch (error) {
    if (sqliteCode(error) !== SQLITE.constraint) throw error
    return 0
  }
}

type RawStream = { repository: string; workspace: string; created_at: string }
type RawNote = { checkpoint: string; n: number; body: string }
type RawEvent = { seq: number; stream: string; at: string; body: string }
type RawText = { hash: string; body: Uint8Array }

/** Answers which came over. Those of a stream whose name another has taken meanwhile have no home here. */
function mergeCheckpoints(from: Sql, into: Sql): Set<string> {
  const added = new Set<string>()
  for (const row of rows<BodyRow>(from, 'checkpoints', 'ORDER BY seq')) {
    const { id, stream, seq, at, progress, hash, body, removed_at } = row
    if (body !== null && sha256(body) !== hash) continue
    const whole = { id, stream, seq, at, progress, hash, body, removed_at, gist: soundGist(row) }
    if (unlessRefused(() => addRow(into, whole)) === 1) added.add(id)
  }
  return added
}

/** What lists tell of it; made anew from the body where it is damaged, or where an older program wrote none. */
function soundGist({ gist, body }: BodyRow): string {
  const found = parseOrUndefined(gist ?? '')
  if (typeof found === 'object' && found !== null) return gist
  // `as`: a body whose checksum is right was written by this program.
  return canonicalJson(body === null ? NO_GIST : gistOf(JSON.parse(body) as Checkpoint))
}

/** Two files may have given the same number to different notes: each was confirmed, both stay. */
function adaptNote(into: Sql, { checkpoint, body }: RawNote): NewRow | null {
  if (into.has('SELECT 1 FROM notes WHERE checkpoint = ? AND body = ?', checkpoint, body)) return null
  const next = 'SELECT coalesce(max(n) + 1, 0) AS n FROM notes WHERE checkpoint = ?'
  return { checkpoint, n: into.get<{ n: number }>(next, checkpoint)?.n ?? 0, body }
}

/** An outcome that a checkpoint has taken in since waits no longer; both are canonical text. */
function adaptEvent(into: Sql, { stream, at, body }: RawEvent): NewRow | null {
  const waits = 'SELECT 1 FROM events WHERE stream = ? AND at = ? AND body = ?'
  const taken = 'SELECT 1 FROM checkpoints WHERE stream = ? AND at >= ? AND instr(body, ?) > 0'
  return into.has(waits, stream, at, body) || into.has(taken, stream, at, body) ? null : { stream, at, body }
}

/** Acts are undone in their order: those of a workspace that has some of its own stay where they are. */
function mergeActs(from: Sql, into: Sql): void {
  const known = new Set(
    into.all<{ workspace: string }>('SELECT DISTINCT workspace FROM acts').map(({ workspace }) => workspace),
  )
  copyRows<{ seq: number; workspace: string }>(from, into, 'acts', {
    order: 'seq',
    adapt: ({ seq: _own, ...row }) => (known.has(row.workspace) ? null : row),
  })
}

type RawView = {
  workspace: string
  path: string
  stream: string
  checkpoint: string
  hash: string
  state: string
  kind: string
  stamp: string | null
}

function mergeViews(from: Sql, into: Sql): void {
  copyRows<RawView>(from, into, 'views', {
    adapt: ({ stamp: _ofThatFile, ...row }) => (takesPlace(into, row) ? row : null),
    onConflict: `(workspace, path) DO UPDATE SET checkpoint = excluded.checkpoint, hash = excluded.hash,
        content_hash = excluded.content_hash, state = excluded.state, base = excluded.base, stamp = NULL, current = excluded.current
      WHERE stream = excluded.stream AND (SELECT seq FROM checkpoints WHERE id = excluded.checkpoint)
        > (SELECT seq FROM checkpoints WHERE id = views.checkpoint)`,
  })
}

/** A document has one place in a workspace: of a file that was moved since, the newer place counts. */
function takesPlace(into: Sql, row: Omit<RawView, 'stamp'>): boolean {
  const { kind, state, stream, workspace, path, checkpoint, hash } = row
  const isWritten = ['document', 'note', 'ledger', 'handoff'].includes(kind)
  // What is lost cannot be written any more: the file that stands there counts.
  if (isWritten && state === 'pending' && !into.has('SELECT 1 FROM texts WHERE hash = ?', hash)) return false
  if (kind !== 'document' || state === 'leaving') return true
  const others = `FROM views WHERE stream = ? AND workspace = ? AND path <> ? AND kind = 'document' AND state <> 'leaving'`
  into.run(
    `DELETE ${others} AND (SELECT seq FROM checkpoints WHERE id = views.checkpoint)
       < (SELECT seq FROM checkpoints WHERE id = ?)`,
    ...[stream, workspace, path, checkpoint],
  )
  return !into.has(`SELECT 1 ${others}`, stream, workspace, path)
}

/** Of two rows of a session the one that was moved on more often is the newer; what was read goes with its row. */
function mergeSessions(from: Sql, into: Sql): void {
  const newer = new Set<string>()
  copyRows<{ agent: string; id: string }>(from, into, 'sessions', {
    onConflict: `(agent, id) DO UPDATE SET phase = excluded.phase, activity_at = excluded.activity_at,
      journal_read = excluded.journal_read, version = excluded.version, body = excluded.body WHERE excluded.version > version`,
    taken: ({ agent, id }) => newer.add(`${agent} ${id}`),
  })
  copyRows<{ agent: string; id: string }>(from, into, 'readings', {
    adapt: (row) => (newer.has(`${row.agent} ${row.id}`) ? row : null),
    onConflict: '(agent, id) DO UPDATE SET body = excluded.body',
  })
}

/** Opens a file to read from it; null where nothing at all can be read. */
export function readFrom<T>(file: string, act: (from: Sql) => T): T | null {
  try {
    return withDatabase(file, { readOnly: false, timeout: 1_000 }, (db) => {
      db.prepare('SELECT count(*) FROM sqlite_master').get()
      return act(new Sql(db))
    })
  } catch (error) {
    if (!isDamage(error)) throw error
    return null
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
