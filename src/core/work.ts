import type { Plan } from './plan.ts'
import { collapseSpaces, comparableText } from './text.ts'

/** Where a statement came from. */
export type Origin = 'user' | 'agent' | 'inferred' | 'file' | 'tool'

export interface Claim {
  text: string
  origin: Origin
  confirmed: boolean
}

export interface Decision extends Claim {
  why: string
  supersededBy: string | null
  /**
   * Why it was rejected, where it was. A rejected decision has no successor and names itself there: programs that do
   * not know this field take it for superseded.
   */
  rejected?: string
}

/** Whether an item of the work holds: only a decision can be rejected or superseded. */
export const stands = (item: object) => !('supersededBy' in item) || item.supersededBy === null

export const isRejection = (one: Decision) => one.rejected !== undefined && !stands(one)

/** The rejected decisions, by their words. */
export const rejectionsIn = ({ decisions }: Pick<WorkState, 'decisions'>): Map<string, Decision> =>
  new Map(decisions.filter(isRejection).map((one) => [comparableText(one.text), one]))

export interface Item {
  text: string
}

export interface Step {
  text: string
  at: string | null
}

export interface Artifact {
  path: string
  action: string
  description: string
  /** A fingerprint of its content at the save, to tell later whether it changed; absent if none was taken. */
  seen?: string
}

/** A file that the work took away. */
export const isDeleted = ({ action }: Pick<Artifact, 'action'>) =>
  /^(?:deleted|removed)$/i.test(action.trim())

export interface Breadcrumb {
  kind: string
  text: string
}

/** What stopped a run, until a step starts again. */
export interface Fault {
  reasonCode: string
  recoverable: boolean
  message: string
}

export interface Position {
  plan: Plan | null
  /** The plan that a tool beside this one names as active; empty or absent without one. */
  planName?: string
  /** The step that was touched last. */
  step: string | null
  fault: Fault | null
  stage: string
  tddPhase: string
  anchor: string
}

/** Fields that a session's talk fills where nobody saved them. */
export const OVERHEARD = ['intent', 'now', 'next', 'questions', 'blockers'] as const
export type OverheardField = (typeof OVERHEARD)[number]

/** What somebody chose or wants: a word of the user's, or not confirmed by them. */
export const CHOICES = ['decisions', 'constraints', 'rules'] as const

/** What holds beyond one task. */
export const KNOWLEDGE = [...CHOICES, 'facts'] as const

/** The lists of claims: each can be marked UNCONFIRMED, and confirmed. */
export const CLAIMS = [...KNOWLEDGE, 'questions'] as const

/** Lists of which a single item can be taken back or said in other words. */
export const CORRECTABLE = [...CLAIMS, 'next', 'blockers'] as const
export type CorrectableField = (typeof CORRECTABLE)[number]

/** An item that was taken out of its list, or is said in other words now. */
export interface CorrectedItem {
  field: CorrectableField
  text: string
  to?: string
}

/** The fields of a work state. */
export type WorkField = Exclude<keyof WorkState, 'overheard' | 'corrected' | 'unlisted'>

/** Where work stands. Every field of every document format has a home here. */
export interface WorkState {
  problem: string
  intent: string
  decisions: Decision[]
  constraints: Claim[]
  rules: Claim[]
  facts: Claim[]
  done: Step[]
  state: string
  now: string
  next: Item[]
  blockers: Item[]
  questions: Claim[]
  artifacts: Artifact[]
  references: Breadcrumb[]
  position: Position
  /** Fields that nobody saved: they were taken from a session's talk. Absent in what older versions wrote. */
  overheard?: OverheardField[]
  /** What was taken back, newest last: neither an older document nor an older session brings it back. */
  corrected?: CorrectedItem[]
  /** How many uncommitted files the last save did not list, because there were too many. */
  unlisted?: number
}

export type ListedItem = Partial<Record<'path' | 'kind' | 'text', string | undefined>>

/** What makes an item of a list the same one, whatever its blanks: its path, or its words and their kind. */
export const itemKey = ({ path, kind = '', text = '' }: ListedItem) =>
  path === undefined ? `${kind}\n${collapseSpaces(text)}` : collapseSpaces(path)

/** What tells the items of a field from each other: a text is an item of its own, and nothing where it is empty. */
export function itemNames(work: WorkState, field: Exclude<WorkField, 'position'>): string[] {
  const value = work[field]
  if (typeof value === 'string') return value.trim() === '' ? [] : [value]
  return value.map((item) =>
    'path' in item ? item.path : 'kind' in item ? `${item.kind}: ${item.text}` : item.text,
  )
}

/** What was learned in the work, for a time when it is over. */
export const learningsIn = ({ references }: Pick<WorkState, 'references'>): string[] =>
  references.flatMap(({ kind, text }) => (kind === 'learning' ? [text] : []))

/** The items whose words are not known yet, each once. */
export function newItems<Item extends { text: string }>(
  known: ReadonlyArray<{ text: string }>,
  fresh: readonly Item[],
): Item[] {
  const texts = new Set(known.map(({ text }) => comparableText(text)))
  return fresh.filter(({ text }) => !texts.has(comparableText(text)) && texts.add(comparableText(text)))
}

/** The known items as they are, and behind them those that are new. */
export const addItems = <Item extends { text: string }>(known: readonly Item[], fresh: readonly Item[]) => [
  ...known,
  ...newItems(known, fresh),
]

/** Keeps the `overheard` flag of fields that did not change; a field that was saved since loses it. */
export function stillOverheard(before: WorkState, after: WorkState): WorkState {
  if (!before.overheard) return after
  const isSame = (field: OverheardField) => JSON.stringify(before[field]) === JSON.stringify(after[field])
  return { ...after, overheard: before.overheard.filter(isSame) }
}

/** The work with nothing in some of its fields. */
export function clearFields(work: WorkState, fields: readonly WorkField[] = []): WorkState {
  const nothing = emptyWork()
  return { ...work, ...Object.fromEntries(fields.map((field) => [field, nothing[field]])) }
}

export function emptyWork(): WorkState {
  return {
    problem: '',
    intent: '',
    decisions: [],
    constraints: [],
    rules: [],
    facts: [],
    done: [],
    state: '',
    now: '',
    next: [],
    blockers: [],
    questions: [],
    artifacts: [],
    references: [],
    position: { plan: null, step: null, fault: null, stage: '', tddPhase: '', anchor: '' },
  }
}
