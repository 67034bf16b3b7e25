import type { ChildProcess } from 'node:child_process'
import { realpathSync, statSync } from 'node:fs'
import { devNull } from 'node:os'
import { dirname, join } from 'node:path'
import { describeError, errorCode } from '../core/reason.ts'
import { runsPrograms, switchOffPrograms } from './git-config.ts'
import type { Place } from './locate.ts'

/** `code` is git's own exit code; null where git did not run to its end. */
export type GitAnswer = { ok: true; out: string } | { ok: false; problem: string; code: number | null }

interface GitOptions {
  input?: string | Uint8Array
  timeoutMs?: number
  /** `latin1` is one character a byte, for what need not be text. */
  encoding?: 'utf8' | 'latin1'
}

const MAX_OUTPUT = 16 * 1024 * 1024
const MAX_COMPLAINT = 4 * 1024

/** How long git may take to remove its lock files once it was told to stop. */
const GRACE_MS = 1_000

/**
 * Runs one git command in a TRUSTED workspace, and only there. Git is told which folders to use: those that we looked
 * at, whatever it would find by itself. No program runs that the repository's own settings name, nor a hook or a file
 * system monitor; nothing is fetched or asked for; no variable of the caller's points git elsewhere. Filters of the
 * user's own settings run.
 */
export async function runGit(
  place: Place,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitAnswer> {
  if (place.git === null) return failedAnswer('not a git repository')
  const folders = { GIT_DIR: place.git.folder, GIT_COMMON_DIR: place.git.common, GIT_WORK_TREE: place.root }
  try {
    if (!isOwn(place)) {
      const problem = await ownerProblem(place)
      if (problem !== null) return failedAnswer(problem)
    }
    const off = runsPrograms(place) ? await findSwitches(place, folders) : []
    return 'problem' in off
      ? failedAnswer(off.problem)
      : await startGit(place, [...off, ...args], folders, options)
  } catch (error) {
    return failedAnswer(`git could not be started: ${describeError(error)}`)
  }
}

/** Git did not answer; the message is its problem. */
export class GitProblem extends Error {}

/** One of several commands that must all succeed: what git says, or a `GitProblem`. As `runGit`, for a trusted workspace only. */
export async function askGit(place: Place, args: readonly string[], options?: GitOptions): Promise<string> {
  const answer = await runGit(place, args, options)
  if (!answer.ok) throw new GitProblem(answer.problem)
  return answer.out
}

/** Where several commands end: their result, or the problem of the one that failed. */
export async function orGitProblem<T>(act: () => Promise<T>): Promise<T | { problem: string }> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof GitProblem)) throw error
    return { problem: error.message }
  }
}

/** The full name of a commit, or null where there is none; exit code 1 is git's word for that. */
export async function findCommit(place: Place, name: string): Promise<string | null> {
  const answer = await runGit(place, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`])
  if (answer.ok) return answer.out.trim()
  if (answer.code !== 1) throw new GitProblem(answer.problem)
  return null
}

export const emptyTree = async (place: Place) =>
  (await askGit(place, ['hash-object', '-t', 'tree', '--stdin'], { input: '' })).trim()

/** The options that switch the repository's programs off; git itself says which settings it would use. */
async function findSwitches(place: Place, folders: GitFolders): Promise<string[] | { problem: string }> {
  const listed = await startGit(place, ['config', '--list', '--show-scope', '-z'], folders)
  if (!listed.ok) return { problem: listed.problem }
  return (
    switchOffPrograms(listed.out) ?? { problem: 'its git settings run a program that cannot be disabled' }
  )
}

/** Told where a repository is, git does not ask whose it is. */
function isOwn({ root, git }: Place): boolean {
  const user = process.geteuid?.()
  return [root, join(root, '.git'), git?.folder, git?.common].every(
    (path) => path === undefined || statSync(path).uid === user,
  )
}

/** Whether git would use another user's repository by its own rules: `safe.directory` allows it, or `sudo`. */
async function ownerProblem(place: Place): Promise<string | null> {
  const around = { GIT_CEILING_DIRECTORIES: dirname(place.root) }
  const found = await startGit(place, ['rev-parse', '--absolute-git-dir'], around)
  if (!found.ok) return found.problem
  const isSame = place.git && realpathSync(found.out.replace(/\n$/, '')) === realpathSync(place.git.folder)
  return isSame ? null : 'git finds another repository here'
}

type GitFolders = Record<`GIT_${string}`, string>

async function startGit(
  { root }: Place,
  args: readonly string[],
  folders: GitFolders,
  options: GitOptions = {},
): Promise<GitAnswer> {
  const { spawn } = await import('node:child_process')
  const child = spawn('git', ['-C', root, ...FIRST, ...args], {
    // Not the workspace: where the search path has the current folder, a program `git` in it would be run.
    cwd: dirname(process.execPath),
    env: { ...environment(), ...folders },
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    // A group of its own, so that a filter which hangs is ended together with git.
    detached: process.platform !== 'win32',
    windowsHide: true,
  })
  return await waitForGit(child, options)
}

const failedAnswer = (problem: string, code: number | null = null) => ({ ok: false as const, problem, code })

const FIRST = [
  ...['--no-pager', '--literal-pathspecs', '-c', 'core.fsmonitor=false', '-c', 'core.quotePath=false'],
  ...['-c', `core.hooksPath=${devNull}`],
]

function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.toUpperCase().startsWith('GIT_'))
  return {
    ...Object.fromEntries(own),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    // Older versions do not know the first; without a protocol they cannot fetch missing objects either.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    // This filter of the user's would fetch what a file stands for.
    GIT_LFS_SKIP_SMUDGE: '1',
    LC_ALL: 'C',
  }
}

function waitForGit(
  child: ChildProcess,
  { input, timeoutMs = 5_000, encoding = 'utf8' }: GitOptions,
): Promise<GitAnswer> {
  return new Promise((resolve) => {
    const out: Buffer[] = []
    let size = 0
    let complaint = ''
    let stopped: string | null = null
    let kill: NodeJS.Timeout | undefined

    const settle = (answer: GitAnswer) => {
      clearTimeout(timer)
      clearTimeout(kill)
      resolve(answer)
    }
    const stop = (problem: string) => {
      if (stopped !== null) return
      stopped = problem
      // First the signal on which git takes its locks away: a lock left behind would block the user's git.
      signalGroup(child, 'SIGTERM')
      kill = setTimeout(() => {
        signalGroup(child, 'SIGKILL')
        // A process that left the group may hold the pipes open: it is not waited for.
        child.stdout?.destroy()
        child.stderr?.destroy()
        child.unref()
        settle(failedAnswer(problem))
      }, GRACE_MS)
    }
    const timer = setTimeout(() => stop(`git took longer than ${timeoutMs} ms`), timeoutMs)

    child.stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > MAX_OUTPUT) stop(`git printed more than ${MAX_OUTPUT} bytes`)
      else out.push(chunk)
    })
    child.stderr?.on('data', (chunk: Buffer) => {
      if (complaint.length < MAX_COMPLAINT) complaint += chunk.toString('utf8')
    })
    // Git that ends without reading its input says why by its exit code.
    child.stdin?.on('error', (error) => {
      if (errorCode(error) !== 'EPIPE') stop(describeError(error))
    })
    child.stdin?.end(input)
    child.once('error', (error) =>
      settle(failedAnswer(errorCode(error) === 'ENOENT' ? 'git is not installed' : describeError(error))),
    )
    child.once('close', (code, signalled) => {
      if (stopped !== null) settle(failedAnswer(stopped))
      else if (code === 0) settle({ ok: true, out: Buffer.concat(out).toString(encoding) })
      else
        settle(
          failedAnswer(firstComplaint(complaint) ?? `git ended with ${signalled ?? `code ${code}`}`, code),
        )
    })
  })
}

const firstComplaint = (complaint: string) =>
  complaint
    .trim()
    .split('\n')[0]
    ?.replace(/^(?:fatal|error): /, '')
    .slice(0, 500) || null

/** To a process that was started `detached`, with all that it started. */
export function signalGroup(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined || process.platform === 'win32') {
    child.kill(name)
    return
  }
  try {
    process.kill(-child.pid, name)
  } catch (error) {
    // The group is gone, or all of it has ended and waits to be collected (macOS).
    if (errorCode(error) !== 'ESRCH' && errorCode(error) !== 'EPERM') throw error
  }
}
