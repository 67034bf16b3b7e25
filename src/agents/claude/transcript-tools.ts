import type { CallKind, CallOutcome, ToolInput, TranscriptEntry } from '../../core/transcript.ts'
import { EDIT_TOOLS } from './edit-tools.ts'
import type { EntryBody, HeldEntry } from './transcript-carry.ts'
import type { UserRefusal } from './transcript-prompt.ts'
import type { Block } from './transcript-row.ts'
import { cutTextOf, membersOf, nameIn, startOf } from './transcript-value.ts'

type HeldValue = HeldEntry['entry']
type TaskState = Extract<TranscriptEntry, { kind: 'todo' }>['state']

const MOST = {
  ...{ path: 4_096, command: 1_000, prompt: 2_000, description: 300 },
  ...{ plan: 20_000, question: 1_000, item: 300 },
}
const MOST_ITEMS = { answers: 20, todos: 100, questions: 8, options: 8 }
const STATES: Record<string, TaskState> = {
  pending: 'open',
  in_progress: 'doing',
  completed: 'done',
  deleted: 'deleted',
}

/** Members of an input that name the task which the call is about. */
const TASKS = ['task_id', 'bash_id', 'shell_id']
const PATHS = ['file_path', 'notebook_path', 'path']

export function toolInput(value: unknown): ToolInput {
  const members = membersOf(value)
  const nameAt = (keys: readonly string[], max: number) =>
    keys.map((key) => nameIn(members[key], max)).find((name) => name !== '') ?? ''
  const input: Record<string, string> = {
    path: nameAt(PATHS, MOST.path),
    command: cutTextOf(members.command, MOST.command),
    description: cutTextOf(members.description, MOST.description),
    helper: nameIn(members.subagent_type, MOST.description),
    prompt: cutTextOf(members.prompt, MOST.prompt),
    task: nameAt(TASKS, MOST.description),
  }
  const said = Object.fromEntries(Object.entries(input).filter(([, text]) => text !== ''))
  return members.run_in_background === true ? { ...said, background: true } : said
}

/** What a call will have told once its result is no error; null for tools that only do things. */
export function heldEntryOf({ name, input }: Block): HeldEntry | null {
  if (typeof input !== 'object' || input === null) return null
  const value = membersOf(input)
  if (name === 'AskUserQuestion') return { entry: { kind: 'asks', questions: questionsIn(value.questions) } }
  if (name === 'ExitPlanMode') {
    const text = cutTextOf(value.plan, MOST.plan).trim()
    return { entry: { kind: 'plan', text, verdict: 'shown', path: '' } }
  }
  if (name === 'TodoWrite') return todosOf(value.todos)
  if (name !== 'TaskCreate' && name !== 'TaskUpdate') return null
  const text = textOf(value.subject, MOST.item)
  if (name === 'TaskCreate')
    return text === '' ? null : { entry: { kind: 'todo', id: '', text, state: 'open' } }
  const id = textOf(value.taskId, MOST.item)
  const state = stateOf(value.status)
  if (id === '') return null
  const entry: HeldValue = { kind: 'todo', id, text, state: state ?? 'open' }
  return state === undefined ? { entry, keepsState: true } : { entry }
}

function todosOf(value: unknown): HeldEntry | null {
  if (!Array.isArray(value)) return null
  const items: Extract<TranscriptEntry, { kind: 'todos' }>['items'] = []
  for (const item of value.slice(0, MOST_ITEMS.todos)) {
    const { content, status } = membersOf(item)
    const text = textOf(content, MOST.item)
    const state = stateOf(status) ?? 'open'
    if (text !== '' && state !== 'deleted') items.push({ text, state })
  }
  return { entry: { kind: 'todos', items } }
}

/** What a call has told, now that its result is there: `ok` says that it ran. Empty where the result leaves nothing. */
export function releaseHeld(
  held: HeldValue,
  { ok, refusal }: { ok: boolean; refusal: UserRefusal | null },
  text: string,
  result: unknown,
): EntryBody[] {
  const value = membersOf(result)
  if (held.kind === 'plan') {
    if (!ok && !refusal?.byUser) return []
    const path = textOf(value.filePath, MOST.path) || (SAVED_TO.exec(text)?.[1] ?? '')
    const verdict = ok ? 'approved' : 'refused'
    return [{ kind: 'plan', text: textOf(value.plan, MOST.plan), verdict, path }]
  }
  if (held.kind === 'asks') {
    const free = /^The user responded: ([\s\S]{1,1000})/.exec(text)?.[1]
    const [first] = held.questions
    const answers = !ok
      ? (refusal?.answers ?? [])
      : free !== undefined
        ? [{ question: first?.question ?? '', answer: free.trim() }]
        : answersIn(value.answers, value.annotations, text)
    return answers.map(({ question, answer }) => ({
      ...{ kind: 'request', how: 'answer', text: answer, about: question },
    }))
  }
  if (!ok) return []
  if (held.kind === 'todos' || held.id !== '') return [held]
  const id =
    textOf(membersOf(value.task).id, MOST.item) || (/^Task #(\S{1,40}) created/.exec(text)?.[1] ?? '')
  return id === '' ? [] : [{ ...held, id }]
}

const SAVED_TO = /Your plan has been saved to: (\S{1,400})/

function questionsIn(questions: unknown): Extract<TranscriptEntry, { kind: 'asks' }>['questions'] {
  if (!Array.isArray(questions)) return []
  return questions.slice(0, MOST_ITEMS.questions).map((one) => {
    const { question, options } = membersOf(one)
    return {
      question: textOf(question, MOST.question),
      options: (Array.isArray(options) ? options : [])
        .slice(0, MOST_ITEMS.options)
        .map((option) => textOf(membersOf(option).label, MOST.item))
        .filter((label) => label !== ''),
    }
  })
}

/** By the client's own record, with what the user noted beside a choice; else by the sentence that it told the agent. */
function answersIn(answers: unknown, annotations: unknown, text: string) {
  const chosen: Array<[string, unknown]> =
    typeof answers === 'object' && answers !== null
      ? Object.entries(answers)
      : [...text.matchAll(/"([^"]{1,1000})"="([^"]{1,1000})"/g)].map(([, question = '', answer = '']) => [
          question,
          answer,
        ])
  return chosen
    .map(([question, answer]) => {
      const notes = textOf(membersOf(membersOf(annotations)[question]).notes, MOST.question)
      const said: unknown = Array.isArray(answer) ? answer.filter(isString).join(', ') : answer
      const choice = textOf(said, MOST.question)
      const whole = [choice, notes].filter((part) => part !== '').join(': ')
      return { question: startOf(question, MOST.question), answer: startOf(whole, MOST.question) }
    })
    .filter(({ answer }) => answer !== '')
    .slice(0, MOST_ITEMS.answers)
}

const isString = (value: unknown) => typeof value === 'string'

const textOf = (value: unknown, most: number) =>
  typeof value === 'string' ? startOf(value.trim(), most) : typeof value === 'number' ? String(value) : ''

const stateOf = (value: unknown): TaskState | undefined =>
  typeof value === 'string' && Object.hasOwn(STATES, value) ? STATES[value] : undefined

const KINDS = new Map<string, CallKind>([
  ...EDIT_TOOLS.map((name) => [name, 'edit'] as const),
  ['Write', 'write'],
  ...['Task', 'Agent'].map((name) => [name, 'help'] as const),
  ...['TaskOutput', 'AgentOutputTool', 'BashOutput'].map((name) => [name, 'look'] as const),
  ...['TaskStop', 'KillShell', 'KillBash'].map((name) => [name, 'stop'] as const),
  ['TeamDelete', 'dismiss'],
  ...['ExitPlanMode', 'EnterPlanMode', 'AskUserQuestion', 'TodoWrite'].map(
    (name) => [name, 'speak'] as const,
  ),
  ...['TaskCreate', 'TaskUpdate', 'TaskList', 'TaskGet', 'Skill'].map((name) => [name, 'speak'] as const),
])

/** Our own tools, by the name that the client gives them. */
const OURS = /^mcp_.*_savepoint_[a-z_]+$/

/** What a call of one of the client's tools does; empty for one that only does something. */
export function callKindOf(name: string, { helper }: ToolInput): { does?: CallKind } {
  const does = OURS.test(name) ? 'ours' : helper ? 'help' : KINDS.get(name)
  return does === undefined ? {} : { does }
}

// The client's own words where a call goes on behind the scenes, and the name that it gives to it.
const STARTED =
  /^(?:Command (?:is )?running in (?:the )?background with ID|Async agent launched|Spawned successfully|Command was (?:manually|automatically) backgrounded)/i
const HANDLE = /(?:\b(?:ID|agentId|task_id)[:=] ?|^name: )`?([A-Za-z0-9_-]{3,80})/m
const BROKE = /^(?:API Error\b|\[Request interrupted)/
const COMPLETED = /<status>completed<\/status>|\bstatus: completed\b/i
const OVER = /<status>(?:completed|failed|killed|stopped)<\/status>|\bstatus: (?:completed|failed|killed)\b/i
const NEVER_RAN =
  /^(?:Error: )?(?:<tool_use_error>|This (?:Bash )?command (?:requires approval|contains multiple operations)|Claude requested permissions|Permission to use |Cancelled: |Sibling tool call errored)/
const CREATED = /\bcreated\b/i
const EXIT_CODE = /^(?:Error: )?Exit code (\d{1,3})\b/m

/** What the client says of a call in its result: its text may be a tool's, so whoever reads it asks what the call was. */
export function outcomeIn(text: string, failed: boolean): CallOutcome {
  const outcome: CallOutcome = {}
  const opening = text.slice(0, 200)
  if (BROKE.test(text)) outcome.broke = true
  const code = EXIT_CODE.exec(opening)?.[1]
  if (code !== undefined) outcome.code = Number(code)
  if (failed) {
    if (NEVER_RAN.test(text)) outcome.neverRan = true
    return outcome
  }
  if (STARTED.test(text)) outcome.goesOn = true
  const handle = HANDLE.exec(text)?.[1]
  if (handle !== undefined) outcome.handle = handle
  if (OVER.test(text)) outcome.over = COMPLETED.test(text) ? 'well' : 'failed'
  if (CREATED.test(opening)) outcome.created = true
  return outcome
}
