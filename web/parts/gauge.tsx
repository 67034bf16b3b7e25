import { formatCount } from '../app/format.ts'
import type { Tone } from './chip.tsx'

/** Where the pressure of a window changes, in percent; the same as in the advice to agents. */
const MARKS = [70, 85] as const

export const toneOfUse = (percent: number): Tone =>
  percent >= MARKS[1] ? 'bad' : percent >= MARKS[0] ? 'warn' : 'good'

interface GaugeProps {
  tokens: number
  window: number | null
  label: string
  /** Fill over time, oldest first, in tokens. */
  history?: readonly number[]
}

/** How full a context window is, with the marks where it gets tight, and how it got there. */
export function Gauge({ tokens, window, label, history = [] }: GaugeProps) {
  if (window === null || window === 0)
    return <p class="gauge-none small quiet">{formatCount(tokens)} tokens, window size unknown</p>
  const percent = Math.min(100, (tokens / window) * 100)
  const tone = toneOfUse(percent)
  return (
    <div class={`gauge is-${tone}`}>
      {history.length > 2 && <Filling history={history} window={window} />}
      <div
        class="gauge-bar"
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(percent)}
        aria-valuetext={`${Math.round(percent)} % of ${formatCount(window)} tokens`}
      >
        <span class="gauge-fill" style={{ width: `${percent}%` }} />
        {MARKS.map((mark) => (
          <span key={mark} class="gauge-mark" style={{ left: `${mark}%` }} />
        ))}
      </div>
      <p class="gauge-words small number">
        <strong>{Math.round(percent)} %</strong>
        <span class="quiet">
          {formatCount(tokens)} of {formatCount(window)}
        </span>
      </p>
    </div>
  )
}

const WIDTH = 200
const HEIGHT = 32

function Filling({ history, window }: { history: readonly number[]; window: number }) {
  const step = WIDTH / (history.length - 1)
  const points = history.map(
    (tokens, index) =>
      `${(index * step).toFixed(1)},${(HEIGHT - Math.min(1, tokens / window) * HEIGHT).toFixed(1)}`,
  )
  return (
    <svg
      class="gauge-filling"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {MARKS.map((mark) => (
        <line
          key={mark}
          class="filling-mark"
          x1="0"
          x2={WIDTH}
          y1={HEIGHT * (1 - mark / 100)}
          y2={HEIGHT * (1 - mark / 100)}
        />
      ))}
      <polygon class="filling-area" points={`0,${HEIGHT} ${points.join(' ')} ${WIDTH},${HEIGHT}`} />
      <polyline class="filling-line" points={points.join(' ')} />
    </svg>
  )
}
