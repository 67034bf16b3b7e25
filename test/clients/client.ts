import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import type { Sandbox } from '../support/sandbox.ts'
import { has, transcriptOf, until } from './lab.ts'
import type { ModelRequest } from './messages-api.ts'
import { type Model, startModel } from './model-server.ts'
import type { Scenario } from './scenario.ts'

/** What a run of the client came to. */
export interface Ran {
  /** Null where it was killed. */
  exit: number | null
  /** The session it ended in. */
  sessionId: string
  /** All that it was in: a `/clear` on the way starts another. */
  sessions: string[]
  /** What the model was given in the main conversation, request by request. */
  requests: ModelRequest[]
  /** The client's answers to its user, prompt by prompt. */
  results: string[]
  stdout: string
  stderr: string
}

export interface Wanted {
  /** What the user types, each once the client is done with the one before; `/clear` and `/compact` are such, too. */
  prompts: string[]
  scenario: Scenario
  /** The session to go on with; else a new one starts. */
  resume?: string
  /** Where the scenario holds, the kill waits until the client has written these words to its transcript. */
  killOnce?: string
  /** Past its last answer the client stays, as at a terminal, until this holds: its exit ends hooks that it awaits not. */
  stayUntil?: (sessionId: string) => boolean
  env?: NodeJS.ProcessEnv
  /** More words of its command line. */
  args?: string[]
}

/** A window of so many tokens. */
const MODEL = 'claude-sonnet-4-5'
export const WINDOW = 200_000
/** A client that hangs is ended, and its test fails. */
const PATIENCE_MS = 60_000

/**
 * One run of the real client, which reads its prompts as lines of JSON. It is killed where the scenario holds.
 * In this mode hooks, slash commands and compactions are the same as at a terminal.
 */
export async function claude(place: Sandbox, wanted: Wanted): Promise<Ran> {
  const model = await startModel(wanted.scenario)
  onTestFinished(() => model.close())
  const first = wanted.resume ?? randomUUID()
  const child = spawn(
    clientPath(),
    [
      ...['-p', '--verbose', '--input-format', 'stream-json', '--output-format', 'stream-json'],
      ...['--model', MODEL, '--permission-mode', 'acceptEdits', '--allowedTools', 'Bash,Agent'],
      ...[wanted.resume === undefined ? '--session-id' : '--resume', first],
      ...(wanted.args ?? []),
    ],
    { cwd: place.repo, env: { ...clientEnv(place, model), ...wanted.env } },
  )
  const spoken = converse(child, first, wanted)
  const late = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
  void model.held
    .then(() => until(() => !wanted.killOnce || has(transcriptOf(place, first), wanted.killOnce)))
    .finally(() => child.kill('SIGKILL'))
  // The event bears the code, or null with a signal. What the client started may outlive it, and keep its output open.
  const [exit] = (await once(child, 'exit')) as [number | null]
  clearTimeout(late)
  model.close()
  return { exit, ...spoken, sessionId: spoken.sessions.at(-1) ?? first, requests: model.asked }
}

/** Types the prompts one by one, and keeps what the client says. */
function converse(
  child: ChildProcessWithoutNullStreams,
  first: string,
  { prompts, stayUntil = () => true }: Wanted,
) {
  const spoken = { sessions: [first], results: [] as string[], stdout: '', stderr: '' }
  const left = [...prompts]
  const type = async () => {
    const content = left.shift()
    if (content !== undefined)
      child.stdin.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`)
    else {
      await until(() => stayUntil(spoken.sessions.at(-1) ?? first))
      child.stdin.end()
    }
  }
  createInterface({ input: child.stdout }).on('line', (line) => {
    spoken.stdout += `${line}\n`
    // The client's own form; of other lines nothing is asked but their kind.
    const said = JSON.parse(line) as { type: string; session_id?: string; result?: string }
    if (said.type !== 'result') return
    if (said.session_id && !spoken.sessions.includes(said.session_id)) spoken.sessions.push(said.session_id)
    spoken.results.push(said.result ?? '')
    void type()
  })
  child.stderr.on('data', (chunk) => {
    spoken.stderr += chunk
  })
  // A client that was killed takes no more prompts; its exit says so.
  child.stdin.on('error', () => undefined)
  void type()
  return spoken
}

/** Nothing of the environment that the tests run in reaches the client, but the way to programs. */
const clientEnv = (place: Sandbox, model: Model): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  LANG: 'C.UTF-8',
  HOME: place.env.HOME,
  SAVEPOINT_HOME: place.home,
  GIT_CONFIG_GLOBAL: '/dev/null',
  ANTHROPIC_BASE_URL: model.url,
  ANTHROPIC_API_KEY: 'none',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_AUTOUPDATER: '1',
  ENABLE_TOOL_SEARCH: 'false',
  CLAUDE_CODE_MAX_RETRIES: '1',
})

/** The client's own program. */
export function clientPath(): string {
  const path = process.env.SAVEPOINT_CLIENT
  if (!path) throw new Error('These tests run by `npm run test:agents`, which brings the client.')
  return path
}
