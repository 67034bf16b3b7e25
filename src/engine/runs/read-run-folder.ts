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

/** Every snapshot in a history folder that reads well, in its order. A bad file hides only itself. */
export function readHistory(run: Folder): FoundSnapshot[] {
  using history = run.folder(HISTORY_FOLDER)
  if (history === null) return []
  const found = new Map<string, FoundSnapshot>()
  for (const name of history.names()) {
    const id = snapshotOfName(name)?.snapshot
    const one = id === undefined ? null : readSnapshotFile(history, name)
    if (one !== null && 'document' in one && one.document.snapshot_id === id) found.set(id, one)
  }
  return inOrder([...found.values()])
}

/** By the number in the id where each has one; other harnesses have only the time. */
function inOrder(found: FoundSnapshot[]): FoundSnapshot[] {
  const numbers = new Map(found.map((one) => [one, sequenceOf(one.document.snapshot_id)]))
  const isNumbered = [...numbers.values()].every((number) => number !== null)
  const orderOf = (one: FoundSnapshot) =>
    isNumbered ? (numbers.get(one) ?? 0) : Date.parse(one.document.created_at)
  return found.sort((a, b) => orderOf(a) - orderOf(b) || (a.name < b.name ? -1 : 1))
}

/** The run's `latest.json`; null where there is none. */
export const readLatest = (run: Folder) => readSnapshotFile(run, LATEST)

/** Whether a folder is a run's: a repository may use the name for something else. */
export function isRunFolder(folder: Folder): boolean {
  const latest = folder.entry(LATEST)
  if (latest === null || latest.kind === 'folder') return false
  return folder.entry(HISTORY_FOLDER)?.kind === 'folder' || !(readLatest(folder) instanceof ReasonError)
}

/** A snapshot, or why the file is none; null where there is no such file. */
function readSnapshotFile(folder: Folder, name: string): FoundSnapshot | ReasonError | null {
  try {
    const bytes = folder.read(name, MAX_SNAPSHOT_BYTES)
    if (bytes === null) return null
    const document = decodeSnapshot(bytes, name)
    const plain = name.endsWith('.gz') ? inflateHistory(bytes, name) : bytes
    return { document, name, hash: sha256(bytes), contentHash: sha256(plain) }
  } catch (error) {
    return asSnapshotReason(error, name)
  }
}

/** Whatever keeps a file from being read as a snapshot is, to the contract, an invalid snapshot. */
export function asSnapshotReason(error: unknown, path: string): ReasonError {
  if (error instanceof ReasonError && error.reason.startsWith('checkpoint_')) return error
  if (!(error instanceof ReasonError) && errorCode(error) === undefined) throw error
  const problem = describeError(error)
  return new ReasonError('checkpoint_schema_invalid', { path, problem }, { cause: error })
}
