import { constants } from 'node:fs'
import { describeError, errorCode } from '../../core/reason.ts'
import type { TranscriptEnds } from '../../core/transcript.ts'
import { helperFiles } from './transcript-helpers.ts'
import { type LineFile, lookFor, openRegular, statIfSeen } from './transcript-lines.ts'
import { membersIn, nameIn } from './transcript-value.ts'

/** One long line may stand at either end: then more is read, once. */
const MOST = 2 * 1024 * 1024
const LOOKS = [64 * 1024, MOST]

/** Looks at the ends of a transcript. Never throws for what stands there. */
export function readEnds(path: string): TranscriptEnds {
  try {
    using file = openRegular(path, constants.O_NOFOLLOW)
    return file === null ? NOTHING : endsIn(file, path)
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return { kind: 'unreadable', problem: describeError(error) }
  }
}

const NOTHING: TranscriptEnds = { kind: 'nothing' }

function endsIn(file: LineFile, path: string): TranscriptEnds {
  const first = lookFor(file, 'start', LOOKS, firstOf)
  if (first === null && file.size <= MOST) return NOTHING
  const last = lookFor(file, 'end', LOOKS, lastOf)
  const cwd = first?.cwd ?? last?.cwd
  if (cwd === undefined) return NOTHING
  return {
    ...{ kind: 'conversation', cwd, branch: (last ?? first)?.branch ?? null },
    ...{ startedMs: first?.atMs ?? null, lastMs: last?.atMs ?? null },
    bytes: helperFiles(path).reduce((sum, helper) => sum + (statIfSeen(helper.path)?.size ?? 0), file.size),
  }
}

/** A row of the main conversation. */
interface ConversationRow {
  cwd: string
  branch: string | null
  atMs: number
}

/** A line that is cut at either side is no JSON, and says nothing. */
const linesIn = (bytes: Buffer) => bytes.toString('utf8').split('\n')

/** The start of the conversation; its folder counts from the first line on that names one. */
function firstOf(bytes: Buffer): ConversationRow | null {
  let first: ConversationRow | null = null
  for (const line of linesIn(bytes)) {
    const row = rowIn(line)
    first ??= row
    if (row?.isTalk) return first
  }
  return null
}

function lastOf(bytes: Buffer): ConversationRow | null {
  for (const line of linesIn(bytes).reverse()) {
    const row = rowIn(line)
    if (row !== null) return row
  }
  return null
}

function rowIn(line: string): (ConversationRow & { isTalk: boolean }) | null {
  if (!line.includes('"cwd"')) return null
  const row = membersIn(line) ?? {}
  const atMs = typeof row.timestamp === 'string' ? Date.parse(row.timestamp) : Number.NaN
  if (typeof row.cwd !== 'string' || Number.isNaN(atMs) || row.isSidechain === true) return null
  const branch = nameIn(row.gitBranch, Number.POSITIVE_INFINITY)
  return {
    cwd: row.cwd,
    // So the client calls it where no branch is checked out.
    branch: branch === '' || branch === 'HEAD' ? null : branch,
    atMs,
    isTalk: row.type === 'user' || row.type === 'assistant',
  }
}
