import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

/** Rows that are drawn beyond what is seen, so that a fast wheel meets no gap. */
const BEYOND = 8

interface Shown {
  first: number
  last: number
}

/** Which rows of a scrolled box are seen. It draws anew only when the first or the last row is another one. */
export function useShownRows(count: number, rowHeight: number) {
  const ref = useRef<HTMLDivElement>(null)
  const [shown, setShown] = useState<Shown>({ first: 0, last: 40 })
  const measure = () => {
    const box = ref.current
    if (!box) return
    const first = Math.max(0, Math.floor(box.scrollTop / rowHeight) - BEYOND)
    const last = Math.ceil((box.scrollTop + box.clientHeight) / rowHeight) + BEYOND
    setShown((old) => (old.first === first && old.last === last ? old : { first, last }))
  }
  useLayoutEffect(measure, [count, rowHeight])
  useEffect(() => {
    const box = ref.current
    if (!box) return undefined
    const observer = new ResizeObserver(measure)
    observer.observe(box)
    return () => observer.disconnect()
  }, [rowHeight])
  return { ref, onScroll: measure, first: shown.first, last: Math.min(count, shown.last) }
}

/** Brings a row into view without moving anything where it is seen already. */
export function revealRow(box: HTMLElement | null, index: number, rowHeight: number) {
  if (!box) return
  const top = index * rowHeight
  if (top < box.scrollTop) box.scrollTop = top
  else if (top + rowHeight > box.scrollTop + box.clientHeight)
    box.scrollTop = top + rowHeight - box.clientHeight
}

interface VirtualListProps<T> {
  rows: readonly T[]
  rowHeight: number
  label: string
  keyOf: (row: T) => string
  /** The last row is near: more may be read. */
  onEnd?: () => void
  children: (row: T, index: number) => ComponentChildren
}

/** A list of any length; only the rows that are seen are in the document. */
export function VirtualList<T>({ rows, rowHeight, label, keyOf, onEnd, children }: VirtualListProps<T>) {
  const { ref, onScroll, first, last } = useShownRows(rows.length, rowHeight)
  useEffect(() => {
    if (rows.length > 0 && last >= rows.length) onEnd?.()
  }, [last, rows.length, onEnd])
  return (
    <div class="scroll-box" ref={ref} onScroll={onScroll} tabIndex={0} role="region" aria-label={label}>
      <ul class="virtual-rows" style={{ height: `${rows.length * rowHeight}px` }}>
        {rows.slice(first, last).map((row, offset) => (
          <li
            key={keyOf(row)}
            class="virtual-row"
            aria-setsize={rows.length}
            aria-posinset={first + offset + 1}
            style={{ top: `${(first + offset) * rowHeight}px`, height: `${rowHeight}px` }}
          >
            {children(row, first + offset)}
          </li>
        ))}
      </ul>
    </div>
  )
}
