import type { LineageRow } from '../../policy/lineage.ts'

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
