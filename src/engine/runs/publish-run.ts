import { sequenceOf } from '../../core/id.ts'
import { describeError, errorCode, ReasonError } from '../../core/reason.ts'
import { HISTORY_FOLDER, runFolder } from '../../formats/snapshot/layout.ts'
import { type Folder, openFolder } from '../../fs/disk.ts'
import { findFolder, makeFolders } from '../../fs/durable.ts'
import type { Stream } from '../../store/log.ts'
import { type Context, runDeferredTasks, workspaceRoot } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { workspaceLock } from '../context/workspace-lock.ts'
import type { RenderedFile } from '../publish/publish-snapshot.ts'
import { noteSnapshots, type SnapshotWriter, snapshotTurn } from '../publish/publish-snapshot.ts'
import { settleRows } from '../publish/settle-rows.ts'

/**
 * Writes every document that a run owes to the disk, its own and those that others left unfinished.
 * Answers `pending`, with a notice why, where they cannot be written now: the store has everything.
 */
export async function publishRun(
  context: Context,
  run: Stream,
  rendered: RenderedFile[] = [],
): Promise<'published' | 'pending'> {
  using lock = await workspaceLock(context, run.workspace)
  if (lock === null) {
    context.notices.push(NOTICES.workspaceBusy)
    return 'pending'
  }
  using root = await openWorkspace(context, run)
  if (root === null) {
    context.notices.push(NOTICES.runWorkspaceGone(run.name))
    return 'pending'
  }
  try {
    await settleRun(context, run, root, rendered)
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
    // The files may be there, and only the store's note of it is missing: the next command makes it.
    if (error.reason === 'store_busy') return 'pending'
    // What could not be removed stays owed; it is no reason to refuse a save.
    if (error.reason !== 'checkpoint_retention_prune_failed') throw error
    context.notices.push(error.message)
  }
  return 'published'
}

/** For callers that hold the workspace lock already. */
export async function settleRun(
  context: Context,
  run: Stream,
  root: Folder,
  rendered: RenderedFile[] = [],
): Promise<void> {
  await runDeferredTasks(context)
  const listOwedFiles = () => context.store.local.listViews({ stream: run.id, unsettled: true })
  const rows = await listOwedFiles()
  if (rows.length === 0) return
  // A dead process may have left files in folders whose directory entries were never synced.
  const sure =
    rendered.length === 0 || rows.length > 2 || rows.some((row) => sequenceOf(row.checkpoint) === 1)
  using folder = makeFolders(root, runFolder(run.name), { sure })
  using history = makeFolders(folder, [HISTORY_FOLDER], { sure })
  const writer: SnapshotWriter = { run, folder, history, rendered, written: [], removed: [] }
  const [failure] = await settleRows(rows, (row) => snapshotTurn(context, writer, row), {
    again: listOwedFiles,
    stopsAtFailure: true,
  })
  await noteSnapshots(context, writer)
  if (failure) throw failure.error
}

/** Opens the workspace that a run was started in; null where it is gone. */
export async function openWorkspace(context: Context, run: Stream): Promise<Folder | null> {
  const path = await workspaceRoot(context, run.workspace)
  try {
    return openFolder(path)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw new ReasonError('folder_unreadable', { path, problem: describeError(error) }, { cause: error })
  }
}

/** Opens a run's folder for reading; null where there is none. */
export async function openRunFolder(context: Context, run: Stream): Promise<Folder | null> {
  using root = await openWorkspace(context, run)
  return root && findFolder(root, runFolder(run.name))
}
