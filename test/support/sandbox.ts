import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { type Call, callDoor, type Finished, needsProcess } from './door.ts'

export type { Finished }

export const projectRoot = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
export const cliPath = join(projectRoot, 'dist', 'cli.cjs')
const hookPath = join(projectRoot, 'dist', 'hook.cjs')
/** Without git's example hooks: to write and to remove them takes longer than the rest of `git init`. */
const gitTemplate = join(projectRoot, 'test/fixtures/git-template')

export const PLAN = '# Plan\n\n- [ ] s1: First step\n- [ ] s2: Second step\n- [ ] s3: Third step\n'

export interface Surroundings {
  cwd?: string
  env?: NodeJS.ProcessEnv
  input?: string | Uint8Array
}

/** A throw-away repository and home, gone when the test is over. */
export class Sandbox {
  readonly root: string
  readonly repo: string
  readonly home: string
  readonly env: NodeJS.ProcessEnv

  constructor(root: string) {
    this.root = root
    this.repo = join(root, 'repo')
    this.home = join(root, 'home')
    const { NODE_EXTRA_CA_CERTS: _slow, FORCE_COLOR: _colour, ...env } = process.env
    this.env = {
      ...env,
      SAVEPOINT_HOME: this.home,
      HOME: join(root, 'user'),
      XDG_CONFIG_HOME: join(root, 'config'),
      GIT_CONFIG_GLOBAL: '/dev/null',
      // Who runs the tests may be an agent; in them a user speaks, unless a test says otherwise.
      ...{
        CLAUDECODE: '',
        GEMINI_CLI: '',
        OPENCODE: '',
        CODEX_SANDBOX: '',
        CODEX_SANDBOX_NETWORK_DISABLED: '',
      },
      // Colours and the clock of whoever runs the tests are not what they compare.
      ...{ NO_COLOR: '1', TZ: 'UTC' },
      // The same file calls at every start.
      SAVEPOINT_NO_CACHE: '1',
      // A preloaded shim must see every file call.
      UV_USE_IO_URING: '0',
    }
  }

  /** The built command line, to its end; without a process of its own where the process is not the point. */
  run(words: string[], given: Surroundings = {}): Finished {
    const call = callOf(this, 'cli', words, given)
    return needsProcess(call) ? perform(call) : callDoor(call)
  }

  /** The built command line in a process of its own, to its end. */
  runProcess(words: string[], given: Surroundings = {}): Finished {
    return perform(callOf(this, 'cli', words, given))
  }

  /** The built hook with a payload, to its end; as `run`. */
  hook(words: string[], given: Surroundings = {}): Finished {
    const call = callOf(this, 'hook', words, given)
    return needsProcess(call) ? perform(call) : callDoor(call)
  }

  /** As `run`, with --json: the parsed answer. Throws where the command failed. */
  json(args: string[], options: Surroundings = {}): Record<string, unknown> {
    const dashes = args.indexOf('--')
    const at = dashes === -1 ? args.length : dashes
    const done = this.run([...args.slice(0, at), '--json', ...args.slice(at)], options)
    const line = done.stdout.trim().split('\n').at(-1) ?? ''
    if (done.code !== 0)
      throw new Error(`savepoint ${args.join(' ')}: exit ${done.code}\n${done.stdout}${done.stderr}`)
    return JSON.parse(line)
  }

  /** The built command line, running. */
  spawn(
    args: string[],
    { env = {} }: { env?: NodeJS.ProcessEnv } = {},
  ): { child: ChildProcess; done: Promise<Finished> } {
    const child = spawn(process.execPath, [cliPath, ...args], {
      cwd: this.repo,
      env: { ...this.env, ...env },
    })
    let stdout = ''
    let stderr = ''
    child.stdout?.on('data', (chunk) => {
      stdout += chunk
    })
    child.stderr?.on('data', (chunk) => {
      stderr += chunk
    })
    const done = new Promise<Finished>((resolve) =>
      child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr })),
    )
    return { child, done }
  }

  /** Starts a run of the usual plan. */
  start(run = 'r1'): void {
    writeFileSync(join(this.repo, 'plan.md'), PLAN)
    this.json(['run', 'start', 'plan.md', '--run-id', run])
  }

  path(...parts: string[]): string {
    return join(this.repo, ...parts)
  }

  read(...parts: string[]): string {
    return readFileSync(this.path(...parts), 'utf8')
  }

  // biome-ignore lint/suspicious/noExplicitAny: a document under test may have any shape
  readJson(...parts: string[]): any {
    return JSON.parse(this.read(...parts))
  }

  /** Another worktree or clone beside this one; with a home of its own it is another machine. */
  elsewhere(folder: string, { home = this.home } = {}): Sandbox {
    return Object.assign(Object.create(Sandbox.prototype) as Sandbox, this, {
      ...{ repo: join(this.root, folder), home, env: { ...this.env, SAVEPOINT_HOME: home } },
    })
  }

  git(...args: string[]): string {
    const done = spawnSync('git', ['-c', 'maintenance.auto=false', ...args], {
      ...{ cwd: this.repo, env: { ...this.env, GIT_TEMPLATE_DIR: gitTemplate }, encoding: 'utf8' },
    })
    if (done.status !== 0) throw new Error(`git ${args.join(' ')}: ${done.stderr}`)
    return done.stdout
  }
}

function callOf(box: Sandbox, program: Call['program'], words: string[], given: Surroundings): Call {
  const { cwd = box.repo, env = {}, input = '' } = given
  // Words reach a process as UTF-8: half an emoji does not.
  return {
    program,
    words: words.map((word) => Buffer.from(word).toString()),
    cwd,
    env: { ...box.env, ...env },
    input,
  }
}

/** A call in a process of its own. */
function perform({ program, words, ...given }: Call): Finished {
  const file = program === 'cli' ? cliPath : hookPath
  const done = spawnSync(process.execPath, [file, ...words], {
    ...{ ...given, encoding: 'utf8', timeout: PATIENCE_MS },
  })
  return { code: done.status, signal: done.signal, stdout: done.stdout, stderr: done.stderr }
}

/** Longer than any command takes on a busy machine: only one that hangs meets it. */
const PATIENCE_MS = 120_000

export function sandbox({ git = true } = {}): Sandbox {
  const root = mkdtempSync(join(tmpdir(), 'savepoint-test-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const made = new Sandbox(root)
  for (const folder of [made.repo, join(root, 'user')]) mkdirSync(folder)
  if (git) made.git('init', '--quiet')
  return made
}
