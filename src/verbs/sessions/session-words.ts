import {
  type ContextUse,
  type EndReason,
  type Session,
  type Statistics,
  totalTokens,
} from '../../core/session.ts'
import type { Style } from '../../core/style.ts'
import { formatCount, shortNumber } from '../../core/text.ts'
import { visibleLine } from '../../core/visible.ts'
import type { Screen } from '../define/screen.ts'
import { type NamedRow, namedRows } from '../say/table.ts'

/** The option of verbs that are about one session. */
export const SESSION_FIELD = {
  kind: 'text',
  value: 'ID',
  names: 'session',
  about: 'session id (default: the current session)',
} as const

/** A row of a page about a session: one line, several, or none where nothing is known. */
export type SessionRowText = readonly [name: string, says: string | null | readonly string[], style?: Style]

/** A page of rows. Several lines under one name bear it once, and nothing of them can drive a terminal. */
export const sayRows = (rows: readonly SessionRowText[], screen: Screen): string =>
  namedRows(
    rows.flatMap(([name, says, style]) =>
      [says ?? []]
        .flat()
        .filter((text) => text !== '')
        .map((text, at): NamedRow => [at === 0 ? name : '', visibleLine(text), style]),
    ),
    screen,
  )

/** The first ones; how many more there are is said. */
export const firstLines = (texts: readonly string[], most = 5): string[] =>
  texts.length > most ? [...texts.slice(0, most), `and ${texts.length - most} more`] : [...texts]

/** How long a session lasted, or has lasted so far, and since when it is silent: one that is silent did nothing since. */
export function timesOf(session: Session, nowMs: number): { durationMs: number; silentMs: number } {
  const heardMs = Date.parse(session.lastActivityAt)
  const untilMs = session.endedAt ? Date.parse(session.endedAt) : session.phase === 'active' ? nowMs : heardMs
  return {
    durationMs: Math.max(0, untilMs - Date.parse(session.startedAt)),
    silentMs: Math.max(0, nowMs - heardMs),
  }
}

/** How a session ended, in words that follow its phase. */
const ENDED = {
  clear: 'cleared',
  resume: 'switched to another',
  logout: 'logged out',
  prompt_input_exit: 'exited',
  crash: 'crashed',
  timeout: 'timed out',
  other: 'ended',
} as const satisfies Record<EndReason, string>

/** Why it stopped, or why it waits; empty while it goes on. */
export function sayEnd(session: Pick<Session, 'phase' | 'endReason' | 'paused'>): string {
  const { phase, endReason, paused } = session
  if (endReason !== null) return ENDED[endReason]
  if (paused !== null) return `paused: ${paused.reason}`
  return phase === 'stale' ? 'no end seen' : ''
}

/** How full the window is, as far as that is known. */
export function sayContext({ tokens, window, model }: ContextUse): string {
  const full = window === null ? '' : ` of ${shortNumber(window)} (${Math.floor((tokens / window) * 100)} %)`
  return `${shortNumber(tokens)}${full} at the last call${model === '' ? '' : `, ${model}`}`
}

const MOST_FILES = 10
const MOST_COUNTS = 12

/** What a session did, in names and words; what it did not do is left out. */
export function statisticsRows(
  statistics: Statistics,
  { context, compactions }: { context: ContextUse | null; compactions: number },
): SessionRowText[] {
  const { tokensConsumed: tokens, filesModified: files, unknownLines } = statistics
  const unknown = Object.values(unknownLines).reduce((sum, times) => sum + times, 0)
  return [
    ['Context', context && sayContext(context)],
    ['Compactions', compactions > 0 ? String(compactions) : null],
    [
      'Tokens',
      `${groupDigits(totalTokens(tokens))} (${shortNumber(tokens.input)} input, ${shortNumber(tokens.output)} output, ${shortNumber(tokens.cacheRead)} cache read, ${shortNumber(tokens.cacheCreation)} cache written)`,
    ],
    ['Calls', String(statistics.apiCalls)],
    ['Tasks', `${statistics.tasksCompleted} completed, ${statistics.tasksFailed} failed`],
    ['Tools', sayCounts(statistics.toolUsageCounts)],
    ['Files', files.length === 0 ? 'none' : `${files.length}: ${firstLines(files, MOST_FILES).join(', ')}`],
    ['Commits', String(statistics.gitCommits)],
    ['Helpers', String(statistics.subagentsLaunched)],
    [
      'Unknown',
      unknown > 0 ? `${formatCount(unknown, 'line')} of unknown kinds: ${sayCounts(unknownLines)}` : null,
    ],
  ]
}

/** The most frequent first. */
const sayCounts = (counts: Record<string, number>) =>
  firstLines(
    Object.entries(counts)
      .sort(([one, times], [other, others]) => others - times || (one < other ? -1 : 1))
      .map(([name, times]) => `${name} ${times}`),
    MOST_COUNTS,
  ).join(', ')

/** `1,234,567`. */
const groupDigits = (number: number) => String(number).replace(/\B(?=(?:\d{3})+$)/g, ',')
