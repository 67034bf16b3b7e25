import { basename } from 'node:path'
import type { Session, SessionKey } from '../../core/session.ts'
import { sessionNamer } from '../../core/session-name.ts'
import { formatCount } from '../../core/text.ts'
import { visibleLine } from '../../core/visible.ts'
import { widthOf } from '../../core/width.ts'
import { sayUnread } from '../say/say-earlier.ts'
import { fitLines, namedRows, tableLines } from '../say/table.ts'
import { sayEnd, shortNumber, shortSpan } from './session-text.ts'

const NONE = 'No session is recorded here yet.'

/** A table where the screen has room for it, else some lines for each. */
export function sayList({ sessions, archived, total, unread, setUp }: List, columns: number): string {
  if (total === 0)
    return [
      `${NONE} ${setUp ? 'Start the agent.' : 'To have them recorded: savepoint init. Then start the agent.'}`,
      ...sayUnread(unread),
    ].join('\n')
  const left = [
    ...(archived > 0 ? [`${archived} more ended long ago: savepoint sessions --all`] : []),
    ...sayUnread(unread),
  ]
  if (sessions.length === 0)
    return [archived > 0 ? 'No session of the last 72 hours.' : 'No session is like that.', ...left].join(
      '\n',
    )
  const name = sessionNamer(sessions.map(({ id }) => id))
  const hasPlaces = new Set(sessions.map(({ worktree }) => worktree)).size > 1
  const rows = sessions.map((session) => cellsOf(session, name(session.id), hasPlaces))
  // A column that is empty in every row says nothing.
  const titles = TITLES.filter((title) => rows.some((row) => row[title] !== ''))
  const lines = tableLines(
    titles,
    rows.map((row) => titles.map((title) => row[title])),
  )
  const isWide = lines.every((line) => widthOf(line) <= columns)
  const blocks = () => fitLines(rows.map((row) => block(row, columns)).join('\n'), columns)
  return [isWide ? lines.join('\n') : blocks(), ...left.map((line) => fitLines(line, columns))].join('\n')
}

const TITLES = [
  '',
  'SESSION',
  'PHASE',
  'AGO',
  'BRANCH',
  'WORKTREE',
  'LASTED',
  'TOKENS',
  'FILES',
  'ENDED',
  'WORKS ON',
] as const

type Cells = Record<(typeof TITLES)[number], string>

function cellsOf(session: ListedSession, name: string, hasPlaces: boolean): Cells {
  return {
    '': session.current ? '*' : '',
    SESSION: visibleLine(name),
    PHASE: session.phase,
    AGO: shortSpan(session.silentMs),
    BRANCH: visibleLine(session.branch ?? ''),
    WORKTREE: hasPlaces ? visibleLine(basename(session.worktree ?? '?')) : '',
    LASTED: shortSpan(session.durationMs),
    TOKENS: shortNumber(session.tokens),
    FILES: String(session.files),
    ENDED: sayEnd(session),
    'WORKS ON': session.focus.map(visibleLine).join(', '),
  }
}

const NAMES = 'works on'.length

/** One session in lines of its own: its name first, then what is known of it. */
function block(cells: Cells, columns: number): string {
  const head = `${cells[''] === '*' ? '*' : ' '} ${cells.SESSION}  ${cells.PHASE}, ${cells.AGO} ago`
  const rows: Array<[string, string]> = [
    ['branch', cells.BRANCH],
    ['worktree', cells.WORKTREE],
    ['lasted', `${cells.LASTED}, ${cells.TOKENS} tokens, ${formatCount(Number(cells.FILES), 'file')}`],
    ['ended', cells.ENDED],
    ['works on', cells['WORKS ON']],
  ]
  // Every block has its texts in the same column.
  const filled = rows.flatMap(([name, text]) => (text === '' ? [] : [[name.padEnd(NAMES), text] as const]))
  return [
    head,
    ...namedRows(filled, columns - 2)
      .split('\n')
      .map((line) => `  ${line}`),
  ].join('\n')
}

/** A session as a list tells it. */
export interface ListedSession
  extends SessionKey,
    Pick<Session, 'phase' | 'source' | 'startedAt' | 'lastActivityAt' | 'endedAt' | 'endReason' | 'paused'> {
  /** The one in which the command is given, or the newest that is active here. */
  current: boolean
  silentMs: number
  durationMs: number
  branch: string | null
  worktree: string | null
  stream: string | null
  tokens: number
  files: number
  focus: string[]
}

export interface List {
  sessions: ListedSession[]
  /** How many would be listed with them, had they not ended long ago. */
  archived: number
  /** How many are recorded in this repository. */
  total: number
  /** How many transcripts of before are not read yet. */
  unread: number
  /** Whether sessions that start here are recorded, as far as init did it. */
  setUp: boolean
}
