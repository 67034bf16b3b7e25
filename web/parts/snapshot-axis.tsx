import { useState } from 'preact/hooks'
import type { RunSnapshot } from '../../src/apps/dashboard/api.ts'
import { useNow } from '../app/clock.ts'
import { formatMoment } from '../app/format.ts'
import { useWidth } from './size.ts'

const HEIGHT = 56
const LINE = 24
const SIDE = 8

/** Snapshots where they are in time; a column each where there are many. */
interface SnapshotAxisProps {
  snapshots: readonly RunSnapshot[]
  /** What a step is called, by its id. */
  titles: ReadonlyMap<string, string>
}

export function SnapshotAxis({ snapshots, titles }: SnapshotAxisProps) {
  const now = useNow()
  const { ref, width } = useWidth<HTMLDivElement>()
  const [chosen, setChosen] = useState<number | null>(null)
  const times = snapshots.map(({ at }) => Date.parse(at))
  const [from = 0, to = 0] = [Math.min(...times), Math.max(...times)]
  const xOf = (at: number) =>
    to === from ? width / 2 : SIDE + ((at - from) / (to - from)) * (width - 2 * SIDE)
  if (snapshots.length === 0) return <p class="quiet">No snapshot yet.</p>
  const shown = snapshots[chosen ?? snapshots.length - 1]
  const move = (by: number) =>
    setChosen(Math.max(0, Math.min(snapshots.length - 1, (chosen ?? snapshots.length - 1) + by)))
  return (
    <div
      class="axis"
      ref={ref}
      role="slider"
      tabIndex={0}
      aria-label="Snapshots"
      aria-valuemin={1}
      aria-valuemax={snapshots.length}
      aria-valuenow={(chosen ?? snapshots.length - 1) + 1}
      aria-valuetext={shown ? `${shown.id}, ${formatMoment(shown.at, now)}, ${shown.progress}` : undefined}
      onKeyDown={(event) => {
        const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
        if (by === undefined) return
        event.preventDefault()
        move(by)
      }}
    >
      <svg width={width} height={HEIGHT} aria-hidden="true">
        <line class="axis-line" x1={SIDE} x2={Math.max(SIDE, width - SIDE)} y1={LINE} y2={LINE} />
        {snapshots.map((snapshot, index) => (
          <circle
            key={snapshot.id}
            class={`snapshot is-${snapshot.removedAt ? 'removed' : snapshot.progress}${snapshot === shown ? ' is-chosen' : ''}`}
            cx={xOf(times[index] ?? 0)}
            cy={LINE}
            r={snapshot === shown ? 6 : 4}
            onMouseEnter={() => setChosen(index)}
          />
        ))}
        {snapshots.map(
          ({ id, pinned }, index) =>
            pinned && (
              <path key={id} class="snapshot-pin" d={`M${xOf(times[index] ?? 0)} ${LINE + 10}l4 7h-8z`} />
            ),
        )}
        <text class="axis-text" x={SIDE} y={HEIGHT - 2}>
          {formatMoment(snapshots[0]?.at ?? '', now)}
        </text>
        <text class="axis-text is-end" x={width - SIDE} y={HEIGHT - 2}>
          {formatMoment(snapshots.at(-1)?.at ?? '', now)}
        </text>
      </svg>
      {shown && (
        <p class="axis-words small">
          <strong class="number">#{shown.sequence}</strong>
          <span class="quiet number">{formatMoment(shown.at, now)}</span>
          <span class="second">{shown.progress.replace('_', ' ')}</span>
          <span class="one-line second">{titles.get(shown.step ?? '') ?? shown.step}</span>
          {shown.pinned && <span class="quiet">pinned</span>}
          {shown.removedAt && <span class="quiet">removed by retention</span>}
        </p>
      )}
    </div>
  )
}
