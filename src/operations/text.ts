/** Columns as wide as their widest cell, two spaces apart, nothing trailing. */
export function table(head: string[], rows: string[][]): string {
  const all = [head, ...rows]
  const widths = head.map((_, column) =>
    all.reduce((widest, row) => Math.max(widest, (row[column] ?? '').length), 0),
  )
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** `1 run`, `2 runs`. */
export const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`
