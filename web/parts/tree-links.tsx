import type { TreeRow } from '../app/work-tree.ts'
import { laneOf } from './lane.ts'

export const ROW = 46
const INDENT = 18
const LEFT = 24
/** Merges run along the edge, so that they cross no fork. */
const EDGE = 9
const CURVE = 9
/** Deeper ones are drawn at this depth: a narrow pane must still show their names. */
const DEEPEST = 8

export const xOf = ({ depth }: TreeRow) => LEFT + Math.min(depth, DEEPEST) * INDENT

const yOf = (index: number) => index * ROW + ROW / 2

interface TreeLinksProps {
  rows: readonly TreeRow[]
  first: number
  last: number
}

/** The lines from each work to the one it was forked from, and to the one it was merged into: those that are seen. */
export function TreeLinks({ rows, first, last }: TreeLinksProps) {
  const lines = rows.flatMap((row, index) => {
    const lane = laneOf(row.work.branch ?? row.work.name)
    const drawn = (other: number, path: (other: TreeRow) => string, kind: string) => {
      const target = rows[other]
      if (!target || Math.max(index, other) < first || Math.min(index, other) >= last) return []
      return [<path key={`${kind}${row.work.id}`} class={`${kind} ${lane}`} d={path(target)} />]
    }
    return [
      ...drawn(row.parentRow, (parent) => forkPath(parent, row.parentRow, row, index), 'tree-link'),
      ...drawn(row.mergeRow, (target) => mergePath(row, index, target, row.mergeRow), 'tree-merge'),
    ]
  })
  return (
    <svg class="tree-links" width="100%" height={rows.length * ROW} aria-hidden="true">
      {lines}
    </svg>
  )
}

function forkPath(parent: TreeRow, parentIndex: number, row: TreeRow, index: number): string {
  const [x, y] = [xOf(parent), yOf(index)]
  return `M${x} ${yOf(parentIndex) + 6}V${y - CURVE}Q${x} ${y} ${x + CURVE} ${y}H${xOf(row) - 6}`
}

/** From the work out to the edge, along it, and back in, with a point at the end. */
function mergePath(row: TreeRow, index: number, target: TreeRow, targetIndex: number): string {
  const [from, to] = [yOf(index), yOf(targetIndex)]
  const turn = to > from ? CURVE : -CURVE
  const end = xOf(target) - 7
  return [
    `M${xOf(row) - 6} ${from}H${EDGE + CURVE}Q${EDGE} ${from} ${EDGE} ${from + turn}`,
    `V${to - turn}Q${EDGE} ${to} ${EDGE + 5} ${to}H${end}`,
    `M${end - 4} ${to - 3.5}L${end} ${to}L${end - 4} ${to + 3.5}`,
  ].join('')
}
