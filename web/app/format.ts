const SPANS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
] as const

/** How long, in its largest unit: `3 d`, `5 h`, `12 min`, `40 s`. */
export function formatSpan(ms: number): string {
  const found = SPANS.find(([unit]) => ms >= unit)
  if (!found) return `${Math.max(0, Math.round(ms / 1000))} s`
  return `${Math.floor(ms / found[0])} ${found[1]}`
}

/** How long, in two units where the second counts: `1 h 20 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`
  const minutes = Math.round(ms / 60_000)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
  return `${Math.floor(hours / 24)} d ${hours % 24} h`
}

export function formatAge(at: string, nowMs: number): string {
  const ms = nowMs - Date.parse(at)
  return ms < 10_000 ? 'just now' : `${formatSpan(ms)} ago`
}

export function formatCount(count: number): string {
  if (count >= 9_950_000) return `${Math.round(count / 1_000_000)}M`
  if (count >= 1_000_000) return `${(count / 1_000_000).toFixed(1)}M`
  if (count >= 9_950) return `${Math.round(count / 1000)}k`
  return count >= 1000 ? `${(count / 1000).toFixed(1)}k` : String(count)
}

export const plural = (count: number, noun: string, many = `${noun}s`) =>
  `${count.toLocaleString('en')} ${count === 1 ? noun : many}`

const DAY = new Intl.DateTimeFormat('en', { weekday: 'short', day: 'numeric', month: 'short' })
const CLOCK = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })

export const formatDay = (ms: number) => DAY.format(ms)
export const formatClock = (ms: number) => CLOCK.format(ms)

/** The day is left out where it is today. */
export function formatMoment(at: string, nowMs: number): string {
  const ms = Date.parse(at)
  const isToday = new Date(ms).toDateString() === new Date(nowMs).toDateString()
  return isToday ? formatClock(ms) : `${formatDay(ms)}, ${formatClock(ms)}`
}
