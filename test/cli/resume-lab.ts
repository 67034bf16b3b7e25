import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cliPath, type Finished, type Sandbox } from '../support/sandbox.ts'

export const HOUR = 3_600_000

const TURN_CLOCK = `
const { now } = Date
Date.now = () => now() + Number(process.env.TURN_CLOCK_BY ?? 0)
globalThis.Date = class extends Date {
  constructor(...given) {
    super(...(given.length === 0 ? [Date.now()] : given))
  }
}
`

/** The environment of a command or a hook whose clock is turned by so many milliseconds. */
export function turned(box: Sandbox, ms: number): NodeJS.ProcessEnv {
  const file = join(box.root, 'turn-clock.cjs')
  if (!existsSync(file)) writeFileSync(file, TURN_CLOCK)
  return { NODE_OPTIONS: `--require=${file}`, TURN_CLOCK_BY: String(ms) }
}

/** Runs a command on a terminal of so many columns: what a person sees, and its exit code. */
const ON_TERMINAL = `
import fcntl, os, pty, struct, sys, termios
pid, screen = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack('HHHH', 50, int(sys.argv[1]), 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
while True:
    try:
        part = os.read(screen, 65536)
    except OSError:
        break
    if not part:
        break
    os.write(1, part)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`

/** The command line at a terminal; stderr goes to a file, so that the page alone is measured. */
export function onTerminal(
  box: Sandbox,
  columns: number,
  args: string[],
  { env = {} }: { env?: NodeJS.ProcessEnv } = {},
): Finished {
  const aside = join(box.root, 'stderr')
  const shell = ['sh', '-c', 'aside=$1; shift; exec "$@" 2>"$aside"', 'sh', aside]
  const words = ['-c', ON_TERMINAL, String(columns), ...shell, process.execPath, cliPath, ...args]
  const done = spawnSync('python3', words, {
    cwd: box.repo,
    env: { ...box.env, ...env },
    encoding: 'utf8',
    timeout: 100_000,
  })
  const stdout = done.stdout.replaceAll('\r\n', '\n')
  return { code: done.status, signal: done.signal, stdout, stderr: done.stderr }
}

/** Columns on a terminal, for the letters that the tests use: CJK and emoji take two. */
const widthOf = (line: string) =>
  [...line].reduce(
    (width, letter) =>
      width +
      (/[\u1100-\u115F\u2E80-\u9FFF\uAC00-\uD7A3\uFF00-\uFF60]|[\u{1F000}-\u{3FFFD}]/u.test(letter) ? 2 : 1),
    0,
  )

export const widest = (page: string) => Math.max(...page.split('\n').map(widthOf))

export interface Told {
  kind: 'brief'
  stream: string
  why: string
  sequence: number
  savedAt: string
  drift: {
    branch: { was: string; now: string } | null
    commitsSince: number | null
    filesChanged: number
    filesGone: number
    planStep: string | null
  }
  work: Record<string, unknown>
  page: {
    age: string
    drift: string
    questions: string[]
    sections: Array<{
      title: string
      lines: Array<{ text: string; why: string; unconfirmed: boolean; mark: string | null; note: string }>
      more: string
    }>
    cut: string
  }
  text: string
  tokens: number
  budget: number
  notices: string[]
}

interface Options {
  cwd?: string
  env?: NodeJS.ProcessEnv
}

/** What `resume` answers. */
export const resumed = (box: Sandbox, args: string[] = [], options: Options = {}) =>
  box.json(['resume', ...args], options)

/** The brief that `resume` gives; throws where it gives something else. */
export function told(box: Sandbox, args: string[] = [], options: Options = {}): Told {
  const answer = resumed(box, args, options)
  if (answer.kind !== 'brief') throw new Error(`no brief: ${JSON.stringify(answer)}`)
  // `as`: what a brief looks like is what these tests compare.
  return { notices: [], ...answer } as unknown as Told
}

/** The lines of one section as the brief shows them in Markdown. */
export function section(text: string, title: string): string[] | null {
  const lines = text.split('\n')
  const start = lines.indexOf(`## ${title}`)
  if (start === -1) return null
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => /^(?:## |Cut|<\/savepoint>)/.test(line))
  return rest.slice(0, end)
}

export const titles = (text: string) => [...text.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title)

/** How things stand, in JSON on stdin: any length, no quoting. */
export function savePiped(box: Sandbox, saying: object, args: string[] = []): void {
  const done = box.run(['save', '--stdin', '--json', ...args], { input: JSON.stringify(saying) })
  if (done.code !== 0) throw new Error(`save: exit ${done.code}\n${done.stdout}${done.stderr}`)
}

/** The settings of the repository. */
export const settings = (box: Sandbox, text: string, file = '.agents.yml') =>
  writeFileSync(box.path(file), text)

export const LEDGER = '.agents/session_ledger.md'
export const LEDGER_ON = 'session:\n  ledger: true\n'
