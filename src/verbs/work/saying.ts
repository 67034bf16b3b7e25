import { isAbsolute, join, sep } from 'node:path'
import { wellFormed } from '../../core/canonical.ts'
import { requireName } from '../../core/id.ts'
import { PLANS_HOME, STATE_INDEX_PATH } from '../../core/layout.ts'
import { describeError, usageError } from '../../core/reason.ts'
import type { Breadcrumb } from '../../core/work.ts'
import type { Context } from '../../engine/context/context.ts'
import { fromRoot } from '../../engine/context/inside.ts'
import { NOTICES } from '../../engine/context/notices.ts'
import { digestOf } from '../../engine/surroundings/session-digest.ts'
import { CARRY } from '../../policy/carry.ts'
import { redactAll, type SecretMark } from '../../policy/redact.ts'
import {
  type NamedFile,
  NOTHING_SAID,
  referencesIn,
  type SaveInput,
  type Saying,
  type Statement,
} from '../../policy/save.ts'
import type { WordSource } from '../../policy/whose-word.ts'
import type { Fields, InputOf } from '../define/field.ts'

type ReadItem = (value: unknown, key: string) => unknown

/** An option that says one part of a saying; `part` is also its key in JSON, and `read` reads one value of it. */
const textField = (part: keyof Saying, about: string) =>
  ({ kind: 'text', value: 'TEXT', about, part, read: readText }) as const

const listField = (part: keyof Saying, about: string, read: ReadItem = readPlain, value = 'TEXT') =>
  ({ kind: 'words', value, about, part, read }) as const

/** What can be said at a save, for every verb that saves. */
export const SAYING_FIELDS = {
  text: {
    kind: 'text',
    at: 0,
    label: 'summary',
    typed: true,
    about: 'what you are working on, in one sentence',
  },
  summary: textField('summary', 'what you are working on (with "now": how things stand)'),
  now: textField('now', 'the current step'),
  goal: textField('goal', 'the goal, with success criteria'),
  problem: textField('problem', 'the problem to solve'),
  state: textField('state', 'how things stand'),
  decision: listField('decisions', 'a decision with its reason: "A over B because …"', readStatement),
  next: listField('next', 'a next step; replaces the old ones ("" clears them)'),
  blocker: listField('blockers', 'a blocker; replaces the old ones ("" clears them)'),
  question: listField('questions', 'an open question', readStatement),
  constraint: listField('constraints', 'a constraint or assumption', readStatement),
  rule: listField('rules', 'a rule from the user', readStatement),
  fact: listField('facts', 'a fact about the code or system', readStatement),
  done: listField('done', 'something finished', readStep),
  accomplishment: listField('done', 'something finished, listed with this session'),
  file: {
    ...listField('files', 'a relevant file, or "path: note"', readNamedFile, 'PATH'),
    path: (value: string) => parseNamedFile(value).path,
  },
  command: listField('commands', 'a relevant command', readPlain, 'COMMAND'),
  id: listField('ids', 'a relevant id: ticket, build, process (the work is `stream`)', readPlain, 'ID'),
  learning: listField('learnings', 'a lesson, kept when the work is archived'),
  supersedes: {
    ...listField(
      'supersedes',
      'the decision that the new one replaces (part of its text)',
      readPlain,
      'DECISION',
    ),
  },
  resolve: listField('resolve', 'an answered question', readPlain, 'QUESTION'),
  confirm: listField('confirm', 'an UNCONFIRMED item that the user confirmed', readPlain, 'CLAIM'),
  unconfirmed: { kind: 'flag', about: 'mark the new items UNCONFIRMED' },
  by: {
    kind: 'choice',
    choices: ['user', 'agent'],
    value: 'WHO',
    typed: true,
    about: 'whose words these are (an agent cannot claim to be the user)',
  },
  plan: {
    kind: 'text',
    value: 'NAME',
    check: (name: string) => void requireName(name, 'plan'),
    about: `the active plan (default: the one in ${STATE_INDEX_PATH})`,
  },
  stream: {
    kind: 'text',
    value: 'ID',
    names: 'work',
    check: (name: string) => void requireName(name, 'name'),
    about: 'the work to save to (default: in focus, else of the plan or branch)',
  },
  note: { kind: 'flag', about: `also write a note, even without ${PLANS_HOME}` },
  stdin: { kind: 'flag', typed: true, about: 'read JSON from stdin' },
} as const satisfies Fields

export type SayingInput = InputOf<typeof SAYING_FIELDS>

/** Options that say a part; of two for one part, the first is the one that JSON means. */
const OPTIONS = Object.entries(SAYING_FIELDS).flatMap(([name, field]) =>
  'part' in field ? [{ name, ...field }] : [],
)

/** What was said, part by part; a part may be said more than once. */
type SaidParts = Array<[part: string, value: unknown]>
type Place = Pick<SaveInput, 'plan' | 'stage' | 'tddPhase'>

/** More than this is no summary of anything, and every later checkpoint would carry it. */
const MOST_CHARACTERS = 256 * 1024

const QUESTIONS = [
  'What are you currently working on?',
  'What key decisions were made (and why)?',
  "What's the next action?",
] as const

/** What is to be saved, from the options, from stdin, or asked of the person at the terminal. */
export async function readSaveInput(
  context: Context,
  input: SayingInput,
  { mayBeSilent = false } = {},
): Promise<SaveInput> {
  const piped = input.stdin ? readJson(await context.readInput()) : []
  // Typed paths start from where they are typed. A work state has them from the root, and may be piped in again.
  const { root } = context.place
  const { plan, stage, tddPhase, ...told } = joinParts([
    ...withFilesFrom(root, root, piped),
    ...withFilesFrom(root, context.cwd, readOptions(input)),
  ])
  const given = { ...told, ...(await wordSource(context, input.by)) }
  const said = mayBeSilent ? given : await askIfSilent(context, given)
  const secrets = new Set<string>()
  const mark: SecretMark = (kind, secret) => {
    secrets.add(secret)
    return context.mark(kind, secret)
  }
  const saying = redactAll(said, mark)
  const trimmed = input.accomplishment.map((text) => text.trim())
  const accomplishments = redactAll(trimmed, mark)
  const size = JSON.stringify({ ...saying, requests: [] }).length
  if (size > MOST_CHARACTERS)
    throw usageError(`too long: ${size} characters, at most ${MOST_CHARACTERS} are allowed`)
  refuseMany(saying)
  return {
    ...{ saying, stage, tddPhase, stream: input.stream ?? null, note: input.note },
    plan: input.plan ?? (plan && requireName(plan, 'plan')),
    ...{ accomplishments, redacted: secrets.size },
  }
}

/** Whose words a command brings. What an agent says is its own, whatever it claims; its user's requests are known. */
export async function wordSource(context: Context, by?: SayingInput['by']): Promise<WordSource> {
  const { speaker, store, session, notices } = context
  if (speaker === 'user') return { by: by ?? 'user', requests: [] }
  if (by === 'user') notices.push(NOTICES.agentSpeaksForItself)
  const row = session && (await store.log.readSession(session))
  const digest = row && (await digestOf(store, row.session))
  return {
    by: 'agent',
    requests: (digest?.requests ?? []).filter(({ isUnsure }) => !isUnsure).map(({ text }) => text),
  }
}

/** What the options say counts over stdin; lists of both come together. */
function joinParts(parts: SaidParts): Saying & Place {
  const said: Record<string, unknown> = { ...NOTHING_SAID, plan: null, stage: null, tddPhase: null }
  for (const [part, value] of parts) {
    const before = said[part]
    said[part] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value
  }
  // `as`: every value was read by its own reader.
  return said as unknown as Saying & Place
}

/** Files of the workspace by their paths from the root; one outside of it is kept as it was said. */
function withFilesFrom(root: string, base: string, parts: SaidParts): SaidParts {
  const below = fromRoot(root, base) ?? ''
  const fromBase = (path: string) => {
    if (isAbsolute(path)) return fromRoot(root, path) || path
    const way = join(below, path)
    return way === '..' || way.startsWith(`..${sep}`) ? path : way.split(sep).join('/')
  }
  return parts.map(([part, value]) => {
    if (part !== 'files') return [part, value]
    // `as`: its own reader has read it.
    return [part, (value as NamedFile[]).map((file) => ({ ...file, path: fromBase(file.path) }))]
  })
}

/** More than a checkpoint holds would be lost with this very save. */
function refuseMany(saying: Saying): void {
  const given = { ...saying, artifacts: saying.files, references: referencesIn(saying) }
  for (const [field, row] of Object.entries(CARRY)) {
    const list: unknown = Reflect.get(given, field)
    if ('most' in row && Array.isArray(list) && list.length > row.most)
      throw usageError(`too many ${field}: ${list.length}, at most ${row.most} are allowed`)
  }
}

function readOptions({ text, ...options }: SayingInput): SaidParts {
  if (text !== undefined && options.summary !== undefined)
    throw usageError('the summary was given twice: as an argument and with --summary')
  const input: Record<string, unknown> = { ...options, summary: text ?? options.summary }
  const parts = OPTIONS.flatMap(({ name, part, read }): SaidParts => {
    const value = input[name]
    const label = name === 'summary' ? 'the summary' : `--${name}`
    if (typeof value === 'string') return [[part, requireText(value, label)]]
    if (!Array.isArray(value) || value.length === 0) return []
    // One empty text empties the list that is replaced.
    const isReplaced = NOTHING_SAID[part] === null
    const texts = isReplaced ? value.filter((one) => one.trim() !== '') : value
    return [[part, texts.map((one) => read(requireText(one, label), part))]]
  })
  return options.unconfirmed ? [...parts, ['unconfirmed', true]] : parts
}

function requireText(text: string, label: string): string {
  if (text.trim() === '') throw usageError(`${label} is empty`)
  return text.trim()
}

/** Whether a command says nothing that could be saved. */
export const isNothingSaid = (input: SayingInput) => !input.stdin && isSilent(joinParts(readOptions(input)))

/** If nothing was given, a person at a terminal is asked three questions; without a terminal the save is refused. */
async function askIfSilent(context: Context, saying: Saying): Promise<Saying> {
  if (!isSilent(saying)) return saying
  if (context.ask === null)
    throw usageError('nothing to save. Say what you are working on: savepoint save "…" --next "…"')
  const [summary = '', decisions = '', next = ''] = (await context.ask(QUESTIONS)).map((text) => text.trim())
  const lines = (text: string) => text.split(/\r?\n/).filter((line) => line.trim() !== '')
  const asked = {
    ...saying,
    summary: summary === '' ? null : summary,
    decisions: lines(decisions),
    next: next === '' ? null : lines(next),
  }
  if (isSilent(asked)) throw usageError('nothing to save: all answers were empty')
  return asked
}

/** A list that was replaced counts as input also where it is empty. */
const isSilent = (saying: Saying) =>
  OPTIONS.every(
    ({ part }) => saying[part] === null || (NOTHING_SAID[part] !== null && isEmpty(saying[part])),
  ) && saying.references.length === 0

const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0

/** What other tools call a part. */
const ALIASES: Readonly<Record<string, string>> = { intent: 'goal', next_action: 'next', artifacts: 'files' }

/** What only JSON says: where the plan stands, breadcrumbs, and who is sure. */
const OTHERS: Readonly<Record<string, (value: unknown, key: string) => SaidParts>> = {
  references: (value, key) => [['references', readList(value, key, readReference)]],
  plan: (value, key) => [['plan', readPlace(value, key)]],
  stage: (value, key) => [['stage', readPlace(value, key)]],
  tdd_phase: (value, key) => [['tddPhase', readPlace(value, key)]],
  // As a work state has it, so that one that was told can be saved again.
  position: (value, key) => {
    if (!isRecord(value)) throw usageError(`"${key}" on stdin must be an object`)
    const said: Record<string, string> = readRecord(value, key, [], ['planName', 'stage', 'tddPhase'])
    return [
      ['plan', said.planName ?? null],
      ['stage', said.stage ?? null],
      ['tddPhase', said.tddPhase ?? null],
    ]
  },
  unconfirmed: (value, key) => [['unconfirmed', readFlag(value, key)]],
  // A piped work state may have `overheard` fields; saving it makes them all the caller's own.
  overheard: () => [],
  corrected: () => [],
  unlisted: () => [],
}

/** Reads what was piped in. A key that nobody knows is refused: a slip of the pen must not lose a decision. */
function readJson(text: string): SaidParts {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw usageError(`stdin is not JSON: ${describeError(error)}`)
  }
  if (!isRecord(value)) throw usageError('stdin must hold one JSON object')
  return Object.entries(value).flatMap(([key, given]) => readKey(key, given))
}

function readKey(key: string, given: unknown): SaidParts {
  if (Object.hasOwn(OTHERS, key)) return OTHERS[key]?.(given, key) ?? []
  const named = Object.hasOwn(ALIASES, key) ? ALIASES[key] : key
  const option = OPTIONS.find(({ part }) => part === named)
  if (option === undefined) {
    const known = [...OPTIONS.map(({ part }) => part), ...Object.keys(ALIASES), ...Object.keys(OTHERS)]
    const names = [...new Set(known)].join(', ')
    throw usageError(`stdin has an unknown key ${JSON.stringify(key.slice(0, 60))}; known: ${names}`)
  }
  const { part, kind, read } = option
  if (kind === 'words') return [[part, readList(given, key, read)]]
  // An empty text says nothing: a work state that is told has many of them.
  return given === '' ? [] : [[part, read(given, key)]]
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function readText(value: unknown, key: string): string {
  if (typeof value !== 'string' || value.trim() === '')
    throw usageError(`"${key}" on stdin must be a non-empty text`)
  return wellFormed(value.trim())
}

/** One item may stand for a list of one. */
function readList(value: unknown, key: string, read: ReadItem): unknown[] {
  if (value === null) throw usageError(`"${key}" on stdin must be a text or a list`)
  return (Array.isArray(value) ? value : [value]).map((item) => read(item, key))
}

/** The texts of an item by their names: some must say something, of the others those count that do. */
function readRecord<Name extends string>(
  item: Record<string, unknown>,
  key: string,
  required: readonly Name[],
  others: readonly string[] = [],
) {
  const names = [...required, ...others.filter((name) => item[name])]
  const texts = names.map((name) => [name, readText(item[name], `${key}.${name}`)])
  // `as`: each of the required ones is read, or refused.
  return Object.fromEntries(texts) as Record<Name, string>
}

function readPlain(item: unknown, key: string): string {
  return readText(isRecord(item) ? item.text : item, key)
}

function readFlag(value: unknown, key: string): boolean {
  if (typeof value !== 'boolean') throw usageError(`"${key}" on stdin must be true or false`)
  return value
}

function readStatement(item: unknown, key: string): Statement {
  if (!isRecord(item)) return readText(item, key)
  const said = readRecord(item, key, ['text'], ['why', 'supersededBy', 'rejected'])
  const { confirmed } = item
  return confirmed === undefined ? said : { ...said, confirmed: readFlag(confirmed, `${key}.confirmed`) }
}

function readStep(item: unknown, key: string): Saying['done'][number] {
  return isRecord(item) && item.at
    ? readRecord<'text' | 'at'>(item, key, ['text', 'at'])
    : readPlain(item, key)
}

/** `src/login.ts`, or `src/login.ts: the form`. */
function parseNamedFile(text: string): NamedFile {
  const [, path = text, description = ''] = /^(.+?):\s+(.+)$/s.exec(text) ?? []
  return { path, description }
}

function readNamedFile(item: unknown, key: string): NamedFile {
  if (!isRecord(item)) return parseNamedFile(readText(item, key))
  return readRecord(item, key, ['path'], ['action', 'description'])
}

const readReference = (item: unknown, key: string): Breadcrumb =>
  isRecord(item) ? readRecord(item, key, ['kind', 'text']) : { kind: 'note', text: readText(item, key) }

function readPlace(value: unknown, key: string): string | null {
  return value === null ? null : readText(typeof value === 'number' ? String(value) : value, key)
}
