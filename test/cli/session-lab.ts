import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Session, SessionRow } from '../../src/core/session.ts'
import { READING } from '../../src/engine/surroundings/read-state.ts'
import { beginSession } from '../../src/policy/session-apply.ts'
import type { Sandbox } from '../support/sandbox.ts'
import { inStore } from '../support/stored-documents.ts'

export const MINUTE = 60_000

/** A time so long ago, and some seconds more: what is rounded down stays so while a test runs. */
export const ago = (ms: number) => new Date(Date.now() - ms - 5_000).toISOString()

/** An id as clients make them, from a few letters. */
export const idOf = (letters: string) => `${letters.padEnd(8, '0')}-aaaa-4bbb-8ccc-000000000000`

type Given = Partial<Omit<Session, 'environment' | 'statistics'>> & {
  id: string
  environment?: Partial<Session['environment']>
  statistics?: Partial<Session['statistics']>
}

/** Puts a session into the store as its hooks would have; what is not said of it is usual. */
export async function recorded(box: Sandbox, given: Given): Promise<void> {
  // A session is never recorded before its first hook has made this.
  mkdirSync(join(box.home, 'sessions', 'claude'), { recursive: true, mode: 0o700 })
  await inStore(
    box,
    async ({ store, identity, place }) => {
      const start = beginSession(
        {
          ...{
            agent: 'claude',
            session: given.id,
            at: ago(125.5 * MINUTE),
            cwd: place.root,
            transcript: null,
          },
          ...{ permissionMode: 'default', helper: null, kind: 'start', source: 'startup' },
          model: 'claude-sonnet-4-5',
        },
        { ...identity, branch: 'main', commit: null, parent: null, stream: null },
      )
      const session: Session = {
        ...start,
        lastActivityAt: ago(MINUTE),
        ...{ caughtUpAt: new Date().toISOString(), readBy: READING },
        ...given,
        environment: { ...start.environment, ...given.environment },
        statistics: { ...start.statistics, ...given.statistics },
      }
      if (!(await store.log.advance(session, null))) throw new Error(`there is a session ${given.id}`)
    },
    'write',
  )
}

/** A session that its user left some time ago. */
export const ended = (box: Sandbox, given: Given, ms = 30 * MINUTE) =>
  recorded(box, {
    ...{ phase: 'recent', lastActivityAt: ago(ms), endedAt: ago(ms), endReason: 'prompt_input_exit' },
    ...given,
  })

/** A session that fell silent. */
export const silent = (box: Sandbox, given: Given, ms = 180 * MINUTE) =>
  recorded(box, { phase: 'stale', startedAt: ago(ms + 60.5 * MINUTE), lastActivityAt: ago(ms), ...given })

export const rowOf = (box: Sandbox, id: string): Promise<SessionRow | null> =>
  inStore(box, ({ store }) => store.log.readSession({ agent: 'claude', id }))

/** The environment of a command that an agent runs in its session. */
export const within = (id: string): NodeJS.ProcessEnv => ({ CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: id })

/** What a hook of the client is told, and our hook's exit code. */
export function heard(box: Sandbox, id: string, event: string, more: object = {}): number | null {
  const payload = { session_id: id, hook_event_name: event, cwd: box.repo, permission_mode: 'plan', ...more }
  return box.hook(['claude'], { input: JSON.stringify(payload) }).code
}

/** One call of the model, as a client writes it down: it used so many tokens, and perhaps a tool. */
export function callRow(number: number, input: number, tool?: { name: string; input: object }): string {
  return `${JSON.stringify({
    type: 'assistant',
    uuid: `row-${number}`,
    timestamp: new Date(Date.UTC(2026, 0, 1, 0, number)).toISOString(),
    isSidechain: false,
    message: {
      id: `msg_${number}`,
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: tool ? [{ type: 'tool_use', id: `tool_${number}`, ...tool }] : [{ type: 'text', text: 'So.' }],
      usage: {
        input_tokens: input,
        output_tokens: 10,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 0,
      },
    },
  })}\n`
}

/** That the tool of a call did what it was asked. */
export const resultRow = (number: number): string =>
  `${JSON.stringify({
    type: 'user',
    uuid: `result-${number}`,
    timestamp: new Date(Date.UTC(2026, 0, 1, 0, number, 30)).toISOString(),
    isSidechain: false,
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `tool_${number}`, content: 'done' }],
    },
  })}\n`

/** A transcript beside the repository. */
export function transcript(box: Sandbox, ...rows: string[]): string {
  const path = join(box.root, 'transcript.jsonl')
  writeFileSync(path, rows.join(''))
  return path
}
