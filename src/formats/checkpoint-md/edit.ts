import type { Transition } from '../../core/checkpoint.ts'
import { ReasonError } from '../../core/reason.ts'
import type { Artifact } from '../../core/work.ts'
import { type CheckpointDocument, DOCUMENT_SECTIONS, decodeDocument, type SectionName } from './codec.ts'
import { readFrontMatter, setFrontMatter } from './front-matter.ts'
import { withoutStretches } from './parts.ts'
import { sectionPlaceOf } from './place.ts'
import { openBlockAt } from './scan.ts'
import { foldLineBreaks, tableText } from './table.ts'

/** The line break that a text uses first; a text without one uses the newline. */
export const lineBreakOf = (text: string) => /\r\n|\n|\r/.exec(text)?.[0] ?? '\n'

const inLineBreaks = (text: string, eol: string) => text.replace(/\r\n|\n|\r/g, eol)

/** The line of a code fence or comment without an end, which swallows what is put below it; null without one. */
export const openBlockLine = (text: string): number | null =>
  openBlockAt(text, readFrontMatter(text)?.bodyStart ?? (text.startsWith('\uFEFF') ? 1 : 0))

/** Lets an edit pass only where a reader finds what it put there, and everything that was there before. */
function readable(before: CheckpointDocument, after: string, name: SectionName | 'Delta'): string {
  const { deltas, sections } = decodeDocument(after)
  const wanted = name === 'Delta' ? [...before.sections.keys()] : [...before.sections.keys(), name]
  const missing = wanted.find((section) => !sections.has(section))
  const expected = before.deltas.length + (name === 'Delta' ? 1 : 0)
  if (missing === undefined && deltas.length === expected) return after
  const open = openBlockLine(before.text) ?? openBlockLine(after)
  const lost =
    missing === undefined
      ? `${deltas.length} of ${expected} deltas would be found in it`
      : `the section ${missing} would not be found in it`
  const problem = open === null ? lost : `a code fence or comment that begins here has no end: ${lost}`
  const line = open ?? 1
  throw new ReasonError('document_broken', { path: '', id: '', line, problem })
}

/** Puts something at the end, after exactly one empty line. */
function append(text: string, addition: string, eol = lineBreakOf(text)): string {
  return text + gapAt(text, text.length, eol) + inLineBreaks(addition, eol)
}

/** What makes an empty line before an offset. It looks at what stands right before it, and at nothing else. */
function gapAt(text: string, offset: number, eol: string): string {
  if (offset === 0) return ''
  const lineStart = beforeBreak(text, offset)
  if (lineStart === offset) return eol + eol
  let at = lineStart
  while (text[at - 1] === ' ' || text[at - 1] === '\t') at -= 1
  return beforeBreak(text, at) === at ? eol : ''
}

function beforeBreak(text: string, offset: number): number {
  if (text[offset - 1] === '\n') return text[offset - 2] === '\r' ? offset - 2 : offset - 1
  return text[offset - 1] === '\r' ? offset - 1 : offset
}

export interface NewDelta {
  at: string
  what: string
  artifacts: Artifact[]
  transitions: Transition[]
  /** That no file is listed means that none changed, and not only that none was named. */
  isSure?: boolean
}

/** Appends a delta and sets `last_delta`; everything else stays byte for byte. Refuses where it would not be read. */
export function appendDelta(
  text: string,
  { at, what, artifacts, transitions, isSure = false }: NewDelta,
): string {
  const rows = artifacts.map(({ path, action, description }) => [
    path === '' ? '-' : `\`${path}\``,
    action,
    description,
  ])
  const none = [['-', 'none', isSure ? 'No files changed' : 'No files named']]
  const moves = transitions.map(({ item, before, after }) => [item, before, after])
  const part = [
    '---',
    `## Delta: ${at}`,
    `### What Changed\n\n${oneParagraph(what)}`,
    `### Artifacts\n\n${tableText(['File', 'Action', 'Description'], rows.length > 0 ? rows : none, '\n')}`,
    ...(moves.length > 0
      ? [`### Status Transitions\n\n${tableText(['Item', 'Before', 'After'], moves, '\n')}`]
      : []),
  ].join('\n\n')
  // The key first: the rule above the delta must not be taken for a front matter's end.
  const added = append(setFrontMatter(text, 'last_delta', at), `${part}\n`)
  return readable(decodeDocument(text), added, 'Delta')
}

/** Text that cannot be taken for structure: no heading, rule or fence at the start of a line. */
function oneParagraph(text: string): string {
  return text
    .trim()
    .split(/\r\n|\n|\r/)
    .map((line) => line.replace(/^(\s*)(#{1,6}(?:\s|$)|(?:=+|-+)\s*$|`{3}|~{3}|<)/, '$1\\$2'))
    .join('\n')
}

/** Replaces what stands under a section's heading, wherever it is there twice; adds it where it is missing. */
export function replaceSection(text: string, name: SectionName, body: string): string {
  const document = decodeDocument(text)
  const [section, ...others] = document.sections.get(name) ?? []
  if (!section) return readable(document, withSection(document, name, body), name)
  const eol = lineBreakOf(text)
  const places = others.map(({ start, contentEnd }) => ({ start, end: contentEnd }))
  const alone = withoutStretches(text, places, (before, after) =>
    after === '' ? '' : gapAt(before, before.length, eol),
  )
  const gap = /[\r\n]/.test(alone[section.end - 1] ?? '') ? eol : eol + eol
  const tail = alone.slice(section.contentEnd)
  const inside = `${inLineBreaks(body.trim(), eol)}${eol}`
  return readable(
    document,
    alone.slice(0, section.end) + gap + inside + (tail === '' ? '' : eol) + tail,
    name,
  )
}

/** A part of Essential Information brings that heading with it where the document has none. */
function withSection(document: CheckpointDocument, name: SectionName, body: string): string {
  const isPart = DOCUMENT_SECTIONS[name].level === 3
  if (isPart && !document.sections.has('Essential Information')) {
    const whole = decodeDocument(insertSection(document, 'Essential Information', ''))
    return insertSection(whole, name, body)
  }
  return insertSection(document, name, body)
}

function insertSection(document: CheckpointDocument, name: SectionName, body: string): string {
  const { text } = document
  const eol = lineBreakOf(text)
  const { offset, level } = sectionPlaceOf(document, name)
  const content = body.trim() === '' ? '' : `\n${body.trim()}\n`
  const tail = text.slice(offset)
  const head = append(text.slice(0, offset), `${'#'.repeat(level)} ${name}\n${content}`, eol)
  return tail === '' ? head : head + eol + tail
}

export interface NewCompletion {
  outcome: string
  date: string
  learnings: string[]
}

/** Adds the section that marks an archived document; one that is there already is replaced. */
export function setCompletion(text: string, { outcome, date, learnings }: NewCompletion): string {
  const lessons =
    learnings.length === 0
      ? ['- **Learnings**: None noted']
      : learnings.length === 1
        ? [`- **Learnings**: ${foldLineBreaks(learnings[0] ?? '')}`]
        : ['- **Learnings**:', ...learnings.map((line) => `  - ${foldLineBreaks(line)}`)]
  const body = [
    '- **Status**: Archived',
    `- **Outcome**: ${foldLineBreaks(outcome)}`,
    `- **Date**: ${date}`,
    ...lessons,
  ].join('\n')
  return replaceSection(text, 'Completion', body)
}
