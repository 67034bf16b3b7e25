import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { isatty } from 'node:tty'
import { type CommandOutcome, outcomeProblem } from '../../core/checkpoint.ts'
import { instant } from '../../core/ports.ts'
import { describe, errorCode, REASONS, ReasonError } from '../../core/reason.ts'
import { nextProgress } from '../../policy/run-lifecycle.ts'
import { boundedOutcome, HEARTBEAT_MS, type RunEvent } from '../../policy/snapshot.ts'
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

/** How long a signal may wait for the save before it is passed on. */
const SIGNAL_WAIT_MS = 500

/** A terminal sends these to its whole foreground group: the child has them already. */
const isFromTerminal = (signal: Signal) =>
  (signal === 'SIGINT' || signal === 'SIGQUIT') && [0, 1, 2].some((descriptor) => isatty(descriptor))

/**
 * Runs a command on our terminal and passes signals on to it; `onSignal` begins before each is passed on.
 * `release` gives the signals back: until then they cannot end us, so that the outcome can be recorded.
 */
function runCommand(
  words: string[],
  onSignal: (signal: Signal) => Promise<void>,
  sleep: (ms: number) => Promise<void>,
): Promise<{ ended: Ended; release: () => void }> {
  return new Promise((resolve) => {
    const child = started(words)
    if (child instanceof Error) {
      const ended = { code: startFailure(child), signal: null, problem: describe(child) }
      return resolve({ ended, release: () => undefined })
    }
    const handlers = FORWARDED.map((signal) => {
      const handler = async () => {
        await Promise.race([onSignal(signal), sleep(SIGNAL_WAIT_MS)])
        if (!isFromTerminal(signal)) child.kill(signal)
      }
      process.on(signal, handler)
      return () => process.off(signal, handler)
    })
    const release = () => {
      for (const off of handlers) off()
    }
    child.once('error', (error) =>
      resolve({ ended: { code: startFailure(error), signal: null, problem: describe(error) }, release }),
    )
    child.once('exit', (code, signal) => {
      const number = constants.signals[signal ?? 'SIGKILL'] ?? 0
      resolve({ ended: { code: code ?? 128 + number, signal, problem: null }, release })
    })
  })
}

/** Node throws some failures to start (ENOTDIR, an empty name) and reports the others as an event. */
function started([program = '', ...args]: string[]): ChildProcess | Error {
  try {
    return spawn(program, args, { stdio: 'inherit' })
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
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

    // Saves beside the command are done one after another, and none is left behind when it ends.
    let saving = Promise.resolve()
    const saveBeside = (event: RunEvent, what: string) => {
      saving = saving.then(async () => {
        try {
          const receipt = await snapshotIfDue(context, found, event)
          if (receipt) receipts.push(receipt)
        } catch (error) {
          context.notices.push(`${what} was not saved: ${describe(error)}`)
        }
      })
      return saving
    }
    const beforeStop = async (signal: Signal) => {
      if (signal === 'SIGUSR1' || signal === 'SIGUSR2') return
      await saveBeside({ kind: 'error', note: `stopped by ${signal}` }, `The stop by ${signal}`)
    }
    const everyMs = heartbeat === undefined ? HEARTBEAT_MS : heartbeat * 1_000
    const beat = () => saveBeside({ kind: 'heartbeat', note: command[0] ?? '' }, 'A heartbeat')
    const timer = setInterval(beat, everyMs)
    const startedMs = performance.now()
    const { ended, release } = await runCommand(command, beforeStop, context.ports.sleep)
    clearInterval(timer)
    await saving

    const outcome = boundedOutcome(outcomeOf(command, ended, performance.now() - startedMs))
    try {
      await context.store.record(found.id, outcome, instant(context.ports.now()))
      const last = await closing(context, found, step, outcome)
      if (last) receipts.push(last)
    } catch (error) {
      // A command that failed is the worse news: its exit code is passed on, and ours is told beside it.
      if (ended.code === 0) throw error
      context.notices.push(`The end of the command was not saved: ${describe(error)}`)
    } finally {
      release()
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
  failure: ({ exit_code, outcome }) =>
    exit_code === 0
      ? null
      : {
          exit: exit_code,
          reason: outcome.reason_code ?? 'command_failed',
          message: `${outcome.name}: ${outcome.summary}`,
          hint: 'The command has told why; its outcome is recorded in the run.',
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
