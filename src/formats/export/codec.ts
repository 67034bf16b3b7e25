import type { z } from 'zod/mini'
import { canonicalJson, sha256 } from '../../core/canonical.ts'
import { fieldOf, parseOrUndefined } from '../../core/json.ts'
import { ReasonError } from '../../core/reason.ts'
import { EXPORT_VERSION, type ExportRecord } from './record.ts'
import { RECORDS } from './schema.ts'

/** A longer line is not parsed. */
export const MAX_LINE = 64 * 1024 * 1024
const MAX_DEPTH = 64

/**
 * An export is lines of JSON: a header, records with a checksum each, and an end with a checksum over all of them, in
 * their order. A checksum is of the canonical JSON, so that a tool may write the lines in another form.
 */
export class ExportWriter {
  private total = ''
  private records = 0

  header(createdAt: string): string {
    return `${JSON.stringify({ savepoint: 'export', version: EXPORT_VERSION, createdAt })}\n`
  }

  line(record: ExportRecord): string {
    const text = canonicalJson(record)
    const sum = sha256(text)
    this.total = sha256(this.total + sum)
    this.records += 1
    return `{"sum":"${sum}","record":${text}}\n`
  }

  end(): string {
    return `${JSON.stringify({ savepoint: 'end', records: this.records, sum: this.total })}\n`
  }
}

/** What is wrong with a line of an export. */
export interface LineProblem {
  line: number
  /** What the line is, as far as that can be told: `checkpoint cp_…`. */
  what: string
  problem: string
}

/** Reads an export line by line, and holds all of it against its checksums. */
export class ExportReader {
  private readonly path: string
  private lines = 0
  private records = 0
  private total = ''
  private isBroken = false
  private hasEnded = false
  private at = { stream: '', sequence: 0 }
  private readonly repositories = new Set<string>()

  constructor(path: string) {
    this.path = path
  }

  /** The record of a line, or what is wrong with it; null for a header, an end and an empty line. */
  read(text: string): ExportRecord | LineProblem | null {
    this.lines += 1
    if (this.lines === 1) {
      this.readHeader(text)
      return null
    }
    if (text.trim() === '') return null
    if (this.hasEnded) return this.refuse('a line', 'text after the end')
    const value = text.length > MAX_LINE ? undefined : parseOrUndefined(text)
    if (value === undefined)
      return this.refuse('a line', text.length > MAX_LINE ? 'it is too long' : 'it is not JSON')
    const unsafe = shapeProblem(value)
    if (unsafe !== null) return this.refuse('a line', unsafe)
    return fieldOf(value, 'savepoint') === 'end' ? this.readEnd(value) : this.readRecord(value)
  }

  /** What is missing at the end of the file. */
  finish(): LineProblem | null {
    if (this.lines === 0) this.readHeader('')
    return this.hasEnded ? null : this.refuse('the end', 'the file is cut off')
  }

  private readHeader(text: string): void {
    const header = text.length > 10_000 ? undefined : parseOrUndefined(text)
    const version = fieldOf(header, 'version')
    if (fieldOf(header, 'savepoint') !== 'export' || !Number.isInteger(version))
      throw new ReasonError('export_unusable', {
        path: this.path,
        problem: 'it does not start like an export',
      })
    if (Number(version) > EXPORT_VERSION)
      throw new ReasonError('export_newer', {
        path: this.path,
        found: Number(version),
        known: EXPORT_VERSION,
      })
  }

  private readRecord(line: unknown): ExportRecord | LineProblem {
    const [sum, record] = [fieldOf(line, 'sum'), fieldOf(line, 'record')]
    const kind = String(fieldOf(record, 'kind'))
    const what = describeRecord(kind, record)
    if (sum !== checksumOf(record)) return this.refuse(what, 'it does not match its checksum')
    this.total = sha256(this.total + sum)
    this.records += 1
    if (!isKind(kind)) return this.refuse(what, 'unknown kind')
    const read = RECORDS[kind].safeParse(record)
    if (!read.success) return this.refuse(what, sayIssue(read.error))
    const problem = this.placeProblem(read.data)
    return problem === null ? read.data : this.refuse(what, problem)
  }

  /**
   * A repository comes before its streams and sessions. A stream has its checkpoints behind it, by their numbers, and
   * then its versions; a text is what its hash says.
   */
  private placeProblem(record: ExportRecord): string | null {
    if (record.kind === 'repository') this.repositories.add(record.id)
    if (record.kind === 'stream') this.at = { stream: '', sequence: 0 }
    const belongs = record.kind === 'session' ? record.session : record.kind === 'stream' ? record : null
    if (belongs !== null && !this.repositories.has(belongs.repository))
      return 'its repository is not in the file'
    if (record.kind === 'stream') this.at.stream = record.id
    if (record.kind === 'checkpoint' || record.kind === 'removed') {
      const { stream } = record.kind === 'checkpoint' ? record.checkpoint : record.row
      if (stream !== this.at.stream || record.sequence <= this.at.sequence) return 'wrong order'
      this.at.sequence = record.sequence
    }
    if (record.kind === 'version' && record.stream !== this.at.stream) return 'wrong order'
    if ('hash' in record && record.text !== undefined && sha256(record.text) !== record.hash)
      return 'the text does not match its hash'
    return null
  }

  private readEnd(line: unknown): LineProblem | null {
    this.hasEnded = true
    // A broken line is named already; with it the rest cannot add up.
    if (this.isBroken) return null
    const isWhole = fieldOf(line, 'records') === this.records && fieldOf(line, 'sum') === this.total
    return isWhole ? null : this.refuse('the end', 'lines are missing or out of order')
  }

  private refuse(what: string, problem: string): LineProblem {
    this.isBroken = true
    return { line: this.lines, what, problem }
  }
}

export const isLineProblem = (read: ExportRecord | LineProblem): read is LineProblem =>
  'problem' in read && 'line' in read

const isKind = (kind: string): kind is ExportRecord['kind'] => Object.hasOwn(RECORDS, kind)

/** Null where the value has no canonical form: half an emoji, a number that is none. */
function checksumOf(record: unknown): string | null {
  if (typeof record !== 'object' || record === null) return null
  try {
    return sha256(canonicalJson(record))
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return null
  }
}

const ID_FIELDS = ['id', 'hash'] as const
const INSIDE = ['checkpoint', 'row', 'session'] as const

/** A record by its kind and its id, from what may be damaged. */
function describeRecord(kind: string, record: unknown): string {
  const parts = [record, ...INSIDE.map((name) => fieldOf(record, name))]
  const id = parts
    .flatMap((part) => ID_FIELDS.map((name) => fieldOf(part, name)))
    .find((one) => typeof one === 'string')
  const label = isKind(kind) ? kind : 'a record'
  return typeof id === 'string' && /^[\w.-]{1,128}$/.test(id) ? `${label} ${id}` : label
}

const sayIssue = ({ issues: [issue] }: z.core.$ZodError): string => {
  const path = issue?.path.slice(0, 6).join('.') ?? ''
  return path === '' ? 'unknown fields' : `${path.slice(0, 100)} is not valid`
}

/** Why a value is not even looked at: no record is so deep, and no key of ours reaches behind an object. */
function shapeProblem(value: unknown): string | null {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return `nested more than ${MAX_DEPTH} levels deep`
    const next: unknown[] = []
    for (const one of level) {
      if (typeof one !== 'object' || one === null) continue
      if (Object.hasOwn(one, '__proto__')) return 'an invalid key'
      for (const item of Object.values(one)) if (typeof item === 'object' && item !== null) next.push(item)
    }
    level = next
  }
  return null
}
