import type { ProgressReporter } from '../../engine/context/context.ts'

/** Work that is quicker shows no bar. */
const PATIENCE_MS = 300
const REDRAW_MS = 100
/** A bar that is shorter says less than the numbers alone. */
const LEAST_BAR = 8

/**
 * A bar in the last line of a terminal, drawn over itself. `columns` is asked late; null where nobody watches. `end` takes
 * it away, also where the work stopped half way.
 */
export function progressBar(screen: {
  write: (text: string) => void
  columns: () => number | null
  now: () => number
}) {
  let began: number | null = null
  let drawn: number | null = null
  const end = () => {
    if (drawn !== null) screen.write('\r\x1b[K')
    began = null
    drawn = null
  }
  const progress: ProgressReporter = (done, total) => {
    if (done >= total) return end()
    const now = screen.now()
    began ??= now
    if (now - began < PATIENCE_MS || (drawn !== null && now - drawn < REDRAW_MS)) return
    const columns = screen.columns()
    if (columns === null) return
    drawn = now
    screen.write(`\r${barOf(done, total, columns)}\x1b[K`)
  }
  return { progress, end }
}

/** Never reaches the last column: a line that does makes some terminals begin another. */
export function barOf(done: number, total: number, columns: number): string {
  const room = columns - 1
  const numbers = `${done} of ${total}`
  const bar = Math.min(40, room - numbers.length - 3)
  if (bar < LEAST_BAR) return numbers.slice(0, Math.max(0, room))
  const full = Math.floor((bar * Math.min(done, total)) / total)
  return `[${'='.repeat(full)}${' '.repeat(bar - full)}] ${numbers}`
}
