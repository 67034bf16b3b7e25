import type { Checkpoint, Trigger } from '../../core/checkpoint.ts'
import type { Acts, AppendResult, DocumentCommit, HeadMoved, WorkRow } from '../acts.ts'
import { JoinedReads } from '../joined-reads.ts'
import type { LocalState, StartingView } from '../local-state.ts'
import type { CommitResult, Log, NewStream } from '../log.ts'
import type { Connection } from './connection.ts'
import { applyChange, putViews } from './local-writes.ts'
import { addNoteToHead, appendToLog, readmitCheckpoint, removeBodies } from './log-writes.ts'
import { IS_GIST, NO_GIST, streamById } from './rows.ts'
import type { Sql } from './sql.ts'

/** Log and local state are one file here, so one commit spans both. */
export class SqliteActs extends JoinedReads implements Acts {
  private readonly connection: Connection

  constructor(connection: Connection, log: Log, local: LocalState) {
    super(log, local)
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
}

function tellAppended(sql: Sql, stream: string): AppendResult {
  const { headSequence, live, maintainedAt } = streamById(sql, stream)
  return { done: true, sequence: headSequence, live, maintainedAt }
}

/**
 * There may be thousands: they come as one text, because a driver takes longer to make the rows than SQLite takes to
 * find them, and the joins go by index from the streams outward (the planner, left alone, would scan all views for
 * each). A gist that is damaged says nothing, and keeps no other from being told.
 */
function workRows(sql: Sql, repository: string, workspace: string): WorkRow[] {
  const isForeign = 'EXISTS (SELECT 1 FROM foreign_marks WHERE checkpoint = c.id)'
  const isFocused = `EXISTS (SELECT 1 FROM standings WHERE workspace = ? AND stream = s.id AND standing = 'focused')`
  const found = sql.get<{ rows: string }>(
    `SELECT json_group_array(json_object(
       'stream', json_object('id', s.id, 'name', s.name, 'headId', s.head_id, 'headSequence', s.head_seq),
       'view', iif(v.path IS NULL, NULL, json_object('path', v.path, 'checkpoint', v.checkpoint, 'hash', v.hash,
         'base', v.base, 'stamp', v.stamp, 'state', v.state, 'current', ${truth('v.current')})),
       'position', json_object('checkpoint', c.id, 'sequence', c.seq, 'at', c.at, 'foreign', ${truth(isForeign)},
         'gist', json(iif(${IS_GIST}, c.gist, '${JSON.stringify(NO_GIST)}'))),
       'focused', ${truth(isFocused)})) AS rows
     FROM streams s
     LEFT JOIN views v INDEXED BY documents_of_stream
       ON v.stream = s.id AND v.workspace = ? AND v.kind = 'document' AND v.state <> 'leaving'
     CROSS JOIN checkpoints c ON c.id = coalesce(v.checkpoint, s.head_id)
     WHERE s.repository = ? AND s.kind = 'work'`,
    ...[workspace, workspace, repository],
  )
  // `as`: made by the statement above.
  return JSON.parse(found?.rows ?? '[]') as WorkRow[]
}

const truth = (condition: string) => `json(iif(${condition}, 'true', 'false'))`
