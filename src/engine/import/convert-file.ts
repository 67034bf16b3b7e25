import { statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { randomToken } from '../../core/id.ts'
import { instant } from '../../core/ports.ts'
import { ReasonError, usageError } from '../../core/reason.ts'
import { inflateHistory, isGzip, MAX_SNAPSHOT_BYTES } from '../../formats/snapshot/codec.ts'
import { isPlainOrAbsent, readPlainFile } from '../../fs/disk.ts'
import { createDurably, writeDurably } from '../../fs/durable.ts'
import { type LostField, lostFields } from '../../policy/lost-fields.ts'
import { redactAll } from '../../policy/redact.ts'
import type { Context } from '../context/context.ts'
import { openNamedPlace } from '../context/named-file.ts'
import { readSource } from './read-source.ts'
import { findUnreadText } from './unread-text.ts'
import { type FileFacts, type FileWork, FORMAT_OF, type WorkFormatName } from './work-formats.ts'

export interface ConvertedFile {
  from: WorkFormatName
  to: WorkFormatName
  text: string
  /** What has no place in the target. */
  lost: LostField[]
}

/** Reads a file of any of the five formats and says it in another. Nothing is stored. */
export function convertFile(context: Context, file: string, to: WorkFormatName): ConvertedFile {
  const path = resolve(context.cwd, file)
  if (!isPlainOrAbsent(path)) throw usageError(`${JSON.stringify(file)} is not a plain file`)
  const stored = readPlainFile(path, MAX_SNAPSHOT_BYTES)
  if (stored === null) throw new ReasonError('file_unknown', { path })
  const bytes = isGzip(stored) ? inflateHistory(stored, path) : stored
  const from = formatOf(context, path, bytes)
  const { work, facts } = FORMAT_OF[from].decode(bytes, path)
  const at = readTime(facts.at) ?? Math.trunc(statSync(path).mtimeMs)
  const read = { work, facts: { ...facts, at: instant(at) } }
  const unread = findUnreadText(bytes.toString('utf8'), from, read)
  return { from, to, ...encodeAs(redactAll(read, context.mark), to, redactAll(unread, context.mark)) }
}

/** The text, and what reading it does not give back: the report cannot promise more than is there. */
export function encodeAs(
  given: FileWork,
  to: WorkFormatName,
  lost: readonly LostField[] = [],
): Pick<ConvertedFile, 'text' | 'lost'> {
  const text = FORMAT_OF[to].encode(given)
  const back = FORMAT_OF[to].decode(
    Buffer.from(text),
    `${to}.${/document|ledger|handoff/.test(to) ? 'md' : 'json'}`,
  )
  return {
    text,
    lost: [...lostFields(given.work, back.work), ...lostFacts(given.facts, back.facts), ...lost],
  }
}

function lostFacts(given: FileFacts, back: FileFacts): LostField[] {
  return Object.entries({ ...given, at: '' }).flatMap(([field, value]) => {
    const isEmpty = value === null || Object.keys(value).length === 0
    const isSame = JSON.stringify(value) === JSON.stringify(Reflect.get(back, field))
    return isEmpty || isSame ? [] : [{ field, count: Array.isArray(value) ? value.length : 1 }]
  })
}

const readTime = (at: string) => (Number.isNaN(Date.parse(at)) ? null : Date.parse(at))

/** What the file is, by its content. */
function formatOf(context: Context, path: string, bytes: Buffer): WorkFormatName {
  const read = (how: 'named' | 'walk') =>
    readSource(context, { path: basename(path), how }, { bytes, modifiedMs: 0 })
  const verdict = read('named')
  if (verdict.is === 'source') return verdict.source.kind
  if (verdict.is === 'snapshot') return 'snapshot'
  // Whoever names a file is told what it lacks of the nearest format, unless it is like none of them.
  const isLike = verdict.is === 'skipped' && read('walk').is !== 'other'
  const problem = isLike ? verdict.problem : 'not one of the five formats'
  throw new ReasonError('format_unknown', { path, problem: bytes.length === 0 ? 'it is empty' : problem })
}

/** Writes what was converted to a file that the user named; an existing one only by force. */
export function writeConverted(context: Context, file: string, text: string, force: boolean): string {
  const { path, folder: opened, name } = openNamedPlace(context.cwd, file, { force })
  using folder = opened
  const token = randomToken(context.ports.random)
  if (force) writeDurably(folder, name, Buffer.from(text), { token })
  else if (!createDurably(folder, name, Buffer.from(text), { token }))
    throw new ReasonError('file_exists', { path })
  return path
}
