import type { Folder } from '../../fs/disk.ts'
import { makeFolders } from '../../fs/durable.ts'
import { replaceGuarded } from '../../fs/guarded.ts'
import type { OwedView } from '../../store/local-state.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { foldersOf, guardOf, hasOurText, nameOf } from './guard.ts'
import type { SettleStep } from './settle-rows.ts'

/** Writes a note under a free name. A note is never overwritten: an existing file keeps its name. */
export async function publishNote(context: Context, root: Folder, row: OwedView): Promise<SettleStep> {
  const { store, identity, notices } = context
  const text = await store.log.readText(row.hash)
  if (text === null) throw new Error(`the store has no text for ${row.path}`)
  using folder = makeFolders(root, foldersOf(row.path), { sure: true })
  const outcome = replaceGuarded(folder, nameOf(row.path), Buffer.from(text), guardOf(context, null))
  if (!outcome.done && !hasOurText(outcome, row.hash)) notices.push(NOTICES.notePlaceTaken(row.path))
  // The name may not be durable yet.
  if (!outcome.done) folder.sync()
  await store.local.markStamped(identity.workspace, [{ path: row.path, hash: row.hash, stamp: null }])
  return 'done'
}
