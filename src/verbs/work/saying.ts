import { isAbsolute } from 'node:path'
import { requireName } from '../../core/id.ts'
import { NOTES, PLANS_HOME, STATE_INDEX_PATH } from '../../core/layout.ts'
import { usageError } from '../../core/reason.ts'
import type { Context } from '../../engine/context/context.ts'
import { fromRoot } from '../../engine/context/inside.ts'
import type { SaveInput } from '../../engine/save/save-input.ts'
import { redactAll } from '../../policy/redact.ts'
import { MOST, type NamedFile, NOTHING_SAID, parseNamedFile, type Saying } from '../../policy/save.ts'
import type { Fields, InputOf } from '../define/field.ts'
import type { PipedInput } from './read-saying.ts'

const listField = (value: string, about: string) => ({ kind: 'words', value, about }) as const

const textField = (value: string, about: string) => ({ kind: 'text', value, about }) as const

/** What can be said at a save, for every verb that saves. */
export const SAYING_FIELDS = {
  text: {
    kind: 'text',
    at: 0,
    label: 'summary',
    typed: true,
    about: 'what you are working on, in a sentence',
  },
  summary: textField('TEXT', 'what you are working on, in a sentence; beside "now" it says how things stand'),
  now: textField('TEXT', 'what is being worked on right now'),
  goal: textField('TEXT', 'what the work is for, with its success criteria'),
  problem: textField('TEXT', 'the problem that the work solves'),
  state: textField('TEXT', 'how things stand'),
  decision: listField('TEXT', 'a decision and its reason: "A over B because …"'),
  next: listField('TEXT', 'what to do next; replaces what was next ("" empties it)'),
  blocker: listField('TEXT', 'what is in the way; replaces the blockers that were known ("" empties them)'),
  question: listField('TEXT', 'an open question'),
  constraint: listField('TEXT', 'a constraint or an assumption'),
  rule: listField('TEXT', 'a rule that the user gave'),
  fact: listField('TEXT', 'something worth knowing about the code or the system'),
  done: listField('TEXT', 'something that is finished'),
  accomplishment: listField('TEXT', 'something finished that this session is to be known for'),
  file: {
    ...listField('PATH', 'a file that matters, or "path: what about it"'),
    path: (value: string) => parseNamedFile(value).path,
  },
  command: listField('COMMAND', 'a command that matters'),
  id: listField('ID', 'an id that matters: a ticket, a build, a process (the work itself is `stream`)'),
  learning: listField('TEXT', 'something learned, for the archive of the work'),
  supersedes: listField('DECISION', 'a known decision that the new one replaces (a part of its text does)'),
  resolve: listField('QUESTION', 'a known question that is answered'),
  confirm: listField('CLAIM', 'a claim marked UNCONFIRMED that the user has confirmed'),
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
export async function readSaveInput(context: Context, input: SayingInput): Promise<SaveInput> {
  const piped = input.stdin ? await readPipedInput(context) : null
  const flags = fromFlags(input)
  const told = { ...NOTHING_SAID, ...piped?.saying }
  const by = input.by ?? context.speaker
  const said = await askIfSilent(context, { ...mergeSayings(told, flags), by })
  const saying = redactAll({ ...said, files: said.files.map((file) => byRootPath(context, file)) })
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
    accomplishments: redactAll(requireTexts(input.accomplishment, '--accomplishment')),
  }
}

/** A file of the workspace by its path from the root, as all of them are known: agents name files by whole paths. */
function byRootPath({ place }: Context, file: NamedFile): NamedFile {
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

async function readPipedInput(context: Context): Promise<PipedInput> {
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
    summary: requireText(input.text ?? input.summary, 'the summary'),
    now: requireText(input.now, '--now'),
    goal: requireText(input.goal, '--goal'),
    problem: requireText(input.problem, '--problem'),
    state: requireText(input.state, '--state'),
    decisions: requireTexts(input.decision, '--decision'),
    next: replacementList(input.next),
    blockers: replacementList(input.blocker),
    questions: requireTexts(input.question, '--question'),
    constraints: requireTexts(input.constraint, '--constraint'),
    rules: requireTexts(input.rule, '--rule'),
    facts: requireTexts(input.fact, '--fact'),
    done: [...requireTexts(input.done, '--done'), ...requireTexts(input.accomplishment, '--accomplishment')],
    files: requireTexts(input.file, '--file').map(parseNamedFile),
    commands: requireTexts(input.command, '--command'),
    ids: requireTexts(input.id, '--id'),
    learnings: requireTexts(input.learning, '--learning'),
    supersedes: requireTexts(input.supersedes, '--supersedes'),
    resolve: requireTexts(input.resolve, '--resolve'),
    confirm: requireTexts(input.confirm, '--confirm'),
    unconfirmed: input.unconfirmed,
  }
}

/** What replaces the list that was known; one empty text empties it. */
const replacementList = (texts: readonly string[]) =>
  texts.length === 0 ? null : texts.map((text) => text.trim()).filter((text) => text !== '')

const requireTexts = (texts: readonly string[], flag: string) =>
  texts.map((text) => requireText(text, flag) ?? '')

function requireText(text: string | undefined, flag: string): string | null {
  if (text === undefined) return null
  if (text.trim() === '') throw usageError(`${flag} is empty`)
  return text.trim()
}

/** What the flags say counts over stdin; lists come together. */
function mergeSayings(piped: Saying, flags: Saying): Saying {
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
async function askIfSilent(context: Context, saying: Saying): Promise<Saying> {
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
