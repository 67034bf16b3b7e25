import { instant } from '../../core/ports.ts'
import { MAX_DOCUMENT_BYTES } from '../../formats/checkpoint-md/layout.ts'
import { clampTime } from '../../formats/note-json/layout.ts'
import { putLastCheckpoint } from '../../formats/state-index/codec.ts'
import type { Folder } from '../../fs/disk.ts'
import { findFolder } from '../../fs/durable.ts'
import type { OwedView } from '../../store/local-state.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { foldersOf, nameOf, replaceOrGiveBack } from './guard.ts'
import type { SettleStep } from './settle-rows.ts'

/**
 * Sets the time of the last save in an index that belongs to other tools, or the value that stood there before an act
 * that is undone; all else in it stays as it is. One that cannot be read is reported and left alone, and one that is
 * gone does not come back.
 */
export async function publishIndex(context: Context, root: Folder, row: OwedView): Promise<SettleStep> {
  const { store, identity } = context
  const value = await owedValue(context, row)
  using folder = findFolder(root, foldersOf(row.path))
  if (folder && !(await setValue(context, folder, row.path, value))) return 'again'
  await store.local.forgetViews([{ workspace: identity.workspace, path: row.path }])
  return 'done'
}

/** What is owed to an index: the time of the checkpoint, or a value of before. Null where there was none. */
export async function owedValue(
  { store }: Context,
  { hash, checkpoint }: Pick<OwedView, 'hash' | 'checkpoint'>,
): Promise<string | null> {
  if (hash !== '') return (await store.log.readText(hash)) || null
  return indexValue((await store.log.readCheckpoint(checkpoint))?.row.at ?? '')
}

/** What an index says of a checkpoint of that time. */
const indexValue = (at: string) => JSON.stringify(`${instant(clampTime(Date.parse(at))).slice(0, 19)}Z`)

/** False where somebody wrote the file meanwhile. */
async function setValue(
  context: Context,
  folder: Folder,
  path: string,
  value: string | null,
): Promise<boolean> {
  const bytes = folder.read(nameOf(path), MAX_DOCUMENT_BYTES)
  if (bytes === null) return true
  const text = bytes.toString('utf8')
  const isUtf8 = Buffer.from(text).equals(bytes)
  const added = isUtf8 ? putLastCheckpoint(text, value) : { problem: 'it is not UTF-8' }
  if (typeof added !== 'string') {
    context.notices.push(NOTICES.indexUnchanged(path, added.problem))
    return true
  }
  return added === text || replaceOrGiveBack(context, folder, nameOf(path), bytes, added)
}
