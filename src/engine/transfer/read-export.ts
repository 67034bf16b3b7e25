import { createReadStream, lstatSync, readSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { fieldOf, parseOrUndefined } from '../../core/json.ts'
import { describeError, errorCode, ReasonError, unlessRefused } from '../../core/reason.ts'
import { ExportReader, isLineProblem, type LineProblem, MAX_LINE } from '../../formats/export/codec.ts'
import type { ExportRecord } from '../../formats/export/record.ts'
import { openPlainFile } from '../../fs/disk.ts'
import type { ProgressReporter } from '../context/context.ts'

/** Far more than a store may hold: a file that unpacks to more was made to fill a disk. */
const MAX_BYTES = 64 * 1024 ** 3

const isPacked = (bytes: Uint8Array) => bytes[0] === 0x1f && bytes[1] === 0x8b

/** How the file of a store begins, and so a backup. */
const DATABASE_START = 'SQLite format 3\0'

/** What a file is by how it begins: `other` is anything else, also what cannot be opened. */
export function sniffFile(path: string): 'export' | 'backup' | 'missing' | 'other' {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return 'missing'
  const kind = unlessRefused(() => {
    using file = openPlainFile(path)
    const bytes = Buffer.alloc(4_096)
    const start = bytes.subarray(0, readSync(file.fd, bytes, 0, bytes.length, 0))
    if (start.toString('latin1', 0, DATABASE_START.length) === DATABASE_START) return 'backup'
    return fieldOf(parseOrUndefined(firstLine(start)), 'savepoint') === 'export' ? 'export' : 'other'
  })
  return kind ?? 'other'
}

/** The first line of a text that may be packed, and is cut off somewhere. */
function firstLine(start: Buffer): string {
  const { gunzipSync, constants: packing } = process.getBuiltinModule('node:zlib')
  const options = { finishFlush: packing.Z_SYNC_FLUSH, maxOutputLength: 8 * 1024 * 1024 }
  const text = isPacked(start) ? gunzipSync(start, options) : start
  const [line = ''] = text.toString('utf8').split('\n', 1)
  return line
}

/** The records of an export, and what is wrong with it where something is: one line of it at a time in memory. */
export async function* readExport(
  path: string,
  progress: ProgressReporter,
): AsyncGenerator<ExportRecord | LineProblem> {
  const reader = new ExportReader(path)
  let lines = 0
  try {
    for await (const line of linesOf(path, progress)) {
      lines += 1
      const read = reader.read(line)
      if (read !== null) yield read
    }
  } catch (error) {
    if (!errorCode(error)?.startsWith('Z_')) throw error
    if (lines === 0) throw new ReasonError('export_unusable', { path, problem: describeError(error) })
    yield {
      line: lines + 1,
      what: 'the rest',
      problem: `it could not be decompressed: ${describeError(error)}`,
    }
    return
  }
  const missing = reader.finish()
  if (missing !== null) yield missing
}

async function* linesOf(path: string, progress: ProgressReporter): AsyncGenerator<string> {
  const { fd, size } = openPlainFile(path)
  const start = Buffer.alloc(2)
  readSync(fd, start, 0, 2, 0)
  const file = createReadStream('', { fd, start: 0, highWaterMark: 256 * 1024 })
  let unpacked: Readable = file
  if (isPacked(start)) {
    const gunzip = process.getBuiltinModule('node:zlib').createGunzip()
    file.on('error', (error) => gunzip.destroy(error))
    unpacked = file.pipe(gunzip)
  }
  let parts: Buffer[] = []
  let [length, total] = [0, 0]
  for await (const chunk of unpacked as AsyncIterable<Buffer>) {
    total += chunk.length
    progress(Math.min(file.bytesRead, size - 1), size)
    let from = 0
    for (let to = chunk.indexOf(0x0a); to !== -1; to = chunk.indexOf(0x0a, from)) {
      parts.push(chunk.subarray(from, to))
      yield Buffer.concat(parts).toString('utf8')
      parts = []
      length = 0
      from = to + 1
    }
    if (from < chunk.length) parts.push(chunk.subarray(from))
    length += chunk.length - from
    if (length > MAX_LINE || total > MAX_BYTES)
      throw new ReasonError('export_unusable', { path, problem: 'the file or one of its lines is too large' })
  }
  if (length > 0) yield Buffer.concat(parts).toString('utf8')
  progress(size, size)
}

/** So many are named; all are counted. */
const NAMED = 20

export interface ExportCheck {
  records: number
  problems: { count: number; lines: LineProblem[] }
}

/** Reads all of an export and changes nothing. */
export async function checkExport(path: string, progress: ProgressReporter): Promise<ExportCheck> {
  const check: ExportCheck = { records: 0, problems: { count: 0, lines: [] } }
  for await (const read of readExport(path, progress)) {
    if (!isLineProblem(read)) check.records += 1
    else {
      check.problems.count += 1
      if (check.problems.lines.length < NAMED) check.problems.lines.push(read)
    }
  }
  return check
}
