import type { BriefPage } from '../../core/brief-page.ts'
import { CARRY, SQUEEZES, type Squeeze } from '../carry.ts'
import type { Brief } from './brief.ts'
import type { BriefField, BriefLine, BriefSection } from './brief-sections.ts'
import { clipLine, type Estimate, headerOf, type Manner, roughCount } from './brief-words.ts'

/** Below this a brief says too little to be worth anything; the caller refuses. */
export const MIN_TOKENS = 200
/** No floor is longer than this. */
export const MIN_CHARACTERS = 1_000

export interface FitOptions {
  tokens?: number
  characters?: number
  /** Shows every line of the page whole. */
  render: (page: BriefPage) => string
  estimate: Estimate
}

export interface FittedBrief {
  page: BriefPage
  text: string
  tokens: number
  /** How many lines of which section are not shown. */
  cuts: Array<{ title: string; count: number }>
  /** How many lines are shown only in part. */
  shortened: number
  /** The lines that are shown. */
  shown: RenderedLines['sections']
}

/**
 * The most of a brief that a budget allows. Every way of saying less stands on one ladder that does not depend on
 * the budget, so more room never shows fewer items. Rendered text is measured, never guessed. Throws a RangeError
 * for a budget below the least one, and where an estimator leaves no room even for the floor.
 */
export function fitBrief(brief: Brief, options: FitOptions): FittedBrief {
  const order = orderOf(brief.sections)
  return firstFit(ladderOf(order), fitter(brief, order, options))
}

/** The whole brief where it fits; null where something would have to go. */
export function fitWhole(brief: Brief, options: FitOptions): FittedBrief | null {
  const order = orderOf(brief.sections)
  return fitter(brief, order, options)(ladderOf(order)[0])
}

/** Tries one rung of the ladder. */
function fitter(
  brief: Brief,
  order: ReturnType<typeof orderOf>,
  { tokens = 1_000, characters = 8_000, render, estimate }: FitOptions,
): (rung: Rung | undefined) => FittedBrief | null {
  if (!(tokens >= MIN_TOKENS && characters >= MIN_CHARACTERS))
    throw new RangeError(`a brief needs ${MIN_TOKENS} tokens and ${MIN_CHARACTERS} characters`)
  return (rung) => {
    const shown = rung && linesAtRung(brief, order, rung, characters, estimate)
    if (!rung || !shown) return null
    const page = pageOf(brief, shown, rung.manner, estimate)
    const text = render(page)
    if (text.length > characters) return null
    const cost = estimate(text)
    const { cuts, shortened, sections } = shown
    return cost > tokens ? null : { page, text, tokens: cost, cuts, shortened, shown: sections }
  }
}

/**
 * The whole brief where it fits, else the rung that a bisection of the ladder ends at. What fits into a budget fits
 * into a bigger one at the same steps of the same search, so a bigger one never ends lower.
 */
function firstFit(
  rungs: readonly Rung[],
  tried: (rung: Rung | undefined) => FittedBrief | null,
): FittedBrief {
  const whole = tried(rungs[0])
  if (whole) return whole
  let best = tried(rungs.at(-1))
  if (!best) throw new RangeError('not even the headings of the brief fit into the budget')
  let [over, fits] = [0, rungs.length - 1]
  while (fits - over > 1) {
    const middle = (over + fits) >> 1
    const found = tried(rungs[middle])
    if (found) [best, fits] = [found, middle]
    else over = middle
  }
  return best
}

interface RenderedLines {
  sections: Array<{ section: BriefSection; lines: BriefLine[] }>
  cuts: FittedBrief['cuts']
  shortened: number
}

/** The lines of a rung; null as soon as their texts alone are too long, so that nothing huge is ever rendered. */
function linesAtRung(
  { sections }: Brief,
  order: Order,
  rung: Rung,
  characters: number,
  estimate: Estimate,
): RenderedLines | null {
  const shown: RenderedLines = { sections: [], cuts: [], shortened: 0 }
  let length = 0
  for (const [at, section] of sections.entries()) {
    const lines: BriefLine[] = []
    for (const place of order.sections[at] ?? []) {
      const tokens = tokensFor(place, rung)
      if (tokens === 0) continue
      const short = clipLine(place.line, tokens, estimate)
      length += short.text.length + short.why.length + short.note.length
      if (length > characters) return null
      if (short !== place.line) shown.shortened += 1
      lines.push(short)
    }
    const count = section.lines.length - lines.length
    if (count > 0) shown.cuts.push({ title: section.title, count })
    if (lines.length > 0 || section.rank === 'must') shown.sections.push({ section, lines })
  }
  return shown
}

function pageOf(brief: Brief, shown: RenderedLines, manner: Manner, estimate: Estimate): BriefPage {
  const header = headerOf(brief, manner, estimate)
  const rough = manner === 'bare'
  const sections = shown.sections.map(({ section: { title, rank, lines: all }, lines }) => {
    const count = rank === 'must' ? all.length - lines.length : 0
    const words = rough ? `${roughCount(count)} more` : `… ${count} more: ${header.command}`
    return { title, lines, more: count === 0 ? '' : words }
  })
  const { command, ...told } = header
  const notes = brief.notes ? { notes: brief.notes } : {}
  const subject = brief.subject === undefined ? {} : { subject: brief.subject }
  return { ...told, ...notes, ...subject, sections, cut: cutOf(shown, command, rough) }
}

function cutOf({ cuts, shortened, sections }: RenderedLines, command: string, rough: boolean): string {
  if (cuts.length === 0 && shortened === 0) return ''
  if (!rough) {
    const counts = cuts.map(({ title, count }) => `${title} ${count}`).join(', ')
    const lines = shortened === 0 ? '' : `${shortened} ${shortened === 1 ? 'line' : 'lines'} shortened`
    return `Cut to fit: ${[counts, lines].filter((part) => part !== '').join('; ')}. All: ${command}`
  }
  // Sections that are there count for themselves.
  const titles = new Set(sections.map(({ section }) => section.title))
  const gone = cuts.filter(({ title }) => !titles.has(title))
  const counts = gone.map(({ title, count }) => `${title} ${roughCount(count)}`).join(', ')
  return `Cut: ${counts === '' ? 'counts above' : counts}. ${command}`
}

/** A line, and its turn among those of its rank when lines have to go. */
interface OrderedLine {
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
  const all = placed.flat()
  const lower = all.filter((place) => place.isLower)
  const must = all.filter((place) => !place.isLower)
  return { sections: placed, lower: orderLower(lower), ...orderMust(must) }
}

const linesOf = (field: BriefField, all: readonly OrderedLine[]) =>
  all.filter(({ line }) => line.field === field)

const isLower = ({ field, spent }: BriefLine) =>
  field === 'learnings' || CARRY[field].rank === 'should' || (spent && field === 'decisions')

const KEEP_RECENT = 10

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
  for (const { field, takes, leave } of ALL_TURNS) {
    const mine = linesOf(field, left)
    const most = mine.length - (leave === 'recent' ? KEEP_RECENT : leave)
    const going = mine.filter(({ line }) => takes === 'oldest' || line.spent).slice(0, Math.max(0, most))
    for (const place of going) {
      place.turn = turn
      turn += 1
    }
    const gone = new Set(going)
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

/** One way to say a brief: how many lines have gone, how many tokens each of the others may have. */
export interface Rung {
  /** Of the lines of lower rank: so many are gone, and the others have at most so many tokens. */
  lowerGone: number
  lowerTokens: number
  mustGone: number
  mustTokens: number
  manner: Manner
}

const WHOLE = Number.POSITIVE_INFINITY

/**
 * Every way to say a brief, from everything to headings with counts: lower ranks are shortened, then go, one by one;
 * then must-keep lines are shortened; then they go, until each list has a single line; these are shortened once more
 * and go, *now* last. What a rung shows of the must-keep lines, all rungs above it show.
 */
export function ladderOf({ lower, must, fair, single }: Order): Rung[] {
  let rung: Rung = { lowerGone: 0, lowerTokens: WHOLE, mustGone: 0, mustTokens: WHOLE, manner: 'full' }
  const ladder = [rung]
  const descend = (name: 'lowerGone' | 'lowerTokens' | 'mustGone' | 'mustTokens', values: number[]) => {
    for (const value of values) {
      rung = { ...rung, [name]: value }
      ladder.push(rung)
    }
  }
  descend('lowerTokens', shrinking(80, 16))
  descend('lowerGone', between(0, lower))
  descend('mustTokens', shrinking(6_000, 48))
  // Where must-keep lines get so short, the words around them do as well.
  rung = { ...rung, manner: 'brisk' }
  descend('mustTokens', shrinking(48, 20))
  descend('mustGone', between(0, fair))
  rung = { ...rung, manner: 'bare' }
  descend('mustGone', between(fair, single))
  descend('mustTokens', shrinking(20, 6))
  descend('mustGone', between(single, must))
  return ladder
}

/** Ever fewer tokens, each an eighth less than the one before, down to a floor. */
function shrinking(most: number, floor: number): number[] {
  const lengths: number[] = []
  for (let tokens = most; tokens > floor; tokens = Math.floor(tokens * 0.875)) lengths.push(tokens)
  return [...lengths, floor]
}

/** Every number above the first, up to the last. */
const between = (first: number, last: number) =>
  Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index + 1)

/** How many tokens a line may have on a rung; 0 where it is gone. */
export function tokensFor({ isLower, turn }: OrderedLine, rung: Rung): number {
  if (isLower) return turn < rung.lowerGone ? 0 : rung.lowerTokens
  return turn < rung.mustGone ? 0 : rung.mustTokens
}
