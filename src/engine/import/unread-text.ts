import { fieldOf, parseOrUndefined } from '../../core/json.ts'
import { outlinePartsOf } from '../../core/outline.ts'
import { readFrontMatter } from '../../formats/markdown/front-matter.ts'
import type { LostField } from '../../policy/lost-fields.ts'
import { type FileWork, FORMAT_OF, type WorkFormatName } from './work-formats.ts'

/**
 * What people wrote into a file and its format does not read: sections, lines and keys of their own, and what a cap
 * cut. `read` is what was read of it. No format has a place for the rest, so every conversion loses it.
 */
export function findUnreadText(file: string, from: WorkFormatName, read: FileWork): LostField[] {
  const text = file.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
  const again = FORMAT_OF[from].encode(read)
  return from === 'note' || from === 'snapshot' || from === 'json'
    ? listNames('key', unreadKeys(parseOrUndefined(text), parseOrUndefined(again)))
    : [...unreadFront(text, again), ...unreadBody(text, again, read)]
}

const MOST_NAMES = 20

/** Each by its name, the first twenty of them. */
function listNames(what: 'key' | 'section', names: readonly string[]): LostField[] {
  const listed = names
    .slice(0, MOST_NAMES)
    .map((name) => ({ field: `${what} ${JSON.stringify(name.slice(0, 80))}`, count: 1 }))
  const rest = names.length - listed.length
  return rest === 0 ? listed : [...listed, { field: `more ${what}s`, count: rest }]
}

function unreadKeys(found: unknown, known: unknown, above = ''): string[] {
  if (typeof found !== 'object' || found === null || Array.isArray(found)) return []
  return Object.entries(found).flatMap(([key, value]) => {
    const path = `${above}${key}`
    const same = fieldOf(known, key)
    if (same !== undefined) return unreadKeys(value, same, `${path}.`)
    return value === null ? [] : [path]
  })
}

/** Times are read, and written in another form. */
const TIME_KEYS = ['created', 'last_delta']

function unreadFront(text: string, again: string): LostField[] {
  const known = readFrontMatter(again)?.fields
  const unread = [...(readFrontMatter(text)?.fields ?? [])]
    .filter(([key, { value }]) => !TIME_KEYS.includes(key) && known?.get(key)?.value !== value)
    .map(([key]) => key)
  return listNames('key', unread)
}

/** Headings that a format reads without writing them. */
const READ_HEADINGS = /^(?:delta\b|completion$|handoff\b|what changed|artifacts|status transitions)/i
// These are run on hostile text: none of them may try the same characters twice.
/** Lines that a format writes around what people say, with the labels of deltas and completions. */
const FRAME_LINE =
  /^_Last updated:.*_$|^1\. This was written |^(?:- )?(?:status: archived|(?:what changed|trigger|outcome|final artifacts|learnings|completed):?)$/i
/** Stands below the head of a table, whose words are the format's own. */
const TABLE_RULE = /^\|?(?:[ \t]*:?-+:?[ \t]*\|)+/

function unreadBody(text: string, again: string, read: FileWork): LostField[] {
  const keys = new Set(outlinePartsOf(again).map(({ key }) => key))
  const parts = outlinePartsOf(text).map((part) => ({
    ...part,
    isOwn: !keys.has(part.key) && !READ_HEADINGS.test(part.title),
  }))
  const known = wordPairs(`${again}\n${JSON.stringify(read).replace(/\\./g, ' ')}`)
  const bodyStart = readFrontMatter(text)?.bodyStart ?? 0
  const rows = withoutComments(text).split('\n')
  const lines: number[] = []
  let [start, part] = [0, -1]
  for (const [at, row] of rows.entries()) {
    while ((parts[part + 1]?.start ?? Number.POSITIVE_INFINITY) <= start) part += 1
    const above = parts[part]
    const isText = start >= bodyStart && (above === undefined || (start >= above.bodyStart && !above.isOwn))
    const isFrame =
      FRAME_LINE.test(row.replaceAll('*', '').trim()) || TABLE_RULE.test((rows[at + 1] ?? '').trim())
    if (isText && !isFrame && !isKnown(row, known)) lines.push(at + 1)
    start += row.length + 1
  }
  const titles = parts.filter(({ isOwn }) => isOwn).map(({ title }) => title)
  const sections = listNames('section', titles)
  return lines.length === 0 ? sections : [...sections, { field: lineNumbers(lines), count: lines.length }]
}

/** Keeps every character's place. A comment that is never closed is none. */
function withoutComments(text: string): string {
  let kept = ''
  let at = 0
  for (;;) {
    const open = text.indexOf('<!--', at)
    const close = open === -1 ? -1 : text.indexOf('-->', open)
    if (close === -1) return kept + text.slice(at)
    kept += text.slice(at, open) + text.slice(open, close + 3).replace(/[^\n]/g, ' ')
    at = close + 3
  }
}

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** Words and pairs of neighbours: in time that grows with the text alone, also where lines were joined or split. */
function wordPairs(text: string): ReadonlySet<string> {
  const pairs = new Set<string>()
  let before = ''
  for (const word of wordsOf(text)) {
    pairs.add(word).add(`${before} ${word}`)
    before = word
  }
  return pairs
}

const LIST_MARK = /^\s*(?:[-*+]|\d{1,9}[.)])?\s*(?:\[[ xX]\])?/

/** Whether each piece of a line, between its punctuation, is in the text that was read. */
function isKnown(line: string, known: ReadonlySet<string>): boolean {
  const text = line.replace(LIST_MARK, '')
  return text.split(/[^\p{L}\p{N}\s]+/u).every((piece) => {
    const words = wordsOf(piece).filter((word) => word !== 'unconfirmed')
    return words.length === 1
      ? known.has(words[0] ?? '')
      : words.every((word, at) => at === 0 || known.has(`${words[at - 1]} ${word}`))
  })
}

/** As in `lines 3, 7-9`; the first ten stretches of them. */
function lineNumbers(lines: readonly number[]): string {
  const stretches: Array<[first: number, last: number]> = []
  for (const line of lines) {
    const stretch = stretches.at(-1)
    if (stretch?.[1] === line - 1) stretch[1] = line
    else stretches.push([line, line])
  }
  const shown = stretches.slice(0, 10).map(([first, last]) => (first === last ? first : `${first}-${last}`))
  const rest = stretches.length > shown.length ? ' …' : ''
  return `${lines.length === 1 ? 'line' : 'lines'} ${shown.join(', ')}${rest}`
}
