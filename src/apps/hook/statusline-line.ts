import { visibleLine } from '../../core/visible.ts'
import { clipWidth, widthOf } from '../../core/width.ts'
import { windowPressure } from '../../policy/pressure.ts'

/** What the line shows. */
export interface StatuslineContent {
  window: number | null
  usedPercent: number | null
  /** Null while nothing was saved; undefined where nobody can say. */
  savedAt: string | null | undefined
  /** Names from outside, the most important first. */
  focus: readonly string[]
}

interface Part {
  text: string
  /** Cut to what is left, where that is at least so much; a part without it is shown whole or not at all. */
  least?: number
  colour?: string
}

export const SEPARATOR = ' · '

const CELLS = 5
const LEAST_FOCUS = 8
const MOST_FOCUS = 48

const [RESET, RED, YELLOW] = ['\x1b[0m', '\x1b[31m', '\x1b[33m']
const WARNING = {
  low: null,
  medium: { text: 'save soon', colour: YELLOW },
  high: { text: 'save now, then /clear', colour: RED },
} as const

/** One line that fits. What is told first matters most, and what has no room goes with all behind it. */
export function lineOf(
  shown: StatuslineContent,
  { nowMs, columns, isColoured }: { nowMs: number; columns: number; isColoured: boolean },
): string {
  let [line, left] = ['', columns]
  for (const part of partsOf(shown, nowMs)) {
    const lead = line === '' ? '' : SEPARATOR
    const room = left - lead.length
    const width = widthOf(part.text)
    if (room < Math.min(width, part.least ?? width)) break
    const text = clipWidth(part.text, room)
    line += lead + (isColoured && part.colour ? part.colour + text + RESET : text)
    left = room - widthOf(text)
  }
  return line
}

function partsOf({ window, usedPercent, savedAt, focus }: StatuslineContent, nowMs: number): Part[] {
  const warning = usedPercent === null ? null : WARNING[windowPressure(usedPercent)]
  const parts: Part[] = [{ ...warning, text: gaugeOf(usedPercent, window), least: 1 }]
  if (warning) parts.push(warning)
  if (savedAt !== undefined) parts.push({ text: saveOf(savedAt, nowMs) })
  const names = focus.map(visibleLine).join(', ')
  if (names !== '') parts.push({ text: clipWidth(names, MOST_FOCUS), least: LEAST_FOCUS })
  return parts
}

function gaugeOf(usedPercent: number | null, window: number | null): string {
  const filled = Math.round(((usedPercent ?? 0) / 100) * CELLS)
  const bar = '▰'.repeat(filled) + '▱'.repeat(CELLS - filled)
  const used = usedPercent === null ? '?' : `${usedPercent} %`
  return `${bar} ${used}${window === null ? '' : ` of ${shortTokens(window)}`}`
}

/** `200k`, `1M`, `1.5M`. */
function shortTokens(tokens: number): string {
  if (tokens >= 999_500) return `${Math.round(tokens / 100_000) / 10}M`
  return tokens >= 1000 ? `${Math.round(tokens / 1000)}k` : `${tokens}`
}

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]

function saveOf(savedAt: string | null, nowMs: number): string {
  if (savedAt === null) return 'not saved yet'
  const age = nowMs - Date.parse(savedAt)
  // A clock that went back says nothing about the age.
  if (!(age >= -MINUTE)) return 'saved'
  if (age < MINUTE) return 'saved just now'
  if (age < HOUR) return `saved ${Math.floor(age / MINUTE)} min ago`
  return age < 2 * DAY ? `saved ${Math.floor(age / HOUR)} h ago` : `saved ${Math.floor(age / DAY)} d ago`
}
