import { fstatSync } from 'node:fs'
import { describeError, errorCode, ReasonError } from '../../core/reason.ts'
import { type ScreenTraits, wantsColour } from '../../verbs/define/screen.ts'
import type { ServeDashboard } from '../process/dashboard-command.ts'
import { workingFolder } from '../process/real-ports.ts'
import { writeAll } from '../process/write-all.ts'
import { runCommandLine } from './main.ts'
import type { Person } from './person.ts'

declare const SAVEPOINT_VERSION: string

let failedOutput: unknown

/**
 * Words that nobody reads any more (`savepoint run list | head -1`) are no failure; a full disk behind them is. Bytes
 * are what a verb was asked to make: it hears of every failure itself.
 */
const writer = (descriptor: number) => (text: string | Uint8Array) => {
  try {
    writeAll(descriptor, text)
  } catch (error) {
    if (typeof text !== 'string') throw error
    if (errorCode(error) !== 'EPIPE') failedOutput = error
  }
}

/** Only a character device can be a terminal, and a look at it is free; Node's own answer loads its network code. */
function isTerminal(descriptor: number): boolean {
  try {
    return (
      fstatSync(descriptor).isCharacterDevice() && process.getBuiltinModule('node:tty').isatty(descriptor)
    )
  } catch (error) {
    // A closed descriptor is not a terminal.
    if (errorCode(error) !== 'EBADF') throw error
    return false
  }
}

const MAX_INPUT = 4 * 1024 * 1024

/** A person at a terminal is not waited for: who pipes nothing in has nothing to say. */
async function readInput(): Promise<string> {
  if (isTerminal(0)) throw new ReasonError('usage_invalid', { problem: 'there is nothing on stdin to read' })
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of process.stdin) {
    size += chunk.length
    if (size > MAX_INPUT) throw new ReasonError('file_too_large', { path: 'stdin', limit: MAX_INPUT })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** What is written to is a terminal with a width, or a file or a pipe; the reader's clock is that of the process. */
function traitsOf(descriptor: 1 | 2): ScreenTraits {
  const isSeen = isTerminal(descriptor)
  return {
    ...(isSeen ? { columns: (descriptor === 1 ? process.stdout : process.stderr).columns || 80 } : {}),
    hasColour: wantsColour(process.env, isSeen),
    offsetMinutes: (ms) => -new Date(ms).getTimezoneOffset(),
  }
}

const err = writer(2)

/** Questions and progress go to stderr: stdout is the answer of the command. */
const person: Person = {
  get isThere() {
    return isTerminal(2) && isTerminal(0)
  },
  get columns() {
    return isTerminal(2) ? process.stderr.columns || 80 : null
  },
  async ask(questions, notices) {
    const { askAt } = await import('./ask.ts')
    return askAt({ input: process.stdin, output: process.stderr }, questions, notices)
  },
}

/** The command, to its end: what the launcher exits with. */
export async function runProgram(dashboard: ServeDashboard): Promise<number> {
  const door = {
    words: process.argv.slice(2),
    get cwd() {
      return workingFolder()
    },
    env: process.env,
    version: SAVEPOINT_VERSION,
    get width() {
      return process.stdout.columns || 100
    },
    get screen() {
      return traitsOf(1)
    },
    get errScreen() {
      return traitsOf(2)
    },
    readInput,
    dashboard,
    out: writer(1),
    err,
  }
  const code = await runCommandLine(door, person)
  if (failedOutput === undefined) return code
  const failure = new ReasonError('output_failed', { problem: describeError(failedOutput) })
  // The hint says that all was done: not where the command failed as well.
  err(`savepoint: ${failure.message}\n${code === 0 ? `  ${failure.hint}\n` : ''}`)
  return code || failure.exitCode
}
