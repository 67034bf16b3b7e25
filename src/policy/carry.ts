import { type BudgetCut, type BudgetFit, type BudgetPart, estimateTokens } from '../core/tokens.ts'
import { stillOverheard, type WorkField, type WorkState } from '../core/work.ts'

type Rank = 'must' | 'should'

/** One step of cutting: when its turn comes, and what of the field it leaves. */
export interface Squeeze {
  turn: number
  /** Only what is finished, superseded or stale; or any, the oldest first. */
  takes: 'spent' | 'oldest'
  /** So many of the newest stay in any case. */
  leave: 'recent' | number
}

interface TextRule {
  how: 'copy' | 'replace'
  rank: Rank
  squeeze: readonly Squeeze[]
}

interface ListRule<Item> {
  how: 'accumulate' | 'summarise' | 'prune'
  rank: Rank
  /** What makes two items the same one. */
  by: ReadonlyArray<Extract<keyof Item, string>>
  squeeze: readonly Squeeze[]
}

/** So many items of a list are kept in a checkpoint; all that ever were stay in the history. */
interface Capped {
  most: number
}

type Carry<Value> = Value extends ReadonlyArray<infer Item> ? (TextRule | ListRule<Item>) & Capped : TextRule

/**
 * How each field carries forward to the next checkpoint, and what it gives up under pressure. The rank is that of
 * what stands and is recent; what is spent or older may go first. A field that must be kept gives up at most what
 * was superseded. The last fact, artifact and decision stay, so that no field that has something is emptied.
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
  facts: { how: 'copy', rank: 'should', most: 200, squeeze: [{ turn: 8, takes: 'oldest', leave: 1 }] },
  done: {
    how: 'summarise',
    rank: 'should',
    by: ['at', 'text'],
    most: 100,
    squeeze: [
      { turn: 4, takes: 'oldest', leave: 'recent' },
      { turn: 6, takes: 'oldest', leave: 3 },
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
  for (const field of FIELDS) carry(work, field, after[field])
  return stillOverheard(before, work)
}

function carry<Field extends WorkField>(
  work: WorkState,
  field: Field,
  fresh: WorkState[Field] | undefined,
): void {
  const row: TextRule | ListRule<Entry> = CARRY[field]
  if (fresh === undefined || (row.how === 'copy' && isEmpty(fresh))) return
  // `as`: the table's type lets only lists be merged, and a list merges with its own kind.
  work[field] = (
    'by' in row ? mergeLists(work[field] as unknown as Entry[], fresh as unknown as Entry[], row) : fresh
  ) as typeof fresh
}

type Entry = Record<string, unknown>

const isEmpty = (value: unknown) =>
  typeof value === 'string' ? value.trim() === '' : Array.isArray(value) && value.length === 0

/** Keeps every item; a repeated item takes its newest values. A pruned list is ordered oldest to newest. */
function mergeLists(old: Entry[], fresh: Entry[], { how, by }: ListRule<Entry>): Entry[] {
  const key = (item: Entry) => JSON.stringify(by.map((name) => item[name]))
  const latest = new Map<string, Entry>()
  for (const item of fresh) latest.set(key(item), item)
  const known = new Map(old.map((item) => [key(item), item]))
  const updateItem = (item: Entry) => overlayItem(known.get(key(item)), item)
  if (how === 'prune')
    return [...old.filter((item) => !latest.has(key(item))), ...[...latest.values()].map(updateItem)]
  return [
    ...old.map((item) => overlayItem(item, latest.get(key(item)))),
    ...[...latest].filter(([name]) => !known.has(name)).map(([, item]) => item),
  ]
}

/** An empty text does not erase a known reason or description. */
const overlayItem = (item: Entry = {}, fresh: Entry = {}): Entry => ({
  ...item,
  ...Object.fromEntries(Object.entries(fresh).filter(([name, value]) => value !== '' || !(name in item))),
})

/** Every step of cutting, in its turn. */
export const SQUEEZES = FIELDS.flatMap((field) =>
  CARRY[field].squeeze.map((squeeze: Squeeze) => ({ field, ...squeeze })),
).sort((a, b) => a.turn - b.turn)

/**
 * Which parts fit into a budget. Parts are in the order of the document, oldest first within a field; cutting goes
 * by the turns of the table, oldest first, and stops as soon as it fits. `prune` takes what is finished or stale
 * out whatever the budget. `fixed` are tokens that are there anyway; a summary that the caller writes for what was
 * cut is the caller's to add there.
 */
export function fitToBudget(
  parts: readonly BudgetPart[],
  { tokens = 1_000, keepRecent = 10, fixed = 0, prune = false } = {},
): BudgetFit {
  const kept = parts.map(() => true)
  const cuts: BudgetCut[] = []
  let total = parts.reduce((sum, { text }) => sum + estimateTokens(text), fixed)
  for (const { field, takes, leave } of SQUEEZES) {
    const mine = [...parts.entries()].filter(([at, part]) => part.field === field && kept[at])
    const floor = leave === 'recent' ? keepRecent : leave
    // A superseded decision is history, not litter: it is cut only when the budget demands it.
    const isLitter = prune && takes === 'spent' && CARRY[field].how === 'prune'
    let left = mine.length
    for (const [at, part] of mine) {
      if (left <= floor || (total <= tokens && !isLitter)) break
      if (takes === 'spent' && !part.finished && !part.stale) continue
      kept[at] = false
      left -= 1
      total -= estimateTokens(part.text)
      count(cuts, part)
    }
  }
  return { kept, cuts, tokens: total, fits: total <= tokens }
}

function count(cuts: BudgetCut[], part: BudgetPart): void {
  const { field } = part
  const why = whyOf(part)
  const found = cuts.find((cut) => cut.field === field && cut.why === why)
  if (found) found.count += 1
  else cuts.push({ field, count: 1, how: CARRY[field].how === 'summarise' ? 'summarised' : 'pruned', why })
}

function whyOf({ field, finished = false, stale = false }: BudgetPart): BudgetCut['why'] {
  if (stale) return 'stale'
  if (finished) return field === 'decisions' ? 'superseded' : 'finished'
  return 'older'
}
