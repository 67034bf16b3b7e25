import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { describeError, errorCode } from '../../core/reason.ts'
import type { TranscriptEnds } from '../../core/transcript.ts'
import { helperFiles } from './transcript-helpers.ts'

/** One long line may stand at either end: then more is read, once. */
const MOST = 2 * 1024 * 1024
const LOOKS = [64 * 1024, MOST]

/** Looks at the ends of a transcript. Never throws for what stands there. */
export function readEnds(path: string): TranscriptEnds {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    try {
      const found = fstatSync(fd)
      return found.isFile() ? endsIn(fd, found.size, path) : NOTHING
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return { kind: 'unreadable', problem: describeError(error) }
  }
}

const NOTHING: TranscriptEnds = { kind: 'nothing' }

function endsIn(fd: number, size: number, path: string): TranscriptEnds {
  const first = lookFor(fd, size, 'start', firstOf)
  if (first === null && size <= MOST) return NOTHING
  const last = lookFor(fd, size, 'end', lastOf)
  const cwd = first?.cwd ?? last?.cwd
  if (cwd === undefined) return NOTHING
  return {
    ...{ kind: 'conversation', cwd, branch: (last ?? first)?.branch ?? null },
    ...{ startedMs: first?.atMs ?? null, lastMs: last?.atMs ?? null },
    bytes: helperFiles(path).reduce((sum, helper) => sum + sizeOf(helper.path), size),
  }
}

/** A row of the main conversation. */
interface ConversationRow {
  cwd: string
  branch: string | null
  atMs: number
}

function lookFor(
  fd: number,
  size: number,
  at: 'start' | 'end',
  find: (lines: string[]) => ConversationRow | null,
): ConversationRow | null {
  for (const length of LOOKS) {
    const bytes = Buffer.allocUnsafe(Math.min(length, size))
    const from = at === 'start' ? 0 : size - bytes.length
    const count = readSync(fd, bytes, 0, bytes.length, from)
    const lines = bytes.toString('utf8', 0, count).split('\n')
    // A line that is cut at either side is no JSON, and says nothing.
    const said = find(lines)
    if (said !== null || count >= size) return said
  }
  return null
}

/** The start of the conversation; its folder counts from the first line on that names one. */
function firstOf(lines: string[]): ConversationRow | null {
  let first: ConversationRow | null = null
  for (const line of lines) {
    const row = rowIn(line)
    if (row === null) continue
    first ??= row
    if (row.isTalk) return first
  }
  return null
}

function lastOf(lines: string[]): ConversationRow | null {
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const row = rowIn(lines[at] ?? '')
    if (row !== null) return row
  }
  return null
}

function rowIn(line: string): (ConversationRow & { isTalk: boolean }) | null {
  if (!line.includes('"cwd"')) return null
  // `as`: every field that is used is tested.
  const row = parsedSpan(line) as Partial<Record<string, unknown>> | null
  const atMs = typeof row?.timestamp === 'string' ? Date.parse(row.timestamp) : Number.NaN
  if (typeof row?.cwd !== 'string' || Number.isNaN(atMs) || row.isSidechain === true) return null
  const { gitBranch } = row
  return {
    cwd: row.cwd,
    // So the client calls it where no branch is checked out.
    branch: typeof gitBranch === 'string' && gitBranch !== '' && gitBranch !== 'HEAD' ? gitBranch : null,
    atMs,
    isTalk: row.type === 'user' || row.type === 'assistant',
  }
}

function parsedSpan(line: string): object | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' ? value : null
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return null
  }
}

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0
