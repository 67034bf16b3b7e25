import type { Checkpoint, Gist, Trigger } from '../core/checkpoint.ts'
import type { DocumentChange, DocumentView, LedgerText, StartingView } from './local-state.ts'
import type { CommitResult, LogChange, NewStream, Stream } from './log.ts'

/** A work stream as one workspace sees it. */
export interface WorkRow {
  stream: Pick<Stream, 'id' | 'name' | 'headId' | 'headSequence'>
  /** Its document here; null where this workspace has none. */
  view: DocumentView | null
  /** Where this workspace stands in the stream: at its document's checkpoint, else at the head. */
  position: { checkpoint: string; sequence: number; at: string; gist: Gist; foreign: boolean }
  focused: boolean
}

/** What stood in a workspace's ledger, with the name of its stream. */
export interface LedgerRow extends LedgerText {
  stream: string
}

/** Everything that one act on documents changes, in one command. */
export interface DocumentCommit extends LogChange, DocumentChange {}

export type AppendResult = { done: true; sequence: number; live: number; maintainedAt: string | null }

/** Somebody else moved the head: read again, decide again. */
export type HeadMoved = { done: false }

/**
 * What spans the log and the local state: the few changes of both, with the views that a checkpoint owes to the disk,
 * and the reads that join both. Each is one atomic command, as those of the log and of the local state are.
 */
export interface Acts {
  /** Begins a stream with its first checkpoint; false where its name is taken (ignoring case). */
  begin(stream: NewStream, first: Checkpoint, views: StartingView[]): Promise<boolean>
  /** Adds a checkpoint after `expectedHead`; the events it took in are in it now, and wait no longer. */
  append(
    checkpoint: Checkpoint,
    expectedHead: string,
    more: { takes: number[]; views: StartingView[] },
  ): Promise<AppendResult | HeadMoved>
  /** Notes a further trigger on the head, where it is still that head with that many notes. */
  coalesce(
    stream: string,
    expected: { head: string; notes: number },
    trigger: Trigger,
    view: StartingView,
  ): Promise<AppendResult | HeadMoved>
  /** Puts back a checkpoint that the log had lost, at its sequence number; false where it has it. */
  readmit(checkpoint: Checkpoint, sequence: number, views: StartingView[]): Promise<boolean>
  /** Takes the bodies away and leaves tombstones; the views of them are `leaving`. Never the head. */
  remove(stream: string, checkpoints: string[], at: string): Promise<number>
  /** Changes documents, focus and what is owed to the disk, all of it or nothing. */
  commit(change: DocumentCommit): Promise<CommitResult>

  /** Every work stream of a repository, as one workspace sees it: one cheap read, however many there are. */
  listWork(repository: string, workspace: string): Promise<WorkRow[]>
  /** What stood in a workspace's ledger, oldest first. */
  listLedgers(workspace: string): Promise<LedgerRow[]>
  /** The hash of every text that a repository's streams and shared files have shown, in any of its workspaces. */
  listTextHashes(repository: string): Promise<Set<string>>
}
