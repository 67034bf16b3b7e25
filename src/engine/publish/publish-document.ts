import type { Folder } from '../../fs/disk.ts'
import { findFolder, makeFolders } from '../../fs/durable.ts'
import { removeGuarded, replaceGuarded } from '../../fs/guarded.ts'
import type { OwedView } from '../../store/local-state.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { foldersOf, guardOf, hasOurText, nameOf, type SettleOptions } from './guard.ts'
import type { SettleStep } from './settle-rows.ts'
import { takeFileAway } from './take-file-away.ts'

export async function publishDocument(
  context: Context,
  root: Folder,
  row: OwedView,
  { mergeEdit }: SettleOptions,
): Promise<SettleStep> {
  const { store, identity } = context
  const text = await store.log.readText(row.hash)
  if (text === null) throw new Error(`the store has no text for ${row.path}`)
  const isNew = row.base === null
  using folder = isNew
    ? makeFolders(root, foldersOf(row.path), { sure: true })
    : findFolder(root, foldersOf(row.path))
  // The folder went with its files: the user or git removed them.
  if (folder === null) return 'left'
  const outcome = replaceGuarded(folder, nameOf(row.path), Buffer.from(text), guardOf(context, row.base))
  if (!outcome.done) {
    if (!hasOurText(outcome, row.hash)) return await mergeEdit(context, row, outcome)
    // A process died between the write and this note: the rename may not be durable yet.
    folder.sync()
  }
  await store.local.markStamped(identity.workspace, [{ path: row.path, hash: row.hash, stamp: null }])
  return 'done'
}

/** The old place of a document that was archived or brought back; or the place of one whose beginning was undone. */
export async function takeAway(
  context: Context,
  root: Folder,
  row: OwedView,
  { mergeEdit, trusted }: SettleOptions,
): Promise<SettleStep> {
  const { store, identity, place } = context
  const rows = await store.acts.listWork(identity.repository, identity.workspace)
  const view = rows.find(({ stream }) => stream.id === row.stream)?.view ?? null
  if (row.base !== null) return takeFileAway(context, root, row)
  if (view?.state !== 'published') return 'left'
  using folder = findFolder(root, foldersOf(row.path))
  if (folder?.entry(nameOf(row.path))) {
    await tellGit(context, row.path, view.path)
    const outcome = removeGuarded(folder, nameOf(row.path), guardOf(context, row.hash))
    if (!outcome.done) return await mergeEdit(context, row, outcome)
  }
  await store.local.forgetViews([{ workspace: identity.workspace, path: row.path }])
  return 'done'

  async function tellGit(context: Context, from: string, to: string): Promise<void> {
    if (place.git === null || !trusted) return
    const { moveInIndex } = await import('../../workspace/git-index.ts')
    const moved = await moveInIndex(place, from, to)
    if (typeof moved !== 'string') context.notices.push(NOTICES.moveUnknownToGit(from, to, moved.problem))
  }
}
