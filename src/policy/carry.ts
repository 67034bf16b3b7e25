import { type BudgetCut, type BudgetFit, type BudgetPart, estimateTokens } from '../core/tokens.ts'
import { addItems, type Claim, stillOverheard, type WorkField, type WorkState } from '../core/work.ts'

/** One step of cutting: when its turn comes, and what of the field it leaves. */
export interface Squeeze {
  turn: number
  /** Only what is finished, superseded or stale; or any, the oldest first. */
  takes: 'spent' | 'oldest'
  leave: 'recent' | number
}

/** `ends`: all items stay, and long ones lose their ends, the oldest first. */
type Turn = Squeeze | { turn: number; takes: 'ends' }

interface TextRule {
  /** What is copied stays unless something new is said; to a list that comes behind what is known. */
  how: 'copy' | 'replace'
  rank: 'must' | 'should'
  squeeze: readonly Turn[]
}

interface ListRule<Item> extends Omit<TextRule, 'how'> {
  how: 'accumulate' | 'summarise' | 'prune'
  /** What makes two items the same one. */
  by: ReadonlyArray<Extract<keyof Item, string>>
}

/** Of a list so many items (`most`) are kept in a checkpoint; all that ever were stay in the history. */
type Carry<Value> =
  Value extends ReadonlyArray<infer Item> ? (TextRule | ListRule<Item>) & { most: number } : TextRule

/**
 * How each field carries forward to the next checkpoint, and what it gives up under pressure. The rank is that of
 * what stands and is recent; what is spent or older may go first. A field that must be kept gives up at most what
 * was superseded. The last step, fact, artifact and decision stay, so that no section that is required is emptied.
 */
export const CARRY = {
  problem: { how: 'copy', rank: 'must', squeeze: [] },
  intent: { how: 'copy', rank: 'must', squeeze: [] },
  decisions: {
    how: 'accumulate',
    rank: 'must',
    by: ['text'],
    most: 300,
    squeeze: [{ turn: 3, takes: 'spent', leave: 1 }],
  },
  constraints: { how: 'copy', rank: 'must', most: 200, squeeze: [] },
  rules: { how: 'copy', rank: 'must', most: 200, squeeze: [] },
  facts: {
    how: 'copy',
    rank: 'should',
    most: 200,
    squeeze: [
      { turn: 8, takes: 'oldest', leave: 1 },
      { turn: 12, takes: 'ends' },
    ],
  },
  done: {
    how: 'summarise',
    rank: 'should',
    by: ['at', 'text'],
    most: 100,
    squeeze: [
      { turn: 4, takes: 'oldest', leave: 'recent' },
      { turn: 6, takes: 'oldest', leave: 3 },
      { turn: 10, takes: 'ends' },
      { turn: 13, takes: 'oldest', leave: 1 },
    ],
  },
  state: { how: 'replace', rank: 'must', squeeze: [] },
  now: { how: 'replace', rank: 'must', squeeze: [] },
  next: { how: 'replace', rank: 'must', most: 100, squeeze: [] },
  blockers: { how: 'replace', rank: 'must', most: 100, squeeze: [] },
  questions: { how: 'replace', rank: 'must', most: 100, squeeze: [] },
  artifacts: {
    how: 'prune',
    rank: 'should',
    by: ['path'],
    most: 100,
    squeeze: [
      { turn: 2, takes: 'spent', leave: 1 },
      { turn: 5, takes: 'oldest', leave: 'recent' },
      { turn: 9, takes: 'oldest', leave: 3 },
      { turn: 11, takes: 'ends' },
      { turn: 14, takes: 'oldest', leave: 1 },
    ],
  },
  references: {
    how: 'prune',
    rank: 'should',
    by: ['kind', 'text'],
    most: 100,
    squeeze: [
      { turn: 1, takes: 'spent', leave: 0 },
      { turn: 7, takes: 'oldest', leave: 0 },
    ],
  },
  position: { how: 'replace', rank: 'must', squeeze: [] },
} as const satisfies { [Field in WorkField]: Carry<WorkState[Field]> }

// `as`: these are the table's own keys.
const FIELDS = Object.keys(CARRY) as Array<WorkField>

/** The work at the next checkpoint: what was known, and what is new, each field by its row of the table. */
export function carryForward(before: WorkState, after: Partial<WorkState>): WorkState {
  const work = { ...before }
  for (const field of FIELDS)
    if (after[field] !== undefined)
      Object.assign(work, { [field]: mergeField(CARRY[field], before[field], after[field]) })
  return stillOverheard(before, work)
}

// `as`: a list merges with its own kind, and the table's type lets only lists be merged.
function mergeField(row: TextRule | ListRule<Entry>, old: unknown, fresh: unknown): unknown {
  if ('by' in row) return mergeLists(old as Entry[], fresh as Entry[], row)
  if (row.how === 'replace') return fresh
  if (Array.isArray(old)) return addItems(old, fresh as Claim[])
  return `${fresh}`.trim() === '' ? old : fresh
}

type Entry = Record<string, unknown>

/** Keeps every item; a repeated item takes its newest values. A pruned list is ordered oldest to newest. */
function mergeLists(old: Entry[], fresh: Entry[], { how, by }: ListRule<Entry>): Entry[] {
  const key = (item: Entry) => JSON.stringify(by.map((name) => item[name]))
  const latest = new Map(fresh.map((item) => [key(item), item]))
  const known = new Map(old.map((item) => [key(item), item]))
  if (how === 'prune')
    return [
      ...old.filter((item) => !latest.has(key(item))),
      ...[...latest].map(([name, item]) => overlayItem(known.get(name) ?? {}, item)),
    ]
  return [
    ...old.map((item) => overlayItem(item, latest.get(key(item)) ?? {})),
    ...[...latest].filter(([name]) => !known.has(name)).map(([, item]) => item),
  ]
}

/** A known item with what is said of it now. What is empty, and that it stood in a file, says nothing of what is known. */
export function overlayItem<Item extends object>(item: Item, fresh: Partial<Item>): Item {
  const said = Object.entries(fresh).filter(([name, value]) => !(name in item) || saysSomething(name, value))
  const both = { ...item, ...Object.fromEntries(said) }
  // Why it was rejected is part of what became of it.
  if ('supersededBy' in fresh && !('rejected' in fresh)) Reflect.deleteProperty(both, 'rejected')
  return both
}

/** That nothing superseded a decision is something to say. */
const saysSomething = (name: string, value: unknown) =>
  value !== '' && (value !== null || name === 'supersededBy') && !(name === 'origin' && value === 'file')

const LADDER: ReadonlyArray<Turn & { field: WorkField }> = FIELDS.flatMap((field) =>
  CARRY[field].squeeze.map((turn: Turn) => ({ field, ...turn })),
).sort((a, b) => a.turn - b.turn)

/** From this turn on only an absolute budget cuts: it clips lines, and then takes what is recent as well. */
const FIRST_HARD_TURN = 10

/** The steps that every budget takes. */
export const SQUEEZES = LADDER.flatMap((turn) =>
  turn.takes === 'ends' || turn.turn >= FIRST_HARD_TURN ? [] : [turn],
)

/**
 * Which parts fit into a budget. Parts are in the order of the document, oldest first within a field; cutting goes
 * by the turns of the table, oldest first, and stops as soon as it fits. `prune` takes what is finished or stale
 * out whatever the budget; `hard` goes on to the turns of an absolute budget. `fixed` are tokens that are there anyway; a
 * summary that the caller writes for what was cut is the caller's to add there.
 */
export function fitToBudget(
  parts: readonly BudgetPart[],
  { tokens = 1_000, fixed = 0, prune = false, hard = false } = {},
): BudgetFit {
  /** What became of a part, by its place; one that was shortened may go as a whole later. */
  const fates = new Map<number, Fate>()
  const costAt = (at: number, { text, clip = text }: BudgetPart) =>
    estimateTokens(fates.has(at) ? clip : text)
  const isClipped = (at: number) => fates.get(at)?.how === CLIP.how
  const isKept = (at: number) => !fates.has(at) || isClipped(at)
  let total = parts.reduce((sum, { text }) => sum + estimateTokens(text), fixed)
  for (const { field, ...turn } of hard ? LADDER : SQUEEZES) {
    const mine = [...parts.entries()].filter(([at, part]) => part.field === field && isKept(at))
    // A superseded decision is history, not litter: it is cut only when the budget demands it.
    const isLitter = prune && turn.takes === 'spent' && CARRY[field].how === 'prune'
    for (const [at, part] of partsToTake(turn, mine)) {
      if (total <= tokens && !isLitter) break
      const isClip = turn.takes === 'ends'
      total -= costAt(at, part)
      // Set anew, so that cuts are told in the order in which they were made.
      fates.delete(at)
      fates.set(at, { field, ...(isClip ? CLIP : fateOf(part)) })
      if (isClip) total += costAt(at, part)
    }
  }
  return {
    kept: parts.map((_, at) => isKept(at)),
    clipped: parts.map((_, at) => isClipped(at)),
    cuts: countCuts([...fates.values()]),
    ...{ tokens: total, fits: total <= tokens },
  }
}

function partsToTake<Entry extends [number, BudgetPart]>(turn: Turn, mine: Entry[]): Entry[] {
  if (turn.takes !== 'ends') return takeOldest(turn, mine, ([, part]) => Boolean(part.finished || part.stale))
  return mine.filter(([, { text, clip = text }]) => estimateTokens(clip) < estimateTokens(text))
}

const KEEP_RECENT = 10

/** What a turn may take of the items of its field, in its order: the oldest first. */
export function takeOldest<T>(
  { takes, leave }: Pick<Squeeze, 'takes' | 'leave'>,
  mine: T[],
  isSpent: (item: T) => boolean,
): T[] {
  const most = mine.length - (leave === 'recent' ? KEEP_RECENT : leave)
  return mine.filter((item) => takes === 'oldest' || isSpent(item)).slice(0, Math.max(0, most))
}

type Fate = Omit<BudgetCut, 'count'>

const CLIP = { how: 'shortened', why: 'long' } as const

function fateOf({ field, finished = false, stale = false }: BudgetPart): Omit<Fate, 'field'> {
  if (stale) return { how: 'pruned', why: 'stale' }
  if (finished && field === 'decisions') return { how: 'summarised', why: 'superseded' }
  if (finished) return { how: 'pruned', why: 'finished' }
  return { how: CARRY[field].how === 'summarise' ? 'summarised' : 'pruned', why: 'older' }
}

function countCuts(fates: Fate[]): BudgetCut[] {
  const cuts = new Map<string, BudgetCut>()
  for (const fate of fates) {
    const key = `${fate.field} ${fate.why}`
    cuts.set(key, { ...fate, count: (cuts.get(key)?.count ?? 0) + 1 })
  }
  return [...cuts.values()]
}
