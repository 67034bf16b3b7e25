import { visible } from '../../core/visible.ts'
import { type ListedRun, listRunsHere } from '../../engine/runs/find-run.ts'
import type { Screen } from '../define/screen.ts'
import { defineVerb } from '../define/verb.ts'
import { renderTable } from '../say/table.ts'
import { paintStatus, sayTakeIn } from './run.ts'

export const runList = defineVerb({
  name: 'run list',
  summary: 'List the runs of this repository',
  detail: 'Run folders in this workspace that were not imported are listed too.',
  fields: {},
  examples: ['savepoint run list', 'savepoint run list --json'],
  access: 'read',
  perform: async (context) => ({ runs: await listRunsHere(context) }),
  say: ({ runs }, screen) =>
    runs.length === 0
      ? 'No runs here yet. Start one: savepoint run start <plan.md>'
      : [sayTable(runs, screen), ...sayTakeIn(runs)].join('\n'),
})

function sayTable(runs: readonly ListedRun[], screen: Screen): string {
  const hasDisk = runs.some(({ place }) => place === 'disk')
  return renderTable(
    ['RUN', 'STATUS', 'STEP', 'DONE', 'SNAPSHOTS', 'UPDATED', ...(hasDisk ? ['WHERE'] : [])],
    runs.map((run) => [
      run.runId,
      paintStatus(run.status, screen),
      visible(run.stepId ?? '-'),
      run.place === 'disk' ? '-' : `${run.stepsDone}/${run.steps}`,
      String(run.snapshots),
      screen.time(run.updatedAt) || '-',
      ...(hasDisk ? [whereOf(run)] : []),
    ]),
    screen,
  )
}

function whereOf({ place, foreign, problem }: ListedRun): string {
  if (place === 'store') return 'store'
  return ['disk', ...(foreign ? ['not reviewed'] : []), ...(problem === null ? [] : ['damaged'])].join(', ')
}
