import type { Checkpoint, CommandOutcome, Gist, Progress, Trigger } from '../core/checkpoint.ts'

export interface WorkspaceRow {
  id: string
  repository: string
  path: string
}

/** What identifies a stream and where its documents are published. */
export interface NewStream {
  id: string
  repository: string
  workspace: string
  kind: 'run'
  name: string
}

export interface Stream extends NewStream {
  headId: string
  headSequence: number
  /** How many of its checkpoints still have a body. */
  live: number
  createdAt: string
  maintainedAt: string | null
}

/** A checkpoint's row: everything but its body. */
export interface CheckpointRow {
  id: string
  stream: string
  sequence: number
  at: string
  progress: Progress
  pinned: boolean
  removedAt: string | null
}

/** A checkpoint as read: whole, damaged (its checksum is wrong), or removed (a tombstone). */
export type Stored =
  | { row: CheckpointRow; state: 'whole'; checkpoint: Checkpoint; notes: Trigger[] }
  | { row: CheckpointRow; state: 'damaged' | 'removed' }

/** A stream and what its newest checkpoint says in short. */
export interface Listed {
  stream: Stream
  at: string
  progress: Progress
  gist: Gist
}

export interface PendingOutcome {
  event: number
  outcome: CommandOutcome
}

/** A run at one instant: one consistent read, between which and the next write others may act. */
export interface Situation {
  stream: Stream
  /** The newest checkpoint that reads well. */
  base: { checkpoint: Checkpoint; notes: Trigger[] }
  pending: PendingOutcome[]
  pinned: string[]
}

/** A document on disk that shows a checkpoint. `pending` until it is known to be there, `leaving` until gone. */
export interface ViewRow {
  workspace: string
  path: string
  stream: string
  checkpoint: string
  /** SHA-256 of the file's bytes. */
  hash: string
  /** SHA-256 of the uncompressed bytes; the same as `hash` for a plain file. */
  contentHash: string
  state: 'pending' | 'published' | 'leaving'
}

export type ViewKey = Pick<ViewRow, 'workspace' | 'path'>
export interface ViewFilter {
  stream?: string
  workspace?: string
  /** Only what is still to be written or removed. */
  unsettled?: boolean
}
export type NewView = Pick<ViewRow, 'workspace' | 'path' | 'hash' | 'contentHash'>
/** A view with the state it starts in: owed to the disk, or found there. */
export type StartingView = NewView & { state: 'pending' | 'published' }

export type Appended = { done: true; sequence: number; live: number; maintainedAt: string | null }
/** Somebody else moved the head: read again, decide again. */
export type HeadMoved = { done: false }

export interface StoreProblem {
  what: string
  checkpoint?: string
}

/** Releases a lock. Locks end with their process, whatever way it ends. */
export type Release = () => void

/**
 * Where everything lives. Every method is one atomic command: it happened whole and is durable when its
 * promise resolves, or it did not happen. (What only notes what the disk shows anyway, `published`, `forgetViews`
 * and `maintained`, may be undone by a power cut.) Nothing here takes a callback, so no file, git or terminal work
 * can ever run inside a transaction. Policy runs between a read and a compare-and-set, and retries.
 */
export interface Store {
  readonly path: string

  /** Records where a workspace is; the path is an attribute, the id is not. */
  seeWorkspace(workspace: WorkspaceRow, at: string): Promise<void>
  workspaces(): Promise<WorkspaceRow[]>

  /** Begins a stream with its first checkpoint; false where its name is taken (ignoring case). */
  begin(stream: NewStream, first: Checkpoint, views: StartingView[]): Promise<boolean>
  stream(repository: string, name: string): Promise<Stream | null>
  streams(repository: string | null): Promise<Stream[]>
  /** As `streams`, with the gist of each head: one cheap read, however many there are. */
  list(repository: string): Promise<Listed[]>

  situation(stream: string): Promise<Situation>
  /** Adds a checkpoint after `expectedHead`; the events it took in are in it now, and wait no longer. */
  append(
    checkpoint: Checkpoint,
    expectedHead: string,
    more: { takes: number[]; views: StartingView[] },
  ): Promise<Appended | HeadMoved>
  /** Notes a further trigger on the head, where it is still that head with that many notes. */
  coalesce(
    stream: string,
    expected: { head: string; notes: number },
    trigger: Trigger,
    view: StartingView,
  ): Promise<Appended | HeadMoved>
  /** Keeps a command's outcome until the next checkpoint takes it in. */
  record(stream: string, outcome: CommandOutcome, at: string): Promise<number>

  /** Puts back a checkpoint that the store had lost, at its sequence number; false where it has it. */
  readmit(checkpoint: Checkpoint, sequence: number, views: StartingView[]): Promise<boolean>
  /** Marks numbers that nothing could be found for as removed, so that sequences stay gap-free. */
  closeGaps(at: string): Promise<number>

  checkpoint(id: string): Promise<Stored | null>
  /** A stream's checkpoints by sequence, oldest first, tombstones included. */
  history(stream: string): Promise<CheckpointRow[]>
  pin(checkpoint: string, pinned: boolean): Promise<void>
  /** Takes the bodies away and leaves tombstones; the views of them are `leaving`. Never the head. */
  remove(stream: string, checkpoints: string[], at: string): Promise<number>
  maintained(stream: string, at: string): Promise<void>

  views(filter: ViewFilter): Promise<ViewRow[]>
  /** Says that a view is on disk. A row that meanwhile wants other bytes than `expected` stays pending. */
  published(views: Array<NewView & { expected: string }>): Promise<void>
  /** Says what a document should show from now on. */
  putView(checkpoint: Pick<Checkpoint, 'id' | 'stream'>, view: StartingView): Promise<void>
  /** Says that a view has to be written again. */
  owe(view: ViewKey): Promise<void>
  /** Puts one view in another's place: the compressed file for the plain one. */
  replaceView(old: ViewKey, view: NewView): Promise<void>
  forgetViews(views: ViewKey[]): Promise<void>

  /** Takes a named lock, or null where another holds it for longer than `waitMs`. */
  lock(name: string, waitMs: number): Promise<Release | null>

  check(): Promise<StoreProblem[]>
  /** A consistent copy at a path that does not exist yet, while others write. */
  backup(file: string): Promise<void>
  close(): Promise<void>
}
