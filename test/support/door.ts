import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SERVER = join(dirname(fileURLToPath(import.meta.url)), 'door-server.cjs')

/** Room for what a command makes, so that what it left is still young when it is collected. */
const FLAGS = ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64']

export interface Finished {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

/** One call of a built program: what its process would have been given. */
export interface Call {
  program: 'cli' | 'hook'
  words: string[]
  cwd: string
  env: NodeJS.ProcessEnv
  input: string | Uint8Array
}

/** Longer than any command takes on a busy machine: only one that hangs meets it. */
const PATIENCE_MS = 120_000

/**
 * One process per test file that performs call after call: a start of Node and of the program costs 25 times as much
 * as what most commands do. The caller waits without giving up its turn, as `spawnSync` does.
 */
class DoorServer {
  readonly #child: ChildProcess
  readonly #requests: number
  readonly #answers: number

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), 'savepoint-door-'))
    const pipe = (name: string) => join(folder, name)
    const { status } = spawnSync('mkfifo', [pipe('requests'), pipe('answers')])
    if (status !== 0) throw new Error('the door of the tests needs mkfifo')
    // A pipe that is opened for both can be opened for one of them without waiting for somebody at its other end.
    const both = ['requests', 'answers'].map((name) => openSync(pipe(name), 'r+'))
    this.#requests = openSync(pipe('requests'), 'w')
    this.#answers = openSync(pipe('answers'), constants.O_RDONLY | constants.O_NONBLOCK)
    const theirs = [openSync(pipe('requests'), 'r'), openSync(pipe('answers'), 'w')]
    this.#child = spawn(process.execPath, [...FLAGS, SERVER], {
      stdio: ['ignore', 'ignore', 'inherit', ...theirs],
    })
    this.#child.unref()
    for (const descriptor of [...both, ...theirs]) closeSync(descriptor)
    rmSync(folder, { recursive: true })
  }

  /** Whether it has ended after its last answer. */
  isSpent = false

  perform(call: Call): Finished {
    const { input, ...request } = call
    const env = Object.fromEntries(Object.entries(call.env).filter(([, value]) => value !== undefined))
    const asked = { ...request, env, umask: process.umask(), input: Buffer.from(input).toString('base64') }
    this.#send(Buffer.from(`${JSON.stringify(asked)}\n`))
    const { problem, left, isSpent, ...done } = JSON.parse(this.#receive())
    this.isSpent = isSpent
    if (isSpent) this.#close()
    const words = call.words.join(' ')
    if (problem !== undefined) throw new Error(`savepoint ${words}: ended with an error\n${problem}`)
    if (left.length > 0) throw new Error(`savepoint ${words}: answered, and left ${left.join(', ')} running`)
    return done
  }

  #close(): void {
    for (const descriptor of [this.#requests, this.#answers]) closeSync(descriptor)
  }

  #send(bytes: Buffer): void {
    for (let from = 0; from < bytes.length; ) from += writeSync(this.#requests, bytes, from)
  }

  #receive(): string {
    const until = Date.now() + PATIENCE_MS
    const parts: Buffer[] = []
    const chunk = Buffer.allocUnsafe(65_536)
    for (;;) {
      const count = this.#readSome(chunk)
      if (count === 0) throw new Error('the door of the tests ended in the middle of a command')
      if (count === null) {
        if (Date.now() > until) this.#giveUp()
        // Most calls take some milliseconds; for a long one nobody looks a thousand times a second.
        const waitMs = until - Date.now() > PATIENCE_MS - 200 ? 1 : 10
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMs)
        continue
      }
      parts.push(Buffer.from(chunk.subarray(0, count)))
      if (chunk[count - 1] === 10) return Buffer.concat(parts).toString('utf8')
    }
  }

  /** Null where nothing has come yet. */
  #readSome(chunk: Buffer): number | null {
    try {
      return readSync(this.#answers, chunk)
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return null
      throw error
    }
  }

  #giveUp(): never {
    this.#child.kill('SIGKILL')
    throw new Error(`a command took longer than ${PATIENCE_MS / 1_000} s`)
  }
}

let server: DoorServer | null = null

/** Performs a call through the code of the built programs, without a process of its own. */
export function callDoor(call: Call): Finished {
  if (server === null || server.isSpent) server = new DoorServer()
  try {
    return server.perform(call)
  } catch (error) {
    // What is left of it is unknown: the next call gets another.
    server = null
    throw error
  }
}

/** What only a process has: another Node or preloaded code, the launcher's cache, a server, a child on our descriptors. */
export function needsProcess({ program, words, env, input }: Call): boolean {
  const hasTurnedClock = env.TURN_CLOCK_BY !== undefined
  if (env.LD_PRELOAD || (env.NODE_OPTIONS && !hasTurnedClock)) return true
  if (input.length > MAX_INPUT || env.SAVEPOINT_NO_CACHE !== '1') return true
  const [first = '', second = ''] = words
  return program === 'cli' && (OF_LAUNCHER.has(first) || (first === 'run' && second === 'exec'))
}

/** The launcher, not the program, looks at these words; and what is read of a large input is up to the process. */
const OF_LAUNCHER = new Set(['hook', 'statusline', 'mcp'])
const MAX_INPUT = 1024 * 1024
