import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join, sep } from 'node:path'
import type { AgentEvent, AgentEventKind } from '../../core/agent-event.ts'
import { parseOrUndefined } from '../../core/json.ts'
import { errorCode } from '../../core/reason.ts'
import type { SessionKey, Stretch } from '../../core/session.ts'
import type { SessionMemory } from '../../policy/moments.ts'
import type { Head } from '../../workspace/git-state.ts'

/**
 * The small files of a session in the home. Hooks write them before and instead of opening the store: this module is
 * in the hook's own bundle, and imports nothing that costs a start. None of them is worth waiting for the disk.
 */
const ENDINGS = { journal: '.jsonl', hint: '.hint.json', gauge: '.gauge.json' } as const
type Kind = keyof typeof ENDINGS

/** What a hook and the status line must know without opening the store; the row in the store is the truth. */
export interface Hint extends SessionMemory {
  savedAt: string | null
  /** As far as `journalRead` goes; null also in the hint of an older version. */
  stretch: (Stretch & { journalRead: number }) | null
  /** The stream that it is bound to; its own has a name that tells nobody anything. */
  stream: string | null
  /** The outcomes that it works on. */
  focus: string[]
}

/** What the status line was told last: the only one that knows the window for sure. */
export interface Gauge {
  window: number
  usedPercent: number | null
  at: string
}

const MAX_SMALL_BYTES = 64 * 1024

/** Not by `join`: a start asks for dozens of these paths, and all parts of them are plain. */
const folderOf = (sessions: string, { agent }: Pick<SessionKey, 'agent'>) => `${sessions}${sep}${agent}`
export const sessionFile = (sessions: string, key: SessionKey, kind: Kind) =>
  `${folderOf(sessions, key)}${sep}${key.id}${ENDINGS[kind]}`

/** Adds one record. It stands between line breaks of its own, so that one which was torn before it takes nothing along. */
export function appendRecord(sessions: string, key: SessionKey, record: object): void {
  const line = Buffer.from(`\n${JSON.stringify(record)}\n`)
  const descriptor = openToAppend(sessions, key)
  try {
    writeSync(descriptor, line)
  } finally {
    closeSync(descriptor)
  }
}

// On Windows the last flag does not exist, and `|` takes it as nothing.
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW

function openToAppend(sessions: string, key: SessionKey): number {
  const path = sessionFile(sessions, key, 'journal')
  try {
    return openSync(path, APPEND, 0o600)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    mkdirSync(folderOf(sessions, key), { recursive: true, mode: 0o700 })
    return openSync(path, APPEND, 0o600)
  }
}

/** The whole records after a byte, and where the next reading begins. A torn one at the end waits. */
export function readRecords(
  sessions: string,
  key: SessionKey,
  from: number,
): { records: unknown[]; next: number } {
  const bytes = readBytes(sessionFile(sessions, key, 'journal'), MAX_AT_ONCE, from)
  if (bytes === null) return { records: [], next: from }
  const end = bytes.lastIndexOf(0x0a) + 1
  const records = bytes
    .subarray(0, end)
    .toString('utf8')
    .split('\n')
    .map((line) => (line === '' ? undefined : parseOrUndefined(line)))
    .filter((record) => record !== undefined)
  return { records, next: from + end }
}

/** What is longer is read in several goes. */
const MAX_AT_ONCE = 32 * 1024 * 1024

/** One record of a session's journal: what happened (and where git stood at a start), or how long our part took. */
export type JournalRecord =
  | { event: AgentEvent; ms: number | null; head: Head | null }
  | { timing: { of: AgentEventKind; ms: number; tokens: number } }

/** The same, without what somebody else wrote there, or another version with other words. */
export function readJournal(sessions: string, key: SessionKey, from: number) {
  const { records, next } = readRecords(sessions, key, from)
  return { records: records.filter((value) => isJournalRecord(value, key.id)), next }
}

function isJournalRecord(value: unknown, id: string): value is JournalRecord {
  if (typeof value !== 'object' || value === null) return false
  // `as`: only this program writes there; what tells the two kinds apart is tested.
  const record = value as Partial<{ event: Partial<AgentEvent>; timing: object }>
  if (typeof record.timing === 'object' && record.timing !== null) return true
  const { kind, session, at, cwd } = record.event ?? {}
  if (typeof kind !== 'string' || session !== id || typeof at !== 'string' || typeof cwd !== 'string')
    return false
  const fields: Readonly<Record<string, unknown>> = { ...record.event }
  const isWhole = Object.entries(NEEDED[kind] ?? {}).every(([name, type]) =>
    type === 'list' ? Array.isArray(fields[name]) : typeof fields[name] === type,
  )
  return isWhole && !Number.isNaN(Date.parse(at))
}

/** What an event of a kind cannot be taken in without; of a kind that is not known, only that it was there. */
const NEEDED: Readonly<Record<string, Readonly<Record<string, 'string' | 'list'>>>> = {
  start: { source: 'string' },
  prompt: { text: 'string' },
  batch: { tools: 'list' },
  stop: { said: 'string', background: 'list' },
  failure: { error: 'string' },
  compacted: { summary: 'string' },
  'helper-started': { id: 'string', what: 'string' },
  'helper-stopped': { id: 'string' },
  'task-created': { id: 'string', what: 'string' },
  'task-completed': { id: 'string', what: 'string' },
  end: { reason: 'string' },
}

/** The sessions that have a journal, of whatever agent: a newer version may know more of them. */
export function listJournals(sessions: string): SessionKey[] {
  return namesIn(sessions).flatMap((agent) =>
    namesIn(folderOf(sessions, { agent }))
      .filter((name) => name.endsWith(ENDINGS.journal))
      .map((name) => ({ agent, id: name.slice(0, -ENDINGS.journal.length) })),
  )
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') throw error
    return []
  }
}

/** How many bytes a session's journal has. */
export const journalSize = (sessions: string, key: SessionKey): number =>
  statSync(sessionFile(sessions, key, 'journal'), { throwIfNoEntry: false })?.size ?? 0

/** Null where there is none; undefined where what stands there is not what this program writes. */
export function readHint(sessions: string, key: SessionKey): Hint | null | undefined {
  const path = sessionFile(sessions, key, 'hint')
  // `as`: what is counted with is tested; the rest is only shown.
  const hint = readSmall(path) as Partial<Hint> | null
  const isWhole = Array.isArray(hint?.nudged) && typeof hint.compactions === 'number'
  if (isWhole) return { ...(hint as Hint), stretch: isCounted(hint.stretch) ? hint.stretch : null }
  return existsSync(path) ? undefined : null
}

const isCounted = (stretch: Hint['stretch'] | undefined): stretch is NonNullable<Hint['stretch']> =>
  Number.isSafeInteger(stretch?.journalRead) && typeof stretch?.heardAt === 'string'

export function readGauge(sessions: string, key: SessionKey): Gauge | null {
  // `as`: the same.
  const gauge = readSmall(sessionFile(sessions, key, 'gauge')) as Partial<Gauge> | null
  return typeof gauge?.window === 'number' && gauge.window > 0 ? (gauge as Gauge) : null
}

export const writeHint = (sessions: string, key: SessionKey, hint: Hint) =>
  writeSmall(sessionFile(sessions, key, 'hint'), hint)
export const writeGauge = (sessions: string, key: SessionKey, gauge: Gauge) =>
  writeSmall(sessionFile(sessions, key, 'gauge'), gauge)

/** Takes away what a session that is over for good left here; its row stays in the store. */
export function removeSessionFiles(sessions: string, key: SessionKey): void {
  const folder = folderOf(sessions, key)
  // What was half written by who was killed goes along.
  for (const name of namesIn(folder))
    if (name.startsWith(`${key.id}.`)) rmSync(join(folder, name), { force: true })
}

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

function readBytes(path: string, most: number, from = 0): Buffer | null {
  let descriptor: number
  try {
    descriptor = openSync(path, READ)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
  try {
    const found = fstatSync(descriptor)
    if (!found.isFile()) return null
    const bytes = Buffer.allocUnsafe(Math.min(Math.max(0, found.size - from), most))
    let filled = 0
    while (filled < bytes.length) {
      const count = readSync(descriptor, bytes, filled, bytes.length - filled, from + filled)
      if (count === 0) break
      filled += count
    }
    return bytes.subarray(0, filled)
  } finally {
    closeSync(descriptor)
  }
}

function readSmall(path: string): object | null {
  const bytes = readBytes(path, MAX_SMALL_BYTES)
  const value = bytes === null ? null : parseOrUndefined(bytes.toString('utf8'))
  return typeof value === 'object' ? value : null
}

/** Whole or not at all; of two that write at once the later wins. */
function writeSmall(path: string, value: object): void {
  const half = `${path}.${process.pid}.tmp`
  const descriptor = openSync(half, 'w', 0o600)
  try {
    writeSync(descriptor, JSON.stringify(value))
  } finally {
    closeSync(descriptor)
  }
  renameSync(half, path)
}
