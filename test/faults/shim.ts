import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { projectRoot, type Sandbox } from '../support/sandbox.ts'

export type Mode = 'kill' | 'torn' | 'EIO' | 'ENOSPC' | 'EROFS'

/** A file call that was made or failed below the watched folders. */
export interface LoggedCall {
  number: number
  call: string
  path: string
}

export const compiler = ['cc', 'gcc'].find((name) => spawnSync(name, ['--version']).status === 0)

/** Without a C compiler, or on a system that cannot preload, nothing here can run. */
export const hasCompiler = process.platform === 'linux' && compiler !== undefined

let library: string | undefined

/** Compiled once in a test, and gone with it: files of tests that share a worker share this module too. */
function build(): string {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-shim-'))
  onTestFinished(() => {
    library = undefined
    rmSync(folder, { recursive: true, force: true })
  })
  const file = join(folder, 'shim.so')
  const source = join(projectRoot, 'test', 'faults', 'shim.c')
  const args = ['-shared', '-fPIC', '-O2', '-o', file, source, '-ldl']
  const done = spawnSync(compiler ?? 'cc', args, { encoding: 'utf8' })
  if (done.status !== 0) throw new Error(done.stderr)
  return file
}

/** The environment that watches a sandbox's repository and home, and fails one call where a fault is given. */
export function watch(
  box: Sandbox,
  log: string,
  fault?: { at: number; mode: Mode; sticky?: boolean },
): NodeJS.ProcessEnv {
  library ??= build()
  return {
    LD_PRELOAD: library,
    UV_USE_IO_URING: '0',
    FI_ROOTS: `${box.repo}:${box.home}`,
    FI_LOG: log,
    ...(fault ? { FI_AT: String(fault.at), FI_MODE: fault.mode } : {}),
    ...(fault?.sticky ? { FI_STICKY: '1' } : {}),
  }
}

/** What the shim wrote down: every call, and those that it failed. */
export function readLog(log: string): { calls: LoggedCall[]; fired: LoggedCall[] } {
  const calls: LoggedCall[] = []
  const fired: LoggedCall[] = []
  for (const line of readFileSync(log, 'utf8').split('\n')) {
    const [, isFault, number, call = '', path = ''] = /^(fired )?(\d+) (\S+) (.*)$/.exec(line) ?? []
    if (number !== undefined) (isFault ? fired : calls).push({ number: Number(number), call, path })
  }
  return { calls, fired }
}
