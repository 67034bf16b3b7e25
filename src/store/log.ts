import type { Checkpoint, CommandOutcome, Gist, Progress, Trigger } from '../core/checkpoint.ts'
import type { Phase, Session, SessionKey, SessionRow } from '../core/session.ts'

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
export type StoredCheckpoint =
  | { row: CheckpointRow; state: 'whole'; checkpoint: Checkpoint; notes: Trigger[] }
  | { row: CheckpointRow; state: 'damaged' | 'removed' }

/** A stream and what its newest checkpoint says in short. */
export interface StreamSummary extends Pick<CheckpointRow, 'at' | 'progress' | 'foreign' | 'gist'> {
  stream: Stream
}

/** How much a log holds. */
export interface LogCounts {
  works: number
  runs: number
  checkpoints: number
  sessions: number
}

/** What sessions can be told apart by: every value that one of them has, in order. */
export interface SessionNames {
  agents: string[]
  branches: string[]
  /** By their paths, else by their names. */
  outcomes: string[]
}

/** A run at one instant: one consistent read, between which and the next write others may act. */
export interface Situation {
  stream: Stream
  /** The newest checkpoint that reads well. */
  base: { checkpoint: Checkpoint; notes: Trigger[] }
  pending: Array<{ event: number; outcome: CommandOutcome }>
  pinned: string[]
}

/** A version of a document that was seen before. */
export interface Version {
  checkpoint: string
  /** It says `status: current`. */
  current: boolean
  /** Why it could not be read, where that is so. */
  problem: string | null
}

/** A checkpoint of another log whose body was removed there: it keeps its place in the stream. */
export interface Tombstone extends Pick<CheckpointRow, 'id' | 'stream' | 'at' | 'progress' | 'gist'> {
  removedAt: string
}

/** A repository and a workspace of it. */
export interface LogPlace {
  repository: string
  workspace: string
}

/** A further trigger on the head of a stream, where it is still that head with that many notes. */
export interface NewNote {
  stream: string
  head: string
  number: number
  trigger: Trigger
}

/** Checkpoints that leave a tombstone; refused where one is the head, is pinned or is of another stream. */
export interface Removal {
  stream: string
  checkpoints: readonly string[]
  at: string
}

/** What one command changes in the log: all of it, or nothing. */
export interface LogChange {
  /** Streams that begin; the first checkpoint of each is among the appended ones. */
  begins?: NewStream[]
  /**
   * Each after the head that was seen; a further one of the same stream after the one before it in this list.
   * `foreign`: it holds text that nobody has reviewed. `takes`: the waiting events that are in it from now on.
   * `notes` and `pinned`: what another log had noted on it.
   */
  appends?: Array<{
    checkpoint: Checkpoint | Tombstone
    after: string | null
    foreign: boolean
    takes?: number[]
    notes?: Trigger[]
    pinned?: boolean
  }>
  note?: NewNote
  /** A checkpoint that the log had lost, at its own sequence number; refused where it has it, or has another there. */
  readmit?: { checkpoint: Checkpoint; sequence: number }
  remove?: Removal
  texts?: Array<{ hash: string; text: string }>
  versions?: Array<Version & { stream: string; hash: string }>
  /** Checkpoints whose foreign mark goes, because what they hold is vouched for. */
  reviews?: string[]
  /**
   * Streams that are called `name` from now on, and were called `from`; their ids stay. One may take the name that
   * another before it in this list gives away.
   */
  renames?: Array<{ stream: string; from: string; name: string }>
}

/** Where it is not done, somebody else was faster: read again, decide again. */
export type CommitResult = { done: true } | { done: false; why: 'head_moved' | 'name_taken' }

/** Which sessions are asked for; each condition narrows it. */
export interface SessionFilter {
  repository?: string
  workspace?: string
  phases?: readonly Phase[]
  /** Only those that were last heard of before this time. */
  heardBefore?: string
  /** The branch that it began on. */
  branch?: string
  /** The path or the name of an outcome that it works on. */
  outcome?: string
  /** The name of the stream that it saves to. */
  stream?: string
  /** The id of the session that it goes on from. */
  parent?: string
  /** So many, the newest. */
  most?: number
  /** Not the newest ones, so many of them. */
  skip?: number
}

/**
 * What is true everywhere: streams with their checkpoints, the texts of documents, sessions.
 * Every method is one atomic command: it happened whole and is durable when its promise resolves, or it did not
 * happen. Nothing here takes a callback, so no file, git or terminal work can run inside a transaction. Policy runs
 * between a read and a compare-and-set, and retries.
 * (What `markMaintained` and `advance` say may be undone by a power cut: it can be found out again.)
 */
export interface Log {
  findStream(repository: string, name: string, kind?: StreamKind): Promise<Stream | null>
  listStreams(repository: string | null, kind?: StreamKind): Promise<Stream[]>
  readStream(id: string): Promise<Stream | null>
  /** The streams of one kind, of one repository or of all, with the gist of each head: one cheap read, however many there are. */
  listHeads(repository: string | null, kind: StreamKind): Promise<StreamSummary[]>
  /** How much there is. */
  count(): Promise<LogCounts>
  readSituation(stream: string): Promise<Situation>
  readCheckpoint(id: string): Promise<StoredCheckpoint | null>
  /** Some checkpoints in one read, in no order; those that there are not are left out. */
  readCheckpoints(ids: readonly string[]): Promise<StoredCheckpoint[]>
  /** A stream's checkpoints by sequence, oldest first, tombstones included; `most`: the newest of them. */
  readHistory(stream: string, most?: number): Promise<CheckpointRow[]>

  /** The rows of some checkpoints, in no order; those that there are not are left out. */
  readRows(checkpoints: readonly string[]): Promise<CheckpointRow[]>

  append(change: LogChange): Promise<CommitResult>
  /** Keeps a command's outcome until the next checkpoint takes it in. */
  recordOutcome(stream: string, outcome: CommandOutcome, at: string): Promise<number>
  pin(checkpoint: string, pinned: boolean): Promise<void>
  /** Marks numbers that nothing could be found for as removed, so that sequences stay gap-free. */
  closeGaps(at: string): Promise<number>
  markMaintained(stream: string, at: string): Promise<void>
  /**
   * Two ids turned out to be one repository, or one workspace: the streams and sessions of `from` belong to `to` from
   * now on. Where both have a stream of one name, that of `from` gets a number; answers which did.
   */
  moveRepository(from: LogPlace, to: LogPlace): Promise<Array<{ was: string; now: string }>>

  readText(hash: string): Promise<string | null>
  findVersion(stream: string, hash: string): Promise<Version | null>
  /** The versions of a stream; also those that could not be read as a document, and are kept all the same. */
  listVersions(stream: string): Promise<Array<Version & { hash: string }>>

  /** One conversation of an agent, in any workspace. */
  readSession(key: SessionKey): Promise<SessionRow | null>
  /** The newest activity first. A row that cannot be read any more is left out. */
  listSessions(filter: SessionFilter): Promise<SessionRow[]>
  countSessions(filter: SessionFilter): Promise<number>
  listSessionNames(repository: string | null): Promise<SessionNames>
  /**
   * Puts a session's row in place of the one with `expected`, null where there must be none; false where somebody
   * else was faster. `reading`: how far its transcript is read, which a power cut may undo together with the row;
   * null forgets it.
   */
  advance(session: Session, expected: number | null, reading?: string | null): Promise<boolean>
  /** What `advance` was given last as the session's reading. */
  readReading(key: SessionKey): Promise<string | null>
  /**
   * How far the journal of each session is read: the session's id with its agent before it, as `<agent>/<id>`. It is
   * part of the session's row, because an event that is taken in twice, or never, would be the price of two commits.
   */
  readJournalPositions(): Promise<Map<string, number>>
}
