import type { Style } from '../../core/style.ts'
import { clipWidth, padWidth, widthOf, wrapWidth } from '../../core/width.ts'
import type { Screen } from '../define/screen.ts'

/** A table that fits the screen: columns as wide as their widest cell, what does not fit is cut. */
export function renderTable(head: string[], rows: string[][], screen: Screen): string {
  const [first = '', ...lines] = tableLines(head, rows)
  return fitLines([screen.paint('faint', first), ...lines].join('\n'), screen)
}

/** The lines of a table, the head first, two spaces between columns. Plain loops: a table can have thousands of rows. */
export function tableLines(head: string[], rows: string[][]): string[] {
  const last = head.length - 1
  const all = [head, ...rows]
  // The last column is as wide as it is.
  const widths = all.map((row) => row.slice(0, last).map(widthOf))
  const columns = Array<number>(last).fill(0)
  for (const row of widths)
    for (let column = 0; column < last; column += 1)
      if ((row[column] ?? 0) > (columns[column] ?? 0)) columns[column] = row[column] ?? 0
  return all.map((row, at) => {
    let text = ''
    for (let column = 0; column < last; column += 1)
      text += (row[column] ?? '') + ' '.repeat((columns[column] ?? 0) - (widths[at]?.[column] ?? 0) + 2)
    return (text + (row[last] ?? '')).trimEnd()
  })
}

/** Lines that do not wrap: what does not fit is cut, with a mark. */
export const fitLines = (lines: string, { columns }: Pick<Screen, 'columns'>) =>
  columns === Number.POSITIVE_INFINITY
    ? lines
    : lines
        .split('\n')
        .map((line) => clipWidth(line, columns))
        .join('\n')

/** A name, what it says, and how that is painted. */
export type NamedRow = readonly [name: string, text: string, style?: Style | undefined]

/** Names and what they say, in two columns; what is too long goes on below, so that nothing to copy is cut. */
export function namedRows(rows: readonly NamedRow[], { columns, paint }: Screen, nameStyle: Style = 'faint') {
  const width = Math.max(...rows.map(([name]) => widthOf(name)))
  const room = Math.max(MIN_ROOM, columns - width - 2)
  return rows
    .flatMap(([name, text, style]) =>
      wrapWidth(text, room).map((line, at) => {
        const before = padWidth(at === 0 ? paint(nameStyle, name) : '', width)
        return `${before}  ${style === undefined ? line : paint(style, line)}`.trimEnd()
      }),
    )
    .join('\n')
}

const MIN_ROOM = 16
