import { type Line, linesOf, titleText } from '../../core/outline.ts'

export interface Heading {
  level: number
  title: string
  line: number
  /** The first character of the heading, and the first one behind it. */
  start: number
  end: number
}

/** A heading and everything below it, up to the next heading of its own or a higher level. */
export interface DocumentSection extends Heading {
  bodyEnd: number
  /** Where the first heading inside it begins, or the end. */
  ownEnd: number
}

// These are run on hostile text: none of them may try the same characters twice.
// `s`: a line may hold what JavaScript, and not Markdown, takes for a line break.
const ATX = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/s
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/s
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/
const BREAK = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/
const INDENTED = /^(?: {4}| {0,3}\t)/
const QUOTE = /^ {0,3}>/
const ITEM = /^ {0,3}(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)/
const HTML_BLOCKS =
  /^ {0,3}<\/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?:[\s/>]|$)/i

/** HTML blocks that end at a mark of their own; all others end at an empty line. */
const HTML_UNTIL: ReadonlyArray<[RegExp, RegExp]> = [
  [/^ {0,3}<(?:script|pre|style|textarea)(?:[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^ {0,3}<!--/, /-->/],
  [/^ {0,3}<\?/, /\?>/],
  [/^ {0,3}<!\[CDATA\[/, /\]\]>/],
  [/^ {0,3}<![A-Za-z]/, />/],
]

/** A list item or a quote: what stands inside it is no heading of the document. */
interface Container {
  /** How far a line must be indented to belong to it; a quote needs its mark on every line. */
  indent: number
  /** It has a mark and nothing behind it yet. */
  empty: boolean
  /** Its last line was text, which the next line may go on with, wherever that begins. */
  open: boolean
}

/**
 * The headings of a Markdown text, as CommonMark sees them at the top level: with `#` or underlined, not those
 * in code, comments, quotes or list items. It keeps offsets, so that an edit can leave everything else alone.
 */
export const headingsOf = (text: string, from = 0): readonly Heading[] => scanText(text, from).headings

/** `open`: the line where a code fence, a comment or the like begins that has no end: it swallows what is put below it. */
export function scanText(text: string, from = 0) {
  const headings: Heading[] = []
  let paragraph: Line[] = []
  let until: BlockEnd | null = null
  let openedAt = 0
  let container = null as Container | null
  for (const line of linesOf(text, from)) {
    const isBlank = line.text.trim() === ''
    // A block inside a list item ends with the item, whether it has its own end or not.
    if (until !== null && container && !isBlank && indentOf(line.text) < container.indent) until = null
    if (until !== null) {
      if (until.test(line.text)) until = null
      continue
    }
    if (isBlank) {
      paragraph = []
      container = afterBlank(container)
      continue
    }
    if (container && indentOf(line.text) >= container.indent) {
      const content = expandTabs(line.text).slice(container.indent)
      const inside = blockStart(content, container.open)
      until = inside === 'ends here' ? null : inside
      const isCode = INDENTED.test(content) && !container.open
      container = { ...container, empty: false, open: inside === null && !ATX.test(content) && !isCode }
      continue
    }
    const heading = headingAt(line, paragraph)
    const block = heading ? null : blockStart(line.text, paragraph.length > 0 || container?.open === true)
    if (heading) headings.push(heading)
    if (heading || block !== null || BREAK.test(line.text)) {
      until = block === 'ends here' ? null : block
      openedAt = line.number
      paragraph = []
      container = null
      continue
    }
    const opened = containerAt(line.text, paragraph.length > 0)
    if (opened) {
      container = opened
      paragraph = []
    } else if (!container?.open) {
      container = null
      if (paragraph.length > 0 || !INDENTED.test(line.text)) paragraph.push(line)
    }
  }
  return { headings, open: until !== null && until !== BLANK && container === null ? openedAt : null }
}

const QUOTED = Number.POSITIVE_INFINITY
/** Tabs at the start of a line as the spaces they stand for. */
const expandTabs = (line: string) => line.replace(/^[ \t]+/, (indent) => indent.replace(/\t/g, '    '))
const indentOf = (line: string) => /^ */.exec(expandTabs(line))?.[0].length ?? 0

/** A list item can only interrupt a paragraph where it has content, and a number where it is 1. */
function containerAt(line: string, inParagraph: boolean): Container | null {
  if (QUOTE.test(line)) return { indent: QUOTED, empty: false, open: true }
  const item = ITEM.exec(line)
  if (!item || (inParagraph && (line.trim() === item[0].trim() || /^\s*(?!1[.)])\d/.test(line)))) return null
  const marker = item[0].trimEnd().length
  const gap = /^[ \t]*/.exec(line.slice(marker))?.[0].length ?? 1
  const content = line.slice(marker).trim()
  return {
    indent: marker + (gap > 4 || gap === 0 ? 1 : gap),
    empty: content === '',
    open: content !== '' && !ATX.test(content),
  }
}

/** A quote ends at an empty line, and so does an item that has nothing in it; other items may go on. */
function afterBlank(container: Container | null): Container | null {
  if (container === null || container.empty || container.indent === QUOTED) return null
  return { ...container, open: false }
}

function headingAt(line: Line, paragraph: Line[]): Heading | null {
  const atx = ATX.exec(line.text)
  const { number, start, end } = line
  if (atx) return { level: atx[1]?.length ?? 1, title: titleText(atx[2]), line: number, start, end }
  const [first] = paragraph
  const underline = first ? UNDERLINE.exec(line.text) : null
  if (!first || !underline) return null
  const title = paragraph.map(({ text }) => text.trim()).join(' ')
  const level = underline[1]?.startsWith('=') ? 1 : 2
  return { level, title: title.trim(), line: first.number, start: first.start, end }
}

/** Tells the last line of a block. */
type BlockEnd = RegExp
const BLANK: BlockEnd = /^\s*$/

/** What ends a block whose inside is not Markdown, or null where none begins. */
function blockStart(line: string, inParagraph: boolean): BlockEnd | 'ends here' | null {
  if (!/^ {0,3}[`~<]/.test(line)) return null
  const fence = FENCE.exec(line)
  if (fence?.[1] !== undefined && !(fence[1].startsWith('`') && fence[2]?.includes('`'))) {
    return new RegExp(`^ {0,3}${fence[1][0] === '`' ? '`' : '~'}{${fence[1].length},}[ \\t]*$`)
  }
  for (const [opens, closes] of HTML_UNTIL)
    if (opens.test(line)) return closes.test(line.replace(opens, '')) ? 'ends here' : closes
  const isBlock = HTML_BLOCKS.test(line)
  const isLoneTag = !inParagraph && /^ {0,3}<\/?[A-Za-z][^<>]*>[ \t]*$/.test(line)
  return isBlock || isLoneTag ? BLANK : null
}

/** The sections below the headings of a text. Sections inside a section come after it in the list. */
export function sectionsOf(text: string, headings: readonly Heading[]): DocumentSection[] {
  const sections: DocumentSection[] = []
  // Where the next heading of each level or a higher one begins, seen from the end of the text.
  const nextAt = Array.from({ length: 7 }, () => text.length)
  let ownEnd = text.length
  for (const { level, title, line, start, end } of headings.toReversed()) {
    sections.push({ level, title, line, start, end, ownEnd, bodyEnd: nextAt[level] ?? text.length })
    nextAt.fill(start, level)
    ownEnd = start
  }
  return sections.reverse()
}
