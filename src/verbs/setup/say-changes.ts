import type { SetupChange } from '../../engine/setup/setup-run.ts'
import { namedRows } from '../say/table.ts'

/** The list of paths with what becomes of each; with `diffs` also line by line. */
export function sayChanges(changes: readonly SetupChange[], columns: number, { diffs = false } = {}): string {
  const rows = changes.map(({ path, what, about }) => [what, `${path}${about ? ` (${about})` : ''}`] as const)
  const list = namedRows(rows, columns)
  return [list, ...(diffs ? changes.flatMap(({ diff }) => (diff ? [diff] : [])) : [])].join('\n')
}
