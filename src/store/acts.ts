import type { Gist } from '../core/checkpoint.ts'
import type { LedgerText, LocalChange, ViewRow } from './local-state.ts'
import type { CommitResult, LogChange, Stream } from './log.ts'

/** A work stream as one workspace sees it. */
export interface WorkRow {
  stream: Pick<Stream, 'id' | 'name' | 'headId' | 'headSequence'>
  /** Its document here; null where this workspace has none. */
  view:
    | (Pick<ViewRow, 'path' | 'checkpoint' | 'hash' | 'base' | 'stamp' | 'current'> & {
        state: 'pending' | 'published'
      })
    | null
  /** Where this workspace stands in the stream: at its document's checkpoint, else at the head. */
  position: { checkpoint: string; sequence: number; at: string; gist: Gist; foreign: boolean }
  focused: boolean
}

/** What stood in a workspace's ledger, with the name of its stream. */
export interface LedgerRow extends LedgerText {
  stream: string
}

/** Everything that one act changes, in one command: all of it or nothing. */
export interface DocumentCommit extends LogChange, LocalChange {}

/**
 * What spans the log and the local state: a change of both, with the files that a checkpoint owes to the disk, and the
 * reads that join both. Each is one atomic command, as those of the log and of the local state are.
 */
export interface Acts {
  commit(change: DocumentCommit): Promise<CommitResult>

  /** Every work stream of a repository, as one workspace sees it: one cheap read, however many there are. */
  listWork(repository: string, workspace: string): Promise<WorkRow[]>
  /** What stood in a workspace's ledger, oldest first. */
  listLedgers(workspace: string): Promise<LedgerRow[]>
  /** The hash of every text that a repository's streams and shared files have shown, in any of its workspaces. */
  listTextHashes(repository: string): Promise<Set<string>>
}
