import { isAbsolute } from 'node:path'
import { requireName } from '../../core/id.ts'
import { NOTES, PLANS_HOME, STATE_INDEX_PATH } from '../../core/layout.ts'
import { usageError } from '../../core/reason.ts'
import type { Context } from '../../engine/context/context.ts'
import { fromRoot } from '../../engine/context/inside.ts'
import type { Said } from '../../engine/save/save-input.ts'
import { redactAll } from '../../policy/redact.ts'
import { type FileSaid, fileSaid, MOST, NOTHING_SAID, type Saying } from '../../policy/save.ts'
import type { Fields, InputOf } from '../define/field.ts'
import type { Piped } from './read-saying.ts'

const several = (value: string, about: string) => ({ kind: 'words', value, about }) as const

const single = (value: string, about: string) => ({ kind: 'text', value, about }) as const

/** What can be said at a save, for every verb that saves. */
export const SAYING_FIELDS = {
  text: {
    kind: 'text',
    at: 0,
    label: 'summary',
    typed: true,
    about: 'what you are working on, in a sentence',
  },
  summary: single('TEXT', 'what you are working on, in a sentence; beside "now" it says how things stand'),
  now: single('TEXT', 'what is being worked on right now'),
  goal: single('TEXT', 'what the work is for, with its success criteria'),
  problem: single('TEXT', 'the problem that the work solves'),
  state: single('TEXT', 'how things stand'),
  decision: several('TEXT', 'a decision and its reason: "A over B because …"'),
  next: several('TEXT', 'what to do next; replaces what was next ("" empties it)'),
  blocker: several('TEXT', 'what is in the way; replaces the blockers that were known ("" empties them)'),
  question: several('TEXT', 'an open question'),
  constraint: several('TEXT', 'a constraint or an assumption'),
  rule: several('TEXT', 'a rule that the user gave'),
  fact: several('TEXT', 'something worth knowing about the code or the system'),
  done: several('TEXT', 'something that is finished'),
  accomplishment: several('TEXT', 'something finished that this session is to be known for'),
  file: {
    ...several('PATH', 'a file that matters, or "path: what about it"'),
    path: (value: string) => fileSaid(value).path,
  },
  command: several('COMMAND', 'a command that matters'),
  id: several('ID', 'an id that matters: a ticket, a build, a process (the work itself is `stream`)'),
  learning: several('TEXT', 'something learned, for the archive of the work'),
  supersedes: several('DECISION', 'a known decision that the new one replaces (a part of its text does)'),
  resolve: several('QUESTION', 'a known question that is answered'),
  confirm: several('CLAIM', 'a claim marked UNCONFIRMED that the user has confirmed'),
  unconfirmed: { kind: 'flag', about: 'mark the new claims UNCONFIRMED' },
  by: {
    kind: 'choice',
    choices: ['user', 'agent'],
    value: 'WHO',
    about: 'whose words these are; decisions of an agent are UNCONFIRMED (found out without it)',
  },
  plan: {
    kind: 'text',
    value: 'NAME',
    check: (name: string) => void requireName(name, 'the plan'),
    about: `the plan that is followed; the one that ${STATE_INDEX_PATH} names without it`,
  },
  stream: {
    kind: 'text',
    value: 'ID',
    check: (name: string) => void requireName(name, 'the stream'),
    about: 'save to this piece of work; the one in focus, of the plan or of the branch without it',
  },
  note: {
    kind: 'flag',
    typed: true,
    about: `write a note to ${NOTES.join('/')} also where there is no ${PLANS_HOME}`,
  },
  stdin: { kind: 'flag', typed: true, about: 'read what is to be saved as JSON from stdin' },
} as const satisfies Fields

export type SayingInput = InputOf<typeof SAYING_FIELDS>

/** More than this is no summary of anything, and every later checkpoint would carry it. */
const MOST_CHARACTERS = 256 * 1024

const QUESTIONS = [
  'What are you currently working on?',
  'What key decisions were made (and why)?',
  "What's the next action?",
] as const

/** What is to be saved, from the flags, from stdin, or asked of the person at the terminal. */
export async function saidBy(context: Context, input: SayingInput): Promise<Said> {
  const piped = input.stdin ? await pipedIn(context) : null
  const flags = fromFlags(input)
  const told = { ...NOTHING_SAID, ...piped?.saying }
  const by = input.by ?? context.speaker
  const said = await orAsked(context, { ...both(told, flags), by })
  const saying = redactAll({ ...said, files: said.files.map((file) => known(context, file)) })
  const size = JSON.stringify(saying).length
  if (size > MOST_CHARACTERS)
    throw usageError(`what is to be saved has ${size} characters, ${MOST_CHARACTERS} are allowed`)
  refuseMany(saying)
  return {
    saying,
    plan: input.plan ?? nameOrNull(piped?.plan),
    stage: piped?.stage ?? null,
    tddPhase: piped?.tddPhase ?? null,
    stream: input.stream ?? null,
    note: input.note,
    accomplishments: redactAll(filled(input.accomplishment, '--accomplishment')),
  }
}

/** A file of the workspace by its path from the root, as all of them are known: agents name files by whole paths. */
function known({ place }: Context, file: FileSaid): FileSaid {
  const path = isAbsolute(file.path) ? fromRoot(place.root, file.path) : null
  return path ? { ...file, path } : file
}

/** More than a checkpoint holds would be lost with this very save. */
function refuseMany(saying: Saying): void {
  const given = {
    ...saying,
    artifacts: saying.files,
    references: [...saying.commands, ...saying.ids, ...saying.learnings, ...saying.references],
  }
  for (const [field, most] of Object.entries(MOST)) {
    const list: unknown = Reflect.get(given, field)
    if (Array.isArray(list) && list.length > most)
      throw usageError(`${list.length} ${field} are more than a save holds: ${most}`)
  }
}

async function pipedIn(context: Context): Promise<Piped> {
  const { readSaying } = await import('./read-saying.ts')
  return readSaying(await context.readInput())
}

function nameOrNull(plan: string | null | undefined): string | null {
  return plan ? requireName(plan, 'the plan') : null
}

function fromFlags(input: SayingInput): Saying {
  if (input.text !== undefined && input.summary !== undefined)
    throw usageError('the summary was given twice: once as a word, once by --summary')
  return {
    ...NOTHING_SAID,
    summary: given(input.text ?? input.summary, 'the summary'),
    now: given(input.now, '--now'),
    goal: given(input.goal, '--goal'),
    problem: given(input.problem, '--problem'),
    state: given(input.state, '--state'),
    decisions: filled(input.decision, '--decision'),
    next: replaced(input.next),
    blockers: replaced(input.blocker),
    questions: filled(input.question, '--question'),
    constraints: filled(input.constraint, '--constraint'),
    rules: filled(input.rule, '--rule'),
    facts: filled(input.fact, '--fact'),
    done: [...filled(input.done, '--done'), ...filled(input.accomplishment, '--accomplishment')],
    files: filled(input.file, '--file').map(fileSaid),
    commands: filled(input.command, '--command'),
    ids: filled(input.id, '--id'),
    learnings: filled(input.learning, '--learning'),
    supersedes: filled(input.supersedes, '--supersedes'),
    resolve: filled(input.resolve, '--resolve'),
    confirm: filled(input.confirm, '--confirm'),
    unconfirmed: input.unconfirmed,
  }
}

/** What replaces the list that was known; one empty text empties it. */
const replaced = (texts: readonly string[]) =>
  texts.length === 0 ? null : texts.map((text) => text.trim()).filter((text) => text !== '')

const filled = (texts: readonly string[], flag: string) => texts.map((text) => given(text, flag) ?? '')

function given(text: string | undefined, flag: string): string | null {
  if (text === undefined) return null
  if (text.trim() === '') throw usageError(`${flag} is empty`)
  return text.trim()
}

/** What the flags say counts over stdin; lists come together. */
function both(piped: Saying, flags: Saying): Saying {
  const merged = Object.entries(flags).map(([field, value]) => {
    const before: unknown = Reflect.get(piped, field)
    if (Array.isArray(value)) return [field, [...(Array.isArray(before) ? before : []), ...value]]
    return [field, value === null || value === false ? before : value]
  })
  // `as`: the fields are those of the two sayings.
  return Object.fromEntries(merged) as Saying
}

/** Whether a command says nothing that could be saved. */
export const isNothingSaid = (input: SayingInput) => !input.stdin && isSilent(fromFlags(input))

/** If nothing was given, a person at a terminal is asked three questions; without a terminal the save is refused. */
async function orAsked(context: Context, saying: Saying): Promise<Saying> {
  if (!isSilent(saying)) return saying
  if (context.ask === null)
    throw usageError(
      'there is nothing to save: say what you are working on, as in: savepoint save "…" --next "…"',
    )
  const [summary = '', decisions = '', next = ''] = (await context.ask(QUESTIONS)).map((text) => text.trim())
  const lines = (text: string) => text.split(/\r?\n/).filter((line) => line.trim() !== '')
  const asked = {
    ...saying,
    summary: summary === '' ? null : summary,
    decisions: lines(decisions),
    next: next === '' ? null : lines(next),
  }
  if (isSilent(asked)) throw usageError('there is nothing to save: all answers were empty')
  return asked
}

/** An empty list counts as input: it empties the known list. */
const isSilent = ({ by: _by, unconfirmed: _unconfirmed, next, blockers, ...saying }: Saying) =>
  next === null &&
  blockers === null &&
  Object.values(saying).every((value) => value === null || (Array.isArray(value) && value.length === 0))
