import { clipText } from '../../core/canonical.ts'
import { type CommandOutcome, outcomeProblem } from '../../core/checkpoint.ts'
import { requireName } from '../../core/id.ts'
import { STEP_MOVES } from '../../core/plan.ts'
import { instant } from '../../core/ports.ts'
import { ReasonError, usageError } from '../../core/reason.ts'
import { redact, redactAll } from '../../policy/redact.ts'
import { nextProgress } from '../../policy/run-lifecycle.ts'
import { boundedOutcome, type RunEvent } from '../../policy/snapshot.ts'
import type { Stream } from '../../store/log.ts'
import type { Context } from '../context/context.ts'
import { type Receipt, snapshotIfDue, takeSnapshot } from './take-snapshot.ts'

/** Ends a run. Open steps stay as they are, and it is completed without them only where the caller says so. */
export async function finishRun(
  context: Context,
  run: Stream,
  { failed = false, incomplete = false } = {},
): Promise<Receipt> {
  return takeSnapshot(context, run, {
    kind: failed ? 'finish_failed' : 'finish',
    note: failed ? 'run failed' : incomplete ? 'run finished, incomplete' : 'run finished',
    incomplete,
    fault: failed ? { reasonCode: 'run_failed', recoverable: true, message: '' } : undefined,
  })
}

export const requireStepName = (id: string) => requireName(id, 'step id')

export async function moveRunStep(
  context: Context,
  run: Stream,
  step: NonNullable<RunEvent['step']>,
  more: { contextUsedPercent?: number | undefined; reasonCode?: string } = {},
): Promise<Receipt> {
  const { contextUsedPercent, reasonCode = 'step_failed' } = more
  requireStepName(step.id)
  if (!STEP_MOVES.includes(step.state))
    throw usageError(`invalid step state ${String(step.state)}: use ${STEP_MOVES.join(', ')}`)
  return takeSnapshot(context, run, {
    kind: `step_${step.state}`,
    step,
    note: `${step.id} ${step.state}`,
    contextUsedPercent,
    fault: step.state === 'failed' ? { reasonCode, recoverable: true, message: '' } : undefined,
  })
}

/** Records a classified error; an unrecoverable one makes the run failed, just before it is stopped. */
export async function recordError(
  context: Context,
  run: Stream,
  said: { reasonCode: string; recoverable: boolean; message?: string | undefined },
): Promise<Receipt> {
  const { reasonCode, recoverable, message = '' } = said
  requireName(reasonCode, 'reason code')
  return takeSnapshot(context, run, {
    kind: recoverable ? 'error' : 'fatal_error',
    fault: { reasonCode, recoverable, message: clipText(redact(message, context.mark), 500) },
    note: [reasonCode, recoverable ? '' : 'unrecoverable', message].filter(Boolean).join(': '),
  })
}

/** Keeps an outcome for the next snapshot; takes one at once where the heartbeat is overdue. */
export async function recordOutcome(
  context: Context,
  run: Stream,
  outcome: CommandOutcome,
): Promise<Receipt | null> {
  const problem = outcomeProblem(outcome)
  if (problem !== null) throw usageError(problem)
  await refuseWhenOver(context, run)
  const clean = boundedOutcome(redactAll(outcome, context.mark))
  await context.store.log.recordOutcome(run.id, clean, instant(context.ports.now()))
  return snapshotIfDue(context, run, { kind: 'command' })
}

export async function refuseWhenOver({ store }: Context, run: Stream): Promise<void> {
  const { progress } = (await store.log.readSituation(run.id)).base.checkpoint
  if (nextProgress(progress, 'command') === 'refused')
    throw new ReasonError('run_transition_refused', { run: run.name, progress, event: 'command' })
}
