import { windowPressure } from './pressure.ts'

/** After so many compactions of one session a fresh one serves better. */
export const MANY_COMPACTIONS = 2

export interface Nudge {
  /** What it is remembered by: each is given once in a session. */
  key: '70' | '85' | 'compactions'
  /** Null where a stronger one says it, or where advice would only disturb. */
  text: string | null
}

interface Situation {
  /** Null where nobody can say how full the window is. */
  usedPercent: number | null
  compactions: number
  /** The keys of those given before. */
  nudged: readonly string[]
  /** The work was handed off: it is still saved, but no advice is given. */
  handedOff: boolean
}

const SAVE = '`savepoint save --decision "…" --next "…"`'
const CLEAR = `Saved with ${SAVE}, the work goes on after a \`/clear\` in a fresh window: the next session gets the brief by itself.`

/** Advice that is newly due; only the strongest is given as text. */
export function nudgesFor({ usedPercent, compactions, nudged, handedOff }: Situation): Nudge[] {
  const pressure = windowPressure(usedPercent ?? 0)
  const full = Math.floor(usedPercent ?? 0)
  const isFull = pressure === 'high' || nudged.includes('85')
  const due = (
    [
      ['85', pressure === 'high', `Savepoint: the context window is ${full} % full. ${CLEAR}`],
      [
        'compactions',
        compactions >= MANY_COMPACTIONS,
        `Savepoint: this session was compacted ${compactions} times, and each time loses detail. ${CLEAR}`,
      ],
      [
        '70',
        pressure !== 'low',
        `Savepoint: the context window is ${full} % full. Decisions that are not saved are lost at a compaction; ${SAVE} keeps them.`,
      ],
    ] as const
  ).filter(([key, isDue]) => isDue && !nudged.includes(key))
  return due.map(([key, , text], place) => {
    const isSpoken = place === 0 && !handedOff && !(key === '70' && isFull)
    return { key, text: isSpoken ? text : null }
  })
}
