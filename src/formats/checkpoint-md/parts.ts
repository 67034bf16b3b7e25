import type { NamedSection } from './codec.ts'
import { headingsOf, linesOf } from './scan.ts'
import { tableRows } from './table.ts'

/** Whole lines of a text that belong together. `end` is behind the line break of the last one. */
interface Stretch {
  start: number
  end: number
}

export interface ListItem extends Stretch {
  mark: string
  /** What it says, without its mark. */
  content: string
}

export interface TableRow extends Stretch {
  cells: string[]
}

const MARK = /^( {0,3}(?:[-*+]|\d{1,9}[.)]))([ \t]+)\S/
const RULE = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/
/** What ends an item that it follows. */
const BLOCK = /^ {0,3}(?:#{1,6}[ \t]|>|`{3}|~{3}|<!--)/
/** What may go on with an item's text or not, by the reader: such an item is left alone. */
const UNCLEAR = /^ {0,3}(?:[|<]|[-*+=][-=]*[ \t]*$)/

/** What stands below a section's heading and above the next one, whether the format knows that or not. */
export const ownStretch = ({ end, ownEnd, contentEnd }: NamedSection): Stretch => ({
  start: end,
  end: Math.max(end, Math.min(ownEnd, contentEnd)),
})

interface PlainLine extends Stretch {
  text: string
  /** It opens code or a comment, or it stands inside of one, or neither. */
  block: 'opens' | 'inside' | null
}

function plainLines(text: string, { start, end }: Stretch): PlainLine[] {
  let until: ((line: string) => boolean) | null = null
  return linesOf(text.slice(start, end)).map((line) => {
    const found = { text: line.text, start: start + line.start, end: start + line.end }
    if (until !== null) {
      if (until(line.text)) until = null
      return { ...found, block: 'inside' }
    }
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line.text)?.[1]
    if (fence !== undefined) until = (one) => /^ {0,3}[`~]/.test(one) && one.trimStart().startsWith(fence)
    else if (/^ {0,3}<!--/.test(line.text) && !line.text.includes('-->')) until = (one) => one.includes('-->')
    return { ...found, block: until === null ? null : 'opens' }
  })
}

/**
 * The items of the lists in a stretch, each with all its lines: wrapped text, nested lists, code. An item is left
 * out where what comes after would be read differently without it.
 */
export function itemsOf(text: string, stretch: Stretch): ListItem[] {
  const found: Array<Stretch & { indent: number; mark: string; clear: boolean }> = []
  let item: (typeof found)[number] | undefined
  let afterBlank = false
  for (const line of plainLines(text, stretch)) {
    if (line.block === 'inside') {
      if (item) item.end = line.end
      continue
    }
    if (line.text.trim() === '') {
      afterBlank = true
      continue
    }
    const mark = RULE.test(line.text) ? null : MARK.exec(line.text)
    if (item && indentOf(line.text) >= item.indent) item.end = line.end
    else if (mark?.[1] !== undefined) {
      const gap = mark[2]?.length ?? 1
      const indent = mark[1].length + (gap > 4 ? 1 : gap)
      item = { start: line.start, end: line.end, indent, mark: mark[1].trim(), clear: true }
      found.push(item)
    } else if (afterBlank || BLOCK.test(line.text) || RULE.test(line.text)) item = undefined
    else if (UNCLEAR.test(line.text)) {
      if (item) item.clear = false
      item = undefined
    } else if (item) item.end = line.end
    afterBlank = false
  }
  const items = found.map(({ start, end, mark, clear }) => {
    const whole = text.slice(start, end)
    return { start, end, mark, clear, whole, content: whole.trim().slice(mark.length).trim() }
  })
  // A comment that goes on from item to item hides some of them from a reader: which, is not for us to say.
  if (items.some(({ whole }) => whole.split('<!--').length !== whole.split('-->').length)) return []
  return items.filter(({ clear, whole }) => clear && isClosed(whole))
}

const indentOf = (line: string) => /^[ \t]*/.exec(line)?.[0].replace(/\t/g, '    ').length ?? 0

/** A heading below it is still seen as a heading. */
const isClosed = (text: string) => headingsOf(`${text}\n\n# end\n`).length === 1

/** The first table of a stretch: its rows, and where a new one goes. */
export function tableOf(text: string, stretch: Stretch): { rows: TableRow[]; end: number } | null {
  const lines = plainLines(text, stretch).filter(({ block }) => block === null)
  const rule = lines.findIndex(
    (line, at) =>
      isRow(line) && isRow(lines[at - 1]) && /^[ \t:|-]+$/.test(line.text) && line.text.includes('-'),
  )
  if (rule < 0) return null
  const after = lines.slice(rule + 1)
  const stop = after.findIndex((line, at) => !isRow(line) || line.start !== lines[rule + at]?.end)
  const rows = (stop < 0 ? after : after.slice(0, stop)).map(({ start, end, text: row }) => ({
    start,
    end,
    cells: tableRows(`|x|\n|-|\n${row}`)[0] ?? [],
  }))
  return { rows, end: rows.at(-1)?.end ?? lines[rule]?.end ?? stretch.end }
}

const isRow = (line?: { text: string }) => line?.text.includes('|') ?? false

/** Two texts that do not grow together: what stood apart stays apart, by an empty line where it needs one. */
export const joinTexts = (before: string, after: string, eol: string) =>
  before + gapBetween(before, after, eol) + after

/** What has to stand between two texts so that they do not grow together. */
export function gapBetween(before: string, after: string, eol: string): string {
  const end = before.trimEnd().length
  const breaks = before.slice(end).match(/\r\n|\n|\r/g)?.length ?? 0
  const isApart = end === 0 || !/\S/.test(after) || breaks > 1 || /^[ \t]*[\r\n]/.test(after)
  return isApart ? '' : `${breaks === 0 ? eol : ''}${eol}`
}

/** How far a text is read to see what it begins with. */
const PEEK = 1_000

/**
 * The text without some of its stretches, which come in order and apart. `between` says what stands in the place of
 * one, by what is before it and how what is left behind it begins. It builds the text once: there may be thousands.
 */
export function withoutStretches<S extends Stretch>(
  text: string,
  stretches: readonly S[],
  between: (before: string, after: string, stretch: S) => string,
): string {
  const parts: string[] = []
  let [head, next] = ['', text.length]
  for (const stretch of stretches.toReversed()) {
    const behind = text.slice(stretch.end, next)
    // The first characters that say something decide; blanks before them may be many.
    const first = behind.search(/\S/)
    head = first < 0 ? (behind.slice(0, PEEK) + head).slice(0, 2 * PEEK) : behind.slice(0, first + PEEK)
    const put = between(text.slice(0, stretch.start), head, stretch)
    parts.push(behind, put)
    head = put + head
    next = stretch.start
  }
  parts.push(text.slice(0, next))
  return parts.reverse().join('')
}
