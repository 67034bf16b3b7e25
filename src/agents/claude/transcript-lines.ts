import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

/** So much is read at a time: it stays in the processor's cache. */
const CHUNK = 524_288
/** A longer line is passed over and counts as malformed: parsing one takes four times its size in memory. */
const MAX_LINE = 67_108_864
const NEWLINE = 0x0a

/** An open file to read lines from. */
export interface LineFile {
  fd: number
  size: number
}

/** Opens a regular file and nothing else: neither a pipe nor a device may hold the reader up. Null where there is none. */
export function openRegular(path: string): LineFile | null {
  let fd: number
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    if (isCode(error, ['ENOENT', 'ENOTDIR', 'ENXIO', 'ELOOP'])) return null
    throw error
  }
  const status = fstatSync(fd)
  if (status.isFile()) return { fd, size: status.size }
  closeSync(fd)
  return null
}

export const isCode = (error: unknown, codes: readonly string[]) =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))

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
