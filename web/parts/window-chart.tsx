import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import type { SessionMark, WindowGauge } from '../../src/apps/dashboard/api.ts'
import { useCell } from '../app/external-store.ts'
import { formatClock, formatCount, formatMoment, plural } from '../app/format.ts'
import { isSystemDark, theme } from '../app/theme.ts'
import { readColour } from './colours.ts'
import { useWidth } from './size.ts'

const HEIGHT = 220

interface WindowChartProps {
  gauge: WindowGauge
  marks: readonly SessionMark[]
}

const MARKS = {
  checkpoint: 'accent',
  save: 'good-fill',
  compaction: 'bad-fill',
  commit: 'text-3',
  pause: 'warn-fill',
  end: 'text-3',
} as const satisfies Record<SessionMark['kind'], string>

/** How a context window filled over time, with what happened on it. */
export function WindowChart({ gauge, marks }: WindowChartProps) {
  const { ref, width } = useWidth<HTMLDivElement>()
  const [hovered, setHovered] = useState<number | null>(null)
  const shade = `${useCell(theme)} ${useCell(isSystemDark)}`
  const chart = useRef<uPlot | null>(null)
  const { points, window } = gauge
  useEffect(() => {
    const box = ref.current
    if (!box || width === 0 || points.length === 0) return undefined
    const made = new uPlot(optionsOf({ width, window, marks, setHovered }), dataOf(points), box)
    chart.current = made
    return () => made.destroy()
  }, [width, window, points, marks, shade])
  const point = hovered === null ? null : points[hovered]
  return (
    <div class="window-chart">
      <div class="window-chart-plot" ref={ref} role="img" aria-label={sayChart(gauge, marks)} />
      <p class="window-chart-words small number quiet">
        {point ? (
          <>
            <strong>{formatCount(point.tokens)} tokens</strong>
            {window !== null && ` · ${Math.round((point.tokens / window) * 100)} %`} ·{' '}
            {formatMoment(point.at, Date.now())}
          </>
        ) : (
          <Legend marks={marks} />
        )}
      </p>
    </div>
  )
}

function Legend({ marks }: { marks: readonly SessionMark[] }) {
  const kinds = [...new Set(marks.map(({ kind }) => kind))]
  return (
    <>
      {kinds.map((kind) => (
        <span key={kind} class={`legend is-${kind}`}>
          {plural(marks.filter((mark) => mark.kind === kind).length, kind)}
        </span>
      ))}
    </>
  )
}

const sayChart = ({ points, window }: WindowGauge, marks: readonly SessionMark[]) => {
  const most = Math.max(0, ...points.map(({ tokens }) => tokens))
  const share = window ? `, ${Math.round((most / window) * 100)} % of the window` : ''
  return `Tokens in the window over time: at most ${formatCount(most)}${share}; ${marks.length} marks`
}

const dataOf = (points: WindowGauge['points']): uPlot.AlignedData => [
  points.map(({ at }) => Date.parse(at) / 1000),
  points.map(({ tokens }) => tokens),
]

interface ChartParts {
  width: number
  window: number | null
  marks: readonly SessionMark[]
  setHovered: (index: number | null) => void
}

function optionsOf({ width, window, marks, setHovered }: ChartParts): uPlot.Options {
  const axis = {
    stroke: readColour('text-3'),
    grid: { stroke: readColour('line'), width: 1 },
    ticks: { show: false },
  }
  const font = `11px ${getComputedStyle(document.body).fontFamily}`
  return {
    ...{ width, height: HEIGHT, legend: { show: false }, padding: [12, 20, 0, 0] },
    cursor: { y: false, points: { size: 7 } },
    scales: {
      x: { range: (_, first, last) => spanOf(first, last, marks) },
      y: { range: (_, __, most) => [0, Math.max(most * 1.1, window ?? 0)] },
    },
    axes: [
      { ...axis, font, size: 28, values: (_, times) => times.map((time) => formatClock(time * 1000)) },
      { ...axis, font, size: 44, values: (_, counts) => counts.map(formatCount) },
    ],
    series: [
      {},
      {
        stroke: readColour('accent'),
        fill: readColour('accent-soft'),
        width: 2,
        points: { show: false },
      },
    ],
    hooks: {
      draw: [(plot) => drawMarks(plot, window, marks)],
      setCursor: [({ cursor }) => setHovered(cursor.idx ?? null)],
    },
  }
}

/** The axis covers the marks as well: the last save may come after the last call of the model. */
function spanOf(first: number, last: number, marks: readonly SessionMark[]): [number, number] {
  const times = marks.map(({ at }) => Date.parse(at) / 1000)
  return [Math.min(first, ...times), Math.max(last, ...times)]
}

function drawMarks(plot: uPlot, window: number | null, marks: readonly SessionMark[]) {
  const { ctx, bbox } = plot
  const ratio = devicePixelRatio
  ctx.save()
  ctx.lineWidth = ratio
  const limits =
    window === null
      ? []
      : ([
          [0.7, 'warn-fill'],
          [0.85, 'bad-fill'],
        ] as const)
  for (const [share, colour] of limits) {
    const y = plot.valToPos(share * (window ?? 0), 'y', true)
    ctx.strokeStyle = readColour(colour)
    ctx.setLineDash([4 * ratio, 4 * ratio])
    line(ctx, bbox.left, y, bbox.left + bbox.width, y)
  }
  ctx.setLineDash([])
  for (const { at, kind } of marks) {
    const x = plot.valToPos(Date.parse(at) / 1000, 'x', true)
    if (x < bbox.left || x > bbox.left + bbox.width) continue
    const colour = readColour(MARKS[kind])
    ctx.strokeStyle = colour
    ctx.fillStyle = colour
    ctx.globalAlpha = 0.45
    line(ctx, x, bbox.top, x, bbox.top + bbox.height)
    ctx.globalAlpha = 1
    ctx.beginPath()
    ctx.arc(x, bbox.top + 2 * ratio, 4 * ratio, 0, 7)
    ctx.fill()
  }
  ctx.restore()
}

function line(ctx: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number) {
  ctx.beginPath()
  ctx.moveTo(x1, y1)
  ctx.lineTo(x2, y2)
  ctx.stroke()
}
