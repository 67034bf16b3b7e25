import { statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { randomToken } from '../../core/id.ts'
import { parseOrUndefined } from '../../core/json.ts'
import { outlinePartsOf } from '../../core/outline.ts'
import { instant } from '../../core/ports.ts'
import { ReasonError } from '../../core/reason.ts'
import { MAX_SNAPSHOT_BYTES } from '../../formats/snapshot/codec.ts'
import { readPlainFile } from '../../fs/disk.ts'
import { createDurably, writeDurably } from '../../fs/durable.ts'
import { type LostField, lostFields } from '../../policy/lost-fields.ts'
import { redactAll } from '../../policy/redact.ts'
import type { Context } from '../context/context.ts'
import { openNamedPlace } from '../context/named-file.ts'
import { readSource } from './read-source.ts'
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
  const bytes = readPlainFile(path, MAX_SNAPSHOT_BYTES)
  if (bytes === null) throw new ReasonError('file_unknown', { path })
  const from = formatOf(context, path, bytes)
  const { work, facts } = redactAll(FORMAT_OF[from].decode(bytes, basename(path)), context.mark)
  const at = readTime(facts.at) ?? Math.trunc(statSync(path).mtimeMs)
  const given = { work, facts: { ...facts, at: instant(at) } }
  return { from, to, ...encodeAs(given, to, ownSections(bytes, from, given)) }
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
  const verdict = readSource(context, { path: basename(path), how: 'named' }, { bytes, modifiedMs: 0 })
  if (verdict.is === 'source') return verdict.source.kind
  if (verdict.is === 'snapshot') return 'snapshot'
  const problem = verdict.is === 'problem' ? verdict.problem : 'it is of none of the five formats'
  throw new ReasonError('checkpoint_schema_invalid', { path, problem })
}

/** Headings that are the format's own without standing in every file. */
const READ = /^(?:delta\b|completion$|handoff\b|what changed|artifacts|status transitions)/i

/** Sections and keys of people's own, which no format reads: what the same format would not write. */
function ownSections(bytes: Buffer, from: WorkFormatName, given: FileWork): LostField[] {
  if (from === 'note' || from === 'snapshot' || from === 'json') return ownKeys(bytes, from, given)
  const known = new Set(outlinePartsOf(FORMAT_OF[from].encode(given)).map(({ key }) => key))
  return outlinePartsOf(bytes.toString('utf8'))
    .filter(({ key, title }) => !known.has(key) && !READ.test(title))
    .map(({ title }) => ({ field: `section ${JSON.stringify(title.slice(0, 80))}`, count: 1 }))
}

function ownKeys(bytes: Buffer, from: WorkFormatName, given: FileWork): LostField[] {
  const keysOf = (text: string) => Object.keys(Object(parseOrUndefined(text)))
  const known = new Set(keysOf(FORMAT_OF[from].encode(given)))
  return keysOf(bytes.toString('utf8'))
    .filter((key) => !known.has(key))
    .map((key) => ({ field: `key ${JSON.stringify(key.slice(0, 80))}`, count: 1 }))
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
