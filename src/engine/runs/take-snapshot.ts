import { describeError, ReasonError } from '../../core/reason.ts'
import { historyPath, latestPath } from '../../formats/snapshot/layout.ts'
import { redactAll } from '../../policy/redact.ts'
import { maintenanceDue } from '../../policy/retention.ts'
import { decideSnapshot, type RunEvent } from '../../policy/snapshot.ts'
import type { NewView } from '../../store/local-state.ts'
import type { Stream } from '../../store/log.ts'
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
    context.notices.push(NOTICES.stepFailed(WRITING, describeError(error)))
    files = 'pending'
  }
  return {
    ...{ runId: name, snapshotId, sequence, status, source, coalesced },
    ...{ latest: latestPath(name), history: historyPath(name, snapshotId), files },
  }
}

const WRITING = 'Writing the files of the snapshot'

/** A file of a run that is still to be written. */
export const owedView = (
  { id }: Pick<Stream, 'id'>,
  path: string,
  { hash, document }: RenderedFile,
): NewView => ({
  ...{ kind: 'file', path, stream: id, checkpoint: document.snapshot_id, hash, state: 'pending' },
})

/** The two files of a new snapshot. */
export const owedFiles = (run: Pick<Stream, 'id' | 'name'>, file: RenderedFile): NewView[] => [
  owedView(run, historyPath(run.name, file.document.snapshot_id), file),
  owedView(run, latestPath(run.name), file),
]

/** Tries until nobody moved the head between the look and the write; answers with the run as it is then. */
async function commit(context: Context, run: Stream, given: RunEvent) {
  const { store, settings, session, ports } = context
  const { workspace, name } = run
  const event = redactAll(given, context.mark)
  for (let attempt = 0; attempt < MOST_ATTEMPTS.snapshots; attempt += 1) {
    const { stream, base, pending, pinned } = await store.log.readSituation(run.id)
    const facts = {
      ...{ run: name, stream: run.id, head: { id: stream.headId, sequence: stream.headSequence } },
      ...{ base: base.checkpoint, notes: base.notes.length, pending, pinned },
      ...{ profile: settings.policy_profile, session: session?.id ?? null },
    }
    const decision = decideSnapshot(facts, event, { nowMs: ports.now(), random: ports.random })
    if (decision.act === 'nothing') return null
    if (decision.act === 'append') {
      const { checkpoint, takes } = decision
      const file = renderFile(checkpoint, name)
      const appends = [{ checkpoint, after: stream.headId, foreign: false, takes }]
      const now = { ...stream, headSequence: stream.headSequence + 1, live: stream.live + 1 }
      if ((await store.acts.commit({ workspace, appends, views: owedFiles(run, file) })).done)
        return { stream: now, file, coalesced: false }
    } else {
      const { trigger } = decision
      const file = renderFile(base.checkpoint, name, [...base.notes, trigger])
      const note = { stream: stream.id, head: stream.headId, number: base.notes.length, trigger }
      const views = [owedView(run, latestPath(name), file)]
      if ((await store.acts.commit({ workspace, note, views })).done) return { stream, file, coalesced: true }
    }
    await ports.sleep((ports.random(1)[0] ?? 0) / 16)
  }
  throw new ReasonError('store_busy', { path: context.home.database, waitedMs: MOST_ATTEMPTS.snapshots * 8 })
}

/** Retention after a save: it can fail, but it can never undo what was confirmed. */
async function retainAfter(context: Context, run: Stream): Promise<void> {
  const state = { live: run.live, maintainedAt: run.maintainedAt ?? run.createdAt }
  const due = maintenanceDue(state, context.ports.now(), limitsOf(context))
  if (due === 'none') return
  await afterCommit(context, `Retention of run ${run.name}`, async () => {
    const { problem } = await retainRun(context, run, limitsOf(context), { surplusOnly: due === 'surplus' })
    if (problem !== null) context.notices.push(NOTICES.retentionSkipped(run.name, problem))
  })
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
