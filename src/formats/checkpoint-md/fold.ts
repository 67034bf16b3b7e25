import { collapseSpaces } from '../../core/text.ts'
import type { Artifact } from '../../core/work.ts'
import { type Delta, decodeDocument, isNone, withoutRule } from './codec.ts'
import { lineBreakOf, replaceSection } from './edit.ts'
import { isFilled } from './filled.ts'
import {
  gapBetween,
  itemsOf,
  joinTexts,
  ownStretch,
  type TableRow,
  tableOf,
  withoutStretches,
} from './parts.ts'
import { type DocumentSection, sectionsOf } from './scan.ts'
import { plainCell, tableCell, tableText } from './table.ts'

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
  const body = withoutDeltas(text, found)
  return { text: withFiles(withSteps(body, deltas.map(stepOf)), files), folded: found.length }
}

interface FoldableDelta {
  delta: Delta
  /** With the rule above it. */
  start: number
  end: number
}

function foldable(text: string): FoldableDelta[] {
  const { front, deltas } = decodeDocument(text)
  const from = front?.bodyStart ?? (text.startsWith('\uFEFF') ? 1 : 0)
  const all = sectionsOf(text, from)
  const byLine = new Map(deltas.map((delta) => [delta.line, delta]))
  return all.flatMap((section, index) => {
    const delta = byLine.get(section.line)
    if (!delta) return []
    let end = index + 1
    while ((all[end]?.start ?? section.bodyEnd) < section.bodyEnd) end += 1
    const inside = all.slice(index + 1, end)
    if (!isWhole(text, section, inside, delta)) return []
    const start = withoutRule(text, all[index - 1]?.end ?? from, section.start)
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
  const table = tableOf(text, { start: 0, end: text.length })
  const lines = text.split(/\r\n|\n|\r/).length
  return (
    table !== null && table.rows.length === lines - 2 && table.rows.every(({ cells }) => cells.length <= 3)
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

/** Adds items behind the last one of Play-By-Play. */
function withSteps(text: string, steps: string[]): string {
  const eol = lineBreakOf(text)
  const section = decodeDocument(text).sections.get('Play-By-Play')?.at(-1)
  if (!section) return replaceSection(text, 'Play-By-Play', steps.map((step) => `- ${step}`).join('\n'))
  const last = itemsOf(text, ownStretch(section)).at(-1)
  const mark = last && /^[-*+]$/.test(last.mark) ? last.mark : '-'
  const lines = steps.map((step) => `${mark} ${step}${eol}`).join('')
  if (!last) return withBlock(text, ownStretch(section), lines)
  return insertLines(text, last.end, lines)
}

/** Puts a block of its own below what stands in a stretch. */
function withBlock(text: string, { start, end }: { start: number; end: number }, block: string): string {
  const eol = lineBreakOf(text)
  const at = start + text.slice(start, end).trimEnd().length
  const rest = text.slice(at).replace(/^[ \t]*(?:\r\n|\n|\r)/, '')
  return joinTexts(joinTexts(text.slice(0, at), block, eol), rest, eol)
}

function insertLines(text: string, at: number, lines: string): string {
  const isLineStart = /[\r\n]$/.test(text.slice(0, at).slice(-1))
  return `${text.slice(0, at)}${isLineStart ? '' : lineBreakOf(text)}${lines}${text.slice(at)}`
}

/** A file that comes again moves to the end, with what the newest delta says of it. */
function withFiles(text: string, files: Artifact[]): string {
  if (files.length === 0) return text
  const latest = new Map<string, Artifact>()
  for (const file of files) {
    const known = latest.get(file.path)
    latest.delete(file.path)
    latest.set(file.path, { ...file, description: file.description || (known?.description ?? '') })
  }
  const fresh = [...latest.values()]
  const rowOf = ({ path, action, description }: Artifact) => [codeOf(path), action, description]
  const table = () => tableText(['File', 'Status', 'Key Change'], fresh.map(rowOf), '\n')
  const section = decodeDocument(text).sections.get('Artifact Trail')?.at(-1)
  if (!section) return replaceSection(text, 'Artifact Trail', table())
  const eol = lineBreakOf(text)
  const found = tableOf(text, ownStretch(section))
  if (!found) return withBlock(text, ownStretch(section), `${table()}\n`.replace(/\n/g, eol))

  const known = new Map(found.rows.map((row) => [plainPath(row), row]))
  const lines = fresh.map((file) => {
    const [path = codeOf(file.path), , old = '', ...others] = known.get(file.path)?.cells ?? []
    const cells = [path, file.action, file.description || old, ...others]
    return `| ${cells.map(tableCell).join(' | ')} |${eol}`
  })
  const old = found.rows.filter((row) => latest.has(plainPath(row)))
  return withoutStretches(insertLines(text, found.end, lines.join('')), old, () => '')
}

const codeOf = (path: string) => (path.includes('`') ? path : `\`${path}\``)
const plainPath = ({ cells }: TableRow) => plainCell(cells[0] ?? '')
