import { existsSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import { type Checkpoint, noChange, TRIGGERS } from '../../core/checkpoint.ts'
import { isNumberedId, randomId, runNameProblem, sequenceOf } from '../../core/id.ts'
import { moveStep } from '../../core/plan.ts'
import { instant } from '../../core/ports.ts'
import { unlessRefused } from '../../core/reason.ts'
import { emptyWork, type WorkState } from '../../core/work.ts'
import type { SnapshotDocument } from '../../formats/snapshot/document.ts'
import { historyPath, LATEST, latestPath, snapshotPath } from '../../formats/snapshot/layout.ts'
import type { Folder } from '../../fs/disk.ts'
import { redactAll } from '../../policy/redact.ts'
import type { NewView } from '../../store/local-state.ts'
import type { NewStream, Stream } from '../../store/log.ts'
import { type Context, workspaceRoot } from '../context/context.ts'
import { renderFile } from '../publish/publish-snapshot.ts'
import { deliveriesOf } from '../trust/deliveries.ts'
import { lookHere } from '../trust/here.ts'
import { openFoundRun } from './find-run.ts'
import { openRunFolder, publishRun } from './publish-run.ts'
import { type FoundSnapshot, readHistory, readSnapshotFile } from './read-run-folder.ts'
import { readPlan } from './start-run.ts'
import { owedView } from './take-snapshot.ts'

/** How far a file may be ahead of what the store knows: more than a day of heartbeats and steps. */
const AHEAD = 2_000

/** Which of the snapshots in a run's folder may come into the store. */
export type ChooseSnapshots = (run: string, found: readonly FoundSnapshot[]) => Promise<FoundSnapshot[]>

/**
 * Chooses the snapshots that git did not deliver: a checksum says nothing of who wrote one, and a pulled file must not
 * move the user's own run. Git is asked only in a trusted workspace; in another one nobody can say it. What the user
 * vouches for may be told, where it is not to be taken in.
 */
export const withoutDelivered =
  (context: Context, { withVouched = false } = {}): ChooseSnapshots =>
  async (run, found) => {
    const here = await lookHere(context)
    if (!here.trusted) return []
    const files = found.map((one) => ({ one, path: snapshotPath(run, one.name) }))
    const deliveries = await deliveriesOf(context, here, files)
    return files.flatMap(({ one, path }) => {
      const delivery = deliveries.get(path)
      return delivery?.foreign || (delivery?.delivered && !withVouched) ? [] : [one]
    })
  }

/**
 * Takes a run of this workspace from its folder into the store. Only snapshots whose checksum is right are taken, each
 * once; those that git delivered only where the user named the run. `count`: how many are new in the store; `began`: it
 * did not know the run. Null where nothing in the folder is a sound snapshot of that run.
 */
export async function takeInRun(context: Context, name: string, { isNamed }: { isNamed: boolean }) {
  const choose = isNamed ? undefined : withoutDelivered(context)
  const { store, identity } = context
  const known = await store.log.findStream(identity.repository, name)
  const begun = known === null ? await takeUpRunFolder(context, name, choose) : 0
  const run = known ?? (await store.log.findStream(identity.repository, name))
  if (run === null || run.kind !== 'run') return null
  const count = begun + (await readmitRun(context, run, choose))
  await publishRun(context, run)
  return { run: name, began: known === null, count }
}

/**
 * Gives back to the store the snapshots of a run that only their files still hold; answers how many.
 * A snapshot names one step, so its plan is rebuilt from the checkpoint before it; a step that no file
 * speaks of stays as it was, and nothing is taken for done.
 */
export async function readmitRun(context: Context, run: Stream, choose?: ChooseSnapshots): Promise<number> {
  using folder = await openRunFolder(context, run)
  if (folder === null) return 0
  const history = await context.store.log.readHistory(run.id)
  const known = new Set(history.map(({ id }) => id))
  const unknown = readWholeRun(folder, run.name).filter(({ document }) => !known.has(document.snapshot_id))
  const chosen = choose ? await choose(run.name, unknown) : unknown
  const numbered = numberAfter(run, history.at(-1)?.at ?? '', chosen)
  const admitted = await admit(context, run, numbered)
  if (admitted > 0) await settleAdmitted(context, run)
  return admitted
}

interface NumberedSnapshot extends FoundSnapshot {
  number: number
}

/**
 * Each with the number in its id. Those of other harnesses have none: one that is not older than the newest of the run
 * comes after it, so that an import that was cut off goes on, and a run that another harness carries on is followed.
 */
function numberAfter(
  { headSequence }: Stream,
  headAt: string,
  found: readonly FoundSnapshot[],
): NumberedSnapshot[] {
  let last = headSequence
  return found.flatMap((one, at) => {
    const { snapshot_id, created_at } = one.document
    const claimed = sequenceOf(snapshot_id)
    if (claimed === null && (isNumberedId(snapshot_id) || Date.parse(created_at) < Date.parse(headAt)))
      return []
    const number = claimed ?? last + 1
    // A file can say anything of itself: one that is far ahead of the run is not of this run.
    if (number > headSequence + at + AHEAD) return []
    last = Math.max(last, number)
    return [{ ...one, number }]
  })
}

async function admit(context: Context, run: Stream, snapshots: readonly NumberedSnapshot[]): Promise<number> {
  let admitted = 0
  for (const found of snapshots) {
    const { document, number } = found
    const work = replay(await workBefore(context, run, number, document), document)
    const checkpoint = checkpointOf(context, document, run.id, work)
    const readmit = { checkpoint, sequence: number }
    const { workspace } = run
    const views = [foundView(run, found)]
    if ((await context.store.acts.commit({ workspace, readmit, views })).done) admitted += 1
  }
  return admitted
}

/** The history file of a snapshot: where only `latest.json` has it, it is still to be written. */
function foundView(
  { id, name: run }: Pick<Stream, 'id' | 'name'>,
  { document, name, hash, contentHash }: FoundSnapshot,
): NewView {
  const view = { kind: 'file' as const, stream: id, checkpoint: document.snapshot_id, hash, contentHash }
  return name === LATEST
    ? { ...view, path: historyPath(run, document.snapshot_id), state: 'pending' }
    : { ...view, path: snapshotPath(run, name), state: 'published' }
}

/**
 * After snapshots came back. Numbers that no file has were removed: without a word on them the run would count as
 * damaged. The newest snapshot may be another, so `latest.json` is written again with the next command.
 */
async function settleAdmitted(context: Context, run: Stream): Promise<void> {
  await context.store.log.closeGaps(instant(context.ports.now()))
  const { base } = await context.store.log.readSituation(run.id)
  const file = renderFile(base.checkpoint, run.name, base.notes)
  const views = [owedView(run, latestPath(run.name), file)]
  await context.store.local.apply({ workspace: run.workspace, views })
}

async function workBefore(
  context: Context,
  run: Stream,
  sequence: number,
  document: SnapshotDocument,
): Promise<WorkState> {
  const before = (await context.store.log.readHistory(run.id))
    .filter((row) => row.sequence < sequence)
    .reverse()
  for (const row of before) {
    const stored = await context.store.log.readCheckpoint(row.id)
    if (stored?.state === 'whole') return stored.checkpoint.work
  }
  const root = await workspaceRoot(context, run.workspace)
  return workFromPlanFile(context, root, document.step_state.plan_path)
}

function workFromPlanFile(context: Context, root: string, path: string): WorkState {
  const work = emptyWork()
  const file = resolve(root, path)
  const isHere = path !== '' && file.startsWith(root + sep) && existsSync(file)
  const read = isHere ? unlessRefused(() => readPlan(context, file, root)) : null
  return { ...work, position: { ...work.position, plan: read ?? { path, steps: [], violations: [] } } }
}

function replay(work: WorkState, { step_state: step }: SnapshotDocument): WorkState {
  const plan = work.position.plan
  if (plan === null || step.step_status === 'pending' || step.step_id === '') return work
  const moved = {
    ...moveStep(plan, step.step_id, step.step_status),
    violations: step.todo_compliance.violations,
  }
  return { ...work, position: { ...work.position, plan: moved, step: step.step_id } }
}

function checkpointOf(
  { mark }: Context,
  document: SnapshotDocument,
  stream: string,
  work: WorkState,
): Checkpoint {
  const digest = document.context_digest
  return redactAll(
    {
      id: document.snapshot_id,
      stream,
      parent: null,
      at: document.created_at,
      triggers: document.source_details.map(({ trigger, at, note = '' }) => ({
        kind: TRIGGERS.find((kind) => kind === trigger) ?? 'adopted',
        at,
        note,
      })),
      progress: document.status,
      work,
      change: { ...noChange(), commands: document.command_outcomes },
      health: {
        pressure: digest.window_pressure,
        protected: digest.protected_artifacts,
        dropped: digest.dropped_items,
        profile: digest.policy_profile,
      },
    },
    mark,
  )
}

/**
 * Begins a run that only a folder of this workspace holds, with every snapshot in it that reads well; answers how many,
 * none where it is no run of that name. Only ever at the user's own word.
 */
async function takeUpRunFolder(context: Context, name: string, choose?: ChooseSnapshots): Promise<number> {
  const { store, identity, ports } = context
  const { repository, workspace } = identity
  using folder = openFoundRun(context, name)
  if (folder === null || runNameProblem(name) !== null) return 0
  const found = readWholeRun(folder, name)
  const snapshots = numberSnapshots(choose ? await choose(name, found) : found)
  const [first] = snapshots
  if (first === undefined) return 0
  const stream = { id: randomId('run', ports.random), repository, workspace, kind: 'run' as const, name }
  if (!(await beginStream(context, stream, first))) return 0
  const run = await store.log.findStream(repository, name)
  if (run === null) return 0
  const admitted = await admit(context, run, snapshots)
  await settleAdmitted(context, run)
  return admitted + (first.number === 1 ? 1 : 0)
}

/** Begins with the first snapshot; where those before it were removed, with a tombstone in the place of number 1. */
async function beginStream(context: Context, stream: NewStream, first: NumberedSnapshot): Promise<boolean> {
  const { store, ports, place } = context
  const { document, number } = first
  const { snapshot_id, created_at: at, status: progress, step_state } = document
  const work = replay(workFromPlanFile(context, place.root, step_state.plan_path), document)
  const gist = { step: null, stepsDone: 0, steps: 0 }
  const removed = { stream: stream.id, at, progress, gist, removedAt: instant(ports.now()) }
  const isFirst = number === 1
  const checkpoint = isFirst
    ? checkpointOf(context, document, stream.id, work)
    : { id: `${snapshot_id}-before`, ...removed }
  const begun = await store.acts.commit({
    workspace: stream.workspace,
    begins: [stream],
    appends: [{ checkpoint, after: null, foreign: false }],
    views: isFirst ? [foundView(stream, first)] : [],
  })
  return begun.done
}

/** The history of a run, and `latest.json` where a harness wrote nothing else of it. */
function readWholeRun(folder: Folder, run: string): FoundSnapshot[] {
  const history = readHistory(folder)
  const latest = readSnapshotFile(folder, LATEST)
  const isMore =
    latest !== null &&
    'document' in latest &&
    history.every(({ document }) => document.snapshot_id !== latest.document.snapshot_id)
  return (isMore ? [...history, latest] : history).filter(({ document }) => document.run_id === run)
}

/** So many snapshots a run makes in two months; a file that claims more is not believed. */
const MOST_SNAPSHOTS = 50_000

/** Each with the number in its id, and those of other harnesses with the next one. */
function numberSnapshots(found: readonly FoundSnapshot[]): NumberedSnapshot[] {
  let last = 0
  return found.map((one) => {
    const claimed = sequenceOf(one.document.snapshot_id) ?? 0
    last = claimed > last && claimed <= MOST_SNAPSHOTS ? claimed : last + 1
    return { ...one, number: last }
  })
}
