import { sha256 } from '../../core/canonical.ts'
import type { WorkState } from '../../core/work.ts'
import { decodeNote, MAX_NOTE_BYTES, noteToWork } from '../../formats/note-json/codec.ts'
import { isOrderedName, noteNames, noteTime } from '../../formats/note-json/layout.ts'
import { type Folder, openFolder } from '../../fs/disk.ts'
import { findFolder } from '../../fs/durable.ts'
import { redact } from '../../policy/redact.ts'
import type { Context } from '../context/context.ts'
import { readPrivateJson, rememberJson } from '../context/private-json.ts'
import { type SkippedFile, sourceProblemOf, timeWritten } from './read-work-file.ts'

/** A note that lies in the workspace, whoever wrote it. */
export interface NoteFile {
  path: string
  hash: string
  atMs: number
  bytes: Buffer
  said: Partial<WorkState>
}

export interface NoteFolder {
  /** The newest first, by their own times. */
  notes: NoteFile[]
  /** How many files of notes there are, read or not. */
  total: number
  broken: SkippedFile[]
}

/** The name of a note is mostly its time: of those with the newest names so many are read, and so many bytes. */
const FEW = { most: 8, bytes: 2 * MAX_NOTE_BYTES }
/** For who has the time. */
export const ALL_NOTES = { most: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY }

/** `isWanted`: by their paths; all of them without it. */
type NoteBounds = typeof FEW & { isWanted?: ((path: string) => boolean) | undefined }

/**
 * The newest notes of a folder. No link is followed, and a folder that cannot be read holds none. After the first one
 * that is known no other is read: those with older names came before it.
 */
export async function listNotes(
  context: Context,
  names: readonly string[],
  isKnown: (file: Pick<NoteFile, 'path' | 'hash'>) => Promise<boolean>,
  { most = FEW.most, bytes = FEW.bytes, isWanted }: Partial<NoteBounds> = {},
): Promise<NoteFolder> {
  const nowMs = context.ports.now()
  const found: NoteFolder = { notes: [], total: 0, broken: [] }
  try {
    using root = openFolder(context.place.root)
    using folder = findFolder(root, names)
    if (folder === null) return found
    const isWantedName = isWanted && ((name: string) => isWanted([...names, name].join('/')))
    const { newest, total } = newestNames(context, folder, most, isWantedName)
    found.total = total
    let room = bytes
    for (const name of newest) {
      if (room <= 0) break
      const path = [...names, name].join('/')
      const read = readNote(folder, name, nowMs)
      room -= read.size
      if ('problem' in read) {
        found.broken.push({ path, problem: read.problem })
        continue
      }
      found.notes.push({ path, ...read.note })
      if (await isKnown({ path, hash: read.note.hash })) break
    }
    found.notes.sort((a, b) => b.atMs - a.atMs || (a.path < b.path ? 1 : -1))
    return found
  } catch (error) {
    return { notes: [], total: 0, broken: [{ path: names.join('/'), problem: sourceProblemOf(error) }] }
  }
}

/** By time, the newest first. */
type NoteNames = { newest: string[]; total: number }

const FILE = 'note-folders.json'
/** To list so many takes milliseconds, and every session start asks: their newest names are remembered. */
const MANY = 500
/** Folders that are remembered. */
const MOST_REMEMBERED = 20
/** A folder that changed just now may change again without another time on it. */
const SETTLED_MS = 2_000

function newestNames(
  { home, ports }: Context,
  folder: Folder,
  most: number,
  isWanted?: (name: string) => boolean,
): NoteNames {
  const nowMs = ports.now()
  const changedMs = folder.changedMs()
  const found = readPrivateJson(home.path, FILE)
  // `as`: the file is ours and private; an entry that does not fit has another time, and is listed again.
  const all = new Map(Array.isArray(found) ? (found as Array<[string, NoteNames & { at: string }]>) : [])
  const at = `${changedMs} ${most}`
  const known = all.get(folder.path)
  if (known?.at === at && !isWanted) return known
  const { left, total } = withoutOlder(folder.names(), { most, nowMs, isWanted })
  const newest = byTime(folder, left, nowMs).slice(0, most)
  const listed = { newest, total }
  const isKept = !isWanted && newest.every((name) => redact(name) === name)
  if (isKept && total >= MANY && most < MANY && nowMs - changedMs > SETTLED_MS) {
    all.delete(folder.path)
    const remembered = [...all, [folder.path, { at, ...listed }]].slice(-MOST_REMEMBERED)
    rememberJson(home.path, FILE, remembered, ports)
  }
  return listed
}

/**
 * The notes among the names of a folder, and how many there are, without those that so many newer ones make needless: a
 * folder may have thousands, and a start waits for the newest.
 */
export function withoutOlder(
  names: readonly string[],
  {
    most,
    nowMs,
    isWanted,
  }: { most: number; nowMs: number; isWanted?: ((name: string) => boolean) | undefined },
): { left: string[]; total: number } {
  const [now = ''] = noteNames(nowMs)
  let total = 0
  const others: string[] = []
  /** The oldest of them first. */
  const newest: string[] = []
  // A system lists names mostly in their order: from the end, nearly every name is older than those that are kept.
  for (const name of names.toReversed()) {
    const isOrdered = isOrderedName(name)
    if (!(isOrdered || isNoteName(name)) || isWanted?.(name) === false) continue
    total += 1
    if (!isOrdered || name > now || names.length <= most) others.push(name)
    else if (newest.length < most || name > (newest[0] ?? '')) {
      const after = newest.findIndex((other) => other > name)
      newest.splice(after < 0 ? newest.length : after, 0, name)
      if (newest.length > most) newest.shift()
    }
  }
  return { left: [...others, ...newest.reverse()], total }
}

const isNoteName = (name: string) => /\.json$/i.test(name) && !name.startsWith('.')

/** By what can be known without reading them: the time in the name, else the file's own, the newest first. */
function byTime(folder: Folder, names: readonly string[], nowMs: number): string[] {
  const timeOf = (name: string) => {
    const ms = noteTime(name)
    return ms !== null && ms <= nowMs ? ms : Math.min(folder.entry(name)?.modifiedMs ?? 0, nowMs)
  }
  return names
    .map((name) => ({ name, ms: timeOf(name) }))
    .sort((a, b) => b.ms - a.ms || (a.name < b.name ? 1 : -1))
    .map(({ name }) => name)
}

type ReadNote = { size: number } & ({ note: Omit<NoteFile, 'path'> } | { problem: string })

function readNote(folder: Folder, name: string, nowMs: number): ReadNote {
  try {
    const modifiedMs = folder.entry(name)?.modifiedMs ?? nowMs
    const bytes = folder.read(name, MAX_NOTE_BYTES)
    if (bytes === null) return { size: 0, problem: 'file not found' }
    const size = bytes.length
    const read = decodeNote(bytes, '')
    if ('problem' in read) return { size, problem: read.problem.replace(/^: /, '') }
    const { note } = read
    const { atMs } = timeWritten([note.timestamp, name], { modifiedMs, nowMs })
    return { size, note: { hash: sha256(bytes), atMs, bytes, said: noteToWork(note) } }
  } catch (error) {
    return { size: 0, problem: sourceProblemOf(error) }
  }
}
