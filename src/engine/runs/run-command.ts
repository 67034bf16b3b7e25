import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { isatty } from 'node:tty'
import type { CommandOutcome } from '../../core/checkpoint.ts'
import { describeError, errorCode, REASONS } from '../../core/reason.ts'

interface CommandEnd {
  code: number
  signal: string | null
  problem: string | null
}

const FORWARDED = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const

export type Signal = (typeof FORWARDED)[number]

/** How long a signal may wait for the save before it is passed on. */
const SIGNAL_WAIT_MS = 500

/** A terminal sends these to its whole foreground group: the child has them already. */
const isFromTerminal = (signal: Signal) =>
  (signal === 'SIGINT' || signal === 'SIGQUIT') && [0, 1, 2].some((descriptor) => isatty(descriptor))

/**
 * Runs a command on our terminal and passes signals on to it; `onSignal` begins before each is passed on.
 * `release` gives the signals back: until then they cannot end us, so that the outcome can be recorded.
 */
export function runCommand(
  words: string[],
  onSignal: (signal: Signal) => Promise<void>,
  sleep: (ms: number) => Promise<void>,
): Promise<{ ended: CommandEnd; release: () => void }> {
  return new Promise((resolve) => {
    const child = startProcess(words)
    if (child instanceof Error) {
      const ended = { code: startFailure(child), signal: null, problem: describeError(child) }
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
      resolve({ ended: { code: startFailure(error), signal: null, problem: describeError(error) }, release }),
    )
    child.once('exit', (code, signal) => {
      const number = constants.signals[signal ?? 'SIGKILL'] ?? 0
      resolve({ ended: { code: code ?? 128 + number, signal, problem: null }, release })
    })
  })
}

/** Node throws some failures to start (ENOTDIR, an empty name) and reports the others as an event. */
function startProcess([program = '', ...args]: string[]): ChildProcess | Error {
  try {
    return spawn(program, args, { stdio: 'inherit' })
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** As shells answer: 127 for a command that is not there, 126 for one that cannot be run. */
const startFailure = (error: unknown) =>
  errorCode(error) === 'ENOENT' ? REASONS.command_not_started.exit : REASONS.command_not_started.exit - 1

export function outcomeOf(words: string[], ended: CommandEnd, durationMs: number): CommandOutcome {
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
