import { requireRunName } from '../../core/id.ts'
import { formatCount } from '../../core/text.ts'
import { readPlan, startRun } from '../../engine/runs/start-run.ts'
import { defineVerb } from '../define/verb.ts'

export const runStart = defineVerb({
  name: 'run start',
  summary: 'Start a run of a plan',
  detail: 'A plan is a Markdown checklist, one step per line: `- [ ] s1: First step`.',
  fields: {
    plan: { kind: 'text', at: 0, required: true, about: 'a Markdown file with a checklist' },
    runId: {
      kind: 'text',
      value: 'ID',
      check: requireRunName,
      about: 'name of the run (default: made from the plan and the time)',
    },
  },
  examples: ['savepoint run start plan.md', 'savepoint run start docs/plan.md --run-id release-2'],
  access: 'write',
  async perform(context, { plan, runId }) {
    const { started } = await startRun(context, readPlan(context, plan, context.cwd), runId)
    return started
  },
  say: (started, { paint }) =>
    [
      `${paint('good', `Started run ${started.runId}`)}: ${formatCount(started.steps, 'step')} from ${started.planPath}`,
      `  Next: savepoint run step <step> in_progress`,
    ].join('\n'),
})
