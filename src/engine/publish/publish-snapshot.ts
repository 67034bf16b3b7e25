import { sha256 } from '../../core/canonical.ts'
import type { Checkpoint, Trigger } from '../../core/checkpoint.ts'
import { randomToken } from '../../core/id.ts'
import { describeError, ReasonError } from '../../core/reason.ts'
import {
  compressSnapshot,
  encodeSnapshot,
  MAX_SNAPSHOT_BYTES,
  snapshotOf,
} from '../../formats/snapshot/codec.ts'
import type { SnapshotDocument } from '../../formats/snapshot/document.ts'
import { historyName, LATEST, SET_ASIDE_FOLDER } from '../../formats/snapshot/layout.ts'
import type { Folder } from '../../fs/disk.ts'
import { makeFolders, writeDurably } from '../../fs/durable.ts'
import { resumeHints } from '../../policy/run-lifecycle.ts'
import type { PublishedView, ViewRow } from '../../store/local-state.ts'
import type { Stream } from '../../store/log.ts'
import type { Context } from '../context/context.ts'
import { nameOf } from './guard.ts'
import type { Turn } from './settle-rows.ts'

/** The document of a run's checkpoint, with the triggers that came to it later where they belong. */
export function renderSnapshot(checkpoint: Checkpoint, run: string, later: Trigger[] = []): SnapshotDocument {
  return snapshotOf(checkpoint, run, resumeHints(checkpoint.work.position, checkpoint.progress), later)
}

export interface RenderedFile {
  document: SnapshotDocument
  bytes: Buffer
  hash: string
}

export function renderFile(checkpoint: Checkpoint, run: string, later: Trigger[] = []): RenderedFile {
  const document = renderSnapshot(checkpoint, run, later)
  const bytes = encodeSnapshot(document)
  return { document, bytes, hash: sha256(bytes) }
}

/** What the files of a run are written with. They are ours alone: what stands in their place is set aside. */
export interface SnapshotWriter {
  run: Stream
  folder: Folder
  history: Folder
  rendered: readonly RenderedFile[]
  /** What is written, to be noted in the store. */
  written: PublishedView[]
  /** What is removed, once the folder is synced. */
  removed: ViewRow[]
}

/** History comes before the file that points to it, and nothing goes before what takes its place is there. */
export const snapshotTurn = (context: Context, writer: SnapshotWriter, row: ViewRow): Turn => {
  if (row.state === 'leaving') return { turn: 2, publish: async () => removeSnapshot(writer, row) }
  const isLatest = nameOf(row.path) === LATEST
  return {
    turn: isLatest ? 1 : 0,
    async publish() {
      const file = await fileOf(context, writer, row, isLatest)
      if (file === null) return 'left'
      writer.written.push((isLatest ? placeLatest : placeHistory)(context, writer, row, file))
      return 'done'
    },
  }
}

function placeLatest(context: Context, { folder }: SnapshotWriter, row: ViewRow, file: RenderedFile) {
  const standing = folder.entry(LATEST)
  if (standing !== null && standing.kind !== 'file') setAside(context, folder, folder, LATEST)
  writeDurably(folder, LATEST, file.bytes, { token: randomToken(context.ports.random) })
  return { ...row, expected: row.hash, hash: file.hash, contentHash: file.hash }
}

/** A history file never changes: what stands in its place and differs is set aside first. */
function placeHistory(
  context: Context,
  { folder, history }: SnapshotWriter,
  row: ViewRow,
  file: RenderedFile,
) {
  const name = nameOf(row.path)
  const bytes = name.endsWith('.gz') ? compressSnapshot(file.bytes) : file.bytes
  const hash = name.endsWith('.gz') ? sha256(bytes) : file.hash
  const isThere = history.entry(name) !== null
  if (isThere && holdsBytes(history, name, hash)) history.sync()
  else {
    if (isThere) setAside(context, folder, history, name)
    writeDurably(history, name, bytes, { token: randomToken(context.ports.random) })
  }
  return { ...row, expected: row.hash, hash, contentHash: file.hash }
}

function removeSnapshot({ run, history, removed }: SnapshotWriter, row: ViewRow) {
  asPruning(run, () => {
    for (const name of [historyName(row.checkpoint), historyName(row.checkpoint, true)]) history.unlink(name)
  })
  removed.push(row)
  return 'done' as const
}

/** Notes in the store what was written and removed: the one need not be synced, the other only once it is gone. */
export async function noteSnapshots(context: Context, writer: SnapshotWriter): Promise<void> {
  const { run, history, written, removed } = writer
  if (written.length > 0) context.afterwards.push(() => context.store.local.markPublished(written))
  if (removed.length === 0) return
  asPruning(run, () => history.sync())
  await context.store.local.forgetViews(removed)
}

/** What could not be removed stays owed; it is no reason to refuse a save. */
function asPruning({ name }: Stream, act: () => void): void {
  try {
    act()
  } catch (error) {
    const problem = describeError(error)
    throw new ReasonError('checkpoint_retention_prune_failed', { run: name, problem }, { cause: error })
  }
}

function holdsBytes(folder: Folder, name: string, hash: string): boolean {
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
  using folder = makeFolders(run, [SET_ASIDE_FOLDER])
  const target = `${name.slice(0, 160)}.${randomToken(context.ports.random)}`
  from.rename(name, target, folder)
  folder.sync()
  from.sync()
  return `${folder.path}/${target}`
}

async function fileOf(
  { store }: Context,
  { run, rendered }: SnapshotWriter,
  row: ViewRow,
  isLatest: boolean,
): Promise<RenderedFile | null> {
  const ready = rendered.find((file) => file.hash === row.contentHash)
  if (ready) return ready
  const stored = await store.log.readCheckpoint(row.checkpoint)
  if (stored?.state === 'whole') return renderFile(stored.checkpoint, run.name, isLatest ? stored.notes : [])
  if (!isLatest) return null
  // The head is damaged: the newest whole one is the best that can be shown.
  const { base } = await store.log.readSituation(run.id)
  return renderFile(base.checkpoint, run.name, base.notes)
}
