import { wellFormed } from './canonical.ts'
import type { Claim } from './work.ts'

/** Strips terminal control sequences, normalizes line breaks and trims the text. */
export const plainText = (text: string) =>
  wellFormed(text)
    .replace(/\r\n|[\r\v\f\u0085\u2028\u2029]/g, '\n')
    .replace(/(?![\t\n])[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, '')
    .replace(/^[^\S\n]+$/gm, '')
    .trim()

/** `plainText`, with its lines joined into one. */
export const plainLine = (text: string) =>
  plainText(text)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')

// A line of somebody's text that Markdown would take for more than text: a heading, a fence, HTML, an underline.
const BLOCK = '#|`{3}|~{3}|<[!?/A-Za-z]|=+[ \\t]*$|-+[ \\t]*$'
// What would begin an item, tick one, or rule it off.
const MARK = '(?:[-*+]|\\d{1,9}[.)])(?:[ \\t]|$)|\\[[ xX]\\]|([-*_])(?:[ \\t]*\\1){2,}[ \\t]*$'
const lead = (marks: string, behind = '') => new RegExp(`^([ \\t]*)${behind}(?=\\\\*(?:${marks}))`)

// `\1` in MARK counts groups, and the indent is the first one.
const FIRST = `${BLOCK}|${MARK.replace('\\1', '\\2')}`
const SHIELD = { first: lead(FIRST), rest: lead(BLOCK) }
const SHIELDED = { first: lead(FIRST, '\\\\'), rest: lead(BLOCK, '\\\\') }

/** Escapes what Markdown would read as structure with one more backslash; `unshield` removes it again. */
const shield = (line: string, how: keyof typeof SHIELD) => line.replace(SHIELD[how], '$1\\')
const unshield = (line: string, how: keyof typeof SHIELD) => line.replace(SHIELDED[how], '$1')

const mapLines = (text: string, act: typeof shield) =>
  plainText(text)
    .split('\n')
    .map((line) => act(line, 'rest'))
    .join('\n')

/** A text of several lines as the body of a section. */
export const encodeBlock = (text: string) => mapLines(text, shield)
export const decodeBlock = (body: string) => mapLines(body, unshield).trim()

/** One bullet: further lines are indented, so that they stay in it. */
export function encodeItem(text: string): string {
  const [first = '', ...rest] = plainText(text).split('\n')
  const more = rest.map((line) => (line === '' ? '' : `  ${shield(line, 'rest')}`))
  return [`- ${shield(first, 'first')}`, ...more].join('\n')
}

/** Bullets, a line or more each; empty texts give none. */
export const encodeItems = (texts: readonly string[]) =>
  texts
    .filter((text) => plainText(text) !== '')
    .map(encodeItem)
    .join('\n')

/** A single line without a bullet, that `decodeItems` reads as one item. */
export const encodeLine = (text: string) => shield(plainLine(text), 'first')

const BULLET = /^([ \t]*)([-*+]|\d{1,9}[.)])(?:[ \t]+(.*))?$/
const RULE = /^[ \t]*([-*_])(?:[ \t]*\1){2,}[ \t]*$/
const TICK = /^\[[ xX]\](?:\s+|$)/

interface Open {
  lines: string[]
  /** The column of its mark, and that of its text; a paragraph has neither. */
  mark: number
  column: number
}

/**
 * The items of a list, as people write them: any bullet or number, ticked or not, wrapped, indented. What stands
 * under an item belongs to it; a paragraph without a bullet is an item too; bullets without a text are none.
 */
export function decodeItems(body: string): string[] {
  const items: Open[] = []
  let open = null as Open | null
  let blanks = 0
  for (const line of body.split(/\r\n|\n|\r/)) {
    if (line.trim() === '') {
      blanks += 1
      continue
    }
    const indent = indentOf(line)
    const isInside = open !== null && indent >= open.mark + 2
    const bullet = isInside ? null : BULLET.exec(line)
    if (!isInside && RULE.test(line)) open = null
    else if (bullet) {
      open = { lines: [bullet[3] ?? ''], mark: indent, column: indent + (bullet[2]?.length ?? 1) + 1 }
      items.push(open)
    } else if (open !== null && (isInside || blanks === 0)) {
      for (; blanks > 0; blanks -= 1) open.lines.push('')
      open.lines.push(outdent(line, open.column))
    } else {
      open = { lines: [line], mark: Number.POSITIVE_INFINITY, column: 0 }
      items.push(open)
    }
    blanks = 0
  }
  return items.map(({ lines }) => itemText(lines)).filter((text) => text !== '')
}

const indentOf = (line: string) => (line.startsWith('\t') ? 4 : (/^ */.exec(line)?.[0].length ?? 0))
const outdent = (line: string, columns: number) =>
  line.startsWith('\t') ? line.slice(1) : line.slice(Math.min(columns, indentOf(line)))

function itemText([first = '', ...rest]: string[]): string {
  const head = unshield(first.trimStart().replace(TICK, ''), 'first')
  return plainText([head, ...rest.map((line) => unshield(line, 'rest'))].join('\n'))
}

/** What marks a claim that nobody confirmed. */
export const UNCONFIRMED = 'UNCONFIRMED'
const MARKED = ` \`${UNCONFIRMED}\``
/**
 * A claim's text, followed by the UNCONFIRMED mark if nobody confirmed it. The same word inside the text is not a
 * mark.
 */
export function encodeClaim(text: string, confirmed: boolean): string {
  const said = plainText(text)
    .replace(/&(?=(?:#38;)*#85;NCONFIRMED)/g, '&#38;')
    .replaceAll(UNCONFIRMED, '&#85;NCONFIRMED')
  return confirmed || said === '' ? said : `${said}${MARKED}`
}

/** Reads a claim; the mark counts wherever it stands. Null where there is nothing but the mark. */
export function decodeClaim(item: string): Claim | null {
  // Our own mark goes exactly; nothing of the text goes with it.
  const isMarked = item.endsWith(MARKED)
  const pieces = (isMarked ? item.slice(0, -MARKED.length) : item).split(UNCONFIRMED)
  const said = pieces
    .map((piece, at) => (at === 0 ? piece : withoutStart(piece)))
    .map((piece, at) => (at === pieces.length - 1 ? piece : withoutEnd(piece)))
    .join('')
  const text = said
    .replaceAll('&#85;NCONFIRMED', UNCONFIRMED)
    .replace(/&#38;(?=(?:#38;)*#85;NCONFIRMED)/g, '&')
    .trim()
  return text === '' ? null : { text, origin: 'file', confirmed: !isMarked && pieces.length === 1 }
}

// What people put around the mark goes with it: code marks, stars, brackets, a colon.
function withoutEnd(text: string): string {
  let end = text.length
  while (end > 0 && '`*_([ \t'.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
function withoutStart(text: string): string {
  let start = 0
  while (start < text.length && '`*_)]:'.includes(text.charAt(start))) start += 1
  return text.slice(start)
}

/** Names in one line: in code marks, since a path or a command may hold commas. */
export const encodeNames = (names: readonly string[]) =>
  [...new Set(names.map(plainLine))]
    .filter((name) => name !== '')
    .map(codeSpan)
    .join(', ')

export function codeSpan(text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0)
  const fence = '`'.repeat(longest + 1)
  const gap = text.startsWith('`') || text.endsWith('`') ? ' ' : ''
  return `${fence}${gap}${text}${gap}${fence}`
}

/** Names in code marks, or parted by commas, or one bullet each. */
export function decodeNames(text: string): string[] {
  const names = text
    .split(/\r\n|\n|\r/)
    .map((line) => BULLET.exec(line)?.[3] ?? (BULLET.test(line) ? '' : line))
    .flatMap(namesOf)
  return [...new Set(names.map(plainLine))].filter((name) => name !== '')
}

function namesOf(line: string): string[] {
  const spans = codeSpansOf(line)
  const bare = spans.map(({ start }, index) => line.slice(spans[index - 1]?.end ?? 0, start))
  return [
    ...spans.flatMap(({ text }, index) => [...(bare[index] ?? '').split(','), text]),
    ...line.slice(spans.at(-1)?.end ?? 0).split(','),
  ]
}

/** The name in code marks that a line begins with, else its first word; and what follows. */
export function leadingName(line: string): { name: string; rest: string } {
  const [span] = line.startsWith('`') ? codeSpansOf(line) : []
  if (span?.start === 0) return { name: span.text, rest: line.slice(span.end) }
  const word = /^\S*/.exec(line)?.[0] ?? ''
  return { name: word.replace(/[:,]$/, ''), rest: line.slice(word.length) }
}

interface Span {
  start: number
  end: number
  text: string
}

/** The code spans of a line: a run of backticks up to the next run of the same length. */
export function codeSpansOf(line: string): Span[] {
  const runs = [...line.matchAll(/`+/g)].map(({ 0: { length }, index }) => ({ start: index, length }))
  const next = new Map<number, number>()
  const closing = runs.map(() => -1)
  for (let at = runs.length - 1; at >= 0; at -= 1) {
    const length = runs[at]?.length ?? 0
    closing[at] = next.get(length) ?? -1
    next.set(length, at)
  }
  const spans: Span[] = []
  for (let at = 0; at < runs.length; at += 1) {
    const [run, close] = [runs[at], runs[closing[at] ?? -1]]
    if (!run || !close) continue
    const text = line.slice(run.start + run.length, close.start)
    spans.push({ start: run.start, end: close.start + close.length, text: text.trim() })
    at = closing[at] ?? at
  }
  return spans
}
