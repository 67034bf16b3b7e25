import { type CommandOutcome, outcomeProblem } from '../../core/checkpoint.ts'
import { instant } from '../../core/ports.ts'
import { ReasonError } from '../../core/reason.ts'
import { nextProgress } from '../../policy/run-lifecycle.ts'
import { boundedOutcome } from '../../policy/snapshot.ts'
import type { Stream } from '../../store/log.ts'
import type { Context } from '../context/context.ts'
import { type Receipt, snapshotIfDue } from './take-snapshot.ts'

/** Keeps an outcome for the next snapshot; takes one at once where the heartbeat is overdue. */
export async function recordOutcome(
  context: Context,
  run: Stream,
  outcome: CommandOutcome,
): Promise<Receipt | null> {
  const problem = outcomeProblem(outcome)
  if (problem !== null) throw new ReasonError('usage_invalid', { problem })
  await refuseWhenOver(context, run)
  await context.store.log.recordOutcome(run.id, boundedOutcome(outcome), instant(context.ports.now()))
  return snapshotIfDue(context, run, { kind: 'command' })
}

export async function refuseWhenOver(context: Context, run: Stream): Promise<void> {
  const { base } = await context.store.log.readSituation(run.id)
  if (nextProgress(base.checkpoint.progress, 'command') === 'refused')
    throw new ReasonError('run_transition_refused', {
      run: run.name,
      progress: base.checkpoint.progress,
      event: 'command',
    })
}
