import { describeError, errorCode, ReasonError } from '../../core/reason.ts'
import { readTimestamp } from '../../formats/checkpoint-md/timestamp.ts'
import { noteTime } from '../../formats/note-json/layout.ts'

/** A file that cannot be used, and why. */
export interface SkippedFile {
  path: string
  problem: string
}

/** When a file of another tool counts as written. */
export interface WrittenTime {
  /** When it says that it was written; null where it says nothing. */
  saidMs: number | null
  /** A time to come is not believed: the file's own time takes its place, or now. */
  atMs: number
}

/** The first of some texts that is a time; else when the file was last changed. */
export function timeWritten(
  said: readonly string[],
  { modifiedMs, nowMs }: { modifiedMs: number; nowMs: number },
): WrittenTime {
  const saidMs = said.map(timeOf).find((ms) => ms !== null) ?? null
  const isSound = saidMs !== null && saidMs <= nowMs
  return { saidMs, atMs: isSound ? saidMs : Math.max(0, Math.min(Math.trunc(modifiedMs), nowMs)) }
}

/** A time as tools write it: ISO 8601, also with a space for the `T`, or as in a note's name. */
function timeOf(text: string): number | null {
  const said = text.trim()
  return readTimestamp(said.replace(/^(\S+) (?=\d)/, '$1T'))?.ms ?? noteTime(said) ?? noteTime(`${said}.json`)
}

const STAMP = /^_Last updated:[ \t]*([^\r\n_]{1,60})_/im

/** When a ledger says that it was last updated; empty where it says nothing. */
export const ledgerStamp = (text: string) => STAMP.exec(text)?.[1] ?? ''

/** What is wrong with a file, without the path that stands before it anyway. A defect of ours is thrown on. */
export function sourceProblemOf(error: unknown): string {
  if (error instanceof ReasonError) {
    if (error.reason === 'file_too_large') return `it is too large: over ${error.data.limit} bytes`
    return String(error.data.problem ?? error.message)
  }
  if (errorCode(error) === undefined) throw error
  return describeError(error)
}
