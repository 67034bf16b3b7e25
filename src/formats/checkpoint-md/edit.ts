import type { Completion, Transition } from '../../core/checkpoint.ts'
import { ReasonError } from '../../core/reason.ts'
import type { Artifact } from '../../core/work.ts'
import { setFrontMatter } from '../markdown/front-matter.ts'
import { gapBehind, lineBreakOf, withoutStretches } from '../markdown/splice.ts'
import {
  type CheckpointDocument,
  DOCUMENT_SECTIONS,
  decodeDocument,
  type NamedSection,
  type SectionName,
  sectionBody,
  trimLines,
  withoutRule,
} from './codec.ts'
import { foldLineBreaks, tableText } from './table.ts'
import { artifactState } from './vocabulary.ts'

const inLineBreaks = (text: string, eol: string) => text.replace(/\r\n|\n|\r/g, eol)

interface Added {
  /** What was put into sections. */
  bodies?: ReadonlyMap<SectionName, string>
  deltas?: number
}

/** Lets an edit pass only where a reader finds what it put there, and everything that was there before. */
export function requireReadable(
  before: CheckpointDocument,
  text: string,
  { bodies = new Map(), deltas = 0 }: Added,
): string {
  const after = decodeDocument(text)
  const expected = before.deltas.length + deltas
  const missing =
    [...before.sections.keys()].find((name) => !after.sections.has(name)) ??
    [...bodies].find(([name, body]) => sectionBody(after, name) !== trimLines(inLineBreaks(body, '\n')))?.[0]
  if (missing === undefined && after.deltas.length === expected) return text
  const open = before.openLine ?? after.openLine
  const lost =
    missing === undefined
      ? `${after.deltas.length} of ${expected} deltas would be found in it`
      : `the section ${missing} would not be found in it as it is written`
  const problem = open === null ? lost : `the code fence or comment that starts here is not closed: ${lost}`
  const line = open ?? before.sections.get(missing ?? 'Problem')?.at(-1)?.line ?? 1
  throw new ReasonError('document_broken', { path: '', id: '', line, problem })
}

/** Puts something at the end, after exactly one empty line. */
const append = (text: string, addition: string, eol = lineBreakOf(text)) =>
  text + gapBehind(text, eol) + inLineBreaks(addition, eol)

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
    ...(path === '' ? ['-', '-'] : [`\`${path}\``, artifactState(action)]),
    description,
  ])
  const none = [['-', '-', isSure ? 'No files changed' : 'No files named']]
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
  return requireReadable(decodeDocument(text), added, { deltas: 1 })
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
  return requireReadable(document, spliceSection(document, name, body), { bodies: new Map([[name, body]]) })
}

/** The text with another body of a section, which nobody has read yet. */
export function spliceSection(document: CheckpointDocument, name: SectionName, body: string): string {
  const { text } = document
  const [section, ...others] = document.sections.get(name) ?? []
  if (!section) return insertSection(document, name, body)
  const eol = lineBreakOf(text)
  const places = others.map(({ start, contentEnd }) => ({ start, end: contentEnd }))
  const alone = withoutStretches(text, places, (before, after) =>
    after === '' ? '' : gapBehind(before, eol),
  )
  const old = alone.slice(section.end, section.contentEnd)
  const tail = alone.slice(section.contentEnd)
  const put = inLineBreaks(trimLines(body), eol)
  const isBare = old.trim() === ''
  // Empty lines around what stood there stay; below another text a rule would make a heading of it.
  const lead = isBare
    ? gapBehind(alone.slice(0, section.end), eol)
    : (/^(?:[ \t]*(?:\r\n|\n|\r))*/.exec(old)?.[0] ?? '')
  const end = isBare || !(tail === '' || tail.startsWith('#')) ? '' : old.slice(old.trimEnd().length)
  const behind = end || (tail === '' ? eol : eol + eol)
  return alone.slice(0, section.end) + lead + put + behind + tail
}

/** A part of Essential Information brings that heading with it where the document has none. */
function insertSection(document: CheckpointDocument, name: SectionName, body: string): string {
  if (PARTS.includes(name) && !document.sections.has('Essential Information'))
    return insertSection(decodeDocument(insertSection(document, 'Essential Information', '')), name, body)
  const { text } = document
  const eol = lineBreakOf(text)
  const { offset, level } = sectionPlaceOf(document, name)
  const content = body.trim() === '' ? '' : `\n${trimLines(body)}\n`
  const tail = text.slice(offset)
  const head = append(text.slice(0, offset), `${'#'.repeat(level)} ${name}\n${content}`, eol)
  return tail === '' ? head : head + eol + tail
}

// `as`: these are the table's own keys.
const NAMES = Object.keys(DOCUMENT_SECTIONS) as SectionName[]
const PARTS = NAMES.filter((name) => DOCUMENT_SECTIONS[name].level === 3)

/** Where a section goes that a document does not have: at its place in the order of the format. */
function sectionPlaceOf(document: CheckpointDocument, name: SectionName): { offset: number; level: number } {
  const { level } = DOCUMENT_SECTIONS[name]
  if (name === 'Completion') return { offset: document.text.length, level }
  const [essential] = document.sections.get('Essential Information') ?? []
  if (level === 3 && essential) return partPlace(document, essential, name)
  const following = NAMES.slice(NAMES.indexOf(name) + 1).filter((other) => document.sections.has(other))
  // The heading over the parts goes above all of them, in whatever order they are.
  const isAbove = name === 'Essential Information' && PARTS.some((part) => document.sections.has(part))
  const before = isAbove ? following.filter((other) => PARTS.includes(other)) : following.slice(0, 1)
  const starts = before.map((other) => document.sections.get(other)?.[0]?.start ?? document.text.length)
  return { offset: Math.min(...starts, endOfBody(document)), level }
}

/** A part stays inside the heading over the parts, before the part that follows it. */
function partPlace({ sections }: CheckpointDocument, essential: NamedSection, name: SectionName) {
  const inside = PARTS.map((part) =>
    sections.get(part)?.find(({ start }) => start > essential.start && start < essential.bodyEnd),
  )
  const order = PARTS.indexOf(name)
  const next = inside.slice(order + 1).find((part) => part !== undefined)
  const last = inside.slice(0, order).findLast((part) => part !== undefined)
  return {
    offset: next?.start ?? last?.contentEnd ?? essential.contentEnd,
    level: (next ?? last)?.level ?? Math.min(essential.level + 1, 6),
  }
}

/** Behind everything but the deltas and the completion: these stay last. */
function endOfBody({ text, deltas, sections }: CheckpointDocument): number {
  const [completion] = sections.get('Completion') ?? []
  const end = Math.min(deltas[0]?.section.start ?? text.length, completion?.start ?? text.length)
  return end === text.length ? end : withoutRule(text, 0, end)
}

/** Adds the section that marks an archived document; one that is there already is replaced. */
export function setCompletion(text: string, { outcome, date, learnings }: Completion): string {
  const [first = 'None noted', ...more] = learnings.map(foldLineBreaks)
  const body = [
    '- **Status**: Archived',
    `- **Outcome**: ${foldLineBreaks(outcome)}`,
    `- **Date**: ${date}`,
    ...(more.length === 0
      ? [`- **Learnings**: ${first}`]
      : ['- **Learnings**:', ...[first, ...more].map((line) => `  - ${line}`)]),
  ].join('\n')
  return replaceSection(text, 'Completion', body)
}

/** The text without its completion, and with nothing else changed: a document that is open again. */
export function withoutCompletion(text: string): string {
  const sections = decodeDocument(text).sections.get('Completion') ?? []
  let open = text
  for (const { start, bodyEnd } of sections.toReversed()) {
    const before = open.slice(0, withoutRule(open, 0, start)).trimEnd()
    const after = open.slice(bodyEnd)
    const eol = lineBreakOf(text)
    open = `${before}${eol}${after === '' ? '' : eol}${after}`
  }
  return open
}
