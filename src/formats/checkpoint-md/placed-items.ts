import { collapseSpaces } from '../../core/text.ts'
import {
  type CheckpointDocument,
  listItems,
  type SectionName,
  sectionText,
  withoutComments,
} from './codec.ts'
import { linesOf } from './scan.ts'

interface Stretch {
  start: number
  end: number
}

/** An item as it is read, and the lines that say it. */
export interface PlacedItem extends Stretch {
  item: string
}

/** The comments of a text, as if it had no code. One without an end is none, and nothing is searched twice. */
function commentStretches(text: string): Stretch[] {
  const found: Stretch[] = []
  for (let start = text.indexOf('<!--'); start >= 0; ) {
    const close = text.indexOf('-->', start + 4)
    if (close < 0) break
    found.push({ start, end: close + 3 })
    start = text.indexOf('<!--', close + 3)
  }
  return found
}

/** A text with blanks where its comments are; null where a mark of a comment stands in code, and means nothing. */
export function maskComments(body: string): string | null {
  const places = commentStretches(body)
  const without = applyEdits(
    body,
    places.map((place) => ({ ...place, put: '' })),
  )
  return without === withoutComments(body) ? blankOutComments(body, places) : null
}

const blankOutComments = (text: string, places = commentStretches(text)) =>
  applyEdits(
    text,
    places.map(({ start, end }) => ({ start, end, put: ' '.repeat(end - start) })),
  )

export const commentsIn = (text: string) =>
  commentStretches(text).map(({ start, end }) => text.slice(start, end))

/** The items of a section with their places; null where they cannot be told from one another as they are read. */
export function placedItems(document: CheckpointDocument, name: SectionName): PlacedItem[] | null {
  const { text, sections } = document
  const found: Array<Stretch & { said: string[] }> = []
  for (const { end: from, contentEnd } of sections.get(name) ?? []) {
    const body = maskComments(text.slice(from, contentEnd))
    if (body === null) return null
    for (const line of linesOf(body)) {
      const place = { start: from + line.start, end: from + line.end }
      const bullet = BULLETED.exec(line.text)
      const last = found.at(-1)
      if (bullet) found.push({ ...place, said: [bullet[2] ?? ''] })
      else if (line.text.trim() === '') continue
      else if (last) {
        last.end = place.end
        last.said.push(line.text)
      } else found.push({ ...place, said: [line.text] })
    }
  }
  const placed = found.filter(({ said }) => said.some((line) => line.trim() !== ''))
  const items = listItems(sectionText(document, name))
  const isSame = placed.every(
    ({ said }, at) => collapseSpaces(said.join(' ')) === collapseSpaces(items[at] ?? ''),
  )
  if (!isSame || placed.length !== items.length) return null
  return placed.map(({ start, end }, at) => ({ start, end, item: items[at] ?? '' }))
}

/** A line that begins an item: what stands before its text, and the text. */
const BULLETED = /^(\s*(?:[-*+]|\d+[.)])\s+)(.*)$/s

/** How an item's first line begins, up to its text; empty where it has no bullet. */
export function bulletOf(lines: string): string {
  const [first = ''] = blankOutComments(lines).split(/\r\n|\n|\r/)
  return lines.slice(0, BULLETED.exec(first)?.[1]?.length ?? 0)
}

/** The comments of a section that have lines of their own, outside of some stretches of it. */
export function commentLines(
  { text, sections }: CheckpointDocument,
  name: SectionName,
  without: readonly Stretch[] = [],
): string[] {
  let at = 0
  return (sections.get(name) ?? []).flatMap(({ end: from, contentEnd }) =>
    linesOf(maskComments(text.slice(from, contentEnd)) ?? '').flatMap((line) => {
      while ((without[at]?.end ?? text.length) <= from + line.start && at < without.length) at += 1
      const isInside = (without[at]?.start ?? text.length) <= from + line.start
      const comment = text.slice(from + line.start, from + line.end).trim()
      return isInside || line.text.trim() !== '' || comment === '' ? [] : [comment]
    }),
  )
}

/** Something to stand in the place of a stretch. */
export interface Edit extends Stretch {
  put: string
}

/** The text with its edits, which do not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let done = 0
  const parts = [...edits]
    .sort((a, b) => a.start - b.start || a.end - b.end)
    .map(({ start, end, put }) => {
      const part = text.slice(done, start) + put
      done = end
      return part
    })
  return parts.join('') + text.slice(done)
}

/** Lines that go to an offset where a line begins, or where the text has no break yet. */
export function linesAt(text: string, at: number, lines: readonly string[], eol: string): Edit {
  const isBroken = at === 0 || /[\r\n]/.test(text.charAt(at - 1))
  const put = lines.join(eol)
  return { start: at, end: at, put: isBroken ? put + eol : eol + put }
}
