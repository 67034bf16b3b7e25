import { sha256 } from '../../core/canonical.ts'
import { ReasonError } from '../../core/reason.ts'
import { MAX_DOCUMENT_BYTES } from '../../formats/checkpoint-md/layout.ts'
import { putLastCheckpoint } from '../../formats/state-index/codec.ts'
import type { Folder } from '../../fs/disk.ts'
import { findFolder } from '../../fs/durable.ts'
import { isKept, isLeftover } from '../../fs/guarded.ts'
import type { OwedView } from '../../store/local-state.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { foldersOf, nameOf } from './guard.ts'
import { owedValue } from './publish-index.ts'

/**
 * Removes what somebody left beside a file who died while writing it: that write is still owed, so it is known
 * where to look. An old file that was kept goes only where nothing of it is lost; else it stays, and is told.
 */
export async function sweepBeside(context: Context, root: Folder, row: OwedView): Promise<void> {
  try {
    const folders = foldersOf(row.path)
    using folder = findFolder(root, folders)
    if (folder === null) return
    const start = `.${nameOf(row.path)}.`
    for (const name of folder.names().filter((one) => one.startsWith(start) && isLeftover(one))) {
      if (!isKept(name) || (await isSafe(context, folder, name, row))) folder.unlink(name)
      else context.notices.push(NOTICES.leftover([...folders, name].join('/')))
    }
  } catch (error) {
    // What keeps us from looking keeps us from writing too, and is told there.
    if (!(error instanceof ReasonError)) throw error
  }
}

async function isSafe(context: Context, folder: Folder, name: string, row: OwedView): Promise<boolean> {
  const kept = folder.read(name, MAX_DOCUMENT_BYTES)
  if (kept === null || kept.length === 0) return true
  if ((await context.store.log.readText(sha256(kept))) !== null) return true
  if (row.kind !== 'index') return false
  const standing = folder.read(nameOf(row.path), MAX_DOCUMENT_BYTES)
  const renewed = putLastCheckpoint(kept.toString('utf8'), await owedValue(context, row))
  return standing !== null && (standing.equals(kept) || standing.toString('utf8') === renewed)
}
