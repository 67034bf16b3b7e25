import { lineBreakOf } from './edit.ts'
import { headingsOf } from './scan.ts'

export interface LearningEntry {
  date: string
  id: string
  learnings: string[]
  line: number
}

const HEADING = /^(\d{4}-\d\d-\d\d)\s+(?:—|–|--?)\s+(\S+)\s*$/

/** The entries of LEARNINGS.md, newest first as they stand there. */
export function decodeLearnings(text: string): LearningEntry[] {
  const headings = headingsOf(text)
  return headings.flatMap((heading, index) => {
    const found = HEADING.exec(heading.title)
    if (heading.level !== 2 || !found?.[1] || !found[2]) return []
    const body = text.slice(heading.end, headings[index + 1]?.start ?? text.length)
    const learnings = [...body.matchAll(/^\s*[-*+]\s+(.*\S)\s*$/gm)].map(([, item = '']) => item)
    return [{ date: found[1], id: found[2], learnings, line: heading.line }]
  })
}

/** The text with one entry more, above all others; unchanged where the document has its entry already. */
export function addLearnings(text: string, entry: { date: string; id: string; learnings: string[] }): string {
  if (entry.learnings.length === 0 || decodeLearnings(text).some(({ id }) => id === entry.id)) return text
  const eol = lineBreakOf(text)
  const lines = entry.learnings.map((line) => `- ${line.replace(/\s*[\r\n]+\s*/g, ' ').trim()}`)
  const part = [`## ${entry.date} — ${entry.id}`, ...lines].join(eol) + eol
  if (text.trim() === '') return `# Learnings${eol}${eol}${part}`
  const first = headingsOf(text).find(({ level }) => level === 2)
  if (first) return `${text.slice(0, first.start)}${part}${eol}${text.slice(first.start)}`
  return `${text}${/[\r\n]$/.test(text) ? '' : eol}${eol}${part}`
}
