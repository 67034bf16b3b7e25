import { wellFormed } from '../../core/canonical.ts'
import { describeError, usageError } from '../../core/reason.ts'
import type { Breadcrumb } from '../../core/work.ts'
import { type NamedFile, parseNamedFile, type Saying, type Statement } from '../../policy/save.ts'

/** What can be said on stdin: a saying, and what else a save can be told. */
export interface PipedInput {
  saying: Partial<Saying>
  plan: string | null
  stage: string | null
  tddPhase: string | null
}

type ReadField = (value: unknown, key: string) => Partial<Saying> | Partial<Omit<PipedInput, 'saying'>>

/** An empty text says nothing: a work state that is told has many of them. */
const one = (field: 'summary' | 'now' | 'state' | 'problem' | 'goal') => (value: unknown, key: string) => ({
  [field]: value === '' ? null : textOf(value, key),
})
const texts =
  (field: 'next' | 'blockers' | 'commands' | 'ids' | 'learnings' | 'supersedes' | 'resolve' | 'confirm') =>
  (value: unknown, key: string) => ({ [field]: listOf(value, key).map((item) => plainOf(item, key)) })
const claims =
  (field: 'decisions' | 'questions' | 'constraints' | 'rules' | 'facts') =>
  (value: unknown, key: string) => ({
    [field]: listOf(value, key).map((item) => statementOf(item, key)),
  })
const place = (field: 'plan' | 'stage' | 'tddPhase') => (value: unknown, key: string) => ({
  [field]: value === null ? null : textOf(typeof value === 'number' ? String(value) : value, key),
})

/** Every key, by the name it has in the flags, in the work state and in the notes of other tools. */
const KEYS: Readonly<Record<string, ReadField>> = {
  summary: one('summary'),
  now: one('now'),
  state: one('state'),
  problem: one('problem'),
  goal: one('goal'),
  intent: one('goal'),
  decisions: claims('decisions'),
  next: texts('next'),
  next_action: texts('next'),
  blockers: texts('blockers'),
  questions: claims('questions'),
  constraints: claims('constraints'),
  rules: claims('rules'),
  facts: claims('facts'),
  done: (value, key) => ({ done: listOf(value, key).map((item) => stepOf(item, key)) }),
  files: (value, key) => ({ files: listOf(value, key).map((item) => fileOf(item, key)) }),
  artifacts: (value, key) => ({ files: listOf(value, key).map((item) => fileOf(item, key)) }),
  commands: texts('commands'),
  ids: texts('ids'),
  learnings: texts('learnings'),
  references: (value, key) => ({ references: listOf(value, key).map((item) => referenceOf(item, key)) }),
  supersedes: texts('supersedes'),
  resolve: texts('resolve'),
  confirm: texts('confirm'),
  plan: place('plan'),
  stage: place('stage'),
  tdd_phase: place('tddPhase'),
  position: positionOf,
  unconfirmed: (value, key) => ({ unconfirmed: flagOf(value, key) }),
  // A piped work state may have `overheard` fields; saving it makes them all the caller's own.
  overheard: () => ({}),
}

/** Reads what was piped in. A key that nobody knows is refused: a slip of the pen must not lose a decision. */
export function readSaying(text: string): PipedInput {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw usageError(`stdin is not JSON: ${describeError(error)}`)
  }
  if (!isRecord(value)) throw usageError('stdin must hold one JSON object')
  const found: Record<string, unknown> = {}
  for (const [key, given] of Object.entries(value)) {
    const read = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined
    if (!read)
      throw usageError(
        `stdin has an unknown key ${JSON.stringify(key.slice(0, 60))}; known: ${Object.keys(KEYS).join(', ')}`,
      )
    for (const [field, told] of Object.entries(read(given, key))) found[field] = joinLists(found[field], told)
  }
  const { plan = null, stage = null, tddPhase = null, ...saying } = found
  // `as`: every value was read by its key's own reader just above.
  return { saying, plan, stage, tddPhase } as PipedInput
}

/** Two keys may name the same field: their lists come together. */
const joinLists = (before: unknown, after: unknown) =>
  Array.isArray(before) && Array.isArray(after) ? [...before, ...after] : after

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function textOf(value: unknown, key: string): string {
  if (typeof value !== 'string' || value.trim() === '')
    throw usageError(`"${key}" on stdin must be a text that says something`)
  return wellFormed(value.trim())
}

/** One item may stand for a list of one. */
const listOf = (value: unknown, key: string): unknown[] => {
  if (value === null) throw usageError(`"${key}" on stdin must be a text or a list`)
  return Array.isArray(value) ? value : [value]
}

const plainOf = (item: unknown, key: string) => textOf(isRecord(item) ? item.text : item, key)

function statementOf(item: unknown, key: string): Statement {
  if (!isRecord(item)) return textOf(item, key)
  const { text, why, confirmed, supersededBy } = item
  return {
    text: textOf(text, `${key}.text`),
    ...(why === undefined || why === '' ? {} : { why: textOf(why, `${key}.why`) }),
    ...(confirmed === undefined ? {} : { confirmed: flagOf(confirmed, `${key}.confirmed`) }),
    ...(supersededBy ? { supersededBy: textOf(supersededBy, `${key}.supersededBy`) } : {}),
  }
}

function stepOf(item: unknown, key: string): Saying['done'][number] {
  if (!isRecord(item) || !item.at) return plainOf(item, key)
  return { text: textOf(item.text, `${key}.text`), at: textOf(item.at, `${key}.at`) }
}

function fileOf(item: unknown, key: string): NamedFile {
  if (!isRecord(item)) return parseNamedFile(textOf(item, key))
  const textField = (name: 'action' | 'description') =>
    item[name] ? { [name]: textOf(item[name], `${key}.${name}`) } : {}
  return { path: textOf(item.path, `${key}.path`), ...textField('action'), ...textField('description') }
}

function referenceOf(item: unknown, key: string): Breadcrumb {
  if (!isRecord(item)) return { kind: 'note', text: textOf(item, key) }
  return { kind: textOf(item.kind, `${key}.kind`), text: textOf(item.text, `${key}.text`) }
}

/** As a work state has it, so that one that was told can be saved again. */
function positionOf(value: unknown, key: string): Partial<Omit<PipedInput, 'saying'>> {
  if (!isRecord(value)) throw usageError(`"${key}" on stdin must be an object`)
  const textField = (name: string) => (value[name] ? textOf(value[name], `${key}.${name}`) : null)
  return { plan: textField('planName'), stage: textField('stage'), tddPhase: textField('tddPhase') }
}

function flagOf(value: unknown, key: string): boolean {
  if (typeof value !== 'boolean') throw usageError(`"${key}" on stdin must be true or false`)
  return value
}
