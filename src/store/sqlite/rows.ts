import { sha256 } from '../../core/canonical.ts'
import type { Checkpoint, Gist, Trigger } from '../../core/checkpoint.ts'
import { parseOrUndefined } from '../../core/json.ts'
import { errorCode, ReasonError } from '../../core/reason.ts'
import type { CheckpointRow, Situation, StoredCheckpoint, Stream } from '../log.ts'
import type { Sql } from './sql.ts'

export const SELECT_STREAM = `SELECT id, repository, workspace, kind, name, head_id AS headId, head_seq AS headSequence, live,
  created_at AS createdAt, maintained_at AS maintainedAt FROM streams`
const CHECKPOINT_COLUMNS = `c.id, c.stream, c.seq AS sequence, c.at, c.progress, c.removed_at AS removedAt,
  EXISTS (SELECT 1 FROM pins WHERE checkpoint = c.id) AS pinned,
  EXISTS (SELECT 1 FROM foreign_marks WHERE checkpoint = c.id) AS isForeign, c.gist, c.hash`
export const SELECT_CHECKPOINT = `SELECT ${CHECKPOINT_COLUMNS}, c.body FROM checkpoints c`
/** The same without the bodies, which may be a hundred times as large. */
export const SELECT_ROW = `SELECT ${CHECKPOINT_COLUMNS}, NULL AS body FROM checkpoints c`

/** Whether `c.gist` can be read. In two steps: `json_type` fails on what is not JSON. */
export const IS_GIST = `iif(json_valid(c.gist), json_type(c.gist), '') = 'object'`

export type RawRow = Omit<CheckpointRow, 'pinned' | 'foreign' | 'gist'> & {
  pinned: number
  isForeign: number
  gist: string
  hash: string
  body: string | null
}

export function streamById(sql: Sql, id: string): Stream {
  const stream = sql.get<Stream>(`${SELECT_STREAM} WHERE id = ?`, id)
  if (!stream) throw new ReasonError('run_unknown', { run: id })
  return stream
}

export function checkpointRowOf(raw: RawRow): CheckpointRow {
  const { hash: _hash, body: _body, pinned, isForeign, gist, ...row } = raw
  return { ...row, pinned: pinned === 1, foreign: isForeign === 1, gist: readGist(gist) }
}

export const NO_GIST: Gist = { step: null, stepsDone: 0, steps: 0 }

/** What a list tells; nothing where that is damaged, for the checkpoint itself may be whole. */
export function readGist(text: string): Gist {
  const gist = parseOrUndefined(text)
  // `as`: written with the checkpoint, and by nobody else.
  return typeof gist === 'object' && gist !== null ? (gist as Gist) : NO_GIST
}

/** The checkpoint that a row holds; null where it is removed or damaged. */
export const wholeBody = (raw: Pick<RawRow, 'hash' | 'body'>): Checkpoint | null =>
  // `as`: the checksum says that it is what was written.
  raw.body === null || sha256(raw.body) !== raw.hash ? null : (JSON.parse(raw.body) as Checkpoint)

export function readStored(sql: Sql, raw: RawRow): StoredCheckpoint {
  const row = checkpointRowOf(raw)
  const checkpoint = wholeBody(raw)
  if (checkpoint === null) return { row, state: raw.body === null ? 'removed' : 'damaged' }
  return { row, state: 'whole', checkpoint, notes: readNotes(sql, raw.id) }
}

export function readNotes(sql: Sql, checkpoint: string): Trigger[] {
  return (
    sql
      .all<{ body: string }>('SELECT body FROM notes WHERE checkpoint = ? ORDER BY n', checkpoint)
      // `as`: written by `appendToLog` and by nobody else.
      .map(({ body }) => JSON.parse(body) as Trigger)
  )
}

/** The head, or where it is damaged the newest checkpoint before it that is whole. */
export function newestWholeCheckpoint(sql: Sql, stream: Stream): Situation['base'] {
  const newestFirst = `${SELECT_CHECKPOINT} WHERE c.stream = ? AND c.body IS NOT NULL ORDER BY c.seq DESC LIMIT ?`
  // Nearly always the first is whole: the others may be many, and are read only where it is not.
  for (const most of [1, -1])
    for (const raw of sql.all<RawRow>(newestFirst, stream.id, most)) {
      const found = readStored(sql, raw)
      if (found.state === 'whole') return found
    }
  throw new ReasonError('checkpoint_integrity_mismatch', {
    path: `${stream.kind} ${stream.name} in the store`,
    problem: 'all of its checkpoints are damaged',
  })
}

/** A row of a document's version, whose mark of the focus is a number in the database. */
export const withCurrent = <Row extends { current: number }>({
  current,
  ...row
}: Row): Omit<Row, 'current'> & { current: boolean } => ({ ...row, current: current === 1 })

const zlib = () => process.getBuiltinModule('node:zlib')

export const packText = (text: string): Uint8Array => zlib().gzipSync(text, { level: 6 })

/** The bytes of a version of a document; null where they are not those of its hash. */
export function unpackText({ hash, body }: { hash: string; body: Uint8Array }): Buffer | null {
  try {
    const text = zlib().gunzipSync(body)
    return sha256(text) === hash ? text : null
  } catch (error) {
    if (!errorCode(error)?.startsWith('Z_')) throw error
    return null
  }
}
