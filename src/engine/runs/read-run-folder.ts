import { sha256 } from '../../core/canonical.ts'
import { sequenceOf } from '../../core/id.ts'
import { describeError, errorCode, ReasonError } from '../../core/reason.ts'
import { decodeSnapshot, inflateHistory, MAX_SNAPSHOT_BYTES } from '../../formats/snapshot/codec.ts'
import type { SnapshotDocument } from '../../formats/snapshot/document.ts'
import { HISTORY_FOLDER, LATEST, snapshotOfName } from '../../formats/snapshot/layout.ts'
import type { Folder } from '../../fs/disk.ts'

export interface FoundSnapshot {
  document: SnapshotDocument
  name: string
  hash: string
  contentHash: string
}

/** How many bytes may still be read; a repository may hold any number of files that are costly to look into. */
export interface ReadRoom {
  bytes: number
}

/** Every snapshot in a history folder that reads well, in its order. A bad file hides only itself. */
export function readHistory(run: Folder): FoundSnapshot[] {
  using history = openHistory(run)
  if (history === null) return []
  const found = new Map<string, FoundSnapshot>()
  for (const name of snapshotNames(history)) {
    const one = readNamed(history, name)
    if (one) found.set(one.document.snapshot_id, one)
  }
  return inOrder([...found.values()])
}

/** The newest snapshot of a run that reads well. Names are read in order until one does. */
export function readNewest(folder: Folder, run: string, room: ReadRoom): FoundSnapshot | null {
  using history = openHistory(folder)
  if (history === null) return null
  for (const name of snapshotNames(history).reverse()) {
    if (room.bytes <= 0) break
    const one = readNamed(history, name, room)
    if (one?.document.run_id === run) return one
  }
  return null
}

export function countSnapshots(folder: Folder): number {
  using history = openHistory(folder)
  return history === null ? 0 : snapshotNames(history).length
}

/** A link or a file in its place holds no history. */
const openHistory = (run: Folder) =>
  run.entry(HISTORY_FOLDER)?.kind === 'folder' ? run.folder(HISTORY_FOLDER) : null

/** In the order of their numbers where each has one, else by the time in their names, the newest last. */
function snapshotNames(history: Folder): string[] {
  const named = history.names().flatMap((name) => {
    const found = snapshotOfName(name)
    return found === null ? [] : [{ name, number: sequenceOf(found.snapshot) }]
  })
  const isNumbered = named.every(({ number }) => number !== null)
  return named
    .sort((a, b) => (isNumbered ? Number(a.number) - Number(b.number) : 0) || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name)
}

/** The snapshot for which a history file's name stands. */
function readNamed(history: Folder, name: string, room?: ReadRoom): FoundSnapshot | null {
  const one = readSnapshotFile(history, name, { room })
  const isNamed =
    one !== null && 'document' in one && one.document.snapshot_id === snapshotOfName(name)?.snapshot
  return isNamed ? one : null
}

/** By the number in the id where each has one; other harnesses have only the time. */
function inOrder(found: FoundSnapshot[]): FoundSnapshot[] {
  const numbers = new Map(found.map((one) => [one, sequenceOf(one.document.snapshot_id)]))
  const isNumbered = [...numbers.values()].every((number) => number !== null)
  const orderOf = (one: FoundSnapshot) =>
    isNumbered ? (numbers.get(one) ?? 0) : Date.parse(one.document.created_at)
  return found.sort((a, b) => orderOf(a) - orderOf(b) || (a.name < b.name ? -1 : 1))
}

/** Whether a folder is a run's: a repository may use the name for something else. */
export function isRunFolder(folder: Folder, room?: ReadRoom): boolean {
  const latest = folder.entry(LATEST)
  if (latest === null || latest.kind === 'folder') return false
  return (
    folder.entry(HISTORY_FOLDER)?.kind === 'folder' ||
    !(readSnapshotFile(folder, LATEST, { room }) instanceof ReasonError)
  )
}

/** A snapshot, or why the file is none; null where there is no such file. `path`: what the reason calls it. */
export function readSnapshotFile(
  folder: Folder,
  name: string,
  { path = name, room }: { path?: string; room?: ReadRoom | undefined } = {},
): FoundSnapshot | ReasonError | null {
  try {
    const most = Math.min(MAX_SNAPSHOT_BYTES, room?.bytes ?? MAX_SNAPSHOT_BYTES)
    const bytes = folder.read(name, Math.max(0, most))
    if (bytes === null) return null
    const isCompressed = name.endsWith('.gz')
    // One that does not decompress may have cost as much as the largest that does.
    if (room) room.bytes -= isCompressed ? MAX_SNAPSHOT_BYTES : bytes.length
    const document = decodeSnapshot(bytes, path)
    const plain = isCompressed ? inflateHistory(bytes, path) : bytes
    if (room && isCompressed) room.bytes += MAX_SNAPSHOT_BYTES - plain.length
    return { document, name, hash: sha256(bytes), contentHash: sha256(plain) }
  } catch (error) {
    return asSnapshotReason(error, path)
  }
}

/** Whatever keeps a file from being read as a snapshot is, to the contract, an invalid snapshot. */
export function asSnapshotReason(error: unknown, path: string): ReasonError {
  if (error instanceof ReasonError && error.reason.startsWith('checkpoint_')) return error
  if (!(error instanceof ReasonError) && errorCode(error) === undefined) throw error
  const problem = describeError(error)
  return new ReasonError('checkpoint_schema_invalid', { path, problem }, { cause: error })
}
