import { createHash } from 'node:crypto'
import { readSync } from 'node:fs'
import { noStatistics } from '../../core/session.ts'
import type { TranscriptEntry, TranscriptProgress, TranscriptReading } from '../../core/transcript.ts'
import { addWindowSample, type WindowSample } from '../../core/window-fill.ts'
import { type Carry, type CountedUsage, emptyCarry, readCarry, writeCarry } from './transcript-carry.ts'
import { tellEntries } from './transcript-entries.ts'
import { eachLine, helperFiles, type LineFile, openIfThere, statIfSeen } from './transcript-lines.ts'
import { isRow, type Row, readRow } from './transcript-row.ts'
import { isReal, Tally } from './transcript-statistics.ts'
import { windowOf } from './window.ts'

const HEAD_BYTES = 200
const MOST = { helpers: 200, helperMessages: 2, seen: 64 }
const UUID_LENGTH = 36

/**
 * Reads a transcript on from where it was read to, and the files of the session's sub-agents with it.
 *
 * Null where there is no file: the client makes it some time after the session's start. A last line that is still being
 * written is left for the next time. `restarted` says that another file stands there than the one that was read, or
 * that the reading is of another version: it begins anew, and so does what was made of its entries. `complete` is false
 * where `maxBytes` left something to read; a line is always read whole.
 */
export function readTranscript(
  path: string,
  before: TranscriptReading | null,
  onEntry: ((entry: TranscriptEntry) => void) | null,
  { maxBytes = Number.POSITIVE_INFINITY }: { maxBytes?: number } = {},
): TranscriptProgress | null {
  using file = openIfThere(path)
  if (file === null) return null
  const cursor = before && cursorIn(before)
  const carry = cursor && isSame(file, cursor) ? readCarry(cursor.carry) : null
  const kept = carry === null ? null : before
  const session = new Conversation(kept, carry ?? emptyCarry(), onEntry)
  const offset = cursor && kept ? cursor.offset : 0
  const main = session.readFile(file, offset, maxBytes, null)
  const complete = main.complete && readHelpers(path, session, maxBytes - (main.offset - offset))
  const reading = session.reading({ offset: main.offset, head: headOf(file) })
  return { reading, read: main.offset, restarted: before !== null && kept === null, complete }
}

/** The first bytes, as many as are there, told by their number and a digest. */
function headOf({ fd, size }: LineFile, length = Math.min(HEAD_BYTES, size)): string {
  const bytes = Buffer.alloc(length)
  const read = readSync(fd, bytes, 0, length, 0)
  return `${read}:${createHash('sha256').update(bytes.subarray(0, read)).digest('base64url').slice(0, 22)}`
}

/** Where reading stopped, as this reader writes it: readings of older versions say the same. */
interface FileCursor {
  /** How many bytes are read: always the start of a line. */
  offset: number
  /** Tells this file from another that stands at its path later. */
  head: string
  carry?: unknown
}

/** Null where it is none that this reader wrote: then the file is read anew. */
function cursorIn({ cursor }: TranscriptReading): FileCursor | null {
  const { offset, head, carry } = cursor
  return typeof offset === 'number' && typeof head === 'string' ? { offset, head, carry } : null
}

/** Whether the file is the one that was read: not shorter, and begins as it did. */
function isSame(file: LineFile, { head, offset }: FileCursor): boolean {
  const length = Number(head.split(':', 1)[0])
  if (!Number.isInteger(length) || length < 0 || length > HEAD_BYTES) return false
  return file.size >= offset && file.size >= length && headOf(file, length) === head
}

/** Reads on in the files of the sub-agents; false where `budget` did not do for all. */
function readHelpers(path: string, session: Conversation, budget: number): boolean {
  const { helpers } = session.carry
  let left = budget
  for (const { name, path: place } of helperFiles(path)) {
    const known = helpers.get(name)
    if (known === undefined && helpers.size >= MOST.helpers) continue
    if (known && (statIfSeen(place)?.size ?? 0) <= known.offset) continue
    if (left <= 0) return false
    using file = openIfThere(place)
    if (file === null) continue
    const messages = new Map(known?.messages)
    const from = known?.offset ?? 0
    const { offset, complete } = session.readFile(file, from, left, messages)
    helpers.set(name, { offset, messages: [...messages].slice(-MOST.helperMessages) })
    left -= offset - from
    if (!complete) return false
  }
  return true
}

type SubagentCalls = Map<string, CountedUsage> | null

class Conversation {
  readonly carry: Carry
  private readonly tally: Tally
  private readonly onEntry: ((entry: TranscriptEntry) => void) | null
  private readonly said: Pick<TranscriptReading, 'context' | 'compactions' | 'lastAt'> & {
    fill: WindowSample[]
  }

  constructor(
    before: TranscriptReading | null,
    carry: Carry,
    onEntry: ((entry: TranscriptEntry) => void) | null,
  ) {
    this.carry = carry
    this.tally = new Tally(before?.statistics ?? noStatistics(), carry)
    this.onEntry = onEntry
    const { context = null, compactions = 0, lastAt = null, fill = [] } = before ?? {}
    this.said = { context, compactions, lastAt, fill: [...fill] }
  }

  reading(place: FileCursor): TranscriptReading {
    const cursor = { ...place, carry: writeCarry(this.carry) }
    return { cursor, statistics: this.tally.statistics, ...this.said }
  }

  /** `helper` are the calls of the sub-agent whose file it is. */
  readFile(file: LineFile, offset: number, maxBytes: number, helper: SubagentCalls) {
    const line = (bytes: Buffer, from: number, to: number) => this.line(bytes, from, to, helper)
    return eachLine(file, offset, maxBytes, line, () => this.tally.countLine('malformed'))
  }

  private line(bytes: Buffer, from: number, to: number, helper: SubagentCalls) {
    const end = trimmedEnd(bytes, from, to)
    if (end === from) return
    const row = readRow(bytes, from, end, { isWhole: this.onEntry !== null && helper === null })
    if (row === null) return this.tally.countLine('malformed')
    if (!isRow(row)) return this.tally.countOther(row.type)
    if (row.type === '' && row.role === 'assistant' && row.usage) row.type = 'assistant'
    if (row.type === 'attachment' && row.attachment === null) return
    if (['user', 'assistant', 'system', 'attachment'].includes(row.type)) this.row(row, helper)
    else if (row.type !== 'queue-operation' && row.type !== 'pr-link') this.tally.countOther(row.type)
    else if (this.onEntry && helper === null) tellEntries(row, this.carry, this.onEntry)
  }

  private row(row: Row, helper: SubagentCalls) {
    if (this.isSecond(row.uuid)) return
    if (helper !== null) row.side = true
    if (row.at !== '' && helper === null) this.said.lastAt = row.at
    if (row.type === 'assistant') this.tally.assistant(row, helper ?? this.carry.messages)
    if (row.type === 'user')
      for (const block of row.blocks) if (block.type === 'tool_result') this.tally.result(block, row)
    if (row.side) return
    this.measure(row)
    if (this.onEntry) tellEntries(row, this.carry, this.onEntry)
  }

  /** How full the window is: as of the last call, or what a compaction left of it. */
  private measure(row: Row) {
    const { at, model, usage } = row
    const isCall = row.type === 'assistant' && isReal(row) && usage !== null && usage.window > 0
    if (isCall) this.said.context = { tokens: usage.window, window: windowOf(model), model, at }
    else if (row.type === 'system' && row.subtype === 'compact_boundary') {
      const { context } = this.said
      this.said.compactions += 1
      this.said.context =
        context && row.postTokens !== null ? { ...context, tokens: row.postTokens, at } : null
    } else return
    if (this.said.context)
      addWindowSample(this.said.fill, { atMs: Date.parse(at), tokens: this.said.context.tokens })
  }

  /** Old versions copied what was there when a session was resumed: a row that was read a short while ago is not read again. */
  private isSecond(uuid: string): boolean {
    if (uuid.length !== UUID_LENGTH) return false
    const { seen } = this.carry
    // The last part is random in every kind of id.
    const tail = uuid.slice(-12)
    if (seen.has(tail)) return true
    seen.add(tail)
    const [oldest] = seen.size > MOST.seen ? seen : []
    if (oldest !== undefined) seen.delete(oldest)
    return false
  }
}

function trimmedEnd(bytes: Buffer, from: number, to: number): number {
  let end = to
  while (end > from && (bytes[end - 1] ?? 0) <= 0x20) end -= 1
  return end
}
