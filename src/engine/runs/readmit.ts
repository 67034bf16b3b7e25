import { existsSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import { sha256 } from '../../core/canonical.ts'
import { type Checkpoint, noChange, TRIGGERS } from '../../core/checkpoint.ts'
import { randomId, runNameProblem, sequenceOf } from '../../core/id.ts'
import { moveStep, type Plan } from '../../core/plan.ts'
import { errorCode, ReasonError } from '../../core/reason.ts'
import { emptyWork, type WorkState } from '../../core/work.ts'
import { decodeSnapshot, inflateHistory, MAX_SNAPSHOT_BYTES } from '../../formats/snapshot/codec.ts'
import type { SnapshotDocument } from '../../formats/snapshot/document.ts'
import { HISTORY_FOLDER, latestPath, RUNS_FOLDER, snapshotOfName } from '../../formats/snapshot/layout.ts'
import type { Folder } from '../../fs/disk.ts'
import type { Stream } from '../../store/log.ts'
import { type Context, workspaceRoot } from '../context/context.ts'
import { renderFile } from '../publish/render-snapshot.ts'
import { openRunFolder } from './publish-run.ts'
import { readPlan } from './read-plan.ts'
import { owedView } from './take-snapshot.ts'

interface FoundSnapshot {
  document: SnapshotDocument
  name: string
  hash: string
  contentHash: string
}

/** Every snapshot in a history folder that reads well, in its order. A bad file hides only itself. */
export function readHistory(run: Folder): FoundSnapshot[] {
  using history = run.folder(HISTORY_FOLDER)
  if (history === null) return []
  const found = new Map<string, FoundSnapshot>()
  for (const name of history.names()) {
    const one = snapshotOfName(name) === null ? null : readOne(history, name)
    if (one !== null && snapshotOfName(name)?.snapshot === one.document.snapshot_id)
      found.set(one.document.snapshot_id, one)
  }
  return [...found.values()].sort(
    (a, b) =>
      orderOf(a) - orderOf(b) || Date.parse(a.document.created_at) - Date.parse(b.document.created_at),
  )
}

const orderOf = ({ document }: FoundSnapshot) => sequenceOf(document.snapshot_id) ?? 0

function readOne(history: Folder, name: string): FoundSnapshot | null {
  try {
    const bytes = history.read(name, MAX_SNAPSHOT_BYTES)
    if (bytes === null) return null
    const document = decodeSnapshot(bytes, name)
    const plain = name.endsWith('.gz') ? inflateHistory(bytes, name) : bytes
    return { document, name, hash: sha256(bytes), contentHash: sha256(plain) }
  } catch (error) {
    if (error instanceof ReasonError || errorCode(error) !== undefined) return null
    throw error
  }
}

/** How far a file may be ahead of what the store knows: more than a day of heartbeats and steps. */
const AHEAD = 2_000

/**
 * Gives back to the store the snapshots of a run that only their files still hold; answers how many.
 * A snapshot names one step, so its plan is rebuilt from the checkpoint before it; a step that no file
 * speaks of stays as it was, and nothing is taken for done.
 */
export async function readmitRun(context: Context, run: Stream): Promise<number> {
  using folder = await openRunFolder(context, run)
  if (folder === null) return 0
  const known = new Set((await context.store.log.readHistory(run.id)).map(({ id }) => id))
  let admitted = 0
  for (const found of readHistory(folder)) {
    const { snapshot_id, run_id } = found.document
    const sequence = sequenceOf(snapshot_id)
    if (known.has(snapshot_id) || run_id !== run.name || sequence === null) continue
    // A file can say anything of itself: one that is far ahead of the run is not of this run.
    if (sequence > run.headSequence + admitted + AHEAD) continue
    const work = replay(await workBefore(context, run, sequence, found.document), found.document)
    const checkpoint = checkpointOf(found.document, run.id, work)
    if (await context.store.acts.readmit(checkpoint, sequence, [publishedView(run, found)])) admitted += 1
  }
  if (admitted > 0) await oweLatest(context, run)
  return admitted
}

const publishedView = (
  run: Pick<Stream, 'workspace' | 'name'>,
  { name, hash, contentHash }: FoundSnapshot,
) => ({
  workspace: run.workspace,
  path: `${RUNS_FOLDER}/${run.name}/${HISTORY_FOLDER}/${name}`,
  hash,
  contentHash,
  state: 'published' as const,
})

/** After snapshots came back the newest may be another: `latest.json` is written again with the next command. */
async function oweLatest(context: Context, run: Stream): Promise<void> {
  const { base } = await context.store.log.readSituation(run.id)
  const file = renderFile(base.checkpoint, run.name, base.notes)
  const views = [owedView(run, latestPath(run.name), file)]
  await context.store.local.apply({ of: 'views', checkpoint: base.checkpoint, views })
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
  const bare: Plan = { path, steps: [], violations: [] }
  const file = resolve(root, path)
  const isHere = path !== '' && file.startsWith(root + sep) && existsSync(file)
  return { ...work, position: { ...work.position, plan: isHere ? planOr(context, file, root, bare) : bare } }
}

function planOr(context: Context, file: string, root: string, otherwise: Plan): Plan {
  try {
    return readPlan(context, file, root)
  } catch (error) {
    if (error instanceof ReasonError) return otherwise
    throw error
  }
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

function checkpointOf(document: SnapshotDocument, stream: string, work: WorkState): Checkpoint {
  const digest = document.context_digest
  return {
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
  }
}

/** Takes up a run folder that the store does not know. Only ever at the user's own word. */
export async function takeUpRunFolder(context: Context, folder: Folder, name: string): Promise<boolean> {
  const [first] = readHistory(folder)
  if (first === undefined || first.document.run_id !== name || runNameProblem(name) !== null) return false
  const id = randomId('run', context.ports.random)
  const { document } = first
  const work = replay(workFromPlanFile(context, context.place.root, document.step_state.plan_path), document)
  const { repository, workspace } = context.identity
  const stream = { id, repository, workspace, kind: 'run' as const, name }
  const begun = await context.store.acts.begin(stream, checkpointOf(document, id, work), [
    publishedView(stream, first),
  ])
  const run = begun ? await context.store.log.findStream(repository, name) : null
  if (run !== null) await oweLatest(context, run)
  return begun
}
