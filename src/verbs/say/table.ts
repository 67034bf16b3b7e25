import { clipWidth, wrapWidth } from '../../core/width.ts'

/** Columns as wide as their widest cell, two spaces apart, nothing trailing. */
export const renderTable = (head: string[], rows: string[][]): string => tableLines(head, rows).join('\n')

/** The lines of a table, the head first. Plain loops: a table can have thousands of rows. */
export function tableLines(head: string[], rows: string[][]): string[] {
  const widths = head.map((cell) => cell.length)
  for (const row of rows)
    for (let column = 0; column < widths.length; column += 1) {
      const { length } = row[column] ?? ''
      if (length > (widths[column] ?? 0)) widths[column] = length
    }
  const line = (row: string[]) => {
    const last = row.length - 1
    let text = ''
    for (let column = 0; column < last; column += 1)
      text += `${(row[column] ?? '').padEnd(widths[column] ?? 0)}  `
    const end = (row[last] ?? '').trimEnd()
    return end === '' ? text.trimEnd() : text + end
  }
  const lines = [line(head)]
  for (const row of rows) lines.push(line(row))
  return lines
}

/** Lines that do not wrap: what does not fit is cut, with a mark. */
export const fitLines = (lines: string, columns: number) =>
  columns === Number.POSITIVE_INFINITY
    ? lines
    : lines
        .split('\n')
        .map((line) => clipWidth(line, columns))
        .join('\n')

/** Names and what they say, in two columns; what is too long goes on below, so that nothing to copy is cut. */
export function namedRows(
  rows: ReadonlyArray<readonly [name: string, text: string]>,
  columns: number,
): string {
  const width = Math.max(...rows.map(([name]) => name.length))
  const room = Math.max(MIN_ROOM, columns - width - 2)
  return rows
    .flatMap(([name, text]) =>
      wrapWidth(text, room).map((line, at) => `${(at === 0 ? name : '').padEnd(width)}  ${line}`.trimEnd()),
    )
    .join('\n')
}

const MIN_ROOM = 16
