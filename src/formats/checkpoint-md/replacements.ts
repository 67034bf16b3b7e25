import { diffArrays } from 'diff'
import { linesOf } from '../../core/outline.ts'

/** A run of lines of one text that stands in place of a run of lines of another; either may be empty. */
export interface Replacement {
  aStart: number
  aEnd: number
  bStart: number
  bEnd: number
}

/** The exact search takes time by the square of this. Beyond it only what both begin and end with is kept. */
const MAX_EDITS = 2_000

/** The lines of a text, each with its own line break: joined they are the text again. */
export const brokenLines = (text: string) => linesOf(text).map(({ start, end }) => text.slice(start, end))

/**
 * What to replace in `a` to get `b`, in order, with at least one unchanged line between two replacements. Lines
 * that were only added or only removed stand as far down as equal lines allow: a section that was appended is at
 * the end, whatever it begins with. Merging relies on that.
 */
export function replacementsOf(a: readonly string[], b: readonly string[]): Replacement[] {
  const found: Replacement[] = []
  let [aAt, bAt] = [0, 0]
  for (const [aNext, bNext] of [...sharedLines(a, b), [a.length, b.length] as const]) {
    if (aNext > aAt || bNext > bAt) found.push({ aStart: aAt, aEnd: aNext, bStart: bAt, bEnd: bNext })
    aAt = aNext + 1
    bAt = bNext + 1
  }
  return found
}

/** Pairs of equal lines, in order. Lines that only one text has cannot pair, and are left out of the search. */
function sharedLines(a: readonly string[], b: readonly string[]): Array<readonly [number, number]> {
  const [inA, inB] = [new Set(a), new Set(b)]
  const aKept = [...a.keys()].filter((index) => inB.has(a[index] ?? ''))
  const bKept = [...b.keys()].filter((index) => inA.has(b[index] ?? ''))
  // Numbers compare at once, however long the lines are.
  const numbers = new Map([...inA].map((line, index) => [line, index]))
  const numbersOf = (lines: readonly string[], kept: number[]) =>
    kept.map((index) => numbers.get(lines[index] ?? ''))
  const parts = diffArrays(numbersOf(a, aKept), numbersOf(b, bKept), { maxEditLength: MAX_EDITS })
  if (!parts) return commonEnds(a, b)
  const pairs: Array<readonly [number, number]> = []
  let [aAt, bAt] = [0, 0]
  for (const { added, removed, count } of parts) {
    if (!added && !removed)
      for (let step = 0; step < count; step += 1) pairs.push([aKept[aAt + step] ?? 0, bKept[bAt + step] ?? 0])
    if (!added) aAt += count
    if (!removed) bAt += count
  }
  return pairs
}

function commonEnds(a: readonly string[], b: readonly string[]): Array<readonly [number, number]> {
  const shorter = Math.min(a.length, b.length)
  let head = 0
  while (head < shorter && a[head] === b[head]) head += 1
  let tail = 0
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1
  const pairs: Array<readonly [number, number]> = []
  for (let index = 0; index < head; index += 1) pairs.push([index, index])
  for (let left = tail; left > 0; left -= 1) pairs.push([a.length - left, b.length - left])
  return pairs
}
