import type { Folder } from '../../fs/disk.ts'
import { findFolder } from '../../fs/durable.ts'
import { removeGuarded } from '../../fs/guarded.ts'
import type { OwedView } from '../../store/local-state.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { foldersOf, guardOf, nameOf } from './guard.ts'
import type { SettleStep } from './settle-rows.ts'

/** Removes a file that an undone act wrote, while it is as the act left it. One that somebody changed since stays. */
export async function takeFileAway(context: Context, root: Folder, row: OwedView): Promise<SettleStep> {
  const { store, identity, notices } = context
  using folder = findFolder(root, foldersOf(row.path))
  const outcome = folder && removeGuarded(folder, nameOf(row.path), guardOf(context, row.hash))
  if (outcome?.done === false) notices.push(NOTICES.changedSoItStays(row.path))
  await store.local.forgetViews([{ workspace: identity.workspace, path: row.path }])
  return 'done'
}
