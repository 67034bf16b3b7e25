import { instant } from '../../core/ports.ts'
import { MAX_DOCUMENT_BYTES } from '../../formats/checkpoint-md/layout.ts'
import { clampTime } from '../../formats/note-json/layout.ts'
import { setLastCheckpoint } from '../../formats/state-index/codec.ts'
import type { Folder } from '../../fs/disk.ts'
import { findFolder } from '../../fs/durable.ts'
import type { OwedView } from '../../store/local-state.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { foldersOf, nameOf, replaceOrGiveBack } from './guard.ts'
import type { SettleStep } from './settle-rows.ts'

/**
 * Sets the time of the last save in an index that belongs to other tools; all else in it stays as it is. One that
 * cannot be read is reported and left alone, and one that is gone does not come back.
 */
export async function publishIndex(context: Context, root: Folder, row: OwedView): Promise<SettleStep> {
  const { store, identity } = context
  const at = (await store.log.readCheckpoint(row.checkpoint))?.row.at ?? ''
  const time = `${instant(clampTime(Date.parse(at))).slice(0, 19)}Z`
  using folder = findFolder(root, foldersOf(row.path))
  if (folder && !(await setTime(context, folder, row.path, time))) return 'again'
  await store.local.forgetViews([{ workspace: identity.workspace, path: row.path }])
  return 'done'
}

/** False where somebody wrote the file meanwhile. */
async function setTime(context: Context, folder: Folder, path: string, at: string): Promise<boolean> {
  const bytes = folder.read(nameOf(path), MAX_DOCUMENT_BYTES)
  if (bytes === null) return true
  const text = bytes.toString('utf8')
  const isUtf8 = Buffer.from(text).equals(bytes)
  const added = isUtf8 ? setLastCheckpoint(text, at) : { problem: 'it is not UTF-8' }
  if (typeof added !== 'string') {
    context.notices.push(NOTICES.indexUnchanged(path, added.problem))
    return true
  }
  return added === text || replaceOrGiveBack(context, folder, nameOf(path), bytes, added)
}
