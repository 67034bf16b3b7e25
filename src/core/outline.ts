/** A heading of a Markdown text, and its own body: up to the next heading of any level. */
export interface OutlinePart {
  level: number
  title: string
  /** The title without its marks, case and spaces: what makes it the same title for a reader. */
  key: string
  /** The nearest heading above it that is of a higher level. */
  parent: OutlinePart | null
  start: number
  bodyStart: number
  bodyEnd: number
}

// These are run on hostile text: none of them may try the same characters twice.
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/

/** A title without its marks, case and spaces: what makes it the same title for a reader. */
export const titleKey = (title: string) =>
  // Letters of all scripts take half a millisecond to compile, and few titles have them.
  title.replace(/^[\0-\x7f]*$/.test(title) ? /[^A-Za-z0-9]+/g : /[^\p{L}\p{N}]+/gu, '').toLowerCase()

/**
 * The parts of a Markdown text, in order. A `#` in a code fence is no heading; a fence that is never closed is
 * none, or it would swallow all that people wrote below it.
 */
export function outlinePartsOf(text: string): OutlinePart[] {
  const lines = linesOf(text, text.startsWith('\uFEFF') ? 1 : 0)
  const closers = lines.map(({ text: line }) => fenceOf(line)).map((fence) => (fence?.bare ? fence : null))
  const hopeless: Record<string, number> = {}
  const parts: OutlinePart[] = []
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]
    if (line === undefined) break
    const fence = fenceOf(line.text)
    if (fence) {
      at = closerOf(closers, at, fence, hopeless) ?? at
      continue
    }
    const found = HEADING.exec(line.text)
    if (!found?.[1]) continue
    const level = found[1].length
    const title = titleText(found[2])
    const last = parts.at(-1)
    if (last) last.bodyEnd = line.start
    parts.push({
      level,
      title,
      key: titleKey(title),
      parent: parentOf(last ?? null, level),
      start: line.start,
      bodyStart: line.end,
      bodyEnd: text.length,
    })
  }
  return parts
}

/** One line of a text, with where it stands. `end` is behind its line break. */
export interface Line {
  text: string
  number: number
  start: number
  end: number
}

export function linesOf(text: string, from = 0): Line[] {
  const lines: Line[] = []
  const lineBreak = /\r\n|\n|\r/g
  let number = 1
  while (lineBreak.test(text) && lineBreak.lastIndex <= from) number += 1
  lineBreak.lastIndex = from
  for (let start = from; start < text.length; number += 1) {
    const found = lineBreak.exec(text)
    const end = found ? lineBreak.lastIndex : text.length
    lines.push({ text: text.slice(start, found?.index ?? end), number, start, end })
    start = end
  }
  return lines
}

interface Fence {
  mark: string
  length: number
  bare: boolean
}

function fenceOf(line: string): Fence | null {
  const found = FENCE.exec(line)
  const [mark = '', rest = ''] = [found?.[1], found?.[2]]
  if (mark === '' || (mark.startsWith('`') && rest.includes('`'))) return null
  return { mark: mark.charAt(0), length: mark.length, bare: rest.trim() === '' }
}

/** Finds the line that closes a fence. A failed search is remembered, so that hostile text stays linear. */
function closerOf(
  closers: ReadonlyArray<Fence | null>,
  from: number,
  { mark, length }: Fence,
  hopeless: Record<string, number>,
): number | null {
  if (length >= (hopeless[mark] ?? Number.POSITIVE_INFINITY)) return null
  for (let at = from + 1; at < closers.length; at += 1) {
    const closer = closers[at]
    if (closer && closer.mark === mark && closer.length >= length) return at
  }
  hopeless[mark] = length
  return null
}

function parentOf(last: OutlinePart | null, level: number): OutlinePart | null {
  let part = last
  while (part && part.level >= level) part = part.parent
  return part
}

/** `## Title ##` is titled "Title". */
export function titleText(written = ''): string {
  const title = written.trim()
  let end = title.length
  while (title[end - 1] === '#') end -= 1
  return end === 0 || /[ \t]/.test(title[end - 1] ?? '') ? title.slice(0, end).trimEnd() : title
}
