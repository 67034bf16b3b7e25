import { plainLine } from '../../core/bullets.ts'
import { collapseSpaces } from '../../core/text.ts'
import type { Artifact, Breadcrumb, WorkState } from '../../core/work.ts'
import { decodeDocument, isNone, type SectionName } from './codec.ts'
import { lineBreakOf } from './edit.ts'
import { unreadError, withBlock } from './extend-block.ts'
import { type TableRow, tableOf } from './parts.ts'
import { applyEdits, type Edit, linesAt } from './placed-items.ts'
import { hideCommentMarks } from './spell.ts'
import { plainCell, tableCell, tableText } from './table.ts'
import { readReference, workOf } from './work.ts'

interface NewRow {
  cells: string[]
  /** Whether a row tells of the same thing. */
  isMeant(row: readonly string[]): boolean
}

interface Table {
  name: SectionName
  head: string[]
  /** Whether a row says that there is nothing. */
  isEmpty(row: readonly string[]): boolean
  /** The cells of a row that changes. */
  over(row: readonly string[], cells: readonly string[]): string[]
}

const TRAIL: Table = {
  name: 'Artifact Trail',
  head: ['File', 'Status', 'Key Change'],
  isEmpty: ([path = '']) => ['', '-'].includes(plainCell(path)),
  over: ([path = '', , , ...others], [, ...cells]) => [path, ...cells, ...others],
}

const CRUMBS: Table = {
  name: 'Breadcrumbs',
  head: ['Type', 'Reference', 'Hint'],
  isEmpty: (row) => row.every(isNone),
  over: ([, ...others], [kind = '']) => [kind, ...others],
}

/** The Artifact Trail with the files that are new or changed. */
export function extendTrail(text: string, before: WorkState, after: WorkState): string {
  const files = (work: WorkState) => work.artifacts.map(plainArtifact)
  const old = signatures(files(before))
  if (files(after).every((file) => old.has(JSON.stringify(file)))) return text
  const known = signatures(files(workOf(decodeDocument(text))))
  const byPath = new Map<string, Artifact>()
  for (const file of files(after)) {
    const isSaid = known.has(JSON.stringify(file)) || old.has(JSON.stringify(file))
    byPath.delete(file.path)
    if (!isSaid && !TRAIL.isEmpty([file.path])) byPath.set(file.path, file)
  }
  const fresh = [...byPath.values()]
  const extended = extendTable(
    text,
    TRAIL,
    fresh.map(({ path, action, description }) => ({
      cells: [path.includes('`') ? path : `\`${path}\``, action, description],
      isMeant: ([cell = '']) => plainCell(cell) === hideCommentMarks(path),
    })),
  )
  const { deltas } = decodeDocument(extended)
  // What a delta says of a file is newer than the trail.
  const inDeltas = new Set(deltas.flatMap(({ artifacts }) => artifacts.map(({ path }) => path)))
  const told = signatures(files(workOf(decodeDocument(extended))))
  if (!fresh.every((file) => inDeltas.has(file.path) || told.has(JSON.stringify(file))))
    throw unreadError(text, TRAIL.name)
  return extended
}

const signatures = (list: readonly object[]) => new Set(list.map((one) => JSON.stringify(one)))

const plainArtifact = ({ path, action, description }: Artifact): Artifact => ({
  path: plainPath(plainLine(path)),
  action: plainLine(action),
  description: plainLine(description),
})

/** A path without marks of code around it, and around those: what a reader of the row finds. */
function plainPath(path: string): string {
  let plain = path
  for (let next = plainCell(plain); next !== plain; next = plainCell(plain)) plain = next
  return plain
}

/** The Breadcrumbs with the references that are new. */
export function extendCrumbs(text: string, before: WorkState, after: WorkState): string {
  const old = signatures(before.references.map(plainCrumb))
  if (after.references.every((one) => old.has(JSON.stringify(plainCrumb(one))))) return text
  const known = signatures(workOf(decodeDocument(text)).references.map(plainCrumb))
  const byText = new Map<string, Breadcrumb>()
  for (const crumb of after.references) {
    const plain = plainCrumb(crumb)
    const isSaid = known.has(JSON.stringify(plain)) || old.has(JSON.stringify(plain))
    if (!isSaid && !isNone(plain.text)) byText.set(plain.text, crumb)
  }
  const extended = extendTable(
    text,
    CRUMBS,
    [...byText].map(([plain, { kind, text: said }]) => ({
      cells: [plainLine(kind), ...partsOf(plainLine(said))],
      isMeant: (row) => plainCrumb(readReference(row)).text === plain,
    })),
  )
  const told = signatures(workOf(decodeDocument(extended)).references.map(plainCrumb))
  if (![...byText.values()].every((crumb) => told.has(JSON.stringify(plainCrumb(crumb)))))
    throw unreadError(text, CRUMBS.name)
  return extended
}

/** What a reference says, whether its parts are shown as code or not. */
const plainCrumb = ({ kind, text }: Breadcrumb): Breadcrumb => ({
  kind: collapseSpaces(plainLine(kind)),
  text: collapseSpaces(plainLine(text).replaceAll('`', '')),
})

/** `src/login.ts: the form` is a reference and its hint. */
function partsOf(text: string): [string, string] {
  const [, reference = text, hint = ''] = /^(\S+): (\S.*)$/s.exec(text) ?? []
  return [reference, hint]
}

function extendTable(text: string, table: Table, fresh: readonly NewRow[]): string {
  if (fresh.length === 0) return text
  const eol = lineBreakOf(text)
  const sections = decodeDocument(text).sections.get(table.name) ?? []
  const [found] = sections.flatMap(
    ({ end, contentEnd }) => tableOf(text, { start: end, end: contentEnd }) ?? [],
  )
  const written = fresh.map((one) => ({ ...one, cells: one.cells.map(hideCommentMarks) }))
  if (!found) {
    const rows = written.map(({ cells }) => cells)
    return withBlock(text, table.name, tableText(table.head, rows, '\n').split('\n'))
  }
  const edits: Edit[] = []
  const additions: string[] = []
  for (const { cells, isMeant } of written) {
    const row = found.rows.findLast((one) => isMeant(one.cells))
    if (row) edits.push({ ...row, put: rowText(table.over(row.cells, cells)) + breakOf(text, row) })
    else additions.push(rowText(cells))
  }
  if (additions.length > 0) {
    const empty = found.rows.filter(({ cells }) => table.isEmpty(cells))
    edits.push(...empty.map((row) => ({ ...row, put: '' })), linesAt(text, found.end, additions, eol))
  }
  return applyEdits(text, edits)
}

const rowText = (cells: readonly string[]) => `| ${cells.map(tableCell).join(' | ')} |`
const breakOf = (text: string, { start, end }: TableRow) => /[\r\n]*$/.exec(text.slice(start, end))?.[0] ?? ''
