import { markStyle, type Style } from '../../core/style.ts'

/** What the answer of a verb is shown on: words alone for an agent, colours and local times for a person. */
export interface Screen {
  /** How many characters fit into a line; infinite where nobody looks at a screen. */
  readonly columns: number
  readonly hasColour: boolean
  /** A text in a style; unchanged where there are no colours. */
  paint(style: Style, text: string): string
  /** `2026-01-31 12:00`, by the clock of whoever reads it. */
  time(at: string): string
  /** `2026-01-31 12:00:59`, by the same clock. */
  second(at: string): string
  /** `2026-01-31`, by the same clock. */
  day(at: string): string
}

export interface ScreenTraits {
  columns?: number
  hasColour?: boolean
  /** How far the reader's clock is ahead of UTC at an instant; null: times are UTC, and say so. */
  offsetMinutes?: ((ms: number) => number) | null
}

export function makeScreen({
  columns = Number.POSITIVE_INFINITY,
  hasColour = false,
  offsetMinutes = null,
}: ScreenTraits = {}): Screen {
  const local = (at: string) => {
    const ms = Date.parse(at)
    // A time that cannot be read is shown as it stands.
    if (offsetMinutes === null || Number.isNaN(ms)) return at
    const offset = offsetMinutes(ms)
    return offset === 0 && at.endsWith('Z') ? at : new Date(ms + offset * 60_000).toISOString()
  }
  const zone = offsetMinutes === null ? 'Z' : ''
  const formatInstant = (at: string, length: number) =>
    at === '' ? '' : `${local(at).slice(0, length).replace('T', ' ')}${zone}`
  return {
    columns,
    hasColour,
    paint: hasColour ? markStyle : (_style, text) => text,
    time: (at) => formatInstant(at, 16),
    second: (at) => formatInstant(at, 19),
    day: (at) => local(at).slice(0, 10),
  }
}

/** For agents and programs: no end of a line, no colours, UTC. */
export const PLAIN_SCREEN = makeScreen()

/** Colours on a terminal, unless its user wants none; in a pipe or a file only where they are asked for by name. */
export function wantsColour(
  { NO_COLOR = '', FORCE_COLOR = '', TERM }: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean,
): boolean {
  if (NO_COLOR !== '') return false
  if (FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  return isTerminal && TERM !== 'dumb'
}
