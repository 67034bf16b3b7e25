import { requireName } from '../../core/id.ts'
import { STEP_MOVES, type StepMove } from '../../core/plan.ts'
import { ReasonError } from '../../core/reason.ts'
import type { Stream } from '../../store/log.ts'
import type { Context } from '../context/context.ts'
import { type Receipt, takeSnapshot } from './take-snapshot.ts'

export const requireStepName = (id: string) => requireName(id, 'the step id')

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
export async function tellUnplanned({ store, notices }: Context, run: Stream, step: string): Promise<void> {
  const steps = (await store.log.readSituation(run.id)).base.checkpoint.work.position.plan?.steps ?? []
  if (steps.length === 0 || steps.some(({ id }) => id === step)) return
  const known = steps.slice(0, MOST_NAMED).map(({ id }) => id)
  notices.push(
    `${step} is not in the plan, which has ${known.join(', ')}${steps.length > MOST_NAMED ? ' and more' : ''}.`,
  )
}

const MOST_NAMED = 10
