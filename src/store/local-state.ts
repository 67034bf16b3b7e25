import type { Removal } from './log.ts'

export interface WorkspaceRow {
  id: string
  repository: string
  path: string
}

/** By what a clone on another machine is known to be the same repository. */
export interface RepositoryRow {
  id: string
  /** The name of its folder, for people. */
  name: string
  /** Where it is fetched from, as `normaliseRemote` tells it; null where it has no remote. */
  remote: string | null
  /** Its first commits; none where git could not be asked. */
  roots: string[]
  /** Folders for which the user said that they are something else. */
  declined: string[]
}

/** A file that a save writes besides the documents. The path of a handoff starts at the main worktree. */
export type FileKind = 'note' | 'ledger' | 'index' | 'handoff'

/** A file that is shared with people and tools: a document, one of a save, or an entry in a file of several. */
export type SharedKind = 'document' | 'entry' | FileKind

/** A file on disk that shows a checkpoint. `pending` until it is known to be there, `leaving` until gone. */
export interface ViewRow {
  workspace: string
  path: string
  /** `file`: of a run. */
  kind: 'file' | SharedKind
  stream: string
  checkpoint: string
  /** SHA-256 of the file's bytes; empty where only a part of the file is ours. */
  hash: string
  /** SHA-256 of the uncompressed bytes; the same as `hash` for a plain file. */
  contentHash: string
  /**
   * The hash of what a pending write replaces; null where nothing may stand there. Of a file that is to go: the hash of
   * a document that nothing replaces; of an entry, the hash of the whole file's text before it, null without one.
   */
  base: string | null
  /** How the file looked when it last had these bytes, so that an unchanged one need not be read. */
  stamp: string | null
  state: 'pending' | 'published' | 'leaving'
  /** This version of a document says `status: current`. */
  current: boolean
}

export type ViewKey = Pick<ViewRow, 'workspace' | 'path'>

/** A view as it should stand from now on. What is not said of it is null, `current` false, `contentHash` the hash. */
export type NewView = Omit<ViewRow, 'workspace' | 'contentHash' | 'base' | 'stamp' | 'current'> &
  Partial<Pick<ViewRow, 'contentHash' | 'base' | 'stamp' | 'current'>>

/** What a file has on the disk. `expected`: the hash that its row wants, where another one was written. */
export type PublishedView = ViewKey &
  Pick<ViewRow, 'hash'> &
  Partial<Pick<ViewRow, 'contentHash' | 'stamp'>> & { expected?: string }

export interface ViewFilter {
  stream?: string
  workspace?: string
  /** Only what is still to be written or removed. */
  unsettled?: boolean
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

/** What stood in a workspace's ledger. */
export interface LedgerText {
  /** Its number in the workspace, from 1. */
  number: number
  path: string
  checkpoint: string
  hash: string
  at: string
}

/** What an act changes in a workspace. */
export interface LocalChange {
  workspace: string
  /**
   * Files as they should stand from now on, or that are to go once what replaces them is there. A stream has one document
   * in a workspace: the row of an earlier one goes, unless that file is still to be removed.
   */
  views?: NewView[]
  /** What the ledger says from now on, or was found to say: its history. */
  ledgers?: Array<Omit<LedgerText, 'number'>>
  /** The stream in focus from now on, or null for none; absent where focus stays. */
  focus?: string | null
  /** What somebody did, so that it can be undone; one with the same id is put in its place. */
  act?: NewAct
  /** An act that is undone with this, or done again. */
  turn?: { act: string; isUndone: boolean }
  /** Checkpoints of a run that leave a tombstone: their files are to go. */
  remove?: Removal
}

/** Where a stream stood in a workspace. */
export interface StreamState {
  head: string
  sequence: number
  /** Its document, where the file was there. */
  view: Pick<ViewRow, 'path' | 'hash' | 'current'> | null
}

/** A file besides the documents that an act wrote. */
export interface ActFile extends Pick<ViewRow, 'path' | 'stream' | 'checkpoint'> {
  kind: FileKind | 'entry'
  /** The hash of what the act wrote; empty where only a part of the file is ours. */
  after: string
  /** The hash of what stood there; of an index, the value itself. Null where there was nothing. */
  before: string | null
  /** What our row said of it before. */
  shown: Pick<ViewRow, 'stream' | 'checkpoint' | 'hash'> | null
}

/** What an act changed in a workspace: enough to take it back, and to do it again. */
export interface ActRecord {
  /** The work that it was about, and in its own words what was done. */
  what: string
  summary: string
  /** `before`: null where it began with the act. `formerName`: what it was called before, where the act renamed it. */
  streams: Array<{
    id: string
    name: string
    formerName?: string
    before: StreamState | null
    after: StreamState
  }>
  files: ActFile[]
  focus: { before: string | null; after: string | null } | null
}

/** What somebody did in a workspace. */
export interface NewAct {
  id: string
  at: string
  verb: string
  by: 'agent' | 'user'
  /** The session of an agent in which it was done. */
  session: string | null
  record: ActRecord
}

export interface ActRow extends NewAct {
  isUndone: boolean
}

/**
 * How far a workspace is trusted. `own`: a save of its user's gave it, for their own words and for running git.
 * `vouched`: the user said so, and with it vouches for what the default branch of the remote brings. `withdrawn`: the
 * user took it away, and no save gives it back.
 */
export type Trust = 'none' | 'own' | 'vouched' | 'withdrawn'

/** Releases a lock. Locks end with their process, whatever way it ends. */
export type Release = () => void

/**
 * What is true on this machine only: where workspaces are, which files show which checkpoint and which are still
 * owed to the disk, what is trusted, who holds a lock.
 * Every method is one atomic command, as those of the log are. (What only notes what the disk shows anyway,
 * `markPublished`, `putGlance` and `forgetViews`, may be undone by a power cut.)
 */
export interface LocalState {
  /** Records where a workspace is; the path is an attribute, the id is not. */
  seeWorkspace(workspace: WorkspaceRow, at: string): Promise<void>
  listWorkspaces(): Promise<WorkspaceRow[]>
  /** Records by what a repository is known, in place of what was recorded before. */
  seeRepository(row: RepositoryRow): Promise<void>
  listRepositories(): Promise<RepositoryRow[]>

  apply(change: LocalChange): Promise<void>

  listViews(filter: ViewFilter): Promise<ViewRow[]>
  /** Says that views are on the disk. A row that meanwhile wants other bytes, or is to go, is left as it is. */
  markPublished(views: PublishedView[]): Promise<void>
  /** Says that a view has to be written again. */
  oweView(view: ViewKey): Promise<void>
  /** Puts one file in another's place: the compressed one for the plain one. */
  replaceView(old: ViewKey, view: Pick<ViewRow, 'path' | 'hash' | 'contentHash'>): Promise<void>
  forgetViews(views: ViewKey[]): Promise<void>
  /** A note, ledger, index or handoff of a workspace, as it should stand there. */
  readFileView(workspace: string, path: string): Promise<ViewRow | null>
  /** The views of a workspace, but those of runs, that are still to be written or removed; `current` comes last. */
  listOwedViews(workspace: string): Promise<ViewRow[]>
  /** The streams in focus, of every workspace that has one. */
  listFocused(): Promise<Array<{ workspace: string; stream: string }>>
  /** What stood in a workspace's ledger, oldest first. */
  listLedgerTexts(workspace: string): Promise<LedgerText[]>

  /** The last acts in a workspace, oldest first. Those that were undone end when another act follows. */
  listActs(workspace: string): Promise<ActRow[]>

  /** What a list said when the documents looked like this; null where anything has changed since. */
  readGlance(workspace: string, glance: Glance): Promise<OverviewRow[] | null>
  /** Says that the documents look like this, that all are as the store has them, and what a list says of them. */
  putGlance(workspace: string, glance: Glance, rows: readonly OverviewRow[]): Promise<void>

  /** Trust holds for a workspace at one path; that it was withdrawn holds everywhere. */
  readTrust(workspace: string, path: string): Promise<Trust>
  setTrust(workspace: string, path: string, trust: Exclude<Trust, 'none'>, at: string): Promise<void>

  /**
   * Takes a named lock, or null where one and the same holder keeps it for longer than `waitMs`, or others take it in
   * turn for longer than `mostMs`: a queue that moves is worth waiting for, a holder that stopped is not.
   */
  takeLock(name: string, waitMs: number, mostMs?: number): Promise<Release | null>
}
