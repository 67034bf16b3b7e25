import type { Checkpoint } from '../../core/checkpoint.ts'
import { ReasonError } from '../../core/reason.ts'
import { lineBreakOf } from '../markdown/splice.ts'
import { isNone } from './codec.ts'
import { listItems, placedItems, withoutComments, withoutRules } from './items.ts'
import { headingsOf, scanText } from './scan.ts'
import { foldLineBreaks } from './table.ts'

export interface LearningEntry {
  date: string
  id: string
  learnings: string[]
  line: number
}

/** What a finished piece of work has taught, as an entry; null where that is nothing. */
export function learningEntryOf(
  { completion, at }: Pick<Checkpoint, 'completion' | 'at'>,
  id: string,
): Omit<LearningEntry, 'line'> | null {
  if (!completion || completion.learnings.length === 0) return null
  // A completion that was written by hand may have no date.
  const [date = at.slice(0, 10)] = /^\d{4}-\d\d-\d\d/.exec(completion.date) ?? []
  return { date, id, learnings: completion.learnings }
}

/** An entry, and where it stands in the text. */
type PlacedEntry = ReturnType<typeof entriesOf>[number]

const HEADING = /^(\d{4}-\d\d-\d\d)\s+(?:—|–|--?)\s+(\S+)\s*$/

/** The entries of LEARNINGS.md, newest first as they stand there. */
export const decodeLearnings = (text: string): LearningEntry[] =>
  entriesOf(text).map(({ date, id, learnings, line }) => ({ date, id, learnings, line }))

/**
 * Every learning of LEARNINGS.md, the newest last. People and other tools write into it, too: any heading with a date
 * counts, and bullets under none of them are the newest.
 */
export function readLearningLines(text: string): string[] {
  const headings = headingsOf(text)
  const parts = [{ title: '', end: 0 }, ...headings].map(({ title, end }, index) => ({
    date: /\d{4}-\d\d-\d\d/.exec(title)?.[0] ?? UNDATED,
    lines: placedItems(bodyOf(text, end, headings[index]?.start)).items,
  }))
  // The newest entry stands on top.
  return parts
    .reverse()
    .sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0))
    .flatMap(({ date, lines }) => lines.filter(({ bullet }) => bullet !== '' || date !== UNDATED))
    .map(({ item }) => item)
    .filter((line) => !isNone(line))
}

/** Behind every date. */
const UNDATED = '~'

/** What stands below a heading, without comments and rules. */
const bodyOf = (text: string, start: number, end = text.length) =>
  withoutRules(withoutComments(text.slice(start, end)))

function entriesOf(text: string) {
  const headings = headingsOf(text)
  return headings.flatMap(({ level, title, line, start, end }, index) => {
    const [, date, id] = HEADING.exec(title) ?? []
    if (level !== 2 || date === undefined || id === undefined) return []
    const bodyEnd = headings[index + 1]?.start ?? text.length
    const learnings = listItems(bodyOf(text, end, bodyEnd))
    return [{ date, id, learnings, line, start, bodyStart: end, bodyEnd }]
  })
}

/**
 * The text with what it does not hold yet under that id: in the entry of that day, or in a new one above all
 * others. Everything else stays byte for byte, and adding the same again changes nothing.
 */
export function addLearnings(text: string, entry: { date: string; id: string; learnings: string[] }): string {
  const entries = entriesOf(text)
  const known = entries.filter(({ id }) => id === entry.id)
  const old = new Set(known.flatMap(({ learnings }) => learnings.map(foldLineBreaks)))
  const fresh = entry.learnings.map(foldLineBreaks).filter((line) => !isNone(line) && !old.has(line))
  if (fresh.length === 0) return text
  const sameDay = known.find(({ date }) => date === entry.date)
  const bullets = fresh.map((line) => `- ${line}`)
  const added = sameDay ? appendBullets(text, sameDay, bullets) : withEntry(text, entries[0], entry, bullets)
  const count = (all: LearningEntry[]) =>
    all.filter(({ id }) => id === entry.id).flatMap((one) => one.learnings)
  if (count(entriesOf(added)).length === count(entries).length + fresh.length) return added
  const problem = 'the code fence or comment that starts here is not closed'
  throw new ReasonError('document_broken', { path: '', id: '', line: scanText(text).open ?? 1, problem })
}

function appendBullets(text: string, { bodyStart, bodyEnd }: PlacedEntry, bullets: string[]): string {
  const eol = lineBreakOf(text)
  const end = bodyStart + text.slice(bodyStart, bodyEnd).trimEnd().length
  const isBare = end === bodyStart && /[\r\n]$/.test(text.slice(0, end))
  const lines = isBare ? bullets.map((line) => line + eol) : bullets.map((line) => eol + line)
  return text.slice(0, end) + lines.join('') + text.slice(end)
}

function withEntry(
  text: string,
  newest: PlacedEntry | undefined,
  { date, id }: { date: string; id: string },
  bullets: string[],
): string {
  const eol = lineBreakOf(text)
  const part = [`## ${date} — ${id}`, ...bullets].join(eol) + eol
  if (text.trim() === '') return `# Learnings${eol}${eol}${part}`
  const next = newest?.start ?? headingsOf(text).find(({ level }) => level === 2)?.start
  if (next !== undefined) return `${text.slice(0, next)}${part}${eol}${text.slice(next)}`
  return `${text}${/[\r\n]$/.test(text) ? '' : eol}${eol}${part}`
}
