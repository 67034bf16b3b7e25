import { useEffect } from 'preact/hooks'
import { useNow } from '../app/clock.ts'
import { formatAge } from '../app/format.ts'
import type { TreeRow } from '../app/work-tree.ts'
import { laneOf } from './lane.ts'
import { ROW, TreeLinks, xOf } from './tree-links.tsx'
import { revealRow, useShownRows } from './virtual-list.tsx'

interface TreeProps {
  rows: readonly TreeRow[]
  chosen: string | null
  onChoose: (id: string) => void
  onToggle: (id: string) => void
}

/** The tree of works: rows that scroll, with the forks drawn beside them. */
export function Tree({ rows, chosen, onChoose, onToggle }: TreeProps) {
  const { ref, onScroll, first, last } = useShownRows(rows.length, ROW)
  const at = rows.findIndex(({ work }) => work.id === chosen)
  useEffect(() => {
    if (at >= 0) revealRow(ref.current, at, ROW)
  }, [chosen, at < 0])
  const choose = (index: number) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))]
    if (row) onChoose(row.work.id)
  }
  const steps: Record<string, () => void> = {
    ArrowDown: () => choose(at + 1),
    ArrowUp: () => choose(at - 1),
    Home: () => choose(0),
    End: () => choose(rows.length - 1),
    ArrowLeft: () => stepLeft(rows, at, onToggle, choose),
    ArrowRight: () => stepRight(rows, at, onToggle, choose),
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key]
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    step()
  }
  return (
    <div
      class="scroll-box tree"
      ref={ref}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
      tabIndex={0}
      role="tree"
      aria-label="Works"
      aria-activedescendant={at >= first && at < last ? `tree-${at}` : undefined}
    >
      <div class="virtual-rows" role="none" style={{ height: `${rows.length * ROW}px` }}>
        <TreeLinks rows={rows} first={first} last={last} />
        {rows.slice(first, last).map((row, offset) => (
          <TreeItem
            key={row.work.id}
            row={row}
            index={first + offset}
            isChosen={row.work.id === chosen}
            onChoose={onChoose}
            onToggle={onToggle}
          />
        ))}
      </div>
    </div>
  )
}

type Toggle = (id: string) => void
type Choose = (index: number) => void

function stepLeft(rows: readonly TreeRow[], at: number, toggle: Toggle, choose: Choose) {
  const row = rows[at]
  if (!row) return
  if (row.children > 0 && row.isOpen) toggle(row.work.id)
  else if (row.parentRow >= 0) choose(row.parentRow)
}

function stepRight(rows: readonly TreeRow[], at: number, toggle: Toggle, choose: Choose) {
  const row = rows[at]
  if (!row || row.children === 0) return
  if (row.isOpen) choose(at + 1)
  else toggle(row.work.id)
}

interface TreeItemProps {
  row: TreeRow
  index: number
  isChosen: boolean
  onChoose: (id: string) => void
  onToggle: (id: string) => void
}

function TreeItem({ row, index, isChosen, onChoose, onToggle }: TreeItemProps) {
  const now = useNow()
  const { work, depth, children, isOpen, position, siblings } = row
  return (
    <div
      id={`tree-${index}`}
      class={`tree-row is-${work.standing}`}
      role="treeitem"
      aria-level={depth + 1}
      aria-setsize={siblings}
      aria-posinset={position}
      aria-selected={isChosen}
      aria-expanded={children === 0 ? undefined : isOpen}
      style={{ top: `${index * ROW}px`, height: `${ROW}px`, paddingLeft: `${xOf(row) + 14}px` }}
      onClick={() => onChoose(work.id)}
    >
      <span
        class={`tree-node ${laneOf(work.branch ?? work.name)} is-${work.standing}${children > 0 && !isOpen ? ' is-closed' : ''}`}
        style={{ left: `${xOf(row)}px` }}
        onClick={(event) => {
          if (children === 0) return
          event.stopPropagation()
          onToggle(work.id)
        }}
      />
      <span class="tree-words">
        <span class="tree-name one-line">
          {work.isOfSession ? work.problem || work.name : work.name}
          {children > 0 && !isOpen && <span class="quiet small"> +{children}</span>}
        </span>
        <span class="tree-about one-line small quiet">
          {work.next || work.problem || work.branch || 'Nothing said yet'}
        </span>
      </span>
      <span class="tree-side small quiet number">
        <span>{formatAge(work.updatedAt, now).replace(' ago', '')}</span>
        <TreeMark row={row} />
      </span>
    </div>
  )
}

function TreeMark({ row: { work } }: { row: TreeRow }) {
  if (work.standing === 'focused') return <span class="tree-mark is-accent">focused</span>
  if (work.foreign) return <span class="tree-mark is-alien">foreign</span>
  if (work.merged) return <span class="tree-mark is-good">merged</span>
  if (work.standing === 'archived') return <span class="tree-mark">archived</span>
  if (work.progress === 'failed') return <span class="tree-mark is-bad">failed</span>
  return work.progress === 'paused' ? <span class="tree-mark is-warn">paused</span> : null
}
