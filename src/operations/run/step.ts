import { requireName } from '../../core/id.ts'
import { STEP_MOVES, type StepMove } from '../../core/plan.ts'
import { ReasonError } from '../../core/reason.ts'
import type { Stream } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { flag, oneOf, text, whole } from '../facts.ts'
import { operation } from '../operation.ts'
import { findRun, RUN } from './find-run.ts'
import { sayReceipt } from './say-receipt.ts'
import { type Receipt, takeSnapshot } from './take-snapshot.ts'

const requireStepName = (id: string) => requireName(id, 'the step id')

/** Moves a step and takes the snapshot of its boundary. */
export async function moveRunStep(
  context: Context,
  run: Stream,
  step: { id: string; state: StepMove },
  more: { contextUsedPercent?: number; reasonCode?: string } = {},
): Promise<Receipt> {
  requireStepName(step.id)
  if (!STEP_MOVES.includes(step.state))
    throw new ReasonError('usage_invalid', {
      problem: `a step takes ${STEP_MOVES.join(', ')}, not ${String(step.state)}`,
    })
  return takeSnapshot(context, run, {
    kind: `step_${step.state}`,
    step,
    note: `${step.id} ${step.state}`,
    ...(more.contextUsedPercent === undefined ? {} : { contextUsedPercent: more.contextUsedPercent }),
    ...(step.state === 'failed'
      ? { fault: { reasonCode: more.reasonCode ?? 'step_failed', recoverable: true, message: '' } }
      : {}),
  })
}

/** A step that the plan does not have is recorded all the same, and counts against the run: it may be a slip. */
async function tellUnplanned({ store, notices }: Context, run: Stream, step: string): Promise<void> {
  const steps = (await store.situation(run.id)).base.checkpoint.work.position.plan?.steps ?? []
  if (steps.length === 0 || steps.some(({ id }) => id === step)) return
  const known = steps.slice(0, MOST_NAMED).map(({ id }) => id)
  notices.push(
    `${step} is not in the plan, which has ${known.join(', ')}${steps.length > MOST_NAMED ? ' and more' : ''}.`,
  )
}

const MOST_NAMED = 10

export const runStep = operation({
  name: 'run step',
  summary: 'Say where a step stands',
  detail: 'A failed step makes the run failed until a step starts again.',
  fields: {
    run: { ...RUN, about: 'the run, by its id' },
    step: {
      kind: 'text',
      at: 1,
      required: true,
      check: requireStepName,
      about: 'the step, by its id in the plan',
    },
    state: { kind: 'choice', at: 2, required: true, choices: STEP_MOVES, about: 'where it stands now' },
    context: {
      kind: 'count',
      value: 'PERCENT',
      most: 100,
      about: 'how full the context window is, in percent',
    },
  },
  examples: [
    'savepoint run step release-2 s1 in_progress',
    'savepoint run step release-2 s1 done --context 72',
  ],
  access: 'write',
  async perform(context, { run, step, state, context: used }) {
    const found = await findRun(context, run)
    await tellUnplanned(context, found, step)
    return moveRunStep(
      context,
      found,
      { id: step, state },
      used === undefined ? {} : { contextUsedPercent: used },
    )
  },
  say: sayReceipt,
  tool: {
    title: 'Move a run step',
    when: 'Call it when a step of a run begins, is done, has failed or is skipped. Only where a run was started from a plan; for other work call save.',
    effect: 'adds',
    facts: {
      run: text('the run'),
      snapshot: text('the id of the snapshot'),
      sequence: whole('its number in the history of the run'),
      status: text('where the run stands: in_progress, failed, completed or paused'),
      coalesced: flag('whether it was noted on the newest snapshot instead of making another'),
      latest: text('the file of the newest snapshot'),
      files: oneOf('whether the files say it already', ['published', 'pending']),
    },
    factsOf: ({ run_id, snapshot_id, sequence, status, coalesced, latest, files }) => ({
      ...{ run: run_id, snapshot: snapshot_id, sequence, status, coalesced, latest, files },
    }),
  },
})
