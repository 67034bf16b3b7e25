import { latestPath } from '../../formats/snapshot/layout.ts'
import type { Listed } from '../../store/log.ts'
import { operation } from '../define/operation.ts'
import { table } from '../say/table.ts'

export interface ListedRun {
  run_id: string
  status: string
  step_id: string | null
  steps_done: number
  steps: number
  snapshots: number
  updated_at: string
  latest: string
}

const listed = ({ stream, at, progress, gist }: Listed): ListedRun => ({
  run_id: stream.name,
  status: progress,
  step_id: gist.step,
  steps_done: gist.stepsDone,
  steps: gist.steps,
  snapshots: stream.live,
  updated_at: at,
  latest: latestPath(stream.name),
})

/** Times compare as plain text; a comparison by language would load its tables at every start. */
const newestFirst = (a: ListedRun, b: ListedRun) => (a.updated_at < b.updated_at ? 1 : -1)

export const runList = operation({
  name: 'run list',
  summary: 'List the runs of this repository',
  fields: {},
  examples: ['savepoint run list', 'savepoint run list --json'],
  access: 'read',
  async perform({ store, identity }) {
    return { runs: (await store.log.listRuns(identity.repository)).map(listed).sort(newestFirst) }
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
            run.updated_at.slice(0, 19).replace('T', ' '),
          ]),
        ),
})
