import type { Checkpoint } from '../../core/checkpoint.ts'
import type { PlanStep } from '../../core/plan.ts'
import { instant } from '../../core/ports.ts'
import type { StreamSummary } from '../../store/log.ts'
import type { Context } from '../context/context.ts'
import { listPlaces, nameRepository, workspaceFor } from './places.ts'
import { requireStream } from './read-works.ts'

const MOST = { runs: 500, snapshots: 500, bodies: 200 }

const describeRun = ({ stream, at, progress, gist }: StreamSummary) => ({
  ...{ id: stream.id, name: stream.name, repository: stream.repository, workspace: stream.workspace },
  ...{ progress, step: gist.step, stepsDone: gist.stepsDone, steps: gist.steps, snapshots: stream.live },
  ...{ createdAt: stream.createdAt, updatedAt: at },
})

/** The runs of one repository or of all, the newest first. */
export async function readRuns(context: Context, repository: string | undefined) {
  const { store, ports } = context
  const heads = await store.log.listHeads(repository ?? null, 'run')
  const newest = heads.toSorted((a, b) => (a.at < b.at ? 1 : -1)).slice(0, MOST.runs)
  return {
    at: instant(ports.now()),
    repositories: (await listPlaces(context)).repositories,
    runs: newest.map(describeRun),
    moreRuns: heads.length - newest.length,
  }
}

/** One run: its plan, its snapshots, what its commands came to. */
export async function readRunPage(context: Context, id: string) {
  const { store, ports } = context
  const stream = await requireStream(context, id, 'run')
  const { base, pending } = await store.log.readSituation(id)
  const rows = await store.log.readHistory(id, MOST.snapshots)
  const live = rows.filter(({ removedAt }) => removedAt === null).slice(-MOST.bodies)
  const stored = await store.log.readCheckpoints(live.map((row) => row.id))
  const chain = stored
    .flatMap((one) => (one.state === 'whole' ? one : []))
    .sort((a, b) => a.row.sequence - b.row.sequence)
    .map(({ checkpoint }) => checkpoint)
  const places = await listPlaces(context)
  const head = rows.at(-1)
  const { plan, fault } = base.checkpoint.work.position
  return {
    at: instant(ports.now()),
    run: describeRun({
      ...{ stream, at: head?.at ?? stream.createdAt, foreign: false },
      ...{ progress: base.checkpoint.progress, gist: head?.gist ?? NO_STEPS },
    }),
    repository: nameRepository(places, stream.repository),
    workspace: workspaceFor(places, stream.repository, stream.workspace),
    ...{ planPath: plan?.path || null, violations: plan?.violations ?? [], fault },
    steps: (plan?.steps ?? []).map((step) => describeStep(step, chain)),
    snapshots: rows.map(({ id: one, sequence, at, progress, gist, pinned, removedAt }) => ({
      ...{ id: one, sequence, at, progress, pinned, removedAt },
      ...{ step: gist.step, stepsDone: gist.stepsDone, steps: gist.steps },
    })),
    moreSnapshots: Math.max(0, stream.headSequence - rows.length),
    commands: [
      ...chain.flatMap(({ at, change }) => change.commands.map((one) => describeCommand(one, at))),
      ...pending.map(({ outcome }) => describeCommand(outcome, instant(ports.now()))),
    ],
  }
}

const NO_STEPS = { step: null, stepsDone: 0, steps: 0 }

const describeCommand = (one: Checkpoint['change']['commands'][number], at: string) => ({
  ...{ at, kind: one.kind, name: one.name, result: one.result, durationMs: one.duration_ms },
  ...{ reasonCode: one.reason_code ?? null, summary: one.summary },
})

/** When a step was begun and when it was over, as far as the snapshots that are left show it. */
function describeStep({ id, title, state, planned }: PlanStep, chain: readonly Checkpoint[]) {
  const stateAt = ({ work }: Checkpoint) => work.position.plan?.steps.find((step) => step.id === id)?.state
  const startedAt = chain.find((one) => stateAt(one) === 'in_progress')?.at ?? null
  const isOver = state === 'done' || state === 'failed' || state === 'skipped'
  const last = chain.findLastIndex((one) => stateAt(one) !== state)
  const endedAt = isOver ? (chain[last + 1]?.at ?? null) : null
  const isTimed = startedAt !== null && endedAt !== null
  return {
    ...{ id, title, state, planned, startedAt, endedAt },
    durationMs: isTimed ? Math.max(0, Date.parse(endedAt) - Date.parse(startedAt)) : null,
  }
}
