import { nameKey } from '../../core/id.ts'
import { formatCount } from '../../core/text.ts'
import type { Context } from '../../engine/context/context.ts'
import { NOTICES } from '../../engine/context/notices.ts'
import { readOverview } from '../../engine/documents/read-survey.ts'
import { type LineageRow, lineageOf } from '../../policy/lineage.ts'
import { isOfSession, type ListedDocument, listDocument, NOTHING_HERE } from './list-document.ts'

/** Documents below the ones they were forked from, archived ones too. */
export type DocumentTree = Awaited<ReturnType<typeof readTree>>

export async function readTree(context: Context) {
  const survey = await readOverview(context)
  const documents = survey.rows.map(listDocument).filter((row) => !isOfSession(row))
  const lineage = lineageOf(documents)
  for (const cycle of lineage.cycles) context.notices.push(NOTICES.parentsInCircle(cycle))
  for (const { id, parent } of lineage.missing) context.notices.push(NOTICES.parentUnknown(id, parent))
  return {
    // A list and no nesting: a chain of ten thousand is deeper than JSON readers go.
    documents: inRows(documents, lineage.rows),
    cycles: lineage.cycles,
    missing: lineage.missing,
    foreign: survey.foreign.map(({ path }) => path),
    trusted: survey.trusted,
  }
}

export function sayTree({ documents, cycles, foreign }: DocumentTree): string {
  if (documents.length === 0 && foreign.length > 0)
    return `${formatCount(foreign.length, 'foreign document')} came with the repository. See: savepoint list`
  if (documents.length === 0) return NOTHING_HERE
  const circling = new Set(cycles.flat().map(nameKey))
  return drawTree(documents, (document) =>
    label(document, circling.size > 0 && circling.has(nameKey(document.id))),
  )
}

function inRows(documents: readonly ListedDocument[], rows: readonly LineageRow[]) {
  const byId = new Map(documents.map((document) => [document.id, document]))
  return rows.flatMap(({ id, depth, last }) => {
    const document = byId.get(id)
    // The rows are ours alone: thousands of copies would cost more than the drawing.
    return document ? [Object.assign(document, { depth, last })] : []
  })
}

function label({ id, standing, path, foreign, created }: ListedDocument, circles: boolean): string {
  const marks: string[] = []
  if (standing !== 'open') marks.push(standing)
  if (path === null && created !== '') marks.push('file not here')
  if (foreign) marks.push('foreign')
  if (circles) marks.push('in a circle')
  const date = created === '' ? '' : `  ${created.slice(0, 10)}`
  return `${id}${date}${marks.length === 0 ? '' : `  [${marks.join(', ')}]`}`
}

/**
 * Draws rows that come in drawing order, one line each. Below `maxDepth` a line is no longer indented further but
 * says how deep it is, so that a long chain stays readable and its drawing grows with its length alone.
 */
export function drawTree<R extends LineageRow>(
  rows: readonly R[],
  label: (row: R) => string,
  { maxDepth = 12 } = {},
): string {
  /** What stands before the branch of a row, by depth; roots and their children have nothing there. */
  const indents: string[] = ['', '']
  return rows
    .map((row) => {
      const { depth, last } = row
      if (depth === 0) return label(row)
      const indent = indents[Math.min(depth, maxDepth + 1)] ?? ''
      indents[depth + 1] = `${indent}${last ? '   ' : '│  '}`
      return `${indent}${depth > maxDepth ? `… ${depth} ` : ''}${last ? '└─ ' : '├─ '}${label(row)}`
    })
    .join('\n')
}
