import { describeError, ReasonError } from '../../core/reason.ts'
import { historyPath, latestPath } from '../../formats/snapshot/layout.ts'
import { redactAll } from '../../policy/redact.ts'
import { maintenanceDue } from '../../policy/retention.ts'
import { decideSnapshot, type RunEvent } from '../../policy/snapshot.ts'
import type { ViewRow } from '../../store/local-state.ts'
import type { Situation, Stream } from '../../store/log.ts'
import { afterCommit, type Context } from '../context/context.ts'
import { MOST_ATTEMPTS } from '../context/most-attempts.ts'
import { NOTICES } from '../context/notices.ts'
import { type RenderedFile, renderFile } from '../publish/publish-snapshot.ts'
import type { StoredRun } from '../surroundings/stored-runs.ts'
import { publishRun } from './publish-run.ts'
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
  const { stream, file, coalesced } = taken
  const receipt = await publishTaken(context, run, file, { sequence: stream.headSequence, coalesced })
  if (receipt.files === 'published') await retainAfter(context, stream)
  return receipt
}

/**
 * Writes the files of a snapshot that was just committed, and makes its receipt. Where they cannot be written it is not
 * confirmed, only kept. What has no reason leaves the files to the next command.
 */
export async function publishTaken(
  context: Context,
  run: Stream,
  file: RenderedFile,
  { sequence, coalesced }: Pick<Receipt, 'sequence' | 'coalesced'>,
): Promise<Receipt> {
  const { snapshot_id: snapshotId, status, source } = file.document
  const { name } = run
  let files: Receipt['files']
  try {
    files = await publishRun(context, run, [file])
  } catch (error) {
    if (error instanceof ReasonError) {
      const problem = `${error.data.problem ?? error.message} (${snapshotId} of run ${name} is saved in the store)`
      throw new ReasonError(error.reason, { ...error.data, problem }, { cause: error })
    }
    context.notices.push(NOTICES.stepFailed('Writing the files of the snapshot', describeError(error)))
    files = 'pending'
  }
  return {
    ...{ runId: name, snapshotId, sequence, status, source, coalesced },
    ...{ latest: latestPath(name), history: historyPath(name, snapshotId), files },
  }
}

/** A file of a run that is still to be written. */
export const owedView = (
  { id, workspace }: Pick<Stream, 'id' | 'workspace'>,
  path: string,
  { hash, document }: RenderedFile,
): ViewRow => ({
  ...{ workspace, path, stream: id, checkpoint: document.snapshot_id },
  ...{ hash, contentHash: hash, state: 'pending' },
})

/** The two files of a new snapshot. */
export const owedFiles = (run: Pick<Stream, 'id' | 'workspace' | 'name'>, file: RenderedFile): ViewRow[] => [
  owedView(run, historyPath(run.name, file.document.snapshot_id), file),
  owedView(run, latestPath(run.name), file),
]

interface TakenSnapshot {
  /** The run as it is with it. */
  stream: Stream
  file: RenderedFile
  coalesced: boolean
}

/** Tries until nobody moved the head between the look and the write. */
async function commit(context: Context, run: Stream, given: RunEvent): Promise<TakenSnapshot | null> {
  const event = redactAll(given, context.mark)
  for (let attempt = 0; attempt < MOST_ATTEMPTS.snapshots; attempt += 1) {
    const situation = await context.store.log.readSituation(run.id)
    const { stream, base, pending, pinned } = situation
    const facts = {
      ...{ run: run.name, stream: run.id, head: { id: stream.headId, sequence: stream.headSequence } },
      ...{ base: base.checkpoint, notes: base.notes.length, pending, pinned },
      ...{ profile: context.settings.policy_profile, session: context.session?.id ?? null },
    }
    const chance = { nowMs: context.ports.now(), random: context.ports.random }
    const decision = decideSnapshot(facts, event, chance)
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

type DecisionOf<Act> = Extract<ReturnType<typeof decideSnapshot>, { act: Act }>

async function tryAppend(
  { store }: Context,
  run: Stream,
  { stream }: Situation,
  { checkpoint, takes }: DecisionOf<'append'>,
): Promise<TakenSnapshot | null> {
  const file = renderFile(checkpoint, run.name)
  const appends = [{ checkpoint, after: stream.headId, foreign: false, takes }]
  const { workspace } = run
  const { done } = await store.acts.commit({ workspace, appends, views: owedFiles(run, file) })
  const { headSequence, live } = stream
  const now = { ...stream, headSequence: headSequence + 1, live: live + 1 }
  return done ? { stream: now, file, coalesced: false } : null
}

async function tryCoalesce(
  { store }: Context,
  run: Stream,
  { stream, base }: Situation,
  { trigger }: DecisionOf<'coalesce'>,
): Promise<TakenSnapshot | null> {
  const file = renderFile(base.checkpoint, run.name, [...base.notes, trigger])
  const note = { stream: stream.id, head: stream.headId, number: base.notes.length, trigger }
  const views = [owedView(run, latestPath(run.name), file)]
  const { done } = await store.acts.commit({ workspace: run.workspace, note, views })
  return done ? { stream, file, coalesced: true } : null
}

/** Retention after a save: it can fail, but it can never undo what was confirmed. */
async function retainAfter(context: Context, run: Stream): Promise<void> {
  const state = { live: run.live, maintainedAt: run.maintainedAt ?? run.createdAt }
  const due = maintenanceDue(state, context.ports.now(), limitsOf(context))
  if (due === 'none') return
  await afterCommit(
    context,
    `Retention of run ${run.name}`,
    () => undefined,
    async () => {
      const { problem } = await retainRun(context, run, limitsOf(context), {
        surplusOnly: due === 'surplus',
      })
      if (problem !== null) context.notices.push(NOTICES.retentionSkipped(run.name, problem))
    },
  )
}

/** The snapshot that a save takes of a run, and how many other runs are in progress here. */
export interface RunAtSave extends Pick<Receipt, 'runId' | 'snapshotId' | 'coalesced' | 'files'> {
  others: number
}

/** Takes the manual snapshot of the run that this session works on, else of the newest. `runs`: the newest first. */
export async function snapshotAtSave(
  context: Context,
  runs: readonly [StoredRun, ...StoredRun[]],
): Promise<RunAtSave> {
  const { stream } = (await findRunOfSession(context, runs)) ?? runs[0]
  const taken = await takeSnapshot(context, stream, { kind: 'save', note: 'savepoint save' })
  const { runId, snapshotId, coalesced, files } = taken
  return { runId, snapshotId, coalesced, files, others: runs.length - 1 }
}

async function findRunOfSession(
  { session, store }: Context,
  runs: readonly StoredRun[],
): Promise<StoredRun | null> {
  if (session === null || runs.length === 1) return null
  for (const run of runs) {
    const head = await store.log.readCheckpoint(run.stream.headId)
    if (head?.state === 'whole' && head.checkpoint.session === session.id) return run
  }
  return null
}
