import type { Checkpoint, Trigger } from '../../core/checkpoint.ts'
import type { Session } from '../../core/session.ts'

export const EXPORT_VERSION = 1

/** The first line of an export. */
export interface ExportHeader {
  savepoint: 'export'
  version: number
  createdAt: string
}

/** By what a repository is known on another machine. No path: that is true on one machine only. */
export interface RepositoryRecord {
  kind: 'repository'
  id: string
  name: string
  remote: string | null
  roots: string[]
}

/** A stream; its checkpoints follow it, oldest first, and after them its versions. */
export interface StreamRecord {
  kind: 'stream'
  id: string
  repository: string
  of: 'run' | 'work'
  name: string
}

export interface CheckpointRecord {
  kind: 'checkpoint'
  sequence: number
  foreign: boolean
  pinned: boolean
  notes: Trigger[]
  checkpoint: Checkpoint
}

/** A checkpoint whose body was removed. */
export interface RemovedRecord {
  kind: 'removed'
  sequence: number
  foreign: boolean
  row: Pick<Checkpoint, 'id' | 'stream' | 'at' | 'progress'> & {
    removedAt: string
    gist: Record<string, unknown> & { document?: { stands?: string | null } }
  }
}

/** A version of a document. Its text is absent where an earlier line of the file has it. */
export interface VersionRecord {
  kind: 'version'
  stream: string
  hash: string
  checkpoint: string
  current: boolean
  problem: string | null
  text?: string
}

/** What the tools of a session gave back, which its session names by the hash. */
export interface TextRecord {
  kind: 'text'
  hash: string
  text: string
}

/** `reading`: how far its transcript was read, and what it came to. */
export interface SessionRecord {
  kind: 'session'
  session: Session
  reading: unknown
}

export type ExportRecord =
  | RepositoryRecord
  | StreamRecord
  | CheckpointRecord
  | RemovedRecord
  | VersionRecord
  | TextRecord
  | SessionRecord
