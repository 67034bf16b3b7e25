import type { Transition } from '../../core/checkpoint.ts'
import type { Artifact } from '../../core/work.ts'
import { type FrontMatter, readFrontMatter } from './front-matter.ts'
import { linesOf, type Section, sectionsOf } from './scan.ts'
import { tableRows } from './table.ts'

/** The sections of the format, by the name that the format gives them. */
export const SECTIONS = {
  Problem: { level: 2, required: true },
  'Session Intent': { level: 2, required: true },
  'Essential Information': { level: 2, required: true },
  Decisions: { level: 3, required: true },
  'Technical Context': { level: 3, required: true },
  Breadcrumbs: { level: 3, required: false },
  'Play-By-Play': { level: 3, required: true },
  'Artifact Trail': { level: 3, required: true },
  'Current State': { level: 3, required: true },
  'Next Actions': { level: 3, required: true },
  'User Rules': { level: 2, required: false },
  Completion: { level: 2, required: false },
} as const satisfies Record<string, { level: number; required: boolean }>
export type SectionName = keyof typeof SECTIONS

export interface Delta {
  at: string
  line: number
  what: string
  artifacts: Artifact[]
  transitions: Transition[]
  /** The subsections it has, by their titles. */
  parts: string[]
}

export interface DocumentCompletion {
  status: string
  outcome: string
  date: string
  learnings: string[]
  line: number
}

/** A section of the format, and where what it says ends: before the next section that the format knows. */
export interface NamedSection extends Section {
  contentEnd: number
}

/** A checkpoint document, read. The text stays the truth; everything here is derived from it. */
export interface CheckpointDocument {
  text: string
  front: FrontMatter | null
  sections: Map<SectionName, NamedSection[]>
  deltas: Delta[]
  completion: DocumentCompletion | null
}

const keyOf = (title: string) => title.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase()
const NAME_OF = new Map(Object.keys(SECTIONS).map((name) => [keyOf(name), name as SectionName]))

/** Reads a document, whatever its order of headings; what it does not know it leaves alone. */
export function decodeDocument(text: string): CheckpointDocument {
  const front = readFrontMatter(text)
  const all = sectionsOf(text, front?.bodyStart ?? (text.startsWith('\uFEFF') ? 1 : 0))
  const deltaSections = all.filter(({ level, title }) => level === 2 && /^delta\s*:/i.test(title))
  const isInDelta = ({ start }: Section) =>
    deltaSections.some((delta) => start > delta.start && start < delta.bodyEnd)
  const named = all.flatMap((section) => {
    const name = NAME_OF.get(keyOf(section.title))
    return name !== undefined && !isInDelta(section) ? [{ name, section }] : []
  })
  const borders = [...named.map(({ section }) => section.start), ...deltaSections.map(({ start }) => start)]
  const sections = new Map<SectionName, NamedSection[]>()
  for (const { name, section } of named) {
    const next = Math.min(section.bodyEnd, ...borders.filter((start) => start > section.start))
    const contentEnd = withoutRule(text, section.end, next)
    sections.set(name, [...(sections.get(name) ?? []), { ...section, contentEnd }])
  }
  const [completion] = sections.get('Completion') ?? []
  return {
    text,
    front,
    sections,
    deltas: deltaSections.map((section) => decodeDelta(text, section, all)),
    completion: completion ? decodeCompletion(text, completion) : null,
  }
}

/** The end of what stands between two offsets, without a rule at its end: that belongs to the delta below. */
export function withoutRule(text: string, start: number, end: number): number {
  const rule = /(?:^|[\r\n])([ \t]*-{3,}[ \t]*(?:\r\n|\n|\r)\s*)$/.exec(text.slice(start, end))
  return rule?.[1] === undefined ? end : end - rule[1].length
}

/** The text of a section, without its heading, comments and outer blank lines. */
export function sectionText({ text, sections }: CheckpointDocument, name: SectionName): string {
  return (sections.get(name) ?? [])
    .map(({ end, contentEnd }) => withoutComments(text.slice(end, contentEnd)).trim())
    .filter((body) => body !== '')
    .join('\n')
}

/** Guidance in HTML comments is not content; a comment inside a code fence is. */
export function withoutComments(text: string): string {
  return text.replace(
    /^([ \t]*(?:`{3,}|~{3,})[^\n]*\n[\s\S]*?\n[ \t]*(?:`{3,}|~{3,})[ \t]*$)|<!--[\s\S]*?-->/gm,
    (_, fence) => fence ?? '',
  )
}

/** The items of a list, a line each; other lines go on the item before them. */
export function listItems(text: string): string[] {
  const items: string[] = []
  for (const { text: line } of linesOf(text)) {
    const item = /^\s*(?:[-*+]|\d+[.)])\s+(.*)$/.exec(line)
    if (item?.[1] !== undefined) items.push(item[1].trim())
    else if (line.trim() !== '') {
      if (items.length === 0) items.push(line.trim())
      else items.push(`${items.pop()} ${line.trim()}`)
    }
  }
  return items.filter((item) => item !== '')
}

const plain = (cell = '') => cell.replace(/^`+\s?|\s?`+$/g, '').trim()

export const artifactsOf = (text: string): Artifact[] =>
  tableRows(text).map(([path, action = '', description = '']) => ({ path: plain(path), action, description }))

function decodeDelta(text: string, section: Section, all: Section[]): Delta {
  const parts = all.filter(({ start }) => start > section.start && start < section.bodyEnd)
  const part = (title: string) => {
    const found = parts.find((one) => keyOf(one.title) === keyOf(title))
    return found
      ? withoutComments(text.slice(found.end, found.bodyEnd))
          .replace(/^\s*(?:-{3,}|\*{3,})\s*$/gm, '')
          .trim()
      : ''
  }
  return {
    at: section.title.replace(/^delta\s*:\s*/i, ''),
    line: section.line,
    what: part('What Changed'),
    artifacts: artifactsOf(part('Artifacts')),
    transitions: tableRows(part('Status Transitions')).map(([item = '', before = '', after = '']) => ({
      item,
      before,
      after,
    })),
    parts: parts.map(({ title }) => title),
  }
}

/** `- **Status**: Archived`; learnings may be one line, or a list below their field. */
function decodeCompletion(text: string, section: Section): DocumentCompletion {
  const fields = new Map<string, string[]>()
  let field = ''
  for (const { text: line } of linesOf(withoutComments(text.slice(section.end, section.bodyEnd)))) {
    const named = /^\s*[-*+]?\s*\*\*([^*]+?):?\*\*\s*:?\s*(.*)$/.exec(line)
    if (named?.[1] !== undefined) {
      field = keyOf(named[1])
      fields.set(field, named[2] ? [named[2].trim()] : [])
    } else if (field !== '' && line.trim() !== '' && !/^-{3,}$/.test(line.trim()))
      fields.get(field)?.push(line.replace(/^\s*[-*+]\s+/, '').trim())
  }
  const one = (name: string) => (fields.get(name) ?? []).join(' ').trim()
  return {
    status: one('status'),
    outcome: one('outcome'),
    date: one('date'),
    learnings: (fields.get('learnings') ?? []).filter((line) => !isNone(line)),
    line: section.line,
  }
}

/** "None noted" and its like say that there is nothing to say. */
export const isNone = (text: string) =>
  /^(?:none(?: noted| yet| so far)?|n\/?a|nothing(?: noted)?|-+|tbd)?[.!]?$/i.test(text.trim())
