import { useMemo } from 'preact/hooks'
import type { SessionLine } from '../../src/apps/dashboard/api.ts'
import { formatClock, formatDay, plural } from '../app/format.ts'
import { type Bar, barsOf, type Lane, lanesOf, type TimeRange, ticksOf } from '../app/timeline.ts'
import { laneOf } from './lane.ts'
import { useWidth } from './size.ts'
import { useShownRows } from './virtual-list.tsx'

const ROW = 30

interface TimelineProps {
  sessions: readonly SessionLine[]
  range: TimeRange
  onPick: (session: SessionLine) => void
  onBranch: (branch: string) => void
}

/** Sessions across days, a lane for each agent on each branch. The list below tells the same to who cannot see it. */
export function Timeline({ sessions, range, onPick, onBranch }: TimelineProps) {
  const lanes = useMemo(() => lanesOf(sessions, range), [sessions, range.from, range.to])
  const { ref: axis, width } = useWidth<HTMLDivElement>()
  const { ref, onScroll, first, last } = useShownRows(lanes.length, ROW)
  const ticks = ticksOf(range, width)
  const xOf = (at: number) => ((at - range.from) / (range.to - range.from)) * width
  const isHourly = range.to - range.from < 3 * 86_400_000
  return (
    <figure class="timeline">
      <figcaption class="hidden-text">
        {plural(sessions.length, 'session')} of {plural(lanes.length, 'lane')}, also in the list below
      </figcaption>
      <div class="timeline-axis small quiet number" aria-hidden="true">
        <div class="timeline-ticks" ref={axis}>
          {ticks.map((at) => (
            <span key={at} style={{ left: `${xOf(at)}px` }}>
              {isHourly && new Date(at).getHours() !== 0
                ? formatClock(at)
                : formatDay(at).replace(/^\w+, /, '')}
            </span>
          ))}
        </div>
      </div>
      <div
        class="scroll-box timeline-lanes"
        ref={ref}
        onScroll={onScroll}
        tabIndex={0}
        role="group"
        aria-label="Lanes"
      >
        <div class="virtual-rows" style={{ height: `${lanes.length * ROW}px` }}>
          <svg
            class="timeline-grid"
            width={width}
            height={Math.max(1, lanes.length * ROW)}
            aria-hidden="true"
          >
            {ticks.map((at) => (
              <line key={at} x1={xOf(at)} x2={xOf(at)} y1="0" y2="100%" />
            ))}
          </svg>
          {lanes.slice(first, last).map((lane, offset) => (
            <LaneRow
              key={lane.key}
              lane={lane}
              top={(first + offset) * ROW}
              range={range}
              width={width}
              onPick={onPick}
              onBranch={onBranch}
            />
          ))}
        </div>
      </div>
    </figure>
  )
}

interface LaneRowProps extends Omit<TimelineProps, 'sessions'> {
  lane: Lane
  top: number
  width: number
}

function LaneRow({ lane, top, range, width, onPick, onBranch }: LaneRowProps) {
  const bars = useMemo(() => barsOf(lane, range, width), [lane, range.from, range.to, width])
  const { agent, branch } = lane
  return (
    <div class="lane" style={{ top: `${top}px`, height: `${ROW}px` }}>
      <button
        type="button"
        class="lane-name one-line"
        title={`${agent} on ${branch ?? 'no branch'}`}
        onClick={() => branch && onBranch(branch)}
      >
        <span class={`lane-dot ${laneOf(branch ?? agent)}`} aria-hidden="true" />
        {branch ?? 'no branch'} <span class="quiet">{agent}</span>
      </button>
      <svg class="lane-bars" width={width} height={ROW} aria-hidden="true">
        {bars.map((bar) => (
          <BarMark key={bar.sessions[0]?.key} bar={bar} lane={laneOf(branch ?? agent)} onPick={onPick} />
        ))}
      </svg>
    </div>
  )
}

function BarMark({ bar, lane, onPick }: { bar: Bar; lane: string; onPick: (session: SessionLine) => void }) {
  const newest = bar.sessions.at(-1)
  if (!newest) return null
  const isBad = bar.sessions.some(({ endReason }) => endReason === 'crash')
  const state =
    newest.phase === 'stale'
      ? 'is-stale'
      : isBad
        ? 'is-crashed'
        : newest.phase === 'active'
          ? 'is-active'
          : ''
  return (
    <rect
      class={`bar ${lane} ${state}`}
      x={bar.x}
      y={8}
      width={bar.width}
      height={ROW - 16}
      rx={3}
      onClick={() => onPick(newest)}
    >
      <title>
        {bar.sessions.length > 1 ? plural(bar.sessions.length, 'session') : newest.asked || newest.agent}
      </title>
    </rect>
  )
}
