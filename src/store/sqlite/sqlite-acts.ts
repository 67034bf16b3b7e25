import { canonical, sha256 } from '../../core/canonical.ts'
import { type Checkpoint, gistOf, type Trigger } from '../../core/checkpoint.ts'
import type { Acts, Appended, Committed, DocumentCommit, HeadMoved, LedgerRow, WorkRow } from '../acts.ts'
import type { StartingView } from '../local-state.ts'
import type { NewStream } from '../log.ts'
import type { Connection } from './connection.ts'
import { commitDocuments, textsOf, workRows } from './documents.ts'
import { addRow } from './merge.ts'
import { addCheckpoint, addStream, appended, notesOf, streamById } from './rows.ts'
import { ledgerRows, putViews } from './views.ts'

/** Log and local state are one file here, so one commit spans both. */
export class SqliteActs implements Acts {
  private readonly connection: Connection

  constructor(connection: Connection) {
    this.connection = connection
  }

  begin(stream: NewStream, first: Checkpoint, views: StartingView[]): Promise<boolean> {
    return this.connection.write((sql) => {
      if (!addStream(sql, stream, first)) return false
      addCheckpoint(sql, first, 1)
      putViews(sql, first, views)
      return true
    })
  }

  append(
    checkpoint: Checkpoint,
    expectedHead: string,
    { takes, views }: { takes: number[]; views: StartingView[] },
  ): Promise<Appended | HeadMoved> {
    return this.connection.write((sql) => {
      const before = streamById(sql, checkpoint.stream)
      if (before.headId !== expectedHead) return { done: false }
      addCheckpoint(sql, checkpoint, before.headSequence + 1)
      for (const seq of takes) sql.run('DELETE FROM events WHERE seq = ?', seq)
      putViews(sql, checkpoint, views)
      return appended(sql, checkpoint.stream)
    })
  }

  coalesce(
    stream: string,
    expected: { head: string; notes: number },
    trigger: Trigger,
    view: StartingView,
  ): Promise<Appended | HeadMoved> {
    return this.connection.write((sql) => {
      const { headId } = streamById(sql, stream)
      if (headId !== expected.head || notesOf(sql, headId).length !== expected.notes) return { done: false }
      sql.run(
        'INSERT INTO notes (checkpoint, n, body) VALUES (?, ?, ?)',
        headId,
        expected.notes,
        canonical(trigger),
      )
      putViews(sql, { id: headId, stream }, [view])
      return appended(sql, stream)
    })
  }

  readmit(checkpoint: Checkpoint, sequence: number, views: StartingView[]): Promise<boolean> {
    const { id, stream, at, progress } = checkpoint
    const body = canonical(checkpoint)
    const gist = canonical(gistOf(checkpoint))
    const row = { id, stream, seq: sequence, at, progress, hash: sha256(body), body, removed_at: null, gist }
    return this.connection.write((sql) => {
      if (addRow(sql, row, 'leave out') === 0) return false
      putViews(sql, checkpoint, views)
      return true
    })
  }

  remove(stream: string, checkpoints: string[], at: string): Promise<number> {
    return this.connection.write((sql) => {
      let removed = 0
      for (const id of checkpoints) {
        const gone = sql.run(
          `UPDATE checkpoints SET body = NULL, removed_at = ? WHERE id = ? AND stream = ? AND body IS NOT NULL
           AND id <> (SELECT head_id FROM streams WHERE id = ?) AND id NOT IN (SELECT checkpoint FROM pins)`,
          ...([at, id, stream, stream] as const),
        )
        if (gone === 0) continue
        removed += 1
        sql.run(`UPDATE views SET state = 'leaving' WHERE stream = ? AND checkpoint = ?`, stream, id)
        sql.run('DELETE FROM notes WHERE checkpoint = ?', id)
      }
      sql.run('UPDATE streams SET live = live - ? WHERE id = ?', removed, stream)
      return removed
    })
  }

  commit(change: DocumentCommit): Promise<Committed> {
    return this.connection.write((sql) => commitDocuments(sql, change))
  }

  listWork(repository: string, workspace: string): Promise<WorkRow[]> {
    return this.connection.read((sql) => workRows(sql, repository, workspace))
  }

  listLedgers(workspace: string): Promise<LedgerRow[]> {
    return this.connection.read((sql) => ledgerRows(sql, workspace))
  }

  listTextHashes(repository: string): Promise<Set<string>> {
    return this.connection.read((sql) => textsOf(sql, repository))
  }
}
