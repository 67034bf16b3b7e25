import { sha256 } from '../../core/canonical.ts'
import { randomToken, sequenceOf } from '../../core/id.ts'
import { describe, errorCode, ReasonError } from '../../core/reason.ts'
import { compressSnapshot, MAX_SNAPSHOT_BYTES } from '../../formats/snapshot/codec.ts'
import {
  HISTORY_FOLDER,
  historyName,
  LATEST,
  runFolder,
  SET_ASIDE_FOLDER,
} from '../../formats/snapshot/layout.ts'
import { type Folder, openFolder } from '../../fs/disk.ts'
import { findFolder, makeFolders, writeDurably } from '../../fs/durable.ts'
import type { NewView, ViewRow } from '../../store/local-state.ts'
import type { Stream } from '../../store/log.ts'
import { type Context, catchUp, workspaceRoot } from '../context/context.ts'
import { workspaceLock } from '../context/workspace-lock.ts'
import { type RenderedFile, renderFile } from './render-snapshot.ts'

/**
 * Writes every document that a run owes to the disk, its own and those that others left unfinished.
 * Answers `pending`, with a notice why, where they cannot be written now: the store has everything.
 */
export async function publishRun(
  context: Context,
  run: Stream,
  rendered: RenderedFile[] = [],
): Promise<'published' | 'pending'> {
  const release = await workspaceLock(context, run.workspace)
  if (release === null) {
    context.notices.push(
      'Another process is writing in this workspace; what is saved is in the store, its files follow.',
    )
    return 'pending'
  }
  try {
    const root = await openWorkspace(context, run)
    if (root === null) {
      context.notices.push(`The workspace of run ${run.name} is gone; what is saved is in the store.`)
      return 'pending'
    }
    try {
      await settle(context, run, root, rendered)
    } catch (error) {
      if (!(error instanceof ReasonError)) throw error
      // The files may be there, and only the store's note of it is missing: the next command makes it.
      if (error.reason === 'store_busy') return 'pending'
      // What could not be removed stays owed; it is no reason to refuse a save.
      if (error.reason !== 'checkpoint_retention_prune_failed') throw error
      context.notices.push(error.message)
    } finally {
      root.close()
    }
    return 'published'
  } finally {
    release()
  }
}

/** Publishes a snapshot that was just committed. Where its files cannot be written it is not confirmed, only kept. */
export async function publishSnapshot(
  context: Context,
  run: Stream,
  snapshot: string,
  rendered: RenderedFile[],
): Promise<'published' | 'pending'> {
  try {
    return await publishRun(context, run, rendered)
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
    const problem = `${error.data.problem ?? error.message} (${snapshot} of run ${run.name} is kept in the store)`
    throw new ReasonError(error.reason, { ...error.data, problem }, { cause: error })
  }
}

/** For callers that hold the workspace lock already. History comes before the file that points to it. */
export async function settle(
  context: Context,
  run: Stream,
  root: Folder,
  rendered: RenderedFile[] = [],
): Promise<void> {
  await catchUp(context)
  const rows = await context.store.local.listViews({ stream: run.id, unsettled: true })
  if (rows.length === 0) return
  // What somebody else left unfinished may stand in folders whose names never reached the disk.
  const sure =
    rendered.length === 0 || rows.length > 2 || rows.some((row) => sequenceOf(row.checkpoint) === 1)
  const folder = makeFolders(root, runFolder(run.name), { sure })
  let history: Folder | null = null
  try {
    history = makeFolders(folder, [HISTORY_FOLDER], { sure })
    const owed = rows.filter((row) => row.state === 'pending')
    const done: Array<NewView & { expected: string }> = []
    for (const row of owed.filter((row) => nameOf(row) !== LATEST)) {
      const file = await fileOf(context, run, row, rendered)
      if (file) done.push(placeHistory(context, history, folder, row, file))
    }
    for (const row of owed.filter((row) => nameOf(row) === LATEST)) {
      const file = await fileOf(context, run, row, rendered)
      if (!file) continue
      const standing = folder.entry(LATEST)
      if (standing !== null && standing.kind !== 'file') setAside(context, folder, folder, LATEST)
      writeDurably(folder, LATEST, file.bytes, { token: token(context) })
      done.push({ ...row, expected: row.hash, hash: file.hash, contentHash: file.hash })
    }
    if (done.length > 0) context.afterwards.push(() => context.store.local.markPublished(done))
    await clearLeaving(
      context,
      run,
      history,
      rows.filter((row) => row.state === 'leaving'),
    )
  } finally {
    history?.close()
    folder.close()
  }
}

async function clearLeaving(context: Context, run: Stream, history: Folder, rows: ViewRow[]): Promise<void> {
  if (rows.length === 0) return
  try {
    for (const row of rows) for (const name of bothForms(row.checkpoint)) history.unlink(name)
    history.sync()
  } catch (error) {
    const problem = describe(error)
    throw new ReasonError('checkpoint_retention_prune_failed', { run: run.name, problem }, { cause: error })
  }
  await context.store.local.forgetViews(rows)
}

const bothForms = (snapshot: string) => [historyName(snapshot), historyName(snapshot, true)]
const nameOf = (row: ViewRow) => row.path.slice(row.path.lastIndexOf('/') + 1)
const token = (context: Context) => randomToken(context.ports.random)

/** A history file never changes: what stands in its place and differs is set aside first. */
function placeHistory(context: Context, history: Folder, run: Folder, row: ViewRow, file: RenderedFile) {
  const name = nameOf(row)
  const bytes = name.endsWith('.gz') ? compressSnapshot(file.bytes) : file.bytes
  const hash = name.endsWith('.gz') ? sha256(bytes) : file.hash
  const isThere = history.entry(name) !== null
  if (isThere && holds(history, name, hash)) history.sync()
  else {
    if (isThere) setAside(context, run, history, name)
    writeDurably(history, name, bytes, { token: token(context) })
  }
  return { ...row, expected: row.hash, hash, contentHash: file.hash }
}

function holds(folder: Folder, name: string, hash: string): boolean {
  try {
    const bytes = folder.read(name, MAX_SNAPSHOT_BYTES)
    return bytes !== null && sha256(bytes) === hash
  } catch (error) {
    if (error instanceof ReasonError) return false
    throw error
  }
}

/** Moves a file out of the way, beside the run; nothing is deleted. Answers where it went. */
export function setAside(context: Context, run: Folder, from: Folder, name: string): string {
  const folder = makeFolders(run, [SET_ASIDE_FOLDER])
  try {
    const target = `${name.slice(0, 160)}.${token(context)}`
    from.rename(name, target, folder)
    folder.sync()
    from.sync()
    return `${folder.path}/${target}`
  } finally {
    folder.close()
  }
}

async function fileOf(
  context: Context,
  run: Stream,
  row: ViewRow,
  rendered: RenderedFile[],
): Promise<RenderedFile | null> {
  const ready = rendered.find((file) => file.hash === row.contentHash)
  if (ready) return ready
  const stored = await context.store.log.readCheckpoint(row.checkpoint)
  if (stored?.state === 'whole')
    return renderFile(stored.checkpoint, run.name, nameOf(row) === LATEST ? stored.notes : [])
  if (nameOf(row) !== LATEST) return null
  // The head is damaged: the newest whole one is the best that can be shown.
  const { base } = await context.store.log.readSituation(run.id)
  return renderFile(base.checkpoint, run.name, base.notes)
}

/** Opens the workspace that a run was started in; null where it is gone. */
export async function openWorkspace(context: Context, run: Stream): Promise<Folder | null> {
  const path = await workspaceRoot(context, run.workspace)
  try {
    return openFolder(path)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw new ReasonError('folder_unreadable', { path, problem: describe(error) }, { cause: error })
  }
}

/** Opens a run's folder for reading; null where there is none. */
export async function openRunFolder(context: Context, run: Stream): Promise<Folder | null> {
  const root = await openWorkspace(context, run)
  try {
    return root && findFolder(root, runFolder(run.name))
  } finally {
    root?.close()
  }
}
