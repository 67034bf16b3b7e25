import { canonicalJson, sha256 } from '../../core/canonical.ts'
import { type Checkpoint, gistOf, type Trigger } from '../../core/checkpoint.ts'
import { nameKey } from '../../core/id.ts'
import type { CommitResult, LogChange, NewStream } from '../log.ts'
import { addText } from './documents.ts'
import { addRow } from './merge.ts'
import { addCheckpoint, addStream, readNotes, streamById } from './rows.ts'
import type { Sql } from './sql.ts'

/** Looks first and writes after, so that a refusal leaves nothing behind. */
export function appendToLog(sql: Sql, change: LogChange): CommitResult {
  const { begins = [], appends = [] } = change
  const heads = new Map<string, Head>()
  const sequences: number[] = []
  for (const { checkpoint, after } of appends) {
    const head = heads.get(checkpoint.stream) ?? headOf(sql, checkpoint.stream)
    if (head.id !== after) return { done: false, why: 'head_moved' }
    sequences.push(head.sequence + 1)
    heads.set(checkpoint.stream, { id: checkpoint.id, sequence: head.sequence + 1 })
  }
  for (const stream of begins) if (isTaken(sql, stream)) return { done: false, why: 'name_taken' }

  for (const stream of begins) addStream(sql, stream, firstOf(stream, appends))
  for (const { hash, text } of change.texts ?? []) addText(sql, hash, text)
  for (const [at, { checkpoint, foreign, takes = [] }] of appends.entries()) {
    addCheckpoint(sql, checkpoint, sequences[at] ?? 1)
    for (const event of takes) sql.run('DELETE FROM events WHERE seq = ?', event)
    if (foreign) sql.run('INSERT INTO foreign_marks (checkpoint) VALUES (?)', checkpoint.id)
  }
  for (const { stream, hash, checkpoint, current, problem } of change.versions ?? [])
    sql.run(
      'INSERT OR REPLACE INTO versions (stream, hash, checkpoint, current, problem) VALUES (?, ?, ?, ?, ?)',
      ...([stream, hash, checkpoint, current ? 1 : 0, problem] as const),
    )
  for (const id of change.reviews ?? []) sql.run('DELETE FROM foreign_marks WHERE checkpoint = ?', id)
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

function isTaken(sql: Sql, { id, repository, kind, name }: NewStream): boolean {
  return (
    sql.get(
      'SELECT 1 FROM streams WHERE id = ? OR (repository = ? AND kind = ? AND name_key = ?)',
      ...([id, repository, kind, nameKey(name)] as const),
    ) !== undefined
  )
}

function firstOf(stream: NewStream, appends: Array<{ checkpoint: Checkpoint }>): Checkpoint {
  const found = appends.find(({ checkpoint }) => checkpoint.stream === stream.id)
  if (found === undefined) throw new Error(`stream ${stream.name} begins without a checkpoint`)
  return found.checkpoint
}

export function addNoteToHead(
  sql: Sql,
  stream: string,
  expected: { head: string; notes: number },
  trigger: Trigger,
): boolean {
  const { headId } = streamById(sql, stream)
  if (headId !== expected.head || readNotes(sql, headId).length !== expected.notes) return false
  sql.run(
    'INSERT INTO notes (checkpoint, n, body) VALUES (?, ?, ?)',
    headId,
    expected.notes,
    canonicalJson(trigger),
  )
  return true
}

export function readmitCheckpoint(sql: Sql, checkpoint: Checkpoint, sequence: number): boolean {
  const { id, stream, at, progress } = checkpoint
  const body = canonicalJson(checkpoint)
  const gist = canonicalJson(gistOf(checkpoint))
  const row = { id, stream, seq: sequence, at, progress, hash: sha256(body), body, removed_at: null, gist }
  return addRow(sql, row, 'leave out') === 1
}

export function removeBodies(sql: Sql, stream: string, checkpoints: readonly string[], at: string): string[] {
  const removed = checkpoints.filter((id) => {
    const gone = sql.run(
      `UPDATE checkpoints SET body = NULL, removed_at = ? WHERE id = ? AND stream = ? AND body IS NOT NULL
       AND id <> (SELECT head_id FROM streams WHERE id = ?) AND id NOT IN (SELECT checkpoint FROM pins)`,
      ...([at, id, stream, stream] as const),
    )
    if (gone === 1) sql.run('DELETE FROM notes WHERE checkpoint = ?', id)
    return gone === 1
  })
  sql.run('UPDATE streams SET live = live - ? WHERE id = ?', removed.length, stream)
  return removed
}
