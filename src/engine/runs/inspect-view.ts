import { sha256 } from '../../core/canonical.ts'
import { describeError, errorCode, ReasonError } from '../../core/reason.ts'
import { decodeSnapshot, inflateHistory, MAX_SNAPSHOT_BYTES } from '../../formats/snapshot/codec.ts'
import { HISTORY_FOLDER, LATEST } from '../../formats/snapshot/layout.ts'
import type { Folder } from '../../fs/disk.ts'
import type { ViewRow } from '../../store/local-state.ts'
import type { Stream } from '../../store/log.ts'
import type { Context } from '../context/context.ts'

/** What a published document looks like on the disk now. */
export type ViewHealth =
  | { state: 'sound' | 'unfinished' | 'missing' }
  | { state: 'damaged'; error: ReasonError }

/** Compares one document with its row. `run` is the run's folder, null where it is gone. */
export function inspectView(run: Folder | null, row: ViewRow): ViewHealth {
  if (row.state === 'leaving') return { state: 'unfinished' }
  const found = inspectFile(run, row)
  // Publishing is recorded after the write: a correct file is fine even if its row is still pending.
  return row.state === 'pending' && found.state !== 'sound' ? { state: 'unfinished' } : found
}

function inspectFile(run: Folder | null, row: ViewRow): ViewHealth {
  const name = row.path.slice(row.path.lastIndexOf('/') + 1)
  let folder: Folder | null = null
  try {
    folder = name === LATEST ? run : (run?.folder(HISTORY_FOLDER) ?? null)
    if (folder === null) return { state: 'missing' }
    const bytes = folder.read(name, MAX_SNAPSHOT_BYTES)
    if (bytes === null) return { state: 'missing' }
    return healthOf(bytes, row)
  } catch (error) {
    return { state: 'damaged', error: asSnapshotReason(error, row.path) }
  } finally {
    if (folder !== run) folder?.close()
  }
}

/** Both forms have a checksum: the file's own bytes, and the document inside. */
function healthOf(bytes: Buffer, row: ViewRow): ViewHealth {
  const document = decodeSnapshot(bytes, row.path)
  const plain = row.path.endsWith('.gz') ? inflateHistory(bytes, row.path) : bytes
  const foreign = document.snapshot_id !== row.checkpoint
  if (foreign || sha256(bytes) !== row.hash || sha256(plain) !== row.contentHash)
    throw new ReasonError('checkpoint_integrity_mismatch', {
      path: row.path,
      problem: foreign
        ? `it holds snapshot ${document.snapshot_id}`
        : 'it is not the file that was published',
    })
  return { state: 'sound' }
}

/** Whatever keeps a file from being read as a snapshot is, to the contract, an invalid snapshot. */
function asSnapshotReason(error: unknown, path: string): ReasonError {
  if (error instanceof ReasonError && error.reason.startsWith('checkpoint_')) return error
  if (!(error instanceof ReasonError) && errorCode(error) === undefined) throw error
  return new ReasonError(
    'checkpoint_schema_invalid',
    { path, problem: describeError(error) },
    { cause: error },
  )
}

/**
 * A second look at a document that seemed wrong, with its row as it is now: between the first look at the row
 * and at the file another process may have written both. Null where the store wants no such document any more.
 */
export async function inspectAgain(
  context: Context,
  run: Stream,
  folder: Folder | null,
  path: string,
): Promise<{ health: ViewHealth | null }> {
  const row = (await context.store.local.listViews({ stream: run.id })).find((one) => one.path === path)
  return { health: row ? inspectView(folder, row) : null }
}
