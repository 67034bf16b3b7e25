import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { errorCode, unlessRefused } from '../../core/reason.ts'

/** So much is read at a time: it stays in the processor's cache. */
const CHUNK = 524_288
/** A longer line is passed over and counts as malformed: parsing one takes four times its size in memory. */
const MAX_LINE = 67_108_864
const NEWLINE = 0x0a

/** An open file to read lines from; `using` closes it. */
export interface LineFile extends Disposable {
  fd: number
  size: number
}

/** Opens a regular file; null where something else stands there: neither a pipe nor a device may hold the reader up. */
export function openRegular(path: string, flags = 0): LineFile | null {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | flags)
  const status = fstatSync(fd)
  if (status.isFile()) return { fd, size: status.size, [Symbol.dispose]: () => closeSync(fd) }
  closeSync(fd)
  return null
}

/** The same; null also where there is nothing. */
export function openIfThere(path: string): LineFile | null {
  try {
    return openRegular(path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ENXIO', 'ELOOP'].includes(errorCode(error) ?? '')) return null
    throw error
  }
}

/** Looks at one end of a file, as far as the first of some lengths at which something is found. */
export function lookFor<Found>(
  { fd, size }: LineFile,
  end: 'start' | 'end',
  lengths: readonly number[],
  find: (bytes: Buffer) => Found | null,
): Found | null {
  for (const length of lengths) {
    const bytes = Buffer.allocUnsafe(Math.min(length, size))
    const count = readSync(fd, bytes, 0, bytes.length, end === 'start' ? 0 : size - bytes.length)
    const found = find(bytes.subarray(0, count))
    if (found !== null || count >= size) return found
  }
  return null
}

/** What stands at a path; null where nothing does, or where it cannot be seen. */
export const statIfSeen = (path: string): Stats | null =>
  unlessRefused(() => statSync(path, { throwIfNoEntry: false }) ?? null)

/** The entries of a folder; none where it cannot be looked into. */
export const entriesIn = (folder: string): Dirent[] =>
  unlessRefused(() => readdirSync(folder, { withFileTypes: true })) ?? []

/**
 * Gives every whole line from an offset to the file's present end, or `tooLong()` for one that nobody could hold.
 * Stops behind the line that reaches `maxBytes`. Answers where the next line starts, and whether that is all.
 */
export function eachLine(
  { fd, size }: LineFile,
  offset: number,
  maxBytes: number,
  line: (bytes: Buffer, from: number, to: number) => void,
  tooLong: () => void,
): { offset: number; complete: boolean } {
  let buffer = Buffer.allocUnsafe(Math.max(1, Math.min(CHUNK, size - offset)))
  /** Where the buffer's first byte stands in the file, and how much of the buffer is filled. */
  let start = offset
  let filled = 0
  /** The start of a line that is being passed over. */
  let passing: number | null = null
  for (;;) {
    const room = Math.min(buffer.length - filled, size - start - filled)
    const read = room > 0 ? readSync(fd, buffer, filled, room, start + filled) : 0
    if (read === 0) return { offset: passing ?? start, complete: true }
    const bytes = buffer.subarray(0, filled + read)
    let from = 0
    for (let end = bytes.indexOf(NEWLINE, filled); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
      if (passing === null) line(bytes, from, end)
      else tooLong()
      passing = null
      from = end + 1
      const next = start + from
      if (next - offset >= maxBytes) return { offset: next, complete: next >= size }
    }
    filled += read
    if (passing !== null) from = filled
    buffer.copyWithin(0, from, filled)
    start += from
    filled -= from
    if (filled < buffer.length) continue
    if (buffer.length >= MAX_LINE) {
      passing = start
      start += filled
      filled = 0
    } else {
      const larger = Buffer.allocUnsafe(Math.min(buffer.length * 4, MAX_LINE))
      buffer.copy(larger, 0, 0, filled)
      buffer = larger
    }
  }
}

const MAX_DEPTH = 3
const MAX_ENTRIES = 5_000

/** The files of the sub-agents that a session started, as paths below the session's own folder, in a steady order. */
export function helperFiles(transcript: string): Array<{ name: string; path: string }> {
  const folder = join(transcript.replace(/\.jsonl$/, ''), 'subagents')
  const found: Array<{ name: string; path: string }> = []
  let seen = 0
  const visit = (place: string, depth: number) => {
    for (const entry of entriesIn(place)) {
      seen += 1
      if (seen > MAX_ENTRIES) return
      const path = join(place, entry.name)
      if (entry.isDirectory() && depth < MAX_DEPTH) visit(path, depth + 1)
      else if (entry.isFile() && /^agent-.*\.jsonl$/.test(entry.name))
        found.push({ name: relative(folder, path), path })
    }
  }
  if (folder !== join(transcript, 'subagents')) visit(folder, 0)
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
}
