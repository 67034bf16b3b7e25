import { linesOf } from '../../core/outline.ts'
import { applyEdits, type TextRange } from '../markdown/splice.ts'
import { headingsOf } from './scan.ts'
import { tablesOf } from './table.ts'

/** Where HTML comments stand: guidance in them is not content. A comment inside a code fence is none. */
function commentsOf(text: string): TextRange[] {
  const found: TextRange[] = []
  let at = 0
  let end = 0
  for (let start = text.indexOf('<!--'); start >= 0; start = text.indexOf('<!--', at)) {
    // The end that was found for a comment inside code may be that of the next one: it is looked for only once.
    if (end < start + 4) end = text.indexOf('-->', start + 4)
    if (end < 0) break
    const fenceEnd = endOfFence(text, at, start)
    if (fenceEnd === null) found.push({ start, end: end + 3 })
    at = fenceEnd ?? end + 3
  }
  return found
}

/** The comments themselves. */
export const commentTexts = (text: string) => commentsOf(text).map(({ start, end }) => text.slice(start, end))

export const withoutComments = (text: string) =>
  applyEdits(
    text,
    commentsOf(text).map((place) => ({ ...place, put: '' })),
  )

/** A text without the lines that only draw a rule. */
export const withoutRules = (text: string) => text.replace(/^[ \t]*(?:-{3,}|\*{3,})[ \t]*$/gm, '')

/** A text of the same length with blanks, or another character, where its comments are. */
export const maskComments = (text: string, by = ' ') =>
  applyEdits(
    text,
    commentsOf(text).map(({ start, end }) => ({ start, end, put: by.repeat(end - start) })),
  )

/** The end of the code fence that is open at an offset, which is the text's where it has none; null without one. */
function endOfFence(text: string, from: number, offset: number): number | null {
  let open: string | null = null
  for (const { marks, rest } of fencesOf(text.slice(from, offset)))
    if (open === null) open = marks.startsWith('`') && rest.includes('`') ? null : marks
    else if (marks.startsWith(open) && rest.trim() === '') open = null
  if (open === null) return null
  for (const { marks, rest, end } of fencesOf(text.slice(offset)))
    if (marks.startsWith(open) && rest.trim() === '') return offset + end
  return text.length
}

function* fencesOf(text: string) {
  for (const { 0: line, 1: marks = '', 2: rest = '', index } of text.matchAll(FENCES))
    yield { marks, rest, end: index + line.length }
}

const FENCES = /^[ \t]*(`{3,}|~{3,})([^\r\n]*)$/gm

/** An item as it is read, and the lines that say it. */
export interface PlacedItem extends TextRange {
  item: string
  /** How its first line begins, up to its text; empty where it has no bullet. */
  bullet: string
}

const BULLETED = /^\s*(?:[-*+]|\d+[.)])\s+/

/**
 * The items of a list, and the comments that have lines of their own; `isLoose` says which of them are in no item.
 * A line without a bullet goes on the item before it.
 */
export function placedItems(
  body: string,
  shown = maskComments(body, '\0'),
): { items: PlacedItem[]; comments: Array<{ text: string; isLoose: boolean }> } {
  const items: PlacedItem[] = []
  const comments: Array<{ text: string; isLoose: boolean }> = []
  let behind = 0
  for (const { text: line, start, end } of linesOf(shown)) {
    const shape = line.replaceAll('\0', ' ')
    const last = items.at(-1)
    if (shape.trim() === '') {
      if (line.includes('\0')) comments.push({ text: body.slice(start, end).trim(), isLoose: true })
      continue
    }
    const indent = BULLETED.exec(shape)?.[0].length ?? 0
    const item = line.slice(indent).replaceAll('\0', '').trim()
    if (last && indent === 0) {
      last.item = last.item === '' ? item : `${last.item} ${item}`
      last.end = end
      for (const comment of comments.slice(behind)) comment.isLoose = false
    } else items.push({ start, end, item, bullet: body.slice(start, start + indent) })
    behind = comments.length
  }
  return { items: items.filter(({ item }) => item !== ''), comments }
}

/** What the items of a list say, in a text without comments. */
export const listItems = (text: string): string[] => placedItems(text, text).items.map(({ item }) => item)

/** Content beyond headings, placeholders in brackets, and a table without rows. */
export function isFilled(text: string): boolean {
  const tables = tablesOf(text)
  if (tables.some(({ rows }) => rows.some(({ cells }) => cells.some(hasWords)))) return true
  // A line of a table or a heading says nothing by itself.
  const structure = [...tables, ...headingsOf(text)].map(({ start, end }) => ({ start, end, put: '' }))
  const rest = withoutRules(applyEdits(text, structure)).replace(/^[ \t]*\|.*$/gm, '')
  return listItems(rest).some(hasWords)
}

const hasWords = (text: string) => /[\p{L}\p{N}]/u.test(text) && !/^\[[^\]]*\]$/.test(text)
