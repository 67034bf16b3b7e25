import { linesOf } from '../../core/outline.ts'
import type { TextRange } from '../markdown/splice.ts'
import type { NamedSection } from './codec.ts'
import { headingsOf } from './scan.ts'

export interface ListItem extends TextRange {
  mark: string
  /** What it says, without its mark. */
  content: string
}

const MARK = /^( {0,3}(?:[-*+]|\d{1,9}[.)]))([ \t]+)\S/
const RULE = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/
/** What ends an item that it follows. */
const BLOCK = /^ {0,3}(?:#{1,6}[ \t]|>|`{3}|~{3}|<!--)/
/** What may go on with an item's text or not, by the reader: such an item is left alone. */
const UNCLEAR = /^ {0,3}(?:[|<]|[-*+=][-=]*[ \t]*$)/

/** What stands below a section's heading and above the next one, whether the format knows that or not. */
export const ownStretch = ({ end, ownEnd, contentEnd }: NamedSection): TextRange => ({
  start: end,
  end: Math.max(end, Math.min(ownEnd, contentEnd)),
})

const FENCE = /^ {0,3}(`{3,}|~{3,})/

/** Tells the last line of the code or the comment that a line begins; null where it begins none. */
export function endOfBlock(line: string): ((line: string) => boolean) | null {
  const fence = FENCE.exec(line)?.[1]
  if (fence !== undefined) return (one) => FENCE.test(one) && one.trimStart().startsWith(fence)
  return line.lastIndexOf('<!--') > line.lastIndexOf('-->') ? (one) => one.includes('-->') : null
}

/**
 * The items of the lists in a stretch, each with all its lines: wrapped text, nested lists, code. An item is left
 * out where what comes after would be read differently without it.
 */
export function itemsOf(text: string, stretch: TextRange): ListItem[] {
  const found: Array<TextRange & { indent: number; mark: string; clear: boolean }> = []
  let item: (typeof found)[number] | undefined
  let afterBlank = false
  let until: ReturnType<typeof endOfBlock> = null
  for (const { text: line, ...place } of linesOf(text.slice(stretch.start, stretch.end))) {
    const [start, end] = [stretch.start + place.start, stretch.start + place.end]
    if (until !== null) {
      if (item) item.end = end
      if (until(line)) until = null
      continue
    }
    if (BLOCK.test(line)) until = endOfBlock(line)
    if (line.trim() === '') {
      afterBlank = true
      continue
    }
    const mark = RULE.test(line) ? null : MARK.exec(line)
    if (item && indentOf(line) >= item.indent) item.end = end
    else if (mark?.[1] !== undefined) {
      const gap = mark[2]?.length ?? 1
      const indent = mark[1].length + (gap > 4 ? 1 : gap)
      item = { start, end, indent, mark: mark[1].trim(), clear: true }
      found.push(item)
    } else if (afterBlank || BLOCK.test(line) || RULE.test(line)) item = undefined
    else if (UNCLEAR.test(line)) {
      if (item) item.clear = false
      item = undefined
    } else if (item) item.end = end
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
export function withoutStretches<S extends TextRange>(
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
