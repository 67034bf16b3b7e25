import { describeError, ReasonError } from '../../core/reason.ts'
import { historyPath, latestPath } from '../../formats/snapshot/layout.ts'
import { maintenanceDue } from '../../policy/retention.ts'
import { decideSnapshot, type RunEvent } from '../../policy/snapshot.ts'
import type { AppendResult } from '../../store/acts.ts'
import type { Situation, Stream } from '../../store/log.ts'
import type { Context } from '../context/context.ts'
import { MOST_ATTEMPTS } from '../context/most-attempts.ts'
import { type RenderedFile, renderFile } from '../publish/render-snapshot.ts'
import { publishSnapshot } from './publish-run.ts'
import { limitsOf, retainRun } from './retain.ts'

/** What a confirmed save answers. */
export interface Receipt {
  runId: string
  snapshotId: string
  sequence: number
  status: string
  source: string
  /** True where the trigger was kept on the newest snapshot instead of making another. */
  coalesced: boolean
  latest: string
  history: string
  /** `pending`: safe in the store, and written to the workspace by the next command. */
  files: 'published' | 'pending'
}

/** For events that always make a snapshot, or a note on the newest one. */
export async function takeSnapshot(context: Context, run: Stream, event: RunEvent): Promise<Receipt> {
  const receipt = await snapshotIfDue(context, run, event)
  if (receipt === null) throw new Error(`the event ${event.kind} made no snapshot`)
  return receipt
}

/**
 * The whole of a save: read, decide, compare-and-set, publish, and where it is due retention, which can fail
 * without undoing anything. That the files are there is noted after the caller has its answer.
 * Null where the event makes no snapshot.
 */
export async function snapshotIfDue(context: Context, run: Stream, event: RunEvent): Promise<Receipt | null> {
  const taken = await commit(context, run, event)
  if (taken === null) return null
  const files = await publishSnapshot(context, run, taken.snapshot, taken.rendered)
  const receipt: Receipt = {
    runId: run.name,
    snapshotId: taken.snapshot,
    sequence: taken.appended.sequence,
    status: taken.status,
    source: taken.source,
    coalesced: taken.coalesced,
    latest: latestPath(run.name),
    history: historyPath(run.name, taken.snapshot),
    files,
  }
  if (files === 'published') await retainAfter(context, run, taken.appended)
  return receipt
}

interface SnapshotFacts {
  snapshot: string
  status: string
  source: string
  coalesced: boolean
  appended: AppendResult
  rendered: RenderedFile[]
}

/** Tries until nobody moved the head between the look and the write. */
async function commit(context: Context, run: Stream, event: RunEvent): Promise<SnapshotFacts | null> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS.snapshots; attempt += 1) {
    const situation = await context.store.log.readSituation(run.id)
    const decision = decideSnapshot(situationFor(context, run, situation), event, {
      nowMs: context.ports.now(),
      random: context.ports.random,
    })
    if (decision.act === 'nothing') return null
    const taken =
      decision.act === 'append'
        ? await tryAppend(context, run, situation, decision)
        : await tryCoalesce(context, run, situation, decision)
    if (taken) return taken
    await context.ports.sleep((context.ports.random(1)[0] ?? 0) / 16)
  }
  throw new ReasonError('store_busy', { path: context.home.database, waitedMs: MOST_ATTEMPTS.snapshots * 8 })
}

function situationFor(context: Context, run: Stream, situation: Situation) {
  return {
    run: run.name,
    stream: run.id,
    head: { id: situation.stream.headId, sequence: situation.stream.headSequence },
    base: situation.base.checkpoint,
    notes: situation.base.notes.length,
    pending: situation.pending,
    pinned: situation.pinned,
    profile: context.settings.policy_profile,
  }
}

type DecisionOf<Act> = Extract<ReturnType<typeof decideSnapshot>, { act: Act }>

async function tryAppend(
  context: Context,
  run: Stream,
  situation: Situation,
  { checkpoint, takes }: DecisionOf<'append'>,
): Promise<SnapshotFacts | null> {
  const file = renderFile(checkpoint, run.name)
  const view = {
    workspace: run.workspace,
    hash: file.hash,
    contentHash: file.hash,
    state: 'pending' as const,
  }
  const appended = await context.store.acts.append(checkpoint, situation.stream.headId, {
    takes,
    views: [
      { ...view, path: historyPath(run.name, checkpoint.id) },
      { ...view, path: latestPath(run.name) },
    ],
  })
  if (!appended.done) return null
  const { id: snapshot, progress: status } = checkpoint
  return { snapshot, status, source: file.document.source, coalesced: false, appended, rendered: [file] }
}

async function tryCoalesce(
  context: Context,
  run: Stream,
  { stream, base }: Situation,
  { trigger }: DecisionOf<'coalesce'>,
): Promise<SnapshotFacts | null> {
  const file = renderFile(base.checkpoint, run.name, [...base.notes, trigger])
  const appended = await context.store.acts.coalesce(
    stream.id,
    { head: stream.headId, notes: base.notes.length },
    trigger,
    {
      workspace: run.workspace,
      path: latestPath(run.name),
      hash: file.hash,
      contentHash: file.hash,
      state: 'pending',
    },
  )
  if (!appended.done) return null
  return {
    snapshot: base.checkpoint.id,
    status: base.checkpoint.progress,
    source: file.document.source,
    coalesced: true,
    appended,
    rendered: [file],
  }
}

/** Retention after a save: it can fail, but it can never undo what was confirmed. */
async function retainAfter(context: Context, run: Stream, appended: AppendResult): Promise<void> {
  const maintained = appended.maintainedAt ?? run.createdAt
  const state = { live: appended.live, maintainedAt: maintained }
  if (!maintenanceDue(state, context.ports.now(), limitsOf(context))) return
  try {
    const report = await retainRun(context, run, limitsOf(context))
    if (report.problem !== null)
      context.notices.push(`Retention of run ${run.name} did not run: ${report.problem}`)
  } catch (error) {
    context.notices.push(`Retention of run ${run.name} failed: ${describeError(error)}`)
  }
}
