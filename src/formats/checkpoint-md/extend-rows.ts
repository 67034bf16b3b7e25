import { plainLine } from '../../core/bullets.ts'
import { collapseSpaces } from '../../core/text.ts'
import type { Artifact, Breadcrumb } from '../../core/work.ts'
import { applyEdits } from '../markdown/splice.ts'
import { isNone, trimLines } from './codec.ts'
import { addBlock } from './extend-list.ts'
import { maskComments } from './items.ts'
import { hideCommentMarks } from './spell.ts'
import { plainCell, tableCell, tablesOf, tableText } from './table.ts'
import { artifactState, crumbKind, isHintedKind } from './vocabulary.ts'
import { readArtifact, readReference } from './work.ts'

interface RowSpelling<Value> {
  head: string[]
  /** A value as a reader of its row finds it. */
  plain(value: Value): Value
  /** What it is about: a newer row about the same takes the place of an older one. */
  keyOf(plain: Value): string
  isNothing(key: string): boolean
  read(cells: readonly string[]): Value
  write(value: Value): string[]
  /** The cells of a row that stands there already and changes. */
  over(old: readonly string[], cells: readonly string[]): string[]
}

export const TRAIL: RowSpelling<Artifact> = {
  head: ['File', 'Status', 'Key Change'],
  plain: ({ path, action, description }) => ({
    path: plainPath(plainLine(path)),
    action: artifactState(action),
    description: plainLine(description),
  }),
  keyOf: ({ path }) => path,
  isNothing: (path) => ['', '-'].includes(path),
  read: ([path = '', action = '', description = '']) =>
    readArtifact({ path: plainCell(path), action, description }),
  write(value) {
    const { path, action, description } = TRAIL.plain(value)
    return [path.includes('`') ? path : `\`${path}\``, action, description]
  },
  over: ([path = '', , , ...others], [, ...cells]) => [path, ...cells, ...others],
}

/** A path without marks of code around it, and around those. */
function plainPath(path: string): string {
  let plain = path
  for (let next = plainCell(plain); next !== plain; next = plainCell(plain)) plain = next
  return plain
}

export const CRUMBS: RowSpelling<Breadcrumb> = {
  head: ['Type', 'Reference', 'Hint'],
  plain: ({ kind, text }) => ({
    kind: crumbKind(kind),
    text: collapseSpaces(plainLine(text).replaceAll('`', '')),
  }),
  keyOf: ({ text }) => text,
  isNothing: isNone,
  read: readReference,
  write({ kind, text }) {
    const [type, said] = [crumbKind(kind), plainLine(text)]
    if (isHintedKind(type)) return ['external', said, type]
    // `src/login.ts: the form` is a reference and its hint.
    const [, reference = said, hint = ''] = /^(\S+): (\S.*)$/s.exec(said) ?? []
    return isHintedKind(hint) ? [type, said, ''] : [type, reference, hint]
  },
  over: ([, ...others], [type = '', ...cells]) =>
    [others[1], cells[1]].some((hint = '') => isHintedKind(hint)) ? [type, ...cells] : [type, ...others],
}

/** A table with the rows that are new or changed at its end; what is the same in both lists is not touched. */
export function extendTable<Value>(
  body: string,
  spelling: RowSpelling<Value>,
  before: readonly Value[],
  after: readonly Value[],
): string {
  const { head, plain, keyOf, isNothing, read, write, over } = spelling
  const signature = (value: Value) => JSON.stringify(plain(value))
  const old = new Set(before.map(signature))
  const text = `${body}\n`
  const [table] = tablesOf(maskComments(text))
  const rows = (table?.rows ?? []).map((row) => ({ ...row, key: keyOf(plain(read(row.cells))) }))
  const newest = new Map(rows.map((row) => [row.key, row.cells]))
  const fresh = new Map<string, Value>()
  for (const value of after) {
    const key = keyOf(plain(value))
    const known = newest.get(key)
    const isSaid = old.has(signature(value)) || (known && signature(read(known)) === signature(value))
    fresh.delete(key)
    if (!isSaid && !isNothing(key)) fresh.set(key, value)
  }
  if (fresh.size === 0) return body
  const written = [...fresh].map(([key, value]) => {
    const cells = write(value).map(hideCommentMarks)
    return over(newest.get(key) ?? cells, cells)
  })
  if (!table) return addBlock(body, tableText(head, written, '\n').split('\n'))
  const isGone = ({ key, cells }: (typeof rows)[number]) =>
    fresh.has(key) || isNothing(key) || cells.every(isNone)
  const gone = rows.filter(isGone).map(({ start, end }) => ({ start, end, put: '' }))
  const put = written.map((cells) => `| ${cells.map(tableCell).join(' | ')} |\n`).join('')
  return trimLines(applyEdits(text, [...gone, { start: table.end, end: table.end, put }]))
}
