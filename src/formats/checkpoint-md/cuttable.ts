import { clipText } from '../../core/canonical.ts'
import { linesOf } from '../../core/outline.ts'
import type { BudgetPart } from '../../core/tokens.ts'
import type { TextRange } from '../markdown/splice.ts'
import { decodeDocument, type NamedSection, type SectionName } from './codec.ts'
import { isFilled, maskComments } from './items.ts'
import { headingsOf } from './scan.ts'
import { FACT } from './spell.ts'
import { plainCell, tableCell, tablesOf } from './table.ts'
import { crumbKind } from './vocabulary.ts'
import { readReference } from './work.ts'

/** Whether what a breadcrumb points to is gone. */
export type IsStale = (reference: { type: string; reference: string }) => boolean

/** A part, and the lines that go when it is cut. */
export interface CuttablePiece extends BudgetPart, TextRange {
  /** What an item says, without its mark. */
  content: string
}

/** Everything that may be cut from a document, section by section and in order; what is not here stays. */
export function cuttablePieces(text: string, isStale: IsStale): CuttablePiece[] {
  const { sections } = decodeDocument(text)
  const stretches = (name: SectionName) => (sections.get(name) ?? []).map(ownStretch)
  const items = (name: SectionName) => stretches(name).flatMap((stretch) => cuttableItems(text, stretch))
  const rows = (name: SectionName) => stretches(name).flatMap((stretch) => cuttableRows(text, stretch))
  return [
    ...items('Decisions').map((item) => ({
      ...item,
      field: 'decisions' as const,
      finished: isSuperseded(item.content),
    })),
    ...items('Technical Context')
      .filter(({ content }) => FACT.read(content)?.kind !== 'constraints')
      .map((item) => ({ ...item, field: 'facts' as const, ...clipItem(item) })),
    ...rows('Breadcrumbs')
      // What was learned goes to the archive with the work: it is no trail that may be cut.
      .filter(({ cells }) => crumbKind(readReference(cells).kind) !== 'learning')
      .map(({ cells: [type = '', reference = ''], ...row }) => ({
        ...row,
        field: 'references' as const,
        stale: isStale({ type: plainCell(type), reference: plainCell(reference) }),
      })),
    ...items('Play-By-Play').map((item) => ({ ...item, field: 'done' as const, ...clipItem(item) })),
    ...rows('Artifact Trail').map(({ cells, ...row }) => ({
      ...row,
      field: 'artifacts' as const,
      finished: isFinished(cells[1]),
      ...clipRow(row.text, cells),
    })),
  ]
}

/** A line with a mark that counts, a comment, code or items of its own has no beginning that stands alone. */
const NO_BEGINNING = /UNCONFIRMED|<!--|`{3}|~~|[\r\n][ \t]*(?:[-*+|>#]|\d+[.)])/

/** Text for an item of which only the beginning is left; nothing where it is short, or cannot be cut. */
function clipItem({ text, content }: { text: string; content: string }): { clip?: string } {
  if (content.length <= LINE_END || NO_BEGINNING.test(content)) return {}
  const at = text.indexOf(content)
  const clip = clipText(content.replace(/\s+/g, ' '), LINE_END).replace(/ …$/, '…')
  return { clip: text.slice(0, at) + clip + text.slice(at + content.length) }
}

function clipRow(text: string, cells: string[]): { clip?: string } {
  const last = cells.at(-1) ?? ''
  if (last.length <= LINE_END || cells.length < 3 || NO_BEGINNING.test(last)) return {}
  const lineBreak = /[\r\n]*$/.exec(text)?.[0] ?? ''
  const clip = [...cells.slice(0, -1), clipText(last, LINE_END)].map(tableCell)
  return { clip: `| ${clip.join(' | ')} |${lineBreak}` }
}

/** A beginning that still tells what a line is about. */
const LINE_END = 60

/** Items that say something, with the empty lines up to the next one: a placeholder is not worth a place. */
function cuttableItems(text: string, stretch: TextRange) {
  const items = itemsOf(text, stretch)
  return items
    .map(({ start, end, content }, index) => {
      const next = items[index + 1]?.start
      const isBeside = next !== undefined && text.slice(end, next).trim() === ''
      const until = isBeside ? next : end
      // What is indented below it would go to whatever stands above it then.
      const isHeld = !isBeside && INDENTED.test(text.slice(end, stretch.end))
      return { start, end: until, text: text.slice(start, until), content, isHeld }
    })
    .filter(({ content, isHeld }) => !isHeld && isFilled(content))
}

const INDENTED = /^(?:[ \t]*[\r\n])*[ \t]+[^ \t\r\n]/

/** Rows that name something; the row `-` says that there is nothing. */
function cuttableRows(text: string, stretch: TextRange) {
  const [table] = tablesOf(maskComments(text.slice(stretch.start, stretch.end)))
  return (table?.rows ?? [])
    .map(({ start, end, cells }) => ({ start: stretch.start + start, end: stretch.start + end, cells }))
    .filter(({ cells: [name = ''] }) => /\w/.test(name) && !/^\[.*\]$/.test(name))
    .map(({ start, end, cells }) => ({ start, end, text: text.slice(start, end), content: '', cells }))
}

const FINISHED = /^(?:deleted|done|completed?|finished|merged|archived|removed)$/i
const isFinished = (status = '') => FINISHED.test(status.replace(/[^\p{L}]+/gu, ' ').trim())

/** Struck through as a whole, or said to be superseded. One with items below it may still hold what stands. */
function isSuperseded(content: string): boolean {
  const isStruck = content.includes('~~') && !/[\p{L}\p{N}]/u.test(content.replace(/~~[^~]+~~/g, ''))
  const isNested = /[\r\n][ \t]*(?:[-*+]|\d+[.)])[ \t]/.test(content)
  return isStruck || (!isNested && /(?<!\b(?:not|never) )\bsuperseded by\b/i.test(content))
}

interface ListItem extends TextRange {
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
const ownStretch = ({ end, ownEnd, contentEnd }: NamedSection): TextRange => ({
  start: end,
  end: Math.max(end, Math.min(ownEnd, contentEnd)),
})

const FENCE = /^ {0,3}(`{3,}|~{3,})/

/** Tells the last line of the code or the comment that a line begins; null where it begins none. */
function endOfBlock(line: string): ((line: string) => boolean) | null {
  const fence = FENCE.exec(line)?.[1]
  if (fence !== undefined) return (one) => FENCE.test(one) && one.trimStart().startsWith(fence)
  return line.lastIndexOf('<!--') > line.lastIndexOf('-->') ? (one) => one.includes('-->') : null
}

/**
 * The items of the lists in a stretch, each with all its lines: wrapped text, nested lists, code. An item is left
 * out where what comes after would be read differently without it.
 */
function itemsOf(text: string, stretch: TextRange): ListItem[] {
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
