import { linesOf } from '../../core/outline.ts'
import { estimateTokens } from '../../core/tokens.ts'
import type { TextRange } from '../markdown/splice.ts'
import type { SectionName } from './codec.ts'
import { isFilled, withoutComments } from './items.ts'
import { endOfBlock, itemsOf } from './parts.ts'
import { countOf } from './spell.ts'

/** A list item or a block of a section. */
export interface Unit extends TextRange {
  /** Text has a beginning; anything else (code, a table, a quote) stays or goes whole; `more` counts what went. */
  kind: 'text' | 'whole' | 'more'
  /** Where the next one begins, if only empty lines are between. */
  until: number
  /** Its lines, without the last line break. */
  raw: string
  mark: string
  /** What it says, in one line. */
  said: string
  tokens: number
  /** It took in something indented that stood below it: `compress` leaves such an item of a lower rank alone. */
  hasIndented: boolean
}

type Block = TextRange & { isText: boolean; hasIndented?: true }

const ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/
const RULE = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/
/** Code, a table, a quote, HTML, and an item that no list claims: none of them has a beginning that stands alone. */
const NO_TEXT = /^(?: {4}| {0,3}(?:\t|[|<>]|-->|`{3}|~{3}|(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)))/

/** The items and blocks of a stretch, in order. What is in none of them stays as it is. */
export function unitsOf(text: string, stretch: TextRange, section: SectionName): Unit[] {
  const blocks: Block[] = []
  let at = stretch.start
  for (const { start, end } of itemsOf(text, stretch)) {
    blocks.push(...looseBlocks(text, { start: at, end: start }), { start, end, isText: true })
    at = end
  }
  blocks.push(...looseBlocks(text, { start: at, end: stretch.end }))
  const apart = withIndented(text, blocks)
  return apart.flatMap((block, index) => {
    const next = apart[index + 1]?.start ?? block.end
    const until = text.slice(block.end, next).trim() === '' ? next : block.end
    return unitOf(text, block, until, section)
  })
}

/** What is indented goes with the block above it: behind another one it could be read as part of that. */
function withIndented(text: string, blocks: Block[]): Block[] {
  const apart: Block[] = []
  for (const block of blocks) {
    const above = apart.at(-1)
    const isIndented = /[ \t]/.test(text.charAt(block.start))
    if (above && isIndented && text.slice(above.end, block.start).trim() === '')
      Object.assign(above, { end: block.end, hasIndented: true })
    else apart.push(block)
  }
  return apart
}

function unitOf(text: string, block: Block, until: number, section: SectionName): Unit[] {
  const { start, end, isText, hasIndented = false } = block
  const raw = text.slice(start, end).replace(/(?:\r\n|\n|\r)$/, '')
  const [mark = ''] = isText ? (ITEM.exec(raw) ?? []) : []
  const content = raw.slice(mark.length)
  const said = isText ? inOneLine(content) : ''
  const tokens = estimateTokens(content)
  const isMore = mark !== '' && countOf(said) > 0
  const says = isFilled(content)
  // A placeholder is not worth a place; the line that sums up older steps is read again by the next compress.
  if ((!says && tokens <= SMALL) || (section === 'Play-By-Play' && EARLIER.test(said))) return []
  // Half of what was replaced would be read as what stands.
  const isSpent = section === 'Decisions' && /~~|\bsuperseded by\b/i.test(content)
  const isHalf = content.split('<!--').length !== content.split('-->').length
  const kind = isMore ? 'more' : isText && says && !isSpent && !isHalf ? 'text' : 'whole'
  return [{ start, end, until, kind, raw, mark, said, tokens, hasIndented }]
}

const SMALL = 12
const EARLIER = /^Earlier: \d{1,9} steps?, /

/** Only what Markdown takes for a space is one: other characters keep a line from being read as something else. */
const inOneLine = (content: string) =>
  withoutComments(content)
    .replace(/<!--|-->|`{3,}|~{3,}/g, ' ')
    .replace(/[ \t\r\n]+/g, ' ')
    .replace(/^ | $/g, '')

/** What stands outside of lists, block by block. Rules and guidance in comments are no blocks: they stay. */
function looseBlocks(text: string, { start, end }: TextRange): Block[] {
  const blocks: Block[] = []
  let open: Block | null = null
  let until: ((line: string) => boolean) | null = null
  for (const line of linesOf(text.slice(start, end))) {
    const place = { start: start + line.start, end: start + line.end }
    if (open && until) {
      open.end = place.end
      if (until(line.text)) [open, until] = [null, null]
      continue
    }
    if (/^[ \t]*$/.test(line.text) || RULE.test(line.text)) {
      open = null
      continue
    }
    const isText = !NO_TEXT.test(line.text)
    until = endOfBlock(line.text)
    if (!open || (open.isText && (!isText || until))) {
      open = { ...place, isText: isText && !until }
      blocks.push(open)
    } else open.end = place.end
  }
  return blocks.filter((block) => !isComment(text.slice(block.start, block.end)))
}

const isComment = (block: string) =>
  block.trimStart().startsWith('<!--') && withoutComments(block).trim() === ''
