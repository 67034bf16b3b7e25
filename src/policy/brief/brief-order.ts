import type { WorkField } from '../../core/work.ts'
import { CARRY } from '../carry.ts'
import type { BriefField, BriefLine, BriefSection } from './brief-sections.ts'

/** A line, and its turn among those of its rank when lines have to go. */
export interface OrderedLine {
  line: BriefLine
  isLower: boolean
  turn: number
}

export interface Order {
  /** Parallel to the sections. */
  sections: OrderedLine[][]
  /** How many lines there are of lower rank, and how many must be kept. */
  lower: number
  must: number
  /** After so many of the must-keep lines, each list has its fair share; after so many, a single line. */
  fair: number
  single: number
}

/** Who goes when: lines of lower rank by the carry table, must-keep lines always from the longest list. */
export function orderOf(sections: readonly BriefSection[]): Order {
  const placed = sections.map(({ lines }) => lines.map((line) => ({ line, isLower: isLower(line), turn: 0 })))
  const lists = new Map<BriefField, { lower: OrderedLine[]; must: OrderedLine[] }>()
  for (const place of placed.flat()) {
    const { field } = place.line
    const list = lists.get(field) ?? { lower: [], must: [] }
    lists.set(field, list)
    list[place.isLower ? 'lower' : 'must'].push(place)
  }
  const lower = orderLower((field) => lists.get(field)?.lower ?? [])
  return { sections: placed, lower, ...orderMust((field) => lists.get(field)?.must ?? []) }
}

const isLower = ({ field, spent }: BriefLine) =>
  field === 'learnings' || CARRY[field].rank === 'should' || (spent && field === 'decisions')

interface Turn {
  turn: number
  field: BriefField
  takes: 'spent' | 'oldest'
  leave: 'recent' | number
}

const KEEP_RECENT = 10
// `as`: these are the table's own keys.
const FIELDS = Object.keys(CARRY) as Array<WorkField>

/** The turns of the carry table. Learnings are no part of the work: they go before all of it. */
const TURNS: readonly Turn[] = [
  { turn: 0, field: 'learnings' as const, takes: 'oldest' as const, leave: 0 },
  ...FIELDS.flatMap((field) =>
    CARRY[field].squeeze.map((squeeze: Omit<Turn, 'field'>) => ({ field, ...squeeze })),
  ),
].sort((a, b) => a.turn - b.turn)

/** What the turns leave goes at the end, field by field as their turns come. */
const ALL_TURNS = [...TURNS, ...TURNS.map((turn) => ({ ...turn, takes: 'oldest' as const, leave: 0 }))]

function orderLower(linesOf: (field: BriefField) => OrderedLine[]): number {
  const left = new Map(TURNS.map(({ field }) => [field, linesOf(field)]))
  let turn = 0
  for (const { field, takes, leave } of ALL_TURNS) {
    const lines = left.get(field) ?? []
    let most = Math.max(0, lines.length - (leave === 'recent' ? KEEP_RECENT : leave))
    const stay: OrderedLine[] = []
    for (const place of lines) {
      if (most > 0 && (takes === 'oldest' || place.line.spent)) {
        place.turn = turn
        turn += 1
        most -= 1
      } else stay.push(place)
    }
    left.set(field, stay)
  }
  return turn
}

/** Which field gives up its last line first. */
const LAST: readonly BriefField[] = [
  'position',
  'problem',
  'rules',
  'constraints',
  'questions',
  'blockers',
  'state',
  'decisions',
  'intent',
  'next',
  'now',
]

/** Lists keep so many lines each for as long as words around them can be cut instead. */
const FAIR_SHARE = 3

/** Of decisions the oldest goes first, of anything else the last one. */
function orderMust(linesOf: (field: BriefField) => OrderedLine[]) {
  const stacks = LAST.map((field) => {
    const lines = linesOf(field)
    return field === 'decisions' ? [...lines].reverse() : lines
  })
  const gone = { must: 0, fair: 0, single: 0 }
  for (;;) {
    let longest: OrderedLine[] = []
    for (const stack of stacks) if (stack.length > longest.length) longest = stack
    const height = longest.length
    const place = longest.pop()
    if (place === undefined) return gone
    place.turn = gone.must
    gone.must += 1
    if (height > FAIR_SHARE) gone.fair = gone.must
    if (height > 1) gone.single = gone.must
  }
}
