import { visible } from '../../core/visible.ts'
import { type ListedRun, listRunsHere } from '../../engine/runs/list-runs.ts'
import { defineVerb } from '../define/verb.ts'
import { renderTable } from '../say/table.ts'
import { sayTakeIn } from './say-disk-run.ts'

export const runList = defineVerb({
  name: 'run list',
  summary: 'List the runs of this repository',
  detail: 'Run folders in this workspace that the store does not know are listed, too: they are only read.',
  fields: {},
  examples: ['savepoint run list', 'savepoint run list --json'],
  access: 'read',
  perform: async (context) => ({ runs: await listRunsHere(context) }),
  say: ({ runs }) =>
    runs.length === 0
      ? 'No runs here yet. Begin one with: savepoint run start <plan.md>'
      : [sayTable(runs), ...sayTakeIn(runs)].join('\n'),
})

function sayTable(runs: readonly ListedRun[]): string {
  const hasDisk = runs.some(({ place }) => place === 'disk')
  return renderTable(
    ['RUN', 'STATUS', 'STEP', 'DONE', 'SNAPSHOTS', 'UPDATED', ...(hasDisk ? ['WHERE'] : [])],
    runs.map((run) => [
      run.runId,
      run.status,
      visible(run.stepId ?? '-'),
      run.place === 'disk' ? '-' : `${run.stepsDone}/${run.steps}`,
      String(run.snapshots),
      run.updatedAt.slice(0, 19).replace('T', ' ') || '-',
      ...(hasDisk ? [whereOf(run)] : []),
    ]),
  )
}

function whereOf({ place, foreign, problem }: ListedRun): string {
  if (place === 'store') return 'store'
  return ['disk', ...(foreign ? ['not reviewed'] : []), ...(problem === null ? [] : ['damaged'])].join(', ')
}
