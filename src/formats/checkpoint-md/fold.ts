import { collapseSpaces } from '../../core/text.ts'
import type { Artifact } from '../../core/work.ts'
import { lineBreakOf } from '../markdown/splice.ts'
import {
  artifactsOf,
  type Delta,
  decodeDocument,
  isNone,
  type SectionName,
  sectionBody,
  withoutRule,
} from './codec.ts'
import { spliceSection } from './edit.ts'
import { appendItems } from './extend-list.ts'
import { extendTable, TRAIL } from './extend-rows.ts'
import { isFilled, withoutComments } from './items.ts'
import { gapBetween, withoutStretches } from './parts.ts'
import type { DocumentSection } from './scan.ts'
import { tablesOf } from './table.ts'

/**
 * Moves what the deltas say into the body: a line each in Play-By-Play, their files into the Artifact Trail.
 * A delta that says something else as well (a fourth subsection, loose text, a comment, code) or does not say
 * when and what stays where it is, whole: a line can not hold it, and it is not ours to drop.
 */
export function foldDeltas(text: string): { text: string; folded: number } {
  const found = foldable(text)
  if (found.length === 0) return { text, folded: 0 }
  const deltas = found.map(({ delta }) => delta)
  const files = deltas.flatMap(({ artifacts }) => artifacts).filter(({ path }) => path !== '-')
  const edit = (one: string, name: SectionName, change: (body: string) => string) => {
    const document = decodeDocument(one)
    return spliceSection(document, name, change(sectionBody(document, name)))
  }
  const body = edit(withoutDeltas(text, found), 'Play-By-Play', (steps) =>
    appendItems(steps, deltas.map(stepOf)),
  )
  return {
    text: files.length === 0 ? body : edit(body, 'Artifact Trail', (trail) => withFiles(trail, files)),
    folded: found.length,
  }
}

interface FoldableDelta {
  delta: Delta
  /** With the rule above it. */
  start: number
  end: number
}

function foldable(text: string): FoldableDelta[] {
  const { front, deltas, outline: all } = decodeDocument(text)
  const byLine = new Map(deltas.map((delta) => [delta.line, delta]))
  return all.flatMap((section, index) => {
    const delta = byLine.get(section.line)
    if (!delta) return []
    let end = index + 1
    while ((all[end]?.start ?? section.bodyEnd) < section.bodyEnd) end += 1
    const inside = all.slice(index + 1, end)
    if (!isWhole(text, section, inside, delta)) return []
    const start = withoutRule(text, all[index - 1]?.end ?? front?.bodyStart ?? 0, section.start)
    return [{ delta, start, end: withoutRule(text, section.end, section.bodyEnd) }]
  })
}

const withoutRules = (text: string) => text.replace(/^[ \t]*(?:-{3,}|\*{3,})[ \t]*$/gm, '').trim()

/** What the delta says is what was read of it, and nothing besides. */
function isWhole(text: string, section: DocumentSection, parts: DocumentSection[], delta: Delta): boolean {
  const titles = parts.map(({ title }) => title.replace(/[^a-z]/gi, '').toLowerCase())
  const bodyOf = (title: string) => {
    const part = parts[titles.indexOf(title)]
    return part ? withoutRules(text.slice(part.end, part.bodyEnd)) : ''
  }
  return (
    delta.at !== '' &&
    isFilled(delta.what) &&
    new Set(titles).size === titles.length &&
    titles.every((title) => ['whatchanged', 'artifacts', 'statustransitions'].includes(title)) &&
    withoutRules(text.slice(section.end, section.ownEnd)) === '' &&
    !text.slice(section.end, section.bodyEnd).includes('<!--') &&
    !/^[ \t]*(?:`{3}|~{3}|\|)/m.test(bodyOf('whatchanged')) &&
    isTableOnly(bodyOf('artifacts')) &&
    isTableOnly(bodyOf('statustransitions')) &&
    delta.artifacts.every(({ path }) => path !== '')
  )
}

/** A table of up to three columns, a word for none, or nothing. */
function isTableOnly(text: string): boolean {
  if (isNone(text)) return true
  const [table] = tablesOf(text)
  const lines = text.split(/\r\n|\n|\r/).length
  return (
    table !== undefined &&
    table.rows.length === lines - 2 &&
    table.rows.every(({ cells }) => cells.length <= 3)
  )
}

function stepOf({ at, what, transitions }: Delta): string {
  const moves = transitions.map(({ item, before, after }) => `${item}: ${before} → ${after}`)
  return collapseSpaces(`${at} → ${what}${moves.length > 0 ? ` (${moves.join('; ')})` : ''}`)
}

function withoutDeltas(text: string, deltas: FoldableDelta[]): string {
  const eol = lineBreakOf(text)
  const body = withoutStretches(text, deltas, (before, after) => gapBetween(before, after, eol))
  if (deltas.at(-1)?.end !== text.length) return body
  const end = body.trimEnd().length
  const lineBreak = /\r\n|\n|\r/.exec(body.slice(end))
  return lineBreak ? body.slice(0, end + lineBreak.index + lineBreak[0].length) : body
}

/** A file that comes again keeps its description where none is given. */
function withFiles(trail: string, files: readonly Artifact[]): string {
  const known = new Map(
    artifactsOf(withoutComments(trail)).map(({ path, description }) => [path, description]),
  )
  const told = files.map((file) => {
    const description = file.description || (known.get(file.path) ?? '')
    known.set(file.path, description)
    return { ...file, description }
  })
  return extendTable(trail, TRAIL, [], told)
}
