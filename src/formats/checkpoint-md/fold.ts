import { titleKey } from '../../core/outline.ts'
import { collapseSpaces } from '../../core/text.ts'
import type { Artifact } from '../../core/work.ts'
import { gapBetween, lineBreakOf, withoutStretches } from '../markdown/splice.ts'
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
import { isFilled, withoutComments, withoutRules } from './items.ts'
import { tablesOf } from './table.ts'

/**
 * Moves what the deltas say into the body: a line each in Play-By-Play, their files into the Artifact Trail.
 * A delta that says something else as well (a fourth subsection, loose text, a comment, code) or does not say
 * when and what stays where it is, whole: a line can not hold it, and it is not ours to drop.
 */
export function foldDeltas(text: string): { text: string; folded: number } {
  const deltas = decodeDocument(text).deltas.filter((delta) => isWhole(text, delta))
  if (deltas.length === 0) return { text, folded: 0 }
  const files = deltas.flatMap(({ artifacts }) => artifacts).filter(({ path }) => path !== '-')
  const edit = (one: string, name: SectionName, change: (body: string) => string) => {
    const document = decodeDocument(one)
    return spliceSection(document, name, change(sectionBody(document, name)))
  }
  const body = edit(withoutDeltas(text, deltas), 'Play-By-Play', (steps) =>
    appendItems(steps, deltas.map(stepOf)),
  )
  return {
    text: files.length === 0 ? body : edit(body, 'Artifact Trail', (trail) => withFiles(trail, files)),
    folded: deltas.length,
  }
}

/** What the delta says is what was read of it, and nothing besides. */
function isWhole(text: string, { section, parts, ...delta }: Delta): boolean {
  const titles = parts.map(({ title }) => titleKey(title))
  const bodyOf = (title: string) => {
    const part = parts[titles.indexOf(title)]
    return part ? withoutRules(text.slice(part.end, part.bodyEnd)).trim() : ''
  }
  return (
    delta.at !== '' &&
    isFilled(delta.what) &&
    new Set(titles).size === titles.length &&
    titles.every((title) => ['whatchanged', 'artifacts', 'statustransitions'].includes(title)) &&
    withoutRules(text.slice(section.end, section.ownEnd)).trim() === '' &&
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

/** Each goes with the rule above it. */
function withoutDeltas(text: string, deltas: readonly Delta[]): string {
  const eol = lineBreakOf(text)
  const places = deltas.map(({ section: { start, end, bodyEnd }, above }) => ({
    start: withoutRule(text, above, start),
    end: withoutRule(text, end, bodyEnd),
  }))
  const body = withoutStretches(text, places, (before, after) => gapBetween(before, after, eol))
  if (places.at(-1)?.end !== text.length) return body
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
