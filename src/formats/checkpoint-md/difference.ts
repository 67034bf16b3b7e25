import { visible } from '../../core/visible.ts'
import { decodeDocument } from './codec.ts'
import { brokenLines, type Replacement, replacementsOf } from './merge.ts'

export interface DifferenceLine {
  mark: ' ' | '-' | '+'
  text: string
  /** The line break as it stands in the text; empty where a text ends without one. */
  ending: string
}

export interface Hunk {
  /** Line numbers from 1; with a count of 0 the line before. */
  fromLine: number
  fromCount: number
  toLine: number
  toCount: number
  /** The nearest heading above the hunk in the newer text, as `## Title`. */
  heading: string | null
  lines: DifferenceLine[]
}

export interface Difference {
  added: number
  removed: number
  hunks: Hunk[]
}

/** What changed from `a` to `b`, line by line; a line that differs in its line break alone is different. */
export function differenceOf(a: string, b: string, { context = 3 } = {}): Difference {
  const [aLines, bLines] = [brokenLines(a), brokenLines(b)]
  const replacements = replacementsOf(aLines, bLines)
  const groups: Replacement[][] = []
  for (const replacement of replacements) {
    const group = groups.at(-1)
    const before = group?.at(-1)
    if (group && before && replacement.aStart - before.aEnd <= 2 * context) group.push(replacement)
    else groups.push([replacement])
  }
  const headingAbove = headingFinder(b)
  return {
    added: replacements.reduce((sum, { bStart, bEnd }) => sum + bEnd - bStart, 0),
    removed: replacements.reduce((sum, { aStart, aEnd }) => sum + aEnd - aStart, 0),
    hunks: groups.map((group) => hunkOf(group, aLines, bLines, context, headingAbove)),
  }
}

function hunkOf(
  group: readonly Replacement[],
  a: readonly string[],
  b: readonly string[],
  context: number,
  headingAbove: (line: number) => string | null,
): Hunk {
  const [first, last] = [group[0]?.aStart ?? 0, group.at(-1)?.aEnd ?? 0]
  const start = Math.max(0, first - context)
  const end = Math.min(a.length, last + context)
  const bStart = (group[0]?.bStart ?? 0) - (first - start)
  const bEnd = (group.at(-1)?.bEnd ?? 0) + (end - last)
  const lines: DifferenceLine[] = []
  const take = (mark: DifferenceLine['mark'], from: readonly string[], upTo: number, at: number) => {
    for (let index = at; index < upTo; index += 1) lines.push({ mark, ...splitEnding(from[index] ?? '') })
  }
  let at = start
  for (const part of group) {
    take(' ', a, part.aStart, at)
    take('-', a, part.aEnd, part.aStart)
    take('+', b, part.bEnd, part.bStart)
    at = part.aEnd
  }
  take(' ', a, end, at)
  return {
    fromLine: end > start ? start + 1 : start,
    fromCount: end - start,
    toLine: bEnd > bStart ? bStart + 1 : bStart,
    toCount: bEnd - bStart,
    heading: headingAbove(bStart + 1),
    lines,
  }
}

function splitEnding(line: string): { text: string; ending: string } {
  const ending = /(?:\r\n|\n|\r)$/.exec(line)?.[0] ?? ''
  return { text: line.slice(0, line.length - ending.length), ending }
}

/** Finds the heading above a line, for lines that are asked for in order. */
function headingFinder(text: string): (line: number) => string | null {
  const headings = decodeDocument(text).outline
  let passed = 0
  return (line) => {
    while ((headings[passed]?.line ?? Number.POSITIVE_INFINITY) < line) passed += 1
    const heading = headings[passed - 1]
    return heading ? `${'#'.repeat(heading.level)} ${heading.title}`.trimEnd() : null
  }
}

/** The difference as a unified diff, to be read in a terminal; empty where there is none. */
export function sayDifference({ hunks }: Difference, { from, to }: { from: string; to: string }): string {
  if (hunks.length === 0) return ''
  const endings = new Set(hunks.flatMap(({ lines }) => lines.map(({ ending }) => ending)))
  endings.delete('')
  const said = [`--- ${visible(from)}`, `+++ ${visible(to)}`]
  for (const { fromLine, fromCount, toLine, toCount, heading, lines } of hunks) {
    const where = `@@ -${fromLine},${fromCount} +${toLine},${toCount} @@`
    said.push(heading === null ? where : `${where} ${visible([...heading].slice(0, 80).join(''))}`)
    for (const { mark, text, ending } of lines) {
      said.push(`${mark}${visible(text)}${endings.size > 1 ? (SHOWN_ENDINGS[ending] ?? '') : ''}`)
      if (ending === '') said.push('\\ No newline at end of file')
    }
  }
  return said.join('\n')
}

/** Shown where line breaks differ; where all are the same they would be noise. */
const SHOWN_ENDINGS: Record<string, string> = { '\r\n': '␍', '\r': '␍ (no line feed)' }
