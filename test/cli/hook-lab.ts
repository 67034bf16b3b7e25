import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Session } from '../../src/core/session.ts'
import { type Finished, projectRoot, type Sandbox } from '../support/sandbox.ts'
import { inStore } from '../support/stored-documents.ts'

export const hookPath = join(projectRoot, 'dist', 'hook.cjs')

/** An id as clients make them, from a few letters. */
export const idOf = (letters: string) => `${letters.padEnd(8, '0')}-aaaa-4bbb-8ccc-000000000000`

export const payload = (box: Sandbox, id: string, name: string, more: object = {}) =>
  JSON.stringify({ session_id: id, hook_event_name: name, cwd: box.repo, ...more })

interface Options {
  env?: NodeJS.ProcessEnv
  cwd?: string
  agent?: string
}

// The variables of a client that may run these tests.
const environment = (box: Sandbox, env: NodeJS.ProcessEnv = {}) => {
  const { CLAUDE_PROJECT_DIR: _project, ...own } = box.env
  return { ...own, ...env }
}

/** The built hook as the client runs it, with a payload. */
export function hook(
  box: Sandbox,
  input: string | Buffer,
  { env, cwd = box.repo, agent = 'claude' }: Options = {},
): Finished {
  return box.hook([agent], { cwd, input, env: { CLAUDE_PROJECT_DIR: undefined, ...env } })
}

export const heard = (box: Sandbox, id: string, name: string, more: object = {}, options: Options = {}) =>
  hook(box, payload(box, id, name, more), options)

/** The same, running. */
export function hookAtOnce(
  box: Sandbox,
  input: string,
  { env }: Options = {},
): { child: ChildProcess; done: Promise<Finished> } {
  const child = spawn(process.execPath, [hookPath, 'claude'], { cwd: box.repo, env: environment(box, env) })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const done = new Promise<Finished>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr })),
  )
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  return { child, done }
}

/** Nothing that the agent would notice. */
export const UNNOTICED = { code: 0, signal: null, stdout: '', stderr: '' }

export interface Fault {
  at: string
  event: string
  reason: string
  message: string
}

export function faultsOf(box: Sandbox): Fault[] {
  const path = join(box.home, 'faults.jsonl')
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
}

/** The rows of all sessions, without taking in what waits. */
export const rowsOf = (box: Sandbox): Promise<Session[]> =>
  inStore(box, async ({ store }) => (await store.log.listSessions({})).map(({ session }) => session))

/** The words that an answer carries to the model. */
export function words({ stdout }: Finished): string {
  const { hookSpecificOutput } = JSON.parse(stdout)
  return hookSpecificOutput.additionalContext
}

/** Every file below a folder. */
export const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
