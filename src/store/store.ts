import type { Checkpoint, CommandOutcome, Gist, Progress, Trigger } from '../core/checkpoint.ts'
import type { Searchable, SearchKind } from '../core/searchable.ts'
import type { Phase, Session, SessionKey, SessionRow } from '../core/session.ts'

export interface WorkspaceRow {
  id: string
  repository: string
  path: string
}

/** A run of a plan, or a piece of work that has a checkpoint document. */
export type StreamKind = 'run' | 'work'

/** What identifies a stream and where its documents are published. */
export interface NewStream {
  id: string
  repository: string
  workspace: string
  kind: StreamKind
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
  /** It holds text that git delivered and nobody here has reviewed. */
  foreign: boolean
  gist: Gist
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

/** A checkpoint document in a workspace: which version should stand there, and which stood there last. */
export interface DocumentView {
  path: string
  checkpoint: string
  hash: string
  /** The hash of what a pending write replaces; null where nothing may stand there. */
  base: string | null
  /** How the file looked when it last had these bytes, so that an unchanged one need not be read. */
  stamp: string | null
  state: 'pending' | 'published'
  /** This version says `status: current`. */
  current: boolean
}

/** A work stream as one workspace sees it. */
export interface WorkRow {
  stream: Pick<Stream, 'id' | 'name' | 'headId' | 'headSequence'>
  /** Its document here; null where this workspace has none. */
  view: DocumentView | null
  /** Where this workspace stands in the stream: at its document's checkpoint, else at the head. */
  position: { checkpoint: string; sequence: number; at: string; gist: Gist; foreign: boolean }
  focused: boolean
}

/** A work stream as a list tells it: what changes hands when there are thousands. */
export interface OverviewRow {
  name: string
  headSequence: number
  /** Its document; null where this workspace does not have it. */
  path: string | null
  isArchived: boolean
  /** The document says `status: current`. */
  current: boolean
  focused: boolean
  /** Where this workspace stands in the stream, and what the document says there. */
  sequence: number
  at: string
  foreign: boolean
  created: string
  parent: string | null
  problem: string
  next: string
}

/** How all document files of a workspace look: their names, and numbers that change with a file. */
export interface Glance {
  names: string
  marks: Uint8Array
}

/** A version of a document that was seen before. */
export interface Version {
  checkpoint: string
  /** It says `status: current`. */
  current: boolean
  /** Why it could not be read, where that is so. */
  problem: string | null
}

/** What a shared file is: a document, an entry in a file of several, or one that a save writes beside them. */
export type ViewKind = 'document' | 'entry' | FileView['kind']

/** A file that a save writes: a note, the ledger, or the index in which the save's time is set. */
export interface FileView {
  kind: 'note' | 'ledger' | 'index'
  path: string
  stream: string
  checkpoint: string
  hash: string
  /** The hash of what a pending write replaces; null where nothing may stand there. */
  base: string | null
  state: 'pending' | 'published'
}

/** What stood in a workspace's ledger. */
export interface LedgerRow {
  /** Its number in the workspace, from 1. */
  number: number
  path: string
  /** The stream's name. */
  stream: string
  checkpoint: string
  hash: string
  at: string
}

/** What a workspace still owes to its shared files. */
export interface OwedView {
  kind: ViewKind
  path: string
  stream: string
  checkpoint: string
  hash: string
  base: string | null
  state: 'pending' | 'leaving'
}

/** Everything that one act on documents changes, in one command. */
export interface DocumentCommit {
  workspace: string
  /** Streams that begin; the first checkpoint of each is among the appended ones. */
  begins?: NewStream[]
  /**
   * Each after the head that was seen; a further one of the same stream after the one before it in this list.
   * `foreign`: it holds text that nobody has reviewed.
   */
  appends?: Array<{ checkpoint: Checkpoint; after: string | null; foreign: boolean }>
  texts?: Array<{ hash: string; text: string }>
  versions?: Array<Version & { stream: string; hash: string }>
  /** Where a stream's document stands in this workspace from now on. Its other document rows here go. */
  documents?: Array<DocumentView & { stream: string }>
  /** Files that are to go once what replaces them is there. */
  leaving?: Array<Pick<OwedView, 'path' | 'stream' | 'checkpoint' | 'hash'>>
  /** Parts of a shared file that are to be added to it. */
  entries?: Array<Pick<OwedView, 'path' | 'stream' | 'checkpoint'>>
  /** Files besides the documents, as they should stand from now on. */
  files?: FileView[]
  /** What the ledger says from now on, or was found to say: its history. */
  ledgers?: Array<Pick<LedgerRow, 'path' | 'checkpoint' | 'hash' | 'at'>>
  /** Checkpoints whose foreign mark goes, because what they hold is vouched for. */
  reviews?: string[]
  /** The stream in focus from now on, or null for none; absent where focus stays. */
  focus?: string | null
}

/** Which sessions are asked for; each condition narrows it. */
export interface SessionFilter {
  repository?: string
  workspace?: string
  phases?: readonly Phase[]
  /** Only those that were last heard of before this time. */
  heardBefore?: string
  /** So many, the newest. */
  most?: number
}

/** What was committed and is not in the search index yet: a part of it, in the order of its commits. */
export interface Unsearched {
  /** What the index says that it has, and will say with this part: `indexed` is told both. */
  from: string
  to: string
  /** Nothing that the index has can be used any more: it begins anew with this part. */
  anew: boolean
  /** Roughly how many more there are after this part; with none and no part, the index is complete. */
  left: number
  checkpoints: Array<{
    stream: Pick<Stream, 'id' | 'kind' | 'repository'>
    checkpoint: Checkpoint
    /** The one that it came after; null where there is none, or none that reads well. */
    parent: Checkpoint | null
  }>
  /** Sessions that changed; null where the row cannot be read. */
  sessions: Array<SessionKey & { version: number; session: Session | null }>
}

/** A record for the search index. */
export interface SearchRecord extends Searchable {
  repository: string
  at: string
  branch: string | null
  /** The stream and the checkpoint that say it; null for a session. */
  stream: string | null
  checkpoint: string | null
}

/** Which records are asked for; each condition narrows it. */
export interface SearchFilter {
  /** Null for all of them. */
  repository: string | null
  kind: SearchKind | null
  branch: string | null
  /** Only records of this time or later. */
  since: string | null
  most: number
}

/**
 * What is looked for: expressions in the syntax of the index, all of them or any (but for those that nearly every
 * record has, where others are rarer); or texts that a record must all contain.
 */
export type Wanted = { terms: readonly string[]; of: 'all' | 'any' } | { contains: readonly string[] }

export interface SearchHit {
  id: string
  kind: SearchKind
  at: string
  branch: string | null
  repository: string
  /** The stream that says it, and the number of the checkpoint there; null for a session. */
  place: { stream: string; sequence: number; checkpoint: string; archived: boolean } | null
  /** A part of its text; \u0001 and \u0002 stand around each match. */
  snippet: string
  /** What took the decision's place. */
  superseded: string | null
}

export interface Found {
  /** The best first. */
  hits: SearchHit[]
  total: number
  /** There are more than `total`: of many matches only the newest are ranked. */
  more: boolean
  /** Records with text that nobody has reviewed are no hits: how many, and the streams that say them. */
  foreign: { records: number; streams: string[] }
}

export type Committed = { done: true } | { done: false; why: 'head_moved' | 'name_taken' }

export type Appended = { done: true; sequence: number; live: number; maintainedAt: string | null }
/** Somebody else moved the head: read again, decide again. */
export type HeadMoved = { done: false }

export interface StoreProblem {
  what: string
  checkpoint?: string
  /** Only the search index has it: it is made anew at the next search, and nothing is lost. */
  derived?: true
}

/** Releases a lock. Locks end with their process, whatever way it ends. */
export type Release = () => void

/**
 * Where everything lives. Every method is one atomic command: it happened whole and is durable when its
 * promise resolves, or it did not happen. (What only notes what the disk shows anyway, `published`, `stamped`, `settled`,
 * `forgetViews` and `maintained`, may be undone by a power cut.) Nothing here takes a callback, so no file, git or terminal work
 * can ever run inside a transaction. Policy runs between a read and a compare-and-set, and retries.
 */
export interface Store {
  readonly path: string

  /** Records where a workspace is; the path is an attribute, the id is not. */
  seeWorkspace(workspace: WorkspaceRow, at: string): Promise<void>
  workspaces(): Promise<WorkspaceRow[]>

  /** Begins a stream with its first checkpoint; false where its name is taken (ignoring case). */
  begin(stream: NewStream, first: Checkpoint, views: StartingView[]): Promise<boolean>
  stream(repository: string, name: string, kind?: StreamKind): Promise<Stream | null>
  streams(repository: string | null, kind?: StreamKind): Promise<Stream[]>
  /** The runs, with the gist of each head: one cheap read, however many there are. */
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

  /** Every work stream of a repository, as one workspace sees it: one cheap read, however many there are. */
  work(repository: string, workspace: string): Promise<WorkRow[]>
  /** What a list said when the documents looked like this; null where anything has changed since. */
  glance(workspace: string, glance: Glance): Promise<OverviewRow[] | null>
  /** Says that the documents look like this, that all are as the store has them, and what a list says of them. */
  settled(workspace: string, glance: Glance, rows: readonly OverviewRow[]): Promise<void>
  /** Changes documents, focus and what is owed to the disk, all of it or nothing. */
  commit(change: DocumentCommit): Promise<Committed>
  /** A note, ledger or index of a workspace, as it should stand there. */
  fileView(workspace: string, path: string): Promise<FileView | null>
  /** Whether a text once stood in a workspace's ledger. */
  wasLedger(workspace: string, hash: string): Promise<boolean>
  /** The notes, ledgers and indexes of a workspace, as they should stand there. */
  fileViews(workspace: string): Promise<FileView[]>
  /** What stood in a workspace's ledger, oldest first. */
  ledgers(workspace: string): Promise<LedgerRow[]>
  /** The views of a workspace, but those of runs, that are still to be written or removed; `current` comes last. */
  owed(workspace: string): Promise<OwedView[]>
  /** Says that documents look like this on the disk. A row that meanwhile wants other bytes is left as it is. */
  stamped(workspace: string, rows: Array<{ path: string; hash: string; stamp: string | null }>): Promise<void>
  text(hash: string): Promise<string | null>
  /** The hash of every text that a repository's streams and shared files have shown, in any of its workspaces. */
  texts(repository: string): Promise<Set<string>>
  version(stream: string, hash: string): Promise<Version | null>
  /** The versions of a stream that could not be read as a document, and are kept all the same. */
  unread(stream: string): Promise<Array<Version & { hash: string }>>
  isTrusted(workspace: string, path: string): Promise<boolean>
  /** Whether trust was taken away from a workspace, by its user's own word. */
  isDistrusted(workspace: string): Promise<boolean>
  setTrust(workspace: string, path: string | null, at: string): Promise<void>

  /** One conversation of an agent, in any workspace. */
  session(key: SessionKey): Promise<SessionRow | null>
  /** The newest activity first. A row that cannot be read any more is left out. */
  sessions(filter: SessionFilter): Promise<SessionRow[]>
  /**
   * Puts a session's row in place of the one with `expected`, null where there must be none; false where somebody
   * else was faster. `reading`: how far its transcript is read, which a power cut may undo together with the row;
   * null forgets it.
   */
  advance(session: Session, expected: number | null, reading?: string | null): Promise<boolean>
  /** How far each journal is read: the session's id with its agent before it, as `<agent>/<id>`. */
  journalsRead(): Promise<Map<string, number>>
  /** What `advance` was given last as the session's reading. */
  reading(key: SessionKey): Promise<string | null>

  /** What the search index does not have yet, at most so many checkpoints and sessions. */
  unsearched(most: number): Promise<Unsearched>
  /**
   * Puts a part into the index; false where somebody else did, or began it anew; null where the index is damaged, and
   * has to begin anew. May be undone by a power cut.
   */
  indexed(part: Unsearched, records: readonly SearchRecord[]): Promise<boolean | null>
  /** Searches what the index has; null where the index is damaged, and has to begin anew. */
  search(wanted: Wanted, filter: SearchFilter): Promise<Found | null>
  /** Throws the index away: it is filled again when somebody searches. */
  forgetSearch(): Promise<void>

  /** Takes a named lock, or null where another holds it for longer than `waitMs`. */
  lock(name: string, waitMs: number): Promise<Release | null>

  check(): Promise<StoreProblem[]>
  /** A consistent copy at a path that does not exist yet, while others write. */
  backup(file: string): Promise<void>
  close(): Promise<void>
}
