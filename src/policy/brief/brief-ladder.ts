import type { Order, OrderedLine } from './brief-order.ts'
import type { Manner } from './brief-words.ts'

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
/** Lines of lower rank are shortened so far before one of them goes. */
const LOWER_FLOOR = 16
/** A must-keep line has so many tokens before one of its kind goes, and so many at the end. */
const MUST_FLOOR = 20
const LAST_FLOOR = 6
/** Where must-keep lines get so short, the words around them do as well. */
const BRISK_FROM = 48

/** Ever fewer tokens, each an eighth less than the one before, down to a floor. */
function shrinking(most: number, floor: number): number[] {
  const lengths: number[] = []
  for (let tokens = most; tokens > floor; tokens = Math.floor(tokens * 0.875)) lengths.push(tokens)
  return [...lengths, floor]
}

/**
 * Every way to say a brief, from everything to headings with counts: lower ranks are shortened, then go, one by one;
 * then must-keep lines are shortened; then they go, until each list has a single line; these are shortened once more
 * and go, *now* last. What a rung shows of the must-keep lines, all rungs above it show.
 */
export function ladderOf({ lower, must, fair, single }: Order): Rung[] {
  const top: Rung = { lowerGone: 0, lowerTokens: WHOLE, mustGone: 0, mustTokens: WHOLE, manner: 'full' }
  const noLower: Rung = { ...top, lowerGone: lower, lowerTokens: LOWER_FLOOR, manner: 'tight' }
  const short: Rung = { ...noLower, mustTokens: MUST_FLOOR, manner: 'brisk' }
  const one: Rung = { ...short, mustGone: single, manner: 'terse' }
  const bare: Rung = { ...one, mustTokens: LAST_FLOOR, manner: 'bare' }
  const bottom: Rung = { ...bare, mustGone: must }
  return [
    top,
    ...shrinking(80, LOWER_FLOOR).map((lowerTokens) => ({ ...top, lowerTokens })),
    ...between(0, lower).map((lowerGone) => ({ ...top, lowerTokens: LOWER_FLOOR, lowerGone })),
    noLower,
    ...shrinking(6_000, BRISK_FROM).map((mustTokens) => ({ ...noLower, mustTokens })),
    ...shrinking(BRISK_FROM, MUST_FLOOR).map((mustTokens) => ({ ...short, mustTokens })),
    ...between(0, fair).map((mustGone) => ({ ...short, mustGone })),
    { ...one, mustGone: fair },
    ...between(fair, single).map((mustGone) => ({ ...one, mustGone })),
    ...shrinking(MUST_FLOOR, LAST_FLOOR).map((mustTokens) => ({ ...one, mustTokens })),
    bare,
    ...between(single, must).map((mustGone) => ({ ...bare, mustGone })),
    { ...bottom, manner: 'mute' },
    { ...bottom, manner: 'silent' },
  ]
}

/** How many tokens a line may have on a rung; 0 where it is gone. */
export function tokensFor({ isLower, turn }: OrderedLine, rung: Rung): number {
  if (isLower) return turn < rung.lowerGone ? 0 : rung.lowerTokens
  return turn < rung.mustGone ? 0 : rung.mustTokens
}

/** Every number above the first, up to the last. */
const between = (first: number, last: number) =>
  Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index + 1)
