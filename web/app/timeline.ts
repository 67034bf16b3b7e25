import type { SessionLine } from '../../src/apps/dashboard/api.ts'

/** The sessions of one agent on one branch. */
export interface Lane {
  key: string
  agent: string
  branch: string | null
  /** Oldest first. */
  sessions: SessionLine[]
}

/** One or several sessions that would be drawn over each other. */
export interface Bar {
  x: number
  width: number
  sessions: SessionLine[]
}

export interface TimeRange {
  from: number
  to: number
}

const LEAST_WIDTH = 4
const GAP = 1.5

export const endOf = ({ endedAt, lastActivityAt }: SessionLine) => Date.parse(endedAt ?? lastActivityAt)

/** Lanes by what happened in them last. */
export function lanesOf(sessions: readonly SessionLine[], range: TimeRange): Lane[] {
  const lanes = new Map<string, Lane>()
  for (const session of [...sessions].reverse()) {
    if (endOf(session) < range.from || Date.parse(session.startedAt) > range.to) continue
    const { agent, branch } = session
    const key = `${agent}\n${branch ?? ''}`
    const lane = lanes.get(key) ?? { key, agent, branch, sessions: [] }
    lane.sessions.push(session)
    lanes.set(key, lane)
  }
  const newest = ({ sessions: all }: Lane) => all.at(-1)?.startedAt ?? ''
  return [...lanes.values()].sort((a, b) => (newest(a) < newest(b) ? 1 : -1))
}

/** What is drawn of a lane: never more bars than there are pixels for them. */
export function barsOf({ sessions }: Lane, { from, to }: TimeRange, width: number): Bar[] {
  const scale = width / (to - from)
  const bars: Bar[] = []
  for (const session of sessions) {
    const x = Math.max(0, (Date.parse(session.startedAt) - from) * scale)
    const end = Math.min(width, Math.max(x + LEAST_WIDTH, (endOf(session) - from) * scale))
    const last = bars.at(-1)
    if (last && x < last.x + last.width + GAP) {
      last.width = Math.max(last.width, end - last.x)
      last.sessions.push(session)
    } else
      bars.push({
        x: Math.min(x, width - LEAST_WIDTH),
        width: Math.max(LEAST_WIDTH, end - x),
        sessions: [session],
      })
  }
  return bars
}

const HOUR = 3_600_000
const STEPS = [1, 3, 6, 12, 24, 48, 72, 168, 336, 720, 1440].map((hours) => hours * HOUR)
const LEAST_APART = 64

/** Where the axis has its lines: at midnight, or at full hours of the reader's own day. */
export function ticksOf({ from, to }: TimeRange, width: number): number[] {
  const most = Math.max(2, Math.floor(width / LEAST_APART))
  const step = STEPS.find((one) => (to - from) / one <= most) ?? (to - from) / most
  const start = new Date(from)
  start.setHours(0, 0, 0, 0)
  const ticks: number[] = []
  for (let at = start.getTime(); at < to; at += step) if (at > from) ticks.push(at)
  return ticks
}
