import { canonicalJson, sha256 } from '../../core/canonical.ts'
import { type Checkpoint, gistOf } from '../../core/checkpoint.ts'
import { nameKey, numberedName } from '../../core/id.ts'
import type {
  CommitResult,
  LogChange,
  LogPlace,
  NewNote,
  NewStream,
  Removal,
  Stream,
  Tombstone,
} from '../log.ts'
import { NO_GIST, packText, readNotes, SELECT_STREAM } from './rows.ts'
import type { Sql } from './sql.ts'

/** Looks first and writes after, so that a refusal leaves nothing behind. */
export function appendToLog(sql: Sql, change: LogChange): CommitResult {
  const { begins = [], appends = [], renames = [], note, readmit, remove } = change
  const heads = new Map<string, Head>()
  const sequences: number[] = []
  for (const { checkpoint, after } of appends) {
    const head = heads.get(checkpoint.stream) ?? headOf(sql, checkpoint.stream)
    if (head.id !== after) return { done: false, why: 'head_moved' }
    sequences.push(head.sequence + 1)
    heads.set(checkpoint.stream, { id: checkpoint.id, sequence: head.sequence + 1 })
  }
  for (const stream of begins) if (isTaken(sql, stream)) return { done: false, why: 'name_taken' }
  const moving = new Set(renames.map(({ stream }) => stream))
  for (const rename of renames) {
    const refusal = renameRefusal(sql, rename, moving)
    if (refusal !== null) return { done: false, why: refusal }
  }
  if ((note && !isOnHead(sql, note)) || (remove && !mayRemove(sql, remove)))
    return { done: false, why: 'head_moved' }
  if (readmit && addRow(sql, rowOf(readmit.checkpoint, readmit.sequence), 'leave out') === 0)
    return { done: false, why: 'head_moved' }

  for (const { stream, name } of renames)
    sql.run('UPDATE streams SET name = ?, name_key = ? WHERE id = ?', name, nameKey(name), stream)
  for (const { id, repository, workspace, kind, name } of begins) {
    const first = appends.find(({ checkpoint }) => checkpoint.stream === id)
    if (first === undefined) throw new Error(`stream ${name} begins without a checkpoint`)
    const head = { head_id: first.checkpoint.id, head_seq: 0, live: 0, created_at: first.checkpoint.at }
    sql.insert('streams', { id, repository, workspace, kind, name, name_key: nameKey(name), ...head })
  }
  for (const { hash, text } of change.texts ?? [])
    if (!sql.has('SELECT 1 FROM texts WHERE hash = ?', hash))
      sql.insert('texts', { hash, body: packText(text) })
  for (const [at, { checkpoint, foreign, pinned, takes = [], notes = [] }] of appends.entries()) {
    const { id } = checkpoint
    if (addRow(sql, rowOf(checkpoint, sequences[at] ?? 1)) === 0)
      throw new Error(`checkpoint ${id} is there already`)
    for (const event of takes) sql.run('DELETE FROM events WHERE seq = ?', event)
    if (foreign) sql.insert('foreign_marks', { checkpoint: id })
    if (pinned) sql.insert('pins', { checkpoint: id })
    for (const [n, note] of notes.entries())
      sql.insert('notes', { checkpoint: id, n, body: canonicalJson(note) })
  }
  for (const { stream, hash, checkpoint, current, problem } of change.versions ?? [])
    sql.replace('versions', { stream, hash, checkpoint, current, problem })
  for (const id of change.reviews ?? []) sql.run('DELETE FROM foreign_marks WHERE checkpoint = ?', id)
  if (note) sql.insert('notes', { checkpoint: note.head, n: note.number, body: canonicalJson(note.trigger) })
  for (const id of remove?.checkpoints ?? []) removeBody(sql, id, remove?.at ?? '')
  return { done: true }
}

interface Head {
  /** Null where there is no such stream yet. */
  id: string | null
  sequence: number
}

const headOf = (sql: Sql, stream: string): Head =>
  sql.get<Head>('SELECT head_id AS id, head_seq AS sequence FROM streams WHERE id = ?', stream) ?? {
    id: null,
    sequence: 0,
  }

const isTaken = (sql: Sql, { id, repository, kind, name }: NewStream): boolean =>
  sql.has(
    'SELECT 1 FROM streams WHERE id = ? OR (repository = ? AND kind = ? AND name_key = ?)',
    ...[id, repository, kind, nameKey(name)],
  )

/** Somebody else may have renamed it meanwhile, or have given the name to another stream. */
function renameRefusal(
  sql: Sql,
  { stream, from, name }: NonNullable<LogChange['renames']>[number],
  moving: ReadonlySet<string>,
): 'head_moved' | 'name_taken' | null {
  if (!sql.has('SELECT 1 FROM streams WHERE id = ? AND name = ?', stream, from)) return 'head_moved'
  const others = `SELECT o.id FROM streams o JOIN streams s ON s.id = ? AND o.repository = s.repository AND o.kind = s.kind
    WHERE o.id <> s.id AND o.name_key = ?`
  const holder = sql.get<{ id: string }>(others, stream, nameKey(name))
  return holder && !moving.has(holder.id) ? 'name_taken' : null
}

/** A row of the table of checkpoints. */
export type BodyRow = {
  id: string
  stream: string
  seq: number
  at: string
  progress: string
  hash: string
  body: string | null
  removed_at: string | null
  gist: string
}

function rowOf(checkpoint: Checkpoint | Tombstone, seq: number): BodyRow {
  const { id, stream, at, progress } = checkpoint
  if ('removedAt' in checkpoint) {
    const { removedAt, gist } = checkpoint
    // The hash is of no body: a row without one would only hold the place of what was lost.
    const removed = { hash: sha256(id), body: null, removed_at: removedAt, gist: canonicalJson(gist) }
    return { id, stream, seq, at, progress, ...removed }
  }
  const body = canonicalJson(checkpoint)
  const gist = canonicalJson(gistOf(checkpoint))
  return { id, stream, seq, at, progress, hash: sha256(body), body, removed_at: null, gist }
}

/**
 * Adds a checkpoint at its sequence number; answers 1 where it was added. Where another has the number it
 * takes the next one, or is left out: what only comes back from a file must not become the newest.
 */
export function addRow(into: Sql, row: BodyRow, whenTaken: 'next' | 'leave out' = 'next'): number {
  const { id, stream } = row
  if (into.has('SELECT 1 FROM checkpoints WHERE id = ?', id)) return 0
  into.run(`DELETE FROM checkpoints WHERE stream = ? AND seq = ? AND hash = ''`, stream, row.seq)
  const taken = into.has('SELECT 1 FROM checkpoints WHERE stream = ? AND seq = ?', stream, row.seq)
  if (taken && whenTaken === 'leave out') return 0
  const head = headOf(into, stream).sequence
  const seq = taken ? head + 1 : row.seq
  into.insert('checkpoints', { ...row, seq })
  if (row.body !== null) into.run('UPDATE streams SET live = live + 1 WHERE id = ?', stream)
  if (seq > head) into.run('UPDATE streams SET head_id = ?, head_seq = ? WHERE id = ?', id, seq, stream)
  return 1
}

/** A tombstone for every number below a stream's head that nothing could be found for. */
export function closeGaps(sql: Sql, at: string): number {
  let closed = 0
  for (const { id, head } of sql.all<{ id: string; head: number }>(
    'SELECT id, head_seq AS head FROM streams',
  )) {
    const found = sql.all<{ seq: number }>('SELECT seq FROM checkpoints WHERE stream = ?', id)
    const known = new Set(found.map(({ seq }) => seq))
    for (let seq = 1; seq < head; seq += 1)
      if (!known.has(seq)) {
        const lost = `cp_00000000T000000000Z_${seq}-${sha256(`${id}:${seq}`).slice(0, 12)}`
        const tombstone = { id: lost, stream: id, seq, at, progress: 'failed', hash: '' }
        closed += addRow(sql, { ...tombstone, body: null, removed_at: at, gist: canonicalJson(NO_GIST) })
      }
  }
  return closed
}

const isOnHead = (sql: Sql, { stream, head, number }: NewNote): boolean =>
  headOf(sql, stream).id === head && readNotes(sql, head).length === number

const mayRemove = (sql: Sql, { stream, checkpoints }: Removal): boolean =>
  !sql.has(
    `SELECT 1 FROM json_each(?) WHERE value NOT IN (SELECT id FROM checkpoints WHERE stream = ?)
       OR value IN (SELECT checkpoint FROM pins) OR value = (SELECT head_id FROM streams WHERE id = ?)`,
    ...[JSON.stringify(checkpoints), stream, stream],
  )

/** One that is removed already stays as it is. */
function removeBody(sql: Sql, id: string, at: string): void {
  const removed = sql.run(
    'UPDATE checkpoints SET body = NULL, removed_at = ? WHERE id = ? AND body IS NOT NULL',
    ...[at, id],
  )
  if (removed === 0) return
  sql.run('DELETE FROM notes WHERE checkpoint = ?', id)
  sql.run('UPDATE streams SET live = live - 1 WHERE id = (SELECT stream FROM checkpoints WHERE id = ?)', id)
}

/** What lists said of the documents of either is over. */
export function moveRepository(sql: Sql, from: LogPlace, to: LogPlace): Array<{ was: string; now: string }> {
  sql.run('DELETE FROM glances')
  const renamed: Array<{ was: string; now: string }> = []
  for (const { id, kind, name } of sql.all<Stream>(
    `${SELECT_STREAM} WHERE repository = ?`,
    from.repository,
  )) {
    if (from.repository === to.repository) break
    const isFree = (wanted: string) => !isTaken(sql, { ...to, id: '', kind, name: wanted })
    const now = numberedName(name, isFree)
    if (now !== name) renamed.push({ was: name, now })
    sql.run(
      'UPDATE streams SET repository = ?, name = ?, name_key = ? WHERE id = ?',
      ...[to.repository, now, nameKey(now), id],
    )
  }
  for (const table of ['streams', 'sessions'])
    sql.run(
      `UPDATE ${table} SET workspace = ? WHERE workspace = ? AND repository IN (?, ?)`,
      ...[to.workspace, from.workspace, from.repository, to.repository],
    )
  // Both stand in the row and in what is told of it.
  sql.run(
    `UPDATE sessions SET repository = ?, version = version + 1,
       body = json_set(body, '$.repository', ?, '$.workspace', workspace)
     WHERE repository IN (?, ?) AND json_valid(body)
       AND (repository <> ? OR json_extract(body, '$.workspace') <> workspace)`,
    ...[to.repository, to.repository, from.repository, to.repository, to.repository],
  )
  return renamed
}
