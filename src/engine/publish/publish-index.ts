import { sha256 } from '../../core/canonical.ts'
import { instant } from '../../core/ports.ts'
import { clampTime } from '../../formats/note-json/layout.ts'
import { setLastCheckpoint } from '../../formats/state-index/codec.ts'
import type { Folder } from '../../fs/disk.ts'
import { findFolder } from '../../fs/durable.ts'
import { replaceGuarded } from '../../fs/guarded.ts'
import type { OwedView } from '../../store/local-state.ts'
import type { Context } from '../context/context.ts'
import { foldersOf, giveBack, guardOf, nameOf } from './guard.ts'
import type { SettleStep } from './settle-rows.ts'

/**
 * Sets the time of the last save in an index that belongs to other tools; all else in it stays as it is. One that
 * cannot be read is reported and left alone, and one that is gone does not come back.
 */
export async function publishIndex(context: Context, root: Folder, row: OwedView): Promise<SettleStep> {
  const { store, identity } = context
  const at = (await store.log.readCheckpoint(row.checkpoint))?.row.at ?? ''
  const time = `${instant(clampTime(Date.parse(at))).slice(0, 19)}Z`
  const folder = findFolder(root, foldersOf(row.path))
  try {
    const step = folder === null ? 'done' : await setTime(context, folder, row.path, time)
    if (step === 'again') return 'again'
  } finally {
    folder?.close()
  }
  await store.local.forgetViews([{ workspace: identity.workspace, path: row.path }])
  return 'done'
}

async function setTime(context: Context, folder: Folder, path: string, at: string): Promise<SettleStep> {
  const name = nameOf(path)
  const guard = guardOf(context, null)
  const bytes = folder.read(name, guard.limit)
  if (bytes === null) return 'done'
  const hash = sha256(bytes)
  const text = bytes.toString('utf8')
  const isUtf8 = sha256(text) === hash
  const added = isUtf8 ? setLastCheckpoint(text, at) : { problem: 'it is not UTF-8' }
  if (typeof added !== 'string') {
    context.notices.push(
      `${path} was left as it is: ${added.problem}. Mend it, and the next save sets its time.`,
    )
    return 'done'
  }
  if (added === text) return 'done'
  const outcome = replaceGuarded(folder, name, Buffer.from(added), { ...guard, expected: hash })
  if (outcome.done) return 'done'
  if (outcome.ours) await giveBack(context, folder, name, outcome, sha256(added))
  return 'again'
}
