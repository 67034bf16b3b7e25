import { latestPath } from '../../formats/snapshot/layout.ts'
import type { StreamSummary } from '../../store/log.ts'
import { defineVerb } from '../define/verb.ts'
import { renderTable } from '../say/table.ts'

export interface ListedRun {
  runId: string
  status: string
  stepId: string | null
  stepsDone: number
  steps: number
  snapshots: number
  updatedAt: string
  latest: string
}

const listRun = ({ stream, at, progress, gist }: StreamSummary): ListedRun => ({
  runId: stream.name,
  status: progress,
  stepId: gist.step,
  stepsDone: gist.stepsDone,
  steps: gist.steps,
  snapshots: stream.live,
  updatedAt: at,
  latest: latestPath(stream.name),
})

/** Times compare as plain text; a comparison by language would load its tables at every start. */
const newestFirst = (a: ListedRun, b: ListedRun) => (a.updatedAt < b.updatedAt ? 1 : -1)

export const runList = defineVerb({
  name: 'run list',
  summary: 'List the runs of this repository',
  fields: {},
  examples: ['savepoint run list', 'savepoint run list --json'],
  access: 'read',
  async perform({ store, identity }) {
    return { runs: (await store.log.listRuns(identity.repository)).map(listRun).sort(newestFirst) }
  },
  say: ({ runs }) =>
    runs.length === 0
      ? 'No runs here yet. Begin one with: savepoint run start <plan.md>'
      : renderTable(
          ['RUN', 'STATUS', 'STEP', 'DONE', 'SNAPSHOTS', 'UPDATED'],
          runs.map((run) => [
            run.runId,
            run.status,
            run.stepId ?? '-',
            `${run.stepsDone}/${run.steps}`,
            String(run.snapshots),
            run.updatedAt.slice(0, 19).replace('T', ' '),
          ]),
        ),
})
