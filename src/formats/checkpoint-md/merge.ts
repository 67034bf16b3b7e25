import { diffArrays } from 'diff'
import { linesOf } from '../../core/outline.ts'

/** Replacements of both sides that touch each other in the base. */
interface MergeRegion {
  start: number
  end: number
  ours: Replacement[]
  theirs: Replacement[]
}

/**
 * Brings the changes of two sides together, line by line; null where both changed the same place in different
 * ways. Changes with no unchanged line between them are at the same place. What ours appends at the end of the
 * text comes behind whatever theirs has there.
 */
export function mergeTexts(base: string, ours: string, theirs: string): string | null {
  // A last line without a line break is the same line once another follows it.
  const lineBreak = [ours, theirs, base].map((text) => /\r\n|\n|\r/.exec(text)?.[0]).find(Boolean) ?? '\n'
  const [inBase, inOurs, inTheirs] = [base, ours, theirs].map((text) =>
    brokenLines(isClosed(text) ? text : text + lineBreak),
  )
  if (!inBase || !inOurs || !inTheirs) return null
  const merged: string[] = []
  let at = 0
  for (const place of placesOf(replacementsOf(inBase, inOurs), replacementsOf(inBase, inTheirs))) {
    const settled = settle(place, inBase, inOurs, inTheirs)
    if (settled === null) return null
    for (; at < place.start; at += 1) merged.push(inBase[at] ?? '')
    for (const line of settled) merged.push(line)
    at = place.end
  }
  for (; at < inBase.length; at += 1) merged.push(inBase[at] ?? '')
  const text = merged.join('')
  // A carriage return of one side before a line feed of the other would make one line break of two.
  if (brokenLines(text).length !== merged.length) return null
  const closed = isClosed(ours) === isClosed(base) ? isClosed(theirs) : isClosed(ours)
  return closed ? text : text.replace(/(?:\r\n|\n|\r)$/, '')
}

const isClosed = (text: string) => text === '' || /[\r\n]$/.test(text)

function placesOf(ours: readonly Replacement[], theirs: readonly Replacement[]): MergeRegion[] {
  const sorted = [
    ...ours.map((change) => ({ change, side: 'ours' as const })),
    ...theirs.map((change) => ({ change, side: 'theirs' as const })),
  ].sort((one, other) => one.change.aStart - other.change.aStart || one.change.aEnd - other.change.aEnd)
  const places: MergeRegion[] = []
  for (const { change, side } of sorted) {
    let place = places.at(-1)
    if (!place || change.aStart > place.end) {
      place = { start: change.aStart, end: change.aEnd, ours: [], theirs: [] }
      places.push(place)
    }
    place.end = Math.max(place.end, change.aEnd)
    place[side].push(change)
  }
  return places
}

function settle(place: MergeRegion, base: string[], ours: string[], theirs: string[]): string[] | null {
  if (place.theirs.length === 0) return sideOf(place, place.ours, base, ours)
  const theirLines = sideOf(place, place.theirs, base, theirs)
  if (place.ours.length === 0) return theirLines
  const ourLines = sideOf(place, place.ours, base, ours)
  if (sameLines(ourLines, theirLines)) return ourLines
  const [first] = place.ours
  const appends = first?.aStart === base.length
  return appends ? [...theirLines, ...ours.slice(first.bStart, first.bEnd)] : null
}

/** What one side has at a place: its own lines, and those of the base that it left alone. */
function sideOf(
  place: MergeRegion,
  changes: readonly Replacement[],
  base: string[],
  side: string[],
): string[] {
  const parts: string[][] = []
  let at = place.start
  for (const { aStart, aEnd, bStart, bEnd } of changes) {
    parts.push(base.slice(at, aStart), side.slice(bStart, bEnd))
    at = aEnd
  }
  return [...parts, base.slice(at, place.end)].flat()
}

const sameLines = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((line, index) => line === other[index])

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
