import type { Completion, Transition } from '../../core/checkpoint.ts'
import { linesOf, titleKey } from '../../core/outline.ts'
import type { Artifact } from '../../core/work.ts'
import { type FrontMatter, readFrontMatter } from '../markdown/front-matter.ts'
import { cacheNewest } from '../markdown/newest.ts'
import { listItems, withoutComments, withoutRules } from './items.ts'
import { type DocumentSection, scanText, sectionsOf } from './scan.ts'
import { plainCell, tableRows } from './table.ts'

/** The sections of the format, by the name that the format gives them. */
export const DOCUMENT_SECTIONS = {
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
export type SectionName = keyof typeof DOCUMENT_SECTIONS

export interface Delta {
  at: string
  line: number
  what: string
  artifacts: Artifact[]
  transitions: Transition[]
  section: DocumentSection
  /** The subsections it has. */
  parts: DocumentSection[]
  /** Where what stands above its heading begins: behind the heading before it. */
  above: number
}

export interface DocumentCompletion extends Pick<Completion, 'outcome' | 'date' | 'learnings'> {
  status: string
  line: number
}

/** A section of the format, and where what it says ends: before the next section that the format knows. */
export interface NamedSection extends DocumentSection {
  contentEnd: number
}

/** A checkpoint document, read. The text stays the truth; everything here is derived from it. */
export interface CheckpointDocument {
  text: string
  front: FrontMatter | null
  sections: Map<SectionName, NamedSection[]>
  deltas: Delta[]
  completion: DocumentCompletion | null
  /** Everything below its headings, in order: what the format knows, and what not. */
  outline: DocumentSection[]
  /** The line of a code fence or comment without an end, which swallows what is put below it; null without one. */
  openLine: number | null
}

const NAME_OF = new Map(Object.keys(DOCUMENT_SECTIONS).map((name) => [titleKey(name), name as SectionName]))

/** Reads a document, whatever its order of headings; what it does not know it leaves alone. */
export const decodeDocument = cacheNewest((text: string): CheckpointDocument => {
  const front = readFrontMatter(text)
  const { headings, open } = scanText(text, front?.bodyStart ?? (text.startsWith('\uFEFF') ? 1 : 0))
  const all = sectionsOf(text, headings)
  const deltas: Delta[] = []
  const known: Array<{ name: SectionName | null; section: DocumentSection }> = []
  for (let at = 0; at < all.length; at += 1) {
    const section = all[at]
    if (section === undefined) break
    if (section.level === 2 && /^delta\s*:/i.test(section.title)) {
      const first = at + 1
      while ((all[at + 1]?.start ?? text.length) < section.bodyEnd) at += 1
      known.push({ name: null, section })
      const above = all[first - 2]?.end ?? front?.bodyStart ?? 0
      deltas.push(decodeDelta(text, section, all.slice(first, at + 1), above))
      continue
    }
    const name = NAME_OF.get(titleKey(section.title))
    if (name !== undefined) known.push({ name, section })
  }
  const sections = new Map<SectionName, NamedSection[]>()
  known.forEach(({ name, section }, index) => {
    if (name === null) return
    const next = Math.min(section.bodyEnd, known[index + 1]?.section.start ?? text.length)
    const same = sections.get(name) ?? []
    same.push({ ...section, contentEnd: withoutRule(text, section.end, next) })
    sections.set(name, same)
  })
  const [completion] = sections.get('Completion') ?? []
  return {
    text,
    front,
    sections,
    deltas,
    completion: completion ? decodeCompletion(text, completion) : null,
    outline: all,
    openLine: open,
  }
})

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

/** The bytes of a section below its heading, in lines that end in a line feed; where it is there twice, of both. */
export const sectionBody = ({ text, sections }: CheckpointDocument, name: SectionName): string =>
  (sections.get(name) ?? [])
    .map(({ end, contentEnd }) => trimLines(text.slice(end, contentEnd).replace(/\r\n|\r/g, '\n')))
    .filter((body) => body !== '')
    .join('\n')

/** A text without empty lines around it. What its first line begins with stays: it may be an indentation. */
export const trimLines = (text: string) => {
  const end = text.trimEnd()
  const first = end.search(/\S/)
  return end.slice(end.lastIndexOf('\n', first) + 1)
}

export const artifactsOf = (text: string): Artifact[] =>
  tableRows(text).map(([path = '', action = '', description = '']) => ({
    path: plainCell(path),
    action,
    description,
  }))

function decodeDelta(text: string, section: DocumentSection, parts: DocumentSection[], above: number): Delta {
  const part = (key: string) => {
    const found = parts.find(({ title }) => titleKey(title) === key)
    return found ? withoutRules(withoutComments(text.slice(found.end, found.bodyEnd))).trim() : ''
  }
  // Read when somebody asks: a large document has a thousand deltas, and most acts look only at their number.
  return {
    at: section.title.replace(/^delta\s*:\s*/i, ''),
    line: section.line,
    get what() {
      return part('whatchanged')
    },
    get artifacts() {
      return artifactsOf(part('artifacts'))
    },
    get transitions() {
      return tableRows(part('statustransitions')).map(([item = '', before = '', after = '']) => ({
        item,
        before,
        after,
      }))
    },
    ...{ section, parts, above },
  }
}

const FIELDS = ['status', 'outcome', 'date', 'learnings'] as const
const FIELD = /^(\s*)(?:[-*+]\s*)?\*\*([^*]+?):?\*\*(.*)$/s

/** `- **Status**: Archived`; learnings may be one line, or a list below their field. */
function decodeCompletion(text: string, section: NamedSection): DocumentCompletion {
  const fields = new Map<string, string[]>()
  let field = ''
  let indent = 0
  for (const { text: line } of linesOf(withoutComments(text.slice(section.end, section.contentEnd)))) {
    const [, before = '', title = '', rest = ''] = FIELD.exec(line) ?? []
    const value = rest.trimStart().replace(/^:/, '').trim()
    const name = FIELDS.find((one) => one === titleKey(title) && !fields.has(one))
    // Deeper inside the learnings is what was learned, whatever it is called.
    if (name !== undefined && !(field === 'learnings' && before.length > indent)) {
      field = name
      indent = before.length
      fields.set(field, value === '' ? [] : [`- ${value}`])
    } else if (/^ {0,3}#{1,6}\s/.test(line)) field = ''
    else if (field !== 'learnings' && (title !== '' || (line.trim() === '' && fields.get(field)?.length)))
      field = ''
    else if (!/^\s*-{3,}\s*$/.test(line)) fields.get(field)?.push(line)
  }
  const items = (name: (typeof FIELDS)[number]) => listItems((fields.get(name) ?? []).join('\n'))
  return {
    status: items('status').join(' '),
    outcome: items('outcome').join(' '),
    date: items('date').join(' '),
    learnings: items('learnings').filter((item) => !isNone(item)),
    line: section.line,
  }
}

const NONE =
  /^(?:(?:none|nothing|no(?: (?:new|notable|further|other))?(?: (?:learnings?|lessons?(?: learned)?|insights?)))(?: (?:noted|yet|so far|identified|recorded|found|known|new|to (?:note|report|record)|for now|at this time))?|n\/?a|[-–—]+|tbd)?[.!]*$/i

/** "None noted" and its like say that there is nothing to say, in emphasis or brackets as well. */
export function isNone(text: string): boolean {
  const said = text.trim()
  return said.length < 80 && NONE.test(said.replace(/^[*_~`([]+|[*_~`)\]]+$/g, '').trim())
}
