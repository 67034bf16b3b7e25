import type { Checkpoint, Trigger } from '../../core/checkpoint.ts'
import type { Acts, AppendResult, DocumentCommit, HeadMoved, LedgerRow, WorkRow } from '../acts.ts'
import type { StartingView } from '../local-state.ts'
import type { CommitResult, NewStream } from '../log.ts'
import type { Connection } from './connection.ts'
import { shownHashes, versionHashes, workRows } from './documents.ts'
import { applyChange } from './local-writes.ts'
import { addNoteToHead, appendToLog, readmitCheckpoint, removeBodies } from './log-writes.ts'
import { tellAppended } from './rows.ts'
import { ledgerRows, putViews } from './views.ts'

/** Log and local state are one file here, so one commit spans both. */
export class SqliteActs implements Acts {
  private readonly connection: Connection

  constructor(connection: Connection) {
    this.connection = connection
  }

  begin(stream: NewStream, first: Checkpoint, views: StartingView[]): Promise<boolean> {
    return this.connection.write((sql) => {
      const appends = [{ checkpoint: first, after: null, foreign: false }]
      const { done } = appendToLog(sql, { begins: [stream], appends })
      if (done) putViews(sql, first, views)
      return done
    })
  }

  append(
    checkpoint: Checkpoint,
    expectedHead: string,
    { takes, views }: { takes: number[]; views: StartingView[] },
  ): Promise<AppendResult | HeadMoved> {
    return this.connection.write((sql) => {
      const appends = [{ checkpoint, after: expectedHead, foreign: false, takes }]
      if (!appendToLog(sql, { appends }).done) return { done: false }
      putViews(sql, checkpoint, views)
      return tellAppended(sql, checkpoint.stream)
    })
  }

  coalesce(
    stream: string,
    expected: { head: string; notes: number },
    trigger: Trigger,
    view: StartingView,
  ): Promise<AppendResult | HeadMoved> {
    return this.connection.write((sql) => {
      if (!addNoteToHead(sql, stream, expected, trigger)) return { done: false }
      putViews(sql, { id: expected.head, stream }, [view])
      return tellAppended(sql, stream)
    })
  }

  readmit(checkpoint: Checkpoint, sequence: number, views: StartingView[]): Promise<boolean> {
    return this.connection.write((sql) => {
      if (!readmitCheckpoint(sql, checkpoint, sequence)) return false
      putViews(sql, checkpoint, views)
      return true
    })
  }

  remove(stream: string, checkpoints: string[], at: string): Promise<number> {
    return this.connection.write((sql) => {
      const removed = removeBodies(sql, stream, checkpoints, at)
      applyChange(sql, { of: 'removal', stream, checkpoints: removed })
      return removed.length
    })
  }

  commit(change: DocumentCommit): Promise<CommitResult> {
    return this.connection.write((sql) => {
      const committed = appendToLog(sql, change)
      if (committed.done) applyChange(sql, { of: 'documents', change })
      return committed
    })
  }

  listWork(repository: string, workspace: string): Promise<WorkRow[]> {
    return this.connection.read((sql) => workRows(sql, repository, workspace))
  }

  listLedgers(workspace: string): Promise<LedgerRow[]> {
    return this.connection.read((sql) => ledgerRows(sql, workspace))
  }

  listTextHashes(repository: string): Promise<Set<string>> {
    return this.connection.read(
      (sql) => new Set([...versionHashes(sql, repository), ...shownHashes(sql, repository)]),
    )
  }
}
