import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runCommandLine } from '../../src/apps/cli/main.ts'
import type { WorkState } from '../../src/core/work.ts'
import type { SaveReceipt as Receipt } from '../../src/verbs/work/save-in-session.ts'
import type { Finished, Sandbox } from '../support/sandbox.ts'

export type Saved = Receipt & { notices?: string[] }

interface Options {
  cwd?: string
  env?: NodeJS.ProcessEnv
}

// `as` in these: the shapes are what the verbs answer with, and the tests compare them.
export const save = (box: Sandbox, args: string[], options: Options = {}) =>
  box.json(['save', ...args], options) as unknown as Saved

export interface Told {
  kind: string
  stream: string
  why: string
  sequence: number
  checkpoint: string
  text: string
  work: WorkState
  notices?: string[]
}

export const told = (box: Sandbox, args: string[] = [], options: Options = {}) =>
  box.json(['resume', ...args], options) as unknown as Told

export const workOf = (box: Sandbox, args: string[] = [], options: Options = {}): WorkState =>
  told(box, args, options).work

/** The built command line with something on stdin. */
export function piped(
  box: Sandbox,
  args: string[],
  input: string | Uint8Array,
  env: NodeJS.ProcessEnv = {},
): Finished {
  return box.run(args, { env, input })
}

/** A save of JSON on stdin; throws where it failed. */
export function pipe(box: Sandbox, value: unknown, args: string[] = []): Saved {
  const done = piped(box, ['save', '--stdin', '--json', ...args], JSON.stringify(value))
  if (done.code !== 0) throw new Error(`exit ${done.code}: ${done.stdout}${done.stderr}`)
  return JSON.parse(done.stdout)
}

export function put(box: Sandbox, path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(box.path(path)), { recursive: true })
  writeFileSync(box.path(path), text)
}

export const INDEX = '.claude/state-index.json'
export const LEDGER = '.agents/session_ledger.md'
export const LEDGER_ON = 'session:\n  ledger: true\n'

/** The paths of all notes, in the order of their names; `folder` is that of a plan, or the one for all. */
export function notesIn(box: Sandbox, folder = '.claude/checkpoints', root = box.repo): string[] {
  const path = join(root, folder)
  return existsSync(path)
    ? readdirSync(path)
        .toSorted()
        .map((name) => `${folder}/${name}`)
    : []
}

/** Everything in a workspace but git's own files, sorted. */
export const treeOf = (root: string): string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => !path.startsWith('.git/'))
    .toSorted()

/** Our own short-lived files that somebody left lying. */
export const tempsIn = (root: string) => treeOf(root).filter((path) => path.endsWith('savepoint-tmp'))

/** What a person at a terminal would be sent: both streams, with lines that end. */
export async function atTerminal(box: Sandbox, words: string[]): Promise<string> {
  let sent = ''
  const write = (text: string) => {
    sent += text
  }
  await runCommandLine({
    ...{ words, cwd: box.repo, env: box.env, version: 'test', width: 100 },
    ...{ screen: { columns: 100 }, errScreen: {} },
    readInput: () => Promise.reject(new Error('nothing is piped in')),
    out: write,
    err: write,
  })
  return sent
}
