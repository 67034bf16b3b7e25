import { sha256 } from '../../core/canonical.ts'
import { randomToken } from '../../core/id.ts'
import { instant } from '../../core/ports.ts'
import { describeError } from '../../core/reason.ts'
import { compressSnapshot, MAX_SNAPSHOT_BYTES } from '../../formats/snapshot/codec.ts'
import {
  HISTORY_FOLDER,
  historyName,
  historyPath,
  runFolder,
  snapshotOfName,
} from '../../formats/snapshot/layout.ts'
import type { Folder } from '../../fs/disk.ts'
import { findFolder, removeDurably, writeDurably } from '../../fs/durable.ts'
import { planRetention, type RetentionLimits } from '../../policy/retention.ts'
import type { ViewRow } from '../../store/local-state.ts'
import type { Stream } from '../../store/log.ts'
import { type Context, runDeferredTasks } from '../context/context.ts'
import { workspaceLock } from '../context/workspace-lock.ts'
import { openWorkspace, settleRun } from './publish-run.ts'
import { inspectView } from './verify-run.ts'

export interface RetentionReport {
  runId: string
  kept: number
  removed: string[]
  compressed: string[]
  /** Why nothing, or not everything, was done. */
  problem: string | null
}

export const limitsOf = ({ settings }: Context): RetentionLimits => ({
  maxPerRun: settings.snapshots_per_run,
  maxAgeDays: settings.snapshot_days,
  compressAfterHours: settings.compress_after_hours,
})

interface RetentionExtent {
  dryRun?: boolean
  /** Only what goes is looked at, and nothing is compressed: a save must not read the whole history again. */
  surplusOnly?: boolean
}

/**
 * Removes and compresses what the limits say, and reports what really happened. A run that cannot be read
 * whole is left alone: a rule such as "keep the last failed one" means nothing on half of the truth.
 */
export async function retainRun(
  context: Context,
  run: Stream,
  limits: RetentionLimits,
  { dryRun = false, surplusOnly = false }: RetentionExtent = {},
): Promise<RetentionReport> {
  const { store, ports } = context
  const report: RetentionReport = {
    ...{ runId: run.name, kept: run.live, removed: [], compressed: [], problem: null },
  }
  using lock = await workspaceLock(context, run.workspace)
  if (lock === null) return { ...report, problem: 'another process is using the workspace' }
  try {
    using root = await openWorkspace(context, run)
    if (root === null) return report
    if (!dryRun) await settleRun(context, run, root)
    await runDeferredTasks(context)
    const nowMs = ports.now()
    const views = await store.local.listViews({ stream: run.id })
    const paths = new Set(views.map(({ path }) => path))
    const live = (await store.log.readHistory(run.id)).filter((row) => row.removedAt === null)
    const snapshots = live.map((row) => ({ ...row, plain: paths.has(historyPath(run.name, row.id)) }))
    const plan = planRetention(snapshots, nowMs, limits)
    const ids = plan.remove.map(({ id }) => id)
    report.kept = live.length
    const looked = new Set(surplusOnly ? ids : live.map(({ id }) => id))
    const unreadable = await findUnreadable(context, run, root, looked, views)
    if (unreadable !== null) {
      report.problem = unreadable
      return report
    }
    if (!dryRun && !surplusOnly) sweep(root, run, paths)
    if (!dryRun && ids.length > 0) {
      const remove = { stream: run.id, checkpoints: ids, at: instant(nowMs) }
      // Where one was pinned meanwhile nothing goes: the next retention decides anew.
      await store.acts.commit({ workspace: run.workspace, remove })
      await settleRun(context, run, root)
    }
    report.removed = dryRun ? ids : await reallyGone(context, ids)
    report.kept -= report.removed.length
    if (surplusOnly) return report
    for (const { id } of plan.compress)
      if (dryRun || (await compress(context, run, root, id))) report.compressed.push(id)
    if (!dryRun) await store.log.markMaintained(run.id, instant(nowMs))
  } catch (error) {
    report.problem = describeError(error)
  }
  return report
}

/** A crash between writing the compressed file and removing the plain one leaves both: one is enough. */
function sweep(root: Folder, run: Stream, published: ReadonlySet<string>): void {
  using history = findFolder(root, [...runFolder(run.name), HISTORY_FOLDER])
  for (const name of history?.names() ?? []) {
    const found = snapshotOfName(name)
    if (found === null || published.has(historyPath(run.name, found.snapshot, found.compressed))) continue
    if (history && published.has(historyPath(run.name, found.snapshot, !found.compressed)))
      removeDurably(history, name)
  }
}

/** The first of these snapshots that cannot be read, or null. */
async function findUnreadable(
  context: Context,
  run: Stream,
  root: Folder,
  ids: ReadonlySet<string>,
  views: readonly ViewRow[],
): Promise<string | null> {
  using folder = findFolder(root, runFolder(run.name))
  for (const row of views.filter(({ checkpoint }) => ids.has(checkpoint))) {
    const health = inspectView(folder, row)
    if (health.state === 'damaged') return `${health.error.reason}: ${health.error.message}`
  }
  for (const id of ids) {
    const stored = await context.store.log.readCheckpoint(id)
    if (stored?.state === 'damaged') return `checkpoint ${id} in the store does not match its checksum`
  }
  return null
}

/** Of the snapshots to remove, those that are tombstones now; `settleRun` has removed their files, or thrown. */
async function reallyGone(context: Context, ids: string[]): Promise<string[]> {
  const gone: string[] = []
  for (const id of ids) if ((await context.store.log.readCheckpoint(id))?.state === 'removed') gone.push(id)
  return gone
}

/** Write the compressed file, make it durable, note it, and only then remove the plain one. */
async function compress(context: Context, run: Stream, root: Folder, id: string): Promise<boolean> {
  using history = findFolder(root, [...runFolder(run.name), HISTORY_FOLDER])
  const plain = history?.read(historyName(id), MAX_SNAPSHOT_BYTES)
  if (!history || !plain) return false
  const bytes = compressSnapshot(plain)
  writeDurably(history, historyName(id, true), bytes, { token: randomToken(context.ports.random) })
  await context.store.local.replaceView(
    { workspace: run.workspace, path: historyPath(run.name, id) },
    { path: historyPath(run.name, id, true), hash: sha256(bytes), contentHash: sha256(plain) },
  )
  removeDurably(history, historyName(id))
  return true
}
