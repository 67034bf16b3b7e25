import { brokenLines, type Replacement, replacementsOf } from './replacements.ts'

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
