import { appendFileSync, mkdirSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { eventOf } from '../../src/agents/claude/hooks.ts'
import type { AgentEvent } from '../../src/core/agent-event.ts'
import { instant } from '../../src/core/ports.ts'
import type { Session } from '../../src/core/session.ts'
import type { WorkState } from '../../src/core/work.ts'
import { type Context, openContext, settleIdentity } from '../../src/engine/context/context.ts'
import { onEvent } from '../../src/engine/sessions/on-event.ts'
import { appendRecord } from '../../src/engine/sessions/session-files.ts'
import { updateSessionRows } from '../../src/engine/sessions/update-session-rows.ts'
import { sessionStream } from '../../src/policy/resolve.ts'
import type { InputOf } from '../../src/verbs/define/field.ts'
import { performOnce } from '../../src/verbs/perform.ts'
import { save } from '../../src/verbs/work/save.ts'
import {
  answered,
  approved,
  assistant,
  call,
  type Json,
  result,
  text,
  user,
} from '../agents/transcript-rows.ts'
import { type TestPorts, testPorts } from '../support/ports.ts'
import { type Sandbox, sandbox } from '../support/sandbox.ts'

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE

/** An id as clients make them, from a few letters. */
export const idOf = (letters: string) => `${letters.padEnd(8, '0')}-aaaa-4bbb-8ccc-000000000000`
export const streamOf = (id: string) => sessionStream(id)
export const keyOf = (id: string) => ({ agent: 'claude' as const, id })

/** What may be said at a save, without a process of its own. */
type Saying = Partial<InputOf<typeof save.fields>>

/** Sessions over time: a clock that is set, real transcripts, and the operations of the hooks in a real store. */
export class Lab {
  readonly box: Sandbox
  readonly ports: TestPorts
  private rows = 0

  constructor(box = sandbox(), ports = testPorts()) {
    this.box = box
    this.ports = ports
  }

  wait(ms: number): void {
    this.ports.time += ms
  }

  get now(): string {
    return instant(this.ports.time)
  }

  /** Works on the store as a command does. */
  async within<R>(
    act: (context: Context) => Promise<R>,
    { cwd = this.box.repo, env = {} as NodeJS.ProcessEnv } = {},
  ): Promise<R> {
    const context = await openContext({
      ...{ cwd, env: { ...this.box.env, ...env }, ports: this.ports, access: 'write', lenient: true },
    })
    try {
      context.identity = await settleIdentity(context, 'write')
      return await act(context)
    } finally {
      await context.store.close()
    }
  }

  trust(): Promise<void> {
    return this.within(({ store, identity, place }) =>
      store.local.setTrust(identity.workspace, place.root, 'vouched', this.now),
    )
  }

  /** A hook that only writes down what it heard, some seconds after the last thing that happened. */
  hear(id: string, name: string, more: Json = {}): AgentEvent {
    this.wait(SECOND)
    const event = eventOf(
      {
        ...{ hook_event_name: name, session_id: id, cwd: this.box.repo, transcript_path: this.pathOf(id) },
        ...more,
      },
      this.now,
    )
    if (event === null) throw new Error(`${name} is no event`)
    appendRecord(join(this.box.home, 'sessions'), keyOf(id), { event, ms: null, head: null })
    return event
  }

  /** A hook that has reason to open the store; answers what the agent is told. */
  async act(
    id: string,
    name: string,
    more: Json = {},
    { usedPercent = null }: { usedPercent?: number | null } = {},
  ): Promise<string | null> {
    const event = this.hear(id, name, more)
    const answer = await this.within((context) => onEvent(context, event, usedPercent), {
      cwd: event.cwd,
    })
    return answer?.text ?? null
  }

  start = (id: string, source = 'startup', more: Json = {}) =>
    this.act(id, 'SessionStart', { source, ...more })
  end = (id: string, reason = 'prompt_input_exit') => this.hear(id, 'SessionEnd', { reason })
  /** What any command does before its own work. */
  follow = () => this.within(updateSessionRows)

  async row(id: string): Promise<Session> {
    const found = await this.within(({ store }) => store.log.readSession(keyOf(id)))
    if (found === null) throw new Error(`no session ${id}`)
    return found.session
  }

  /** A save by an agent in its session, or by the user. */
  save(id: string | null, said: Saying) {
    this.wait(SECOND)
    const empty = Object.entries(save.fields).flatMap(([name, field]): Array<[string, unknown]> => {
      const { kind } = field
      return kind === 'words' ? [[name, []]] : kind === 'flag' ? [[name, false]] : []
    })
    const env = id === null ? {} : { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: id }
    // `as`: what is not said is filled from the list of fields.
    const input = { ...Object.fromEntries(empty), ...said } as InputOf<typeof save.fields>
    return performOnce(
      save,
      { cwd: this.box.repo, env: { ...this.box.env, ...env }, ports: this.ports },
      input,
    )
  }

  /** The work that a stream holds in this workspace; null where there is no such stream. */
  work(name: string): Promise<WorkState | null> {
    return this.checkpoint(name).then((found) => found?.work ?? null)
  }

  checkpoint(name: string) {
    return this.within(async ({ store, identity }) => {
      const rows = await store.acts.listWork(identity.repository, identity.workspace)
      const row = rows.find(({ stream }) => stream.name === name)
      const found = row ? await store.log.readCheckpoint(row.position.checkpoint) : null
      return found?.state === 'whole' ? found.checkpoint : null
    })
  }

  /** How many checkpoints each stream of the repository has. */
  streams(): Promise<Record<string, number>> {
    return this.within(async ({ store, identity }) => {
      const rows = await store.acts.listWork(identity.repository, identity.workspace)
      return Object.fromEntries(rows.map(({ stream }) => [stream.name, stream.headSequence]))
    })
  }

  pathOf = (id: string) => join(this.box.root, 'claude', `${id}.jsonl`)

  /** Adds a row to a session's transcript at the time that it is now. */
  write(id: string, make: (number: number, rest: Json) => Json): void {
    this.wait(SECOND)
    this.rows += 1
    const path = this.pathOf(id)
    mkdirSync(dirname(path), { recursive: true })
    const row = { ...make(this.rows, { timestamp: this.now }), cwd: this.box.repo, sessionId: id }
    appendFileSync(path, `${JSON.stringify(row)}\n`)
    utimesSync(path, this.ports.time / 1_000, this.ports.time / 1_000)
  }

  prompt(id: string, said: string): void {
    this.write(id, (number, rest) => user(number, said, rest))
  }

  says(id: string, said: string, usage?: Json): void {
    const more = usage === undefined ? {} : { usage }
    this.write(id, (number, rest) => assistant(number, { content: [text(said)], ...more }, rest))
  }

  /** A tool that was called, and what it gave back; without a result it still runs. */
  tool(
    id: string,
    name: string,
    input: Json,
    given?: { content?: string; failed?: boolean; says?: Json },
  ): void {
    let made = ''
    this.write(id, (number, rest) => {
      made = `toolu_${number}`
      return assistant(number, { content: [call(made, name, input)] }, rest)
    })
    if (given)
      this.write(id, (number, rest) =>
        user(number, [result(made, given.content ?? 'ok', given.failed ?? false)], {
          ...rest,
          ...given.says,
        }),
      )
  }

  /** The list of tasks that the agent keeps. */
  tasks(id: string, states: Record<string, 'pending' | 'in_progress' | 'completed'>): void {
    const todos = Object.entries(states).map(([content, status]) => ({
      content,
      status,
      activeForm: content,
    }))
    this.tool(id, 'TodoWrite', { todos }, {})
  }

  /** A question that the agent asks by its tool; without an answer it is open. */
  asks(id: string, question: string, options: string[], answer?: string): void {
    const questions = [{ question, header: 'Choice', options: options.map((label) => ({ label })) }]
    const given = answer === undefined ? undefined : { content: answered([question, answer]) }
    this.tool(id, 'AskUserQuestion', { questions }, given)
  }

  /** A plan that the agent shows, and the user approves. */
  plans(id: string, plan: string): void {
    this.tool(id, 'ExitPlanMode', { plan }, { content: approved('/plans/one.md', plan) })
  }

  /** A small piece of work in a transcript: what the user wants, what the agent says, and a file. */
  talk(id: string): void {
    this.prompt(id, 'Please move the login to tokens. Always use tabs for indentation.')
    this.says(id, 'I decided to use JWT instead of cookies because the app has no session.')
    this.tool(id, 'Write', { file_path: this.box.path('src/login.ts'), content: 'x' }, {})
    this.says(id, 'The login form works. Next: write the refresh test.')
  }
}
