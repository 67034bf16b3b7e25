import type { Transition } from '../../core/checkpoint.ts'
import type { Artifact } from '../../core/work.ts'
import { decodeDocument, SECTIONS, type SectionName, withoutRule } from './codec.ts'
import { setFrontMatter } from './front-matter.ts'
import { tableText } from './table.ts'

/** The line break that a text uses first; a text without one uses the newline. */
export const lineBreakOf = (text: string) => /\r\n|\n|\r/.exec(text)?.[0] ?? '\n'

const inLineBreaks = (text: string, eol: string) => text.replace(/\r\n|\n|\r/g, eol)

/** Puts something at the end, after exactly one empty line. */
function append(text: string, addition: string): string {
  const eol = lineBreakOf(text)
  const gap =
    text === ''
      ? ''
      : /(?:\r\n|\n|\r)[ \t]*(?:\r\n|\n|\r)$/.test(text)
        ? ''
        : /[\r\n]$/.test(text)
          ? eol
          : eol + eol
  return text + gap + inLineBreaks(addition, eol)
}

export interface NewDelta {
  at: string
  what: string
  artifacts: Artifact[]
  transitions: Transition[]
}

/** Appends a delta and sets `last_delta`; everything else stays byte for byte. */
export function appendDelta(text: string, { at, what, artifacts, transitions }: NewDelta): string {
  const rows = artifacts.map(({ path, action, description }) => [
    path === '' ? '-' : `\`${path}\``,
    action,
    description,
  ])
  const none = [['-', 'none', 'No files changed']]
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
  return setFrontMatter(append(text, `${part}\n`), 'last_delta', at)
}

/** Text that cannot be taken for structure: no heading, rule or fence at the start of a line. */
function oneParagraph(text: string): string {
  return text
    .trim()
    .split(/\r\n|\n|\r/)
    .map((line) => line.replace(/^(\s*)(#{1,6}(?:\s|$)|(?:=+|-+)\s*$|`{3}|~{3}|<)/, '$1\\$2'))
    .join('\n')
}

/** Replaces what stands under a section's heading; adds the section where it is missing. */
export function replaceSection(text: string, name: SectionName, body: string): string {
  const eol = lineBreakOf(text)
  const document = decodeDocument(text)
  const [section] = document.sections.get(name) ?? []
  const inside = `${inLineBreaks(body.trim(), eol)}${eol}`
  if (!section) {
    const heading = `${'#'.repeat(SECTIONS[name].level)} ${name}`
    return insertBeforeDeltas(text, `${heading}\n\n${body.trim()}\n`)
  }
  const heading = text.slice(section.start, section.end)
  const gap = /[\r\n]$/.test(heading) ? eol : eol + eol
  const tail = text.slice(section.contentEnd)
  return text.slice(0, section.end) + gap + inside + (tail === '' ? '' : eol) + tail
}

/** A new section goes before the first delta or the completion, so that the deltas stay last. */
function insertBeforeDeltas(text: string, addition: string): string {
  const { deltas, completion } = decodeDocument(text)
  const lines = [deltas[0]?.line, completion?.line].filter((line) => line !== undefined)
  if (lines.length === 0) return append(text, addition)
  const eol = lineBreakOf(text)
  const at = offsetOfLine(text, Math.min(...lines))
  const start = withoutRule(text, 0, at)
  return `${text.slice(0, start)}${inLineBreaks(addition, eol)}${eol}${text.slice(start)}`
}

function offsetOfLine(text: string, line: number): number {
  const breaks = /\r\n|\n|\r/g
  for (let number = 1; number < line; number += 1) breaks.exec(text)
  return line === 1 ? 0 : breaks.lastIndex
}

export interface NewCompletion {
  outcome: string
  date: string
  learnings: string[]
}

/** Adds the section that marks an archived document; one that is there already is replaced. */
export function setCompletion(text: string, { outcome, date, learnings }: NewCompletion): string {
  const clean = (line: string) => line.replace(/\s*[\r\n]+\s*/g, ' ').trim()
  const lessons =
    learnings.length === 0
      ? ['- **Learnings**: None noted']
      : learnings.length === 1
        ? [`- **Learnings**: ${clean(learnings[0] ?? '')}`]
        : ['- **Learnings**:', ...learnings.map((line) => `  - ${clean(line)}`)]
  const body = [
    '- **Status**: Archived',
    `- **Outcome**: ${clean(outcome)}`,
    `- **Date**: ${date}`,
    ...lessons,
  ].join('\n')
  return decodeDocument(text).completion
    ? replaceSection(text, 'Completion', body)
    : append(text, `## Completion\n\n${body}\n`)
}
