import type { CommandOutcome } from '../../core/checkpoint.ts'
import { instant } from '../../core/ports.ts'
import { describeError } from '../../core/reason.ts'
import type { Context } from '../../engine/context/context.ts'
import { NOTICES } from '../../engine/context/notices.ts'
import { findRun } from '../../engine/runs/find-run.ts'
import { moveRunStep, refuseWhenOver } from '../../engine/runs/record-event.ts'
import { outcomeOf, runCommand, type Signal } from '../../engine/runs/run-command.ts'
import { type Receipt, snapshotIfDue, takeSnapshot } from '../../engine/runs/take-snapshot.ts'
import { redactAll } from '../../policy/redact.ts'
import { boundedOutcome, HEARTBEAT_MS, type RunEvent } from '../../policy/snapshot.ts'
import type { Stream } from '../../store/log.ts'
import { defineVerb } from '../define/verb.ts'
import { RUN } from './run.ts'

export const runExec = defineVerb({
  name: 'run exec',
  summary: 'Run a command as part of a run',
  detail:
    'Records the result and sends heartbeats while the command runs. Signals and the exit code are passed on. With --step, the step is in progress during the command, then done or failed.',
  fields: {
    run: RUN,
    command: { kind: 'words', at: 1, required: true, about: 'the command and its arguments, after --' },
    step: { kind: 'text', value: 'ID', about: 'the step that this command carries out' },
    heartbeat: {
      kind: 'count',
      value: 'SECONDS',
      least: 1,
      most: 86_400,
      about: 'seconds between heartbeats (default: 120)',
    },
  },
  examples: [
    'savepoint run exec release-2 -- npm test',
    'savepoint run exec release-2 --step s3 -- make release',
  ],
  access: 'write',
  async perform(context, { run, command, step, heartbeat }) {
    const found = await findRun(context, run)
    await refuseWhenOver(context, found)
    const receipts: Receipt[] = []
    if (step !== undefined)
      receipts.push(await moveRunStep(context, found, { id: step, state: 'in_progress' }))

    // Saves beside the command are done one after another, and none is left behind when it ends.
    let saving = Promise.resolve()
    const saveBeside = (event: RunEvent, signal: Signal | null) => {
      saving = saving.then(async () => {
        try {
          const receipt = await snapshotIfDue(context, found, event)
          if (receipt) receipts.push(receipt)
        } catch (error) {
          context.notices.push(NOTICES.notSavedBeside(signal, describeError(error)))
        }
      })
      return saving
    }
    const beforeStop = async (signal: Signal) => {
      if (signal === 'SIGUSR1' || signal === 'SIGUSR2') return
      await saveBeside({ kind: 'error', note: `stopped by ${signal}` }, signal)
    }
    const everyMs = heartbeat === undefined ? HEARTBEAT_MS : heartbeat * 1_000
    const beat = () => saveBeside({ kind: 'heartbeat', note: command[0] ?? '' }, null)
    const timer = setInterval(beat, everyMs)
    const startedMs = performance.now()
    const { ended, release } = await runCommand(command, beforeStop, context.ports.sleep)
    clearInterval(timer)
    await saving

    const outcome = boundedOutcome(
      redactAll(outcomeOf(command, ended, performance.now() - startedMs), context.mark),
    )
    try {
      await context.store.log.recordOutcome(found.id, outcome, instant(context.ports.now()))
      const last = await closing(context, found, step, outcome)
      if (last) receipts.push(last)
    } catch (error) {
      // A command that failed is the worse news: its exit code is passed on, and ours is told beside it.
      if (ended.code === 0) throw error
      context.notices.push(NOTICES.endNotSaved(describeError(error)))
    } finally {
      release()
    }
    return {
      runId: found.name,
      exitCode: ended.code,
      outcome,
      snapshots: receipts.map((receipt) => receipt.snapshotId),
    }
  },
  say: ({ runId, outcome }, { paint }) =>
    `savepoint: ${paint(outcome.result === 'FAIL' ? 'bad' : 'good', outcome.result)} ${outcome.name} (${outcome.summary}, ${outcome.duration_ms} ms), recorded in run ${runId}`,
  aside: () => true,
  failure: ({ exitCode, outcome }) =>
    exitCode === 0
      ? null
      : {
          exit: exitCode,
          reason: outcome.reason_code ?? 'command_failed',
          message: `${outcome.name}: ${outcome.summary}`,
          hint: 'See the output of the command. The run recorded its result.',
        },
})

/** A step's end is a boundary; a failure without a step is an error boundary; else the heartbeat, if overdue. */
function closing(
  context: Context,
  run: Stream,
  step: string | undefined,
  outcome: CommandOutcome,
): Promise<Receipt | null> {
  const reasonCode = outcome.reason_code ?? 'command_failed'
  const failed = outcome.result === 'FAIL'
  if (step !== undefined)
    return moveRunStep(context, run, { id: step, state: failed ? 'failed' : 'done' }, { reasonCode })
  if (!failed) return snapshotIfDue(context, run, { kind: 'command' })
  return takeSnapshot(context, run, {
    kind: 'error',
    fault: { reasonCode, recoverable: true, message: outcome.summary },
    note: `${reasonCode}: ${outcome.name}`,
  })
}
