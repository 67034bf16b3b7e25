import { plainText } from '../../core/bullets.ts'
import { wellFormed } from '../../core/canonical.ts'
import { redact } from '../redact.ts'

/** A text as it is kept: without secrets and what drives a terminal. A secret is looked for before anything is cut. */
export const redactAndShorten = (text: string, most: number) => shorten(plainText(redact(text)), most)

export const redactToLine = (text: string, most: number) => shorten(inOneLine(plainText(redact(text))), most)

/** Line breaks become a mark, so that a list stays one. */
export function inOneLine(text: string): string {
  const lines = text.replace(/[^\S\n]+/g, ' ').split('\n')
  return lines.flatMap((line) => line.trim() || []).join(' / ')
}

/** A line that a program printed, as its own words: it may be anybody's, and ends where its quote ends. */
export const quoteOutput = (line: string) => `"${line.replaceAll('"', "'")}"`

/** Below this a text keeps its beginning only. */
const BOTH_ENDS = 170

/**
 * A text within so many characters: its beginning and, where there is room, its end, each whole up to a sentence or
 * at least a word, with a count of what is missing between. The end of a long request is often what is asked.
 */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text
  const room = Math.max(16, most - MARK_ROOM)
  if (most < BOTH_ENDS) {
    const head = headOf(text, room)
    return `${head} [+${text.length - head.length} characters]`
  }
  const head = headOf(text, Math.floor(room * 0.6))
  const tail = tailOf(text.slice(head.length), room - head.length)
  return `${head} [${text.length - head.length - tail.length} characters left out] ${tail}`
}

/** The words that say how much is missing take so many characters. */
const MARK_ROOM = 32

/** The end of a text, whole up to a paragraph, a sentence or a word. */
export const keepEnd = (text: string, most: number): string =>
  text.length <= most ? text : `[${text.length - most}+ characters before] ${tailOf(text, most - MARK_ROOM)}`

const SENTENCE = /[.!?:;。！？；\n](?=\s|$|["')\]”’」』])|[。！？；]/g

function headOf(text: string, most: number): string {
  const part = wellFormed(text.slice(0, most))
  let end = -1
  for (const match of part.matchAll(SENTENCE)) end = match.index + 1
  // A sentence that ends in the first half leaves too much room unused.
  if (end > most / 2) return part.slice(0, end).trimEnd()
  const space = part.search(/\s\S*$/)
  return (space > most / 2 ? part.slice(0, space) : part).replace(/[\uD800-\uDBFF\uFFFD]$/, '').trimEnd()
}

function tailOf(text: string, most: number): string {
  if (text.length <= most) return text.trimStart()
  const part = text.slice(text.length - most)
  const sentence = /[.!?\n。！？]\s*(?=\S)/.exec(part)
  const at = sentence ? sentence.index + sentence[0].length : -1
  if (at > 0 && at < most / 2) return part.slice(at).trimStart()
  const space = part.search(/\s/)
  const rest = space >= 0 && space < most / 2 ? part.slice(space) : part
  return wellFormed(rest.replace(/^[\uDC00-\uDFFF]/, '')).trimStart()
}

/** The first of a list, and how many more there are. */
export const firstOf = (list: readonly string[], most: number, more = 'more'): string[] =>
  list.length > most ? [...list.slice(0, most), `${list.length - most} ${more}`] : [...list]

// Letters, digits and scripts by their ranges: a class by name takes up to a millisecond to compile, at every start.
const LETTER =
  'A-Za-z0-9\\u00aa-\\u00b5\\u00b9-\\u1fff\\u2c00-\\u2dff\\u2e80-\\u2fff\\u3005-\\ud7ff\\uf900-\\ufdff\\ufe70-\\ufefc\\uff10-\\uff19\\uff21-\\uff3a\\uff41-\\uffdc'
const WORD = new RegExp(`[${LETTER}][${LETTER}_./-]+[${LETTER}]`, 'g')
const ANY_WORD = new RegExp(`[${LETTER}][${LETTER}'’_./-]*`, 'g')
/** Han, kana and hangul. */
const EAST =
  '[\\u2e80-\\u2fdf\\u3005-\\u30ff\\u3130-\\u318f\\u31f0-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff]'
/** Scripts that write no spaces, or few: two characters that stand together count as a word. */
const UNSPACED = new RegExp(`${EAST}+`, 'g')

/** The words of a text as far as they tell it from another: their first letters, so that endings do not matter. */
export function wordsIn(text: string): Set<string> {
  const plain = text.toLowerCase()
  const pairs = (plain.match(UNSPACED) ?? []).flatMap((run) =>
    run.length < 2 ? [run] : Array.from({ length: run.length - 1 }, (_, at) => run.slice(at, at + 2)),
  )
  const words = plain.replace(UNSPACED, ' ').match(WORD) ?? []
  return new Set([...words.map((word) => word.slice(0, 6)), ...pairs])
}

/** How many of some words are among others, from 0 to 1; 1 where there are none. */
export function shareOf(own: ReadonlySet<string>, words: ReadonlySet<string>): number {
  let shared = 0
  for (const word of own) if (words.has(word)) shared += 1
  return own.size === 0 ? 1 : shared / own.size
}

/** A character of a script without spaces says about as much as so many letters. */
const DENSE = 2.5
const DENSE_CHARACTERS = new RegExp(EAST, 'g')

/** How long a text is, in letters of an alphabet: limits hold for what is said, in whatever script. */
export const lettersIn = (text: string): number =>
  text.length + (text.match(DENSE_CHARACTERS)?.length ?? 0) * (DENSE - 1)

/** How many words a text has; two characters of a script without spaces count as one. */
export const countWords = (text: string): number =>
  (text.replace(UNSPACED, ' ').match(ANY_WORD)?.length ?? 0) + (text.match(DENSE_CHARACTERS)?.length ?? 0) / 2

export const hasQuestion = (text: string) => /[?？]/.test(text)

/** The paragraphs of a text, and which of them asks last, headings aside; -1 where none does. */
export function findQuestion(text: string): { parts: string[]; at: number } {
  const parts = text.split(/\n{2,}/).filter((part) => part.trim() !== '')
  return { parts, at: parts.findLastIndex((part) => hasQuestion(part.replace(/^\s*#.*$/gm, ''))) }
}
