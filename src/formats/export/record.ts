import type { z } from 'zod/mini'
import type { RECORDS } from './schema.ts'

export const EXPORT_VERSION = 1

type RecordOf<Kind extends keyof typeof RECORDS> = z.infer<(typeof RECORDS)[Kind]>

/** By what a repository is known on another machine. No path: that is true on one machine only. */
export type RepositoryRecord = RecordOf<'repository'>
/** A stream; its checkpoints follow it, oldest first, and after them its versions. */
export type StreamRecord = RecordOf<'stream'>
export type CheckpointRecord = RecordOf<'checkpoint'>
/** A checkpoint whose body was removed. */
export type RemovedRecord = RecordOf<'removed'>
/** A version of a document. Its text is absent where an earlier line of the file has it. */
export type VersionRecord = RecordOf<'version'>
/** `reading`: how far its transcript was read, and what it came to. */
export type SessionRecord = RecordOf<'session'>

export type ExportRecord = { [Kind in keyof typeof RECORDS]: RecordOf<Kind> }[keyof typeof RECORDS]
