import { useEffect, useState } from 'preact/hooks'
import type { WorkPoint } from '../../src/apps/dashboard/api.ts'
import { useNow } from '../app/clock.ts'
import { formatMoment } from '../app/format.ts'

const SETTLE_MS = 90

interface ScrubberProps {
  history: readonly WorkPoint[]
  /** A sequence number of the history. */
  at: number
  label: string
  onMove: (sequence: number) => void
}

/** The history of a work as a line to move along: one tick for each checkpoint. */
export function Scrubber({ history, at, label, onMove }: ScrubberProps) {
  const now = useNow()
  const [moving, setMoving] = useState<number | null>(null)
  const shown = moving ?? at
  const index = Math.max(
    0,
    history.findIndex(({ sequence }) => sequence === shown),
  )
  const point = history[index]
  // While the handle moves its words follow at once; the document is read when it rests.
  useEffect(() => {
    if (moving === null) return undefined
    const timer = setTimeout(() => {
      setMoving(null)
      onMove(moving)
    }, SETTLE_MS)
    return () => clearTimeout(timer)
  }, [moving])
  if (!point) return null
  const words = `#${point.sequence}, ${formatMoment(point.at, now)}`
  return (
    <div class="scrubber">
      <div class="scrubber-track">
        <Ticks history={history} index={index} />
        <input
          type="range"
          aria-label={label}
          aria-valuetext={`${words}: ${point.why}`}
          min={0}
          max={Math.max(1, history.length - 1)}
          disabled={history.length < 2}
          value={history.length < 2 ? 1 : index}
          onInput={({ currentTarget }) => setMoving(history[Number(currentTarget.value)]?.sequence ?? null)}
        />
      </div>
      <p class="scrubber-words small">
        <strong class="number">#{point.sequence}</strong>
        <span class="quiet number">{formatMoment(point.at, now)}</span>
        <span class="one-line second">{point.removedAt ? 'removed by retention' : point.why}</span>
      </p>
    </div>
  )
}

const WIDTH = 1000

/** Ticks of one kind are one path: a history may have thousands. */
function Ticks({ history, index }: { history: readonly WorkPoint[]; index: number }) {
  const step = WIDTH / Math.max(1, history.length - 1)
  const kinds = new Map<string, string>()
  for (const [at, { progress, removedAt }] of history.entries()) {
    const kind = removedAt ? 'removed' : progress
    kinds.set(kind, `${kinds.get(kind) ?? ''}M${(at * step).toFixed(1)} 3V17`)
  }
  return (
    <svg
      class="scrubber-ticks"
      viewBox={`-4 0 ${WIDTH + 8} 20`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect class="scrubber-done" x="0" y="9" width={index * step} height="2" />
      {[...kinds].map(([kind, path]) => (
        <path key={kind} class={`tick is-${kind}`} d={path} vector-effect="non-scaling-stroke" />
      ))}
    </svg>
  )
}
