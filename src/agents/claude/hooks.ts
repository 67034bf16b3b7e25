import type { AgentEvent, AgentEventKind, ToolUse } from '../../core/agent-event.ts'
import {
  END_REASONS,
  type EndReason,
  SESSION_ID,
  SESSION_SOURCES,
  type SessionSource,
} from '../../core/session.ts'
import { EDIT_TOOLS } from './edit-tools.ts'
import { NAME } from './name.ts'
import { planIn, typedTextOf } from './transcript-prompt.ts'
import { charactersOf, cutToLastWords, startOf } from './transcript-value.ts'

type Payload = Readonly<Record<string, unknown>>
type Special<Kind extends AgentEventKind> = Omit<Extract<AgentEvent, { kind: Kind }>, CommonName>
type CommonName = 'agent' | 'session' | 'at' | 'cwd' | 'transcript' | 'permissionMode' | 'helper'
type SpecialFields = { [Kind in AgentEventKind]: Special<Kind> }[AgentEventKind]

/** The client's events, each in our words; what is not here is not ours to know. */
const READERS: Readonly<Record<string, (payload: Payload) => SpecialFields | null>> = {
  SessionStart: ({ source, model }) => ({
    kind: 'start',
    source: SESSION_SOURCES.find((known): known is SessionSource => known === source) ?? 'startup',
    model: textOrNull(model),
  }),
  UserPromptSubmit: ({ prompt, source }) => {
    const isTyped = source === undefined || source === 'user'
    const said = typeof prompt === 'string' ? prompt : ''
    const isTheClients = said.trim() !== '' && (typedTextOf(said) === '' || planIn(said) !== null)
    return isTyped && !isTheClients ? { kind: 'prompt', text: text(said, LONG) } : null
  },
  PostToolBatch: ({ tool_calls }) => ({ kind: 'batch', tools: list(tool_calls).slice(0, 50).map(toolOf) }),
  Stop: ({ stop_hook_active, last_assistant_message, background_tasks }) => ({
    kind: 'stop',
    again: stop_hook_active === true,
    said: typeof last_assistant_message === 'string' ? cutToLastWords(last_assistant_message, LONG) : '',
    background: list(background_tasks)
      .filter(({ status }) => status === undefined || status === 'running' || status === 'pending')
      .slice(0, 20)
      .map(({ id, description, command }) => ({
        id: text(id, SHORT),
        what: text(description, SHORT) || text(command, SHORT),
      })),
  }),
  StopFailure: ({ error, error_details }) => ({
    kind: 'failure',
    error: text(error, SHORT) || 'unknown',
    details: text(error_details, SHORT),
  }),
  PreCompact: ({ trigger }) => ({ kind: 'compacting', automatic: trigger === 'auto' }),
  PostCompact: ({ compact_summary }) => ({ kind: 'compacted', summary: text(compact_summary, SUMMARY) }),
  SubagentStart: ({ agent_id, agent_type }) => nameTask('helper-started', agent_id, agent_type),
  // The client's own compaction helper ends without ever having started, and has no kind.
  SubagentStop: ({ agent_id, agent_type, last_assistant_message }) =>
    agent_type === ''
      ? null
      : { kind: 'helper-stopped', id: text(agent_id, SHORT), said: text(last_assistant_message, SHORT) },
  TaskCreated: ({ task_id, task_subject }) => nameTask('task-created', task_id, task_subject),
  TaskCompleted: ({ task_id, task_subject }) => nameTask('task-completed', task_id, task_subject),
  SessionEnd: ({ reason }) => ({
    kind: 'end',
    reason: END_REASONS.find((known): known is EndReason => known === reason) ?? 'other',
  }),
}

const nameTask = (
  kind: 'helper-started' | 'task-created' | 'task-completed',
  id: unknown,
  what: unknown,
) => ({
  ...{ kind, id: text(id, SHORT), what: text(what, SHORT) },
})

const SHORT = 300
const LONG = 4_000
const SUMMARY = 64_000

/** A hook's payload as an event; null where it says nothing that is followed. */
export function eventOf(payload: unknown, at: string): AgentEvent | null {
  if (!isRecord(payload)) return null
  const { hook_event_name: name, session_id: session, cwd } = payload
  if (typeof name !== 'string' || !Object.hasOwn(READERS, name)) return null
  if (typeof session !== 'string' || !SESSION_ID.test(session) || typeof cwd !== 'string') return null
  const said = READERS[name]?.(payload) ?? null
  if (said === null) return null
  const common = {
    agent: NAME,
    ...{ session, at, cwd },
    transcript: textOrNull(payload.transcript_path),
    permissionMode: textOrNull(payload.permission_mode),
    helper: textOrNull(payload.agent_id),
  }
  // `as`: both halves were made field by field above; the union of their sums is beyond the compiler.
  return { ...common, ...said } as AgentEvent
}

/** The client's names of the events that can carry words to the model. */
const CARRIERS: { readonly [Kind in AgentEventKind]?: string } = {
  start: 'SessionStart',
  prompt: 'UserPromptSubmit',
  batch: 'PostToolBatch',
  stop: 'Stop',
}

/** What the hook prints: an envelope with words for the model, or nothing at all. */
export function envelope(kind: AgentEventKind, words: string): string {
  const name = CARRIERS[kind]
  return name === undefined || words === ''
    ? ''
    : JSON.stringify({ hookSpecificOutput: { hookEventName: name, additionalContext: words } })
}

function toolOf({ tool_name, tool_input, tool_response }: Payload): ToolUse {
  const input = isRecord(tool_input) ? tool_input : {}
  const name = typeof tool_name === 'string' ? charactersOf(tool_name, 100) : ''
  return {
    name,
    path: textOrNull(input.file_path ?? input.notebook_path),
    isEdit: EDIT_TOOLS.includes(name),
    running: runningOf(input, text(tool_response, 1_000)),
  }
}

/** A helper that goes on by itself, or a command in the background: the client's answer names its id. */
function runningOf({ description, command, prompt }: Payload, answer: string): ToolUse['running'] {
  const helper = /^\s*Async agent launched[\s\S]*?\bagentId: ([\w-]{1,100})/.exec(answer)?.[1]
  if (helper) return { id: helper, kind: 'subagent', what: text(description, SHORT) || text(prompt, SHORT) }
  const task = /^\s*Command running in background with ID: ([\w-]{1,100})/.exec(answer)?.[1]
  return task
    ? { id: task, kind: 'background', what: text(command, SHORT) || text(description, SHORT) }
    : null
}

const isRecord = (value: unknown): value is Payload => typeof value === 'object' && value !== null
const list = (value: unknown): Payload[] => (Array.isArray(value) ? value.filter(isRecord) : [])
/** Half of a pair at the cut has no place in any later text. */
const text = (value: unknown, most: number) => (typeof value === 'string' ? startOf(value, most) : '')
const textOrNull = (value: unknown) =>
  typeof value === 'string' && value !== '' && value.length <= 4_096 ? value : null
