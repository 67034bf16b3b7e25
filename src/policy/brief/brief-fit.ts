import type { BriefPage } from '../../core/brief-page.ts'
import { formatCount } from '../../core/text.ts'
import { estimateTokens } from '../../core/tokens.ts'
import { CARRY, SQUEEZES, type Squeeze, takeOldest } from '../carry.ts'
import { bisectRange } from './bisect-range.ts'
import type { Brief } from './brief.ts'
import type { BriefField, BriefLine, BriefSection } from './brief-sections.ts'
import { clipLine, headerOf, type Manner, roughCount } from './brief-words.ts'

/** Below this a brief says too little to be worth anything; the caller refuses. */
export const MIN_TOKENS = 200
/** No floor is longer than this. */
export const MIN_CHARACTERS = 1_000

export interface FitOptions {
  tokens?: number
  characters?: number
  /** Shows every line of the page whole. */
  render: (page: BriefPage) => string
}

export interface FittedBrief extends RenderedLines {
  page: BriefPage
  text: string
  tokens: number
}

/**
 * The most of a brief that a budget allows: the whole of it where it fits, else the rung that a bisection of the ladder
 * ends at. The ladder does not depend on the budget, and what fits into one fits into a bigger one at the same steps of
 * the same search, so more room never shows fewer items. Rendered text is measured, never guessed. Throws a RangeError
 * for a budget below the least one, and where there is no room even for the floor.
 */
export function fitBrief(brief: Brief, options: FitOptions): FittedBrief {
  const order = orderOf(brief.sections)
  const rungs = ladderOf(order)
  const whole = fitRung(brief, order, rungs[0], options)
  let best = whole ?? fitRung(brief, order, rungs.at(-1), options)
  if (!best) throw new RangeError('not even the headings of the brief fit into the budget')
  if (whole) return whole
  bisectRange(rungs.length - 1, 0, (at) => {
    const found = fitRung(brief, order, rungs[at], options)
    best = found ?? best
    return found !== null
  })
  return best
}

/** The whole brief where it fits; null where something would have to go. */
export function fitWhole(brief: Brief, options: FitOptions): FittedBrief | null {
  const order = orderOf(brief.sections)
  return fitRung(brief, order, ladderOf(order)[0], options)
}

function fitRung(
  brief: Brief,
  order: Order,
  rung: Rung | undefined,
  { tokens = 1_000, characters = 8_000, render }: FitOptions,
): FittedBrief | null {
  if (!(tokens >= MIN_TOKENS && characters >= MIN_CHARACTERS))
    throw new RangeError(`a brief needs ${MIN_TOKENS} tokens and ${MIN_CHARACTERS} characters`)
  const shown = rung && linesAtRung(brief, order, rung, characters)
  if (!rung || !shown) return null
  const page = pageOf(brief, shown, rung.manner)
  const text = render(page)
  const cost = text.length > characters ? Number.POSITIVE_INFINITY : estimateTokens(text)
  return cost > tokens ? null : { ...shown, page, text, tokens: cost }
}

interface RenderedLines {
  shown: Array<{ section: BriefSection; lines: BriefLine[] }>
  /** How many lines of which section are not shown. */
  cuts: Array<{ title: string; count: number }>
  /** How many lines are shown only in part. */
  shortened: number
}

/** The lines of a rung; null as soon as their texts alone are too long, so that nothing huge is ever rendered. */
function linesAtRung(
  { sections }: Brief,
  order: Order,
  rung: Rung,
  characters: number,
): RenderedLines | null {
  const told: RenderedLines = { shown: [], cuts: [], shortened: 0 }
  let length = 0
  for (const [at, section] of sections.entries()) {
    const lines: BriefLine[] = []
    for (const place of order.sections[at] ?? []) {
      if (place.turn < rung.gone[place.rank]) continue
      const short = clipLine(place.line, rung.most[place.rank])
      length += short.text.length + short.why.length + short.note.length
      if (length > characters) return null
      if (short !== place.line) told.shortened += 1
      lines.push(short)
    }
    const count = section.lines.length - lines.length
    if (count > 0) told.cuts.push({ title: section.title, count })
    if (lines.length > 0 || section.rank === 'must') told.shown.push({ section, lines })
  }
  return told
}

function pageOf(brief: Brief, told: RenderedLines, manner: Manner): BriefPage {
  const { command, ...header } = headerOf(brief, manner)
  const rough = manner === 'bare'
  const sections = told.shown.map(({ section: { title, rank, lines: all }, lines }) => {
    const count = rank === 'must' ? all.length - lines.length : 0
    const words = rough ? `${roughCount(count)} more` : `… ${count} more: ${command}`
    return { title, lines, more: count === 0 ? '' : words }
  })
  const notes = brief.notes ? { notes: brief.notes } : {}
  const subject = brief.subject === undefined ? {} : { subject: brief.subject }
  return { ...header, ...notes, ...subject, sections, cut: cutOf(told, command, rough) }
}

function cutOf({ cuts, shortened, shown }: RenderedLines, command: string, rough: boolean): string {
  if (cuts.length === 0 && shortened === 0) return ''
  if (!rough) {
    const counts = cuts.map(({ title, count }) => `${title} ${count}`).join(', ')
    const lines = shortened === 0 ? '' : `${formatCount(shortened, 'line')} shortened`
    return `Cut to fit: ${[counts, lines].filter((part) => part !== '').join('; ')}. All: ${command}`
  }
  // Sections that are there count for themselves.
  const titles = new Set(shown.map(({ section }) => section.title))
  const gone = cuts.filter(({ title }) => !titles.has(title))
  const counts = gone.map(({ title, count }) => `${title} ${roughCount(count)}`).join(', ')
  return `Cut: ${counts === '' ? 'counts above' : counts}. ${command}`
}

/** A line, and its turn among those of its rank when lines have to go. */
interface OrderedLine {
  line: BriefLine
  rank: 'lower' | 'must'
  turn: number
}

interface Order {
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
  const placed = sections.map(({ lines }) => lines.map((line) => ({ line, rank: rankOf(line), turn: 0 })))
  const ofRank = (wanted: OrderedLine['rank']) => placed.flat().filter(({ rank }) => rank === wanted)
  return { sections: placed, lower: orderLower(ofRank('lower')), ...orderMust(ofRank('must')) }
}

const linesOf = (field: BriefField, all: readonly OrderedLine[]) =>
  all.filter(({ line }) => line.field === field)

const rankOf = ({ field, spent }: BriefLine): OrderedLine['rank'] =>
  field === 'learnings' || CARRY[field].rank === 'should' || (spent && field === 'decisions')
    ? 'lower'
    : 'must'

/** The turns of the carry table. Learnings are no part of the work: they go before all of it. */
const TURNS: ReadonlyArray<Squeeze & { field: BriefField }> = [
  { turn: 0, field: 'learnings', takes: 'oldest', leave: 0 },
  ...SQUEEZES,
]

/** What the turns leave goes at the end, field by field as their turns come. */
const ALL_TURNS = [...TURNS, ...TURNS.map((turn) => ({ ...turn, takes: 'oldest' as const, leave: 0 }))]

function orderLower(lines: OrderedLine[]): number {
  let left = lines
  let turn = 0
  for (const { field, ...squeeze } of ALL_TURNS) {
    const gone = new Set(takeOldest(squeeze, linesOf(field, left), ({ line }) => line.spent))
    for (const place of gone) place.turn = turn++
    left = left.filter((place) => !gone.has(place))
  }
  return turn
}

/** Which field gives up its last line first. */
const LAST: readonly BriefField[] = [
  ...(['position', 'problem', 'rules', 'constraints', 'questions', 'blockers'] as const),
  ...(['state', 'decisions', 'intent', 'next', 'now'] as const),
]

/** Lists keep so many lines each for as long as words around them can be cut instead. */
const FAIR_SHARE = 3

/** Of decisions the oldest goes first, of anything else the last one. */
function orderMust(lines: OrderedLine[]) {
  const stacks = LAST.map((field) => {
    const mine = linesOf(field, lines)
    return field === 'decisions' ? mine.toReversed() : mine
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

/** One way to say a brief: of each rank so many lines are gone, and the others have at most so many tokens. */
interface Rung {
  gone: Record<OrderedLine['rank'], number>
  most: Record<OrderedLine['rank'], number>
  manner: Manner
}

/**
 * Every way to say a brief, from everything to headings with counts: lower ranks are shortened, then go, one by one;
 * then must-keep lines are shortened; then they go, until each list has a single line; these are shortened once more
 * and go, *now* last. What a rung shows of the must-keep lines, all rungs above it show.
 */
export function ladderOf({ lower, must, fair, single }: Order): Rung[] {
  const whole = Number.POSITIVE_INFINITY
  let rung: Rung = { gone: { lower: 0, must: 0 }, most: { lower: whole, must: whole }, manner: 'full' }
  const ladder = [rung]
  const descend = (what: 'gone' | 'most', rank: OrderedLine['rank'], values: number[]) => {
    for (const value of values) {
      rung = { ...rung, [what]: { ...rung[what], [rank]: value } }
      ladder.push(rung)
    }
  }
  descend('most', 'lower', shrinking(80, 16))
  descend('gone', 'lower', between(0, lower))
  descend('most', 'must', shrinking(6_000, 48))
  // Where must-keep lines get so short, the words around them do as well.
  rung = { ...rung, manner: 'brisk' }
  descend('most', 'must', shrinking(48, 20))
  descend('gone', 'must', between(0, fair))
  rung = { ...rung, manner: 'bare' }
  descend('gone', 'must', between(fair, single))
  descend('most', 'must', shrinking(20, 6))
  descend('gone', 'must', between(single, must))
  return ladder
}

/** Ever fewer tokens, each an eighth less than the one before, down to a floor. */
function shrinking(most: number, floor: number): number[] {
  const lengths: number[] = []
  for (let tokens = most; tokens > floor; tokens = Math.floor(tokens * 0.875)) lengths.push(tokens)
  return [...lengths, floor]
}

const between = (first: number, last: number) =>
  Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index + 1)
