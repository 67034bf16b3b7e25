import { type ChildProcess, spawn } from 'node:child_process'
import type { Environment } from '../../core/agent.ts'
import { describeError, errorCode } from '../../core/reason.ts'

/** What a command of the client came to; `problem` is a line of its own words. */
export type ClientAnswer = { ok: true; out: string } | { ok: false; problem: string }

interface ClientOptions {
  cwd: string
  env: Environment
  timeoutMs?: number
}

const MAX_OUTPUT = 1024 * 1024

/** Runs one command of the client without a shell and without input; one that hangs is ended, with all it started. */
export function runClient(
  program: string,
  args: readonly string[],
  { cwd, env, timeoutMs = 30_000 }: ClientOptions,
): Promise<ClientAnswer> {
  const child = spawn(program, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  })
  return new Promise((resolve) => {
    const said = { stdout: '', stderr: '' }
    const settle = (answer: ClientAnswer) => {
      clearTimeout(timer)
      resolve(answer)
    }
    const fail = (problem: string) => settle({ ok: false, problem })
    const timer = setTimeout(() => {
      end(child)
      // What it started may hold the pipes open: it is not waited for.
      for (const pipe of [child.stdout, child.stderr]) pipe.destroy()
      child.unref()
      fail(`it took longer than ${timeoutMs / 1_000} s and was stopped`)
    }, timeoutMs)
    for (const name of ['stdout', 'stderr'] as const)
      child[name].on('data', (chunk: Buffer) => {
        if (said[name].length < MAX_OUTPUT) said[name] += chunk.toString('utf8')
      })
    child.once('error', (error) => fail(describeError(error)))
    child.once('close', (code, signal) => {
      if (code === 0) settle({ ok: true, out: said.stdout })
      else fail(lineOf(said.stderr) ?? lineOf(said.stdout) ?? `it ended with ${signal ?? `code ${code}`}`)
    })
  })
}

function end(child: ChildProcess): void {
  if (child.pid === undefined || process.platform === 'win32') {
    child.kill('SIGKILL')
    return
  }
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch (error) {
    if (errorCode(error) !== 'ESRCH' && errorCode(error) !== 'EPERM') throw error
  }
}

/** The line that says what is wrong: the one with the client's mark, else the last. */
function lineOf(text: string): string | null {
  const lines = text
    .split('\n')
    .map((line) => line.replace(/\p{Cc}/gu, '').trim())
    .filter(Boolean)
  const marked = lines.find((line) => line.includes('✘')) ?? lines.at(-1)
  return marked?.replace(/^.*✘\s*/u, '').slice(0, 500) ?? null
}
