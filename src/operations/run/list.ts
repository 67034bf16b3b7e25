import { ReasonError } from '../../core/reason.ts'
import { latestPath } from '../../formats/snapshot/layout.ts'
import type { Stream } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { operation } from '../operation.ts'
import { table } from '../text.ts'

export interface ListedRun {
  run_id: string
  status: string
  step_id: string | null
  steps_done: number
  steps: number
  snapshots: number
  updated_at: string | null
  latest: string
}

async function listed(context: Context, run: Stream): Promise<ListedRun> {
  const base = { run_id: run.name, snapshots: run.live, latest: latestPath(run.name) }
  try {
    const { checkpoint } = (await context.store.situation(run.id)).base
    const { plan, step } = checkpoint.work.position
    const steps = plan?.steps.length ?? 0
    return {
      ...base,
      status: checkpoint.progress,
      step_id: step,
      steps_done: plan?.steps.filter(({ state }) => state === 'done' || state === 'skipped').length ?? 0,
      steps,
      updated_at: checkpoint.at,
    }
  } catch (error) {
    // One run that cannot be read never hides the others.
    if (!(error instanceof ReasonError) || error.reason !== 'checkpoint_integrity_mismatch') throw error
    return { ...base, status: 'damaged', step_id: null, steps_done: 0, steps: 0, updated_at: null }
  }
}

export const runList = operation({
  name: 'run list',
  summary: 'List the runs of this repository',
  fields: {},
  examples: ['savepoint run list', 'savepoint run list --json'],
  access: 'read',
  async perform(context) {
    const runs: ListedRun[] = []
    for (const run of await context.store.streams(context.identity.repository))
      runs.push(await listed(context, run))
    return { runs: runs.sort((a, b) => (b.updated_at ?? '').localeCompare(a.updated_at ?? '')) }
  },
  say: ({ runs }) =>
    runs.length === 0
      ? 'No runs here yet. Begin one with: savepoint run start <plan.md>'
      : table(
          ['RUN', 'STATUS', 'STEP', 'DONE', 'SNAPSHOTS', 'UPDATED'],
          runs.map((run) => [
            run.run_id,
            run.status,
            run.step_id ?? '-',
            `${run.steps_done}/${run.steps}`,
            String(run.snapshots),
            run.updated_at?.slice(0, 19).replace('T', ' ') ?? '-',
          ]),
        ),
})
