import { canonicalJson, sha256 } from '../../core/canonical.ts'
import { type Checkpoint, type Gist, gistOf, type Trigger } from '../../core/checkpoint.ts'
import { nameKey } from '../../core/id.ts'
import { ReasonError } from '../../core/reason.ts'
import type { AppendResult } from '../acts.ts'
import type { CheckpointRow, NewStream, Situation, StoredCheckpoint, Stream } from '../log.ts'
import type { Sql } from './sql.ts'

export const SELECT_STREAM = `SELECT id, repository, workspace, kind, name, head_id AS headId, head_seq AS headSequence, live,
  created_at AS createdAt, maintained_at AS maintainedAt FROM streams`
export const SELECT_CHECKPOINT = `SELECT c.id, c.stream, c.seq AS sequence, c.at, c.progress, c.removed_at AS removedAt,
  EXISTS (SELECT 1 FROM pins WHERE checkpoint = c.id) AS pinned,
  EXISTS (SELECT 1 FROM foreign_marks WHERE checkpoint = c.id) AS isForeign, c.gist, c.hash, c.body FROM checkpoints c`

export type RawRow = Omit<CheckpointRow, 'pinned' | 'foreign' | 'gist'> & {
  pinned: number
  isForeign: number
  gist: string
  hash: string
  body: string | null
}

export function addStream(sql: Sql, stream: NewStream, first: Pick<Checkpoint, 'id' | 'at'>): boolean {
  const { id, repository, workspace, kind, name } = stream
  const added = sql.run(
    'INSERT INTO streams (id, repository, workspace, kind, name, name_key, head_id, head_seq, live, created_at, maintained_at) VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, ?, NULL) ON CONFLICT DO NOTHING',
    ...([id, repository, workspace, kind, name, nameKey(name), first.id, first.at] as const),
  )
  return added === 1
}

export function streamById(sql: Sql, id: string): Stream {
  const stream = sql.get<Stream>(`${SELECT_STREAM} WHERE id = ?`, id)
  if (!stream) throw new ReasonError('run_unknown', { run: id })
  return stream
}

export function addCheckpoint(sql: Sql, checkpoint: Checkpoint, sequence: number): void {
  const body = canonicalJson(checkpoint)
  sql.run(
    'INSERT INTO checkpoints (id, stream, seq, at, progress, hash, body, gist) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    ...([
      checkpoint.id,
      checkpoint.stream,
      sequence,
      checkpoint.at,
      checkpoint.progress,
      sha256(body),
      body,
      canonicalJson(gistOf(checkpoint)),
    ] as const),
  )
  sql.run(
    'UPDATE streams SET head_id = ?, head_seq = ?, live = live + 1 WHERE id = ?',
    ...([checkpoint.id, sequence, checkpoint.stream] as const),
  )
}

export function tellAppended(sql: Sql, stream: string): AppendResult {
  const { headSequence, live, maintainedAt } = streamById(sql, stream)
  return { done: true, sequence: headSequence, live, maintainedAt }
}

export function checkpointRowOf({
  hash: _hash,
  body: _body,
  pinned,
  isForeign,
  gist,
  ...row
}: RawRow): CheckpointRow {
  return { ...row, pinned: pinned === 1, foreign: isForeign === 1, gist: readGist(gist) }
}

const NO_GIST: Gist = { step: null, stepsDone: 0, steps: 0 }

/** What a list tells; nothing where that is damaged, for the checkpoint itself may be whole. */
export function readGist(text: string): Gist {
  try {
    const gist: unknown = JSON.parse(text)
    // `as`: written by `addCheckpoint` and by nobody else.
    return typeof gist === 'object' && gist !== null ? (gist as Gist) : NO_GIST
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return NO_GIST
  }
}

export function readStored(sql: Sql, raw: RawRow): StoredCheckpoint {
  const row = checkpointRowOf(raw)
  if (raw.body === null) return { row, state: 'removed' }
  if (sha256(raw.body) !== raw.hash) return { row, state: 'damaged' }
  // `as`: written by `addCheckpoint`, and the checksum says that it is what was written.
  return {
    row,
    state: 'whole',
    checkpoint: JSON.parse(raw.body) as Checkpoint,
    notes: readNotes(sql, raw.id),
  }
}

export function readNotes(sql: Sql, checkpoint: string): Trigger[] {
  return (
    sql
      .all<{ body: string }>('SELECT body FROM notes WHERE checkpoint = ? ORDER BY n', checkpoint)
      // `as`: written by `coalesce` and by nobody else.
      .map(({ body }) => JSON.parse(body) as Trigger)
  )
}

/** The head, or where it is damaged the newest checkpoint before it that is whole. */
export function newestWholeCheckpoint(sql: Sql, stream: Stream): Situation['base'] {
  const head = sql.get<RawRow>(`${SELECT_CHECKPOINT} WHERE c.id = ?`, stream.headId)
  const whole = head ? readStored(sql, head) : null
  if (whole?.state === 'whole') return whole
  for (const raw of sql.all<RawRow>(
    `${SELECT_CHECKPOINT} WHERE c.stream = ? AND c.body IS NOT NULL ORDER BY c.seq DESC`,
    stream.id,
  )) {
    const found = readStored(sql, raw)
    if (found.state === 'whole') return found
  }
  throw new ReasonError('checkpoint_integrity_mismatch', {
    path: `${stream.kind} ${stream.name} in the store`,
    problem: 'none of its checkpoints is whole',
  })
}
