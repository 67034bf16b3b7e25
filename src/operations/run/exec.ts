import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { type CommandOutcome, outcomeProblem } from '../../core/checkpoint.ts'
import { instant } from '../../core/ports.ts'
import { describe, errorCode, REASONS, ReasonError } from '../../core/reason.ts'
import { nextProgress } from '../../policy/run-lifecycle.ts'
import { boundedOutcome, HEARTBEAT_MS } from '../../policy/snapshot.ts'
import type { Stream } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { operation } from '../operation.ts'
import { findRun, RUN } from './find-run.ts'
import { moveRunStep } from './step.ts'
import { type Receipt, snapshotIfDue, takeSnapshot } from './take-snapshot.ts'

/** Keeps an outcome for the next snapshot; takes one at once where the heartbeat is overdue. */
export async function recordOutcome(
  context: Context,
  run: Stream,
  outcome: CommandOutcome,
): Promise<Receipt | null> {
  const problem = outcomeProblem(outcome)
  if (problem !== null) throw new ReasonError('usage_invalid', { problem })
  await refuseWhenOver(context, run)
  await context.store.record(run.id, boundedOutcome(outcome), instant(context.ports.now()))
  return snapshotIfDue(context, run, { kind: 'command' })
}

async function refuseWhenOver(context: Context, run: Stream): Promise<void> {
  const { base } = await context.store.situation(run.id)
  if (nextProgress(base.checkpoint.progress, 'command') === 'refused')
    throw new ReasonError('run_transition_refused', {
      run: run.name,
      progress: base.checkpoint.progress,
      event: 'command',
    })
}

interface Ended {
  code: number
  signal: string | null
  problem: string | null
}

const FORWARDED = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const
type Signal = (typeof FORWARDED)[number]

/** Runs a command on our terminal and passes signals on to it. `onSignal` runs before each is passed on. */
function runCommand(words: string[], onSignal: (signal: Signal) => Promise<void>): Promise<Ended> {
  const [program = '', ...args] = words
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'inherit' })
    const handlers = FORWARDED.map((signal) => {
      const handler = async () => {
        await onSignal(signal)
        // A terminal sends Ctrl-C to the child as well: passing it on would send it twice.
        if (!(signal === 'SIGINT' && process.stdin.isTTY)) child.kill(signal)
      }
      process.on(signal, handler)
      return () => process.off(signal, handler)
    })
    const end = (ended: Ended) => {
      for (const off of handlers) off()
      resolve(ended)
    }
    child.once('error', (error) => end({ code: startFailure(error), signal: null, problem: describe(error) }))
    child.once('exit', (code, signal) =>
      end({ code: code ?? 128 + (constants.signals[signal ?? 'SIGKILL'] ?? 0), signal, problem: null }),
    )
  })
}

/** As shells answer: 127 for a command that is not there, 126 for one that cannot be run. */
const startFailure = (error: unknown) =>
  errorCode(error) === 'ENOENT' ? REASONS.command_not_started.exit : REASONS.command_not_started.exit - 1

function outcomeOf(words: string[], ended: Ended, durationMs: number): CommandOutcome {
  const failed = ended.code !== 0
  const how = ended.problem ?? (ended.signal ? `ended by ${ended.signal}` : `exit code ${ended.code}`)
  return {
    kind: 'shell',
    name: words.join(' '),
    result: failed ? 'FAIL' : 'PASS',
    duration_ms: durationMs,
    ...(failed
      ? {
          reason_code: ended.problem
            ? 'command_not_started'
            : ended.signal
              ? 'command_killed'
              : 'command_failed',
        }
      : {}),
    summary: how,
  }
}

export const runExec = operation({
  name: 'run exec',
  summary: 'Run a command as part of a run',
  detail:
    'Its outcome is recorded, the run has a heartbeat while it works, signals and the exit code are passed on. With --step the step is in progress meanwhile, and done or failed after.',
  fields: {
    run: RUN,
    command: { kind: 'words', at: 1, required: true, about: 'the command and its arguments, after --' },
    step: { kind: 'text', value: 'ID', about: 'the step that this command is' },
    heartbeat: {
      kind: 'count',
      value: 'SECONDS',
      least: 1,
      most: 86_400,
      about: 'seconds between heartbeats (120)',
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

    const beat = async () => {
      try {
        const receipt = await snapshotIfDue(context, found, { kind: 'heartbeat', note: command[0] ?? '' })
        if (receipt) receipts.push(receipt)
      } catch (error) {
        context.notices.push(`A heartbeat was not saved: ${describe(error)}`)
      }
    }
    const beforeStop = async (signal: Signal) => {
      if (signal === 'SIGUSR1' || signal === 'SIGUSR2') return
      try {
        receipts.push(await takeSnapshot(context, found, { kind: 'error', note: `stopped by ${signal}` }))
      } catch (error) {
        context.notices.push(`The stop by ${signal} was not saved: ${describe(error)}`)
      }
    }
    const timer = setInterval(beat, heartbeat === undefined ? HEARTBEAT_MS : heartbeat * 1_000)
    const startedMs = performance.now()
    const ended = await runCommand(command, beforeStop)
    clearInterval(timer)

    const outcome = boundedOutcome(outcomeOf(command, ended, performance.now() - startedMs))
    try {
      await context.store.record(found.id, outcome, instant(context.ports.now()))
      const last = await closing(context, found, step, outcome)
      if (last) receipts.push(last)
    } catch (error) {
      // A command that failed is the worse news: its exit code is passed on, and ours is told beside it.
      if (ended.code === 0) throw error
      context.notices.push(`The end of the command was not saved: ${describe(error)}`)
    }
    return {
      run_id: found.name,
      exit_code: ended.code,
      outcome,
      snapshots: receipts.map((receipt) => receipt.snapshot_id),
    }
  },
  say: ({ run_id, outcome }) =>
    `savepoint: ${outcome.result} ${outcome.name} (${outcome.summary}, ${outcome.duration_ms} ms), recorded in run ${run_id}`,
  aside: true,
  exitCode: ({ exit_code }) => exit_code,
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
