import type { ToolInput, TranscriptEntry } from '../../core/transcript.ts'
import { startOf } from './cut-text.ts'
import type { HeldEntry } from './transcript-carry.ts'
import type { UserRefusal } from './transcript-refusal.ts'
import type { Block } from './transcript-row.ts'
import { cutTextOf, membersOf, nameIn } from './transcript-value.ts'

type HeldValue = HeldEntry['entry']
type TaskState = Extract<TranscriptEntry, { kind: 'todo' }>['state']

const MOST = {
  path: 4_096,
  command: 1_000,
  prompt: 2_000,
  description: 300,
  plan: 20_000,
  question: 1_000,
  item: 300,
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

/** What matters of a call's input. */
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
export function heldEntryOf({ name, input }: Block, at: string): HeldEntry | null {
  if (typeof input !== 'object' || input === null) return null
  if (name === 'AskUserQuestion') return { entry: { at, kind: 'asks', questions: questionsIn(input) } }
  if (name === 'ExitPlanMode')
    return {
      entry: {
        at,
        kind: 'plan',
        text: cutTextOf(membersOf(input).plan, MOST.plan).trim(),
        verdict: 'shown',
        path: '',
      },
    }
  const value = membersOf(input)
  if (name === 'TodoWrite') return todosOf(value.todos, at)
  if (name !== 'TaskCreate' && name !== 'TaskUpdate') return null
  const text = textOf(value.subject, MOST.item)
  if (name === 'TaskCreate')
    return text === '' ? null : { entry: { at, kind: 'todo', id: '', text, state: 'open' } }
  const id = textOf(value.taskId, MOST.item)
  const state = stateOf(value.status)
  if (id === '') return null
  const entry: HeldValue = { at, kind: 'todo', id, text, state: state ?? 'open' }
  return state === undefined ? { entry, keepsState: true } : { entry }
}

function todosOf(value: unknown, at: string): HeldEntry | null {
  if (!Array.isArray(value)) return null
  const items: Extract<TranscriptEntry, { kind: 'todos' }>['items'] = []
  for (const item of value.slice(0, MOST_ITEMS.todos)) {
    const { content, status } = membersOf(item)
    const text = textOf(content, MOST.item)
    const state = stateOf(status) ?? 'open'
    if (text !== '' && state !== 'deleted') items.push({ text, state })
  }
  return { entry: { at, kind: 'todos', items } }
}

/** What a call has told, now that its result is there: `ok` says that it ran. Empty where the result leaves nothing. */
export function releaseHeld(
  held: HeldValue,
  at: string,
  { ok, refusal }: { ok: boolean; refusal: UserRefusal | null },
  text: string,
  result: unknown,
): TranscriptEntry[] {
  const value = membersOf(result)
  if (held.kind === 'plan') {
    if (!ok && !refusal?.byUser) return []
    const path = textOf(value.filePath, MOST.path) || (SAVED_TO.exec(text)?.[1] ?? '')
    return [
      {
        at,
        kind: 'plan',
        text: textOf(value.plan, MOST.plan),
        verdict: ok ? 'approved' : 'refused',
        path,
      },
    ]
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
      ...{ at, kind: 'request', how: 'answer', text: answer, about: question },
    }))
  }
  if (!ok) return []
  if (held.kind === 'todos' || held.id !== '') return [{ ...held, at }]
  const id =
    textOf(membersOf(value.task).id, MOST.item) || (/^Task #(\S{1,40}) created/.exec(text)?.[1] ?? '')
  return id === '' ? [] : [{ ...held, at, id }]
}

const SAVED_TO = /Your plan has been saved to: (\S{1,400})/

function questionsIn(input: unknown): Extract<TranscriptEntry, { kind: 'asks' }>['questions'] {
  const { questions } = membersOf(input)
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
      const choice = textOf(
        Array.isArray(answer) ? answer.filter(isString).join(', ') : answer,
        MOST.question,
      )
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
