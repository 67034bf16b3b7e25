import { basename } from 'node:path'
import { type Session, totalTokens } from '../../core/session.ts'
import { sessionNamer } from '../../core/session-name.ts'
import { formatCount, shortNumber, shortSpan } from '../../core/text.ts'
import { visibleLine } from '../../core/visible.ts'
import { clipWidth, widthOf } from '../../core/width.ts'
import type { Context } from '../../engine/context/context.ts'
import { currentSession, listSessions } from '../../engine/sessions/current.ts'
import { readMoreEarlier } from '../../engine/sessions/ingest-sessions.ts'
import { readToEnd } from '../../engine/sessions/read-to-end.ts'
import { registryHere, withUncommittedNow } from '../../engine/sessions/registry.ts'
import { isSetUpHere } from '../../engine/setup/settings-places.ts'
import { encodeRegistry } from '../../policy/registry.ts'
import { lastAsked } from '../../policy/session-lifecycle.ts'
import type { Screen } from '../define/screen.ts'
import { defineVerb } from '../define/verb.ts'
import { sayUnread } from '../say/say-earlier.ts'
import { fitLines, tableLines } from '../say/table.ts'
import { sayEnd, sayRows, timesOf } from './session-words.ts'

export const sessions = defineVerb({
  name: 'sessions',
  summary: 'List the agent sessions of this repository',
  detail:
    'Lists active and stale sessions, and those that ended within 72 hours. * marks the current one. --registry prints one JSON document instead: active, recent and stale sessions, the last work, and indexes by outcome and branch. The setting `registry` also writes it to a file.',
  fields: {
    branch: { kind: 'text', value: 'BRANCH', names: 'branch', about: 'only sessions started on this branch' },
    outcome: { kind: 'text', value: 'OUTCOME', about: 'only sessions with this outcome (path, name or id)' },
    all: { kind: 'flag', about: 'include older sessions' },
    registry: { kind: 'flag', about: 'print the session registry as JSON' },
  },
  examples: [
    'savepoint sessions',
    'savepoint sessions --branch feature/auth --all',
    'savepoint sessions --registry',
  ],
  access: 'read',
  takesIn: 'talk',
  lenient: true,
  async perform(context, { branch, outcome, all, registry }) {
    const earlier = await readMoreEarlier(context)
    const recorded = await listSessions(context, { repository: context.identity.repository })
    const every = await Promise.all(
      // Of the session that asks nothing was saved just now.
      recorded.map((session) => (session.id === context.session?.id ? readToEnd(context, session) : session)),
    )
    const meant = every.filter(
      (session) =>
        (branch === undefined || session.environment.gitBranch === branch) &&
        (outcome === undefined || worksOn(session, outcome)),
    )
    const shown = all ? meant : meant.filter(({ phase }) => phase !== 'archived')
    const wanted = await withUncommittedNow(context, shown)
    if (registry) {
      const document = await registryHere(context, wanted)
      // It is given as it is: whoever asks for it knows its names, and wants no more than those.
      return { registry: document, toJSON: () => document }
    }
    return {
      sessions: await describeSessions(context, wanted),
      /** How many would be listed with them, had they not ended long ago. */
      archived: meant.length - wanted.length,
      /** How many are recorded in this repository. */
      total: every.length,
      /** How many transcripts of before are not read yet. */
      unread: earlier.unread,
      /** Whether sessions that start here are recorded, as far as init did it. */
      setUp: await isSetUpHere(context),
    }
  },
  say: (answer, screen) => ('registry' in answer ? encodeRegistry(answer.registry) : sayList(answer, screen)),
})

const worksOn = ({ outcomes }: Session, wanted: string) =>
  outcomes.some(
    ({ path, outcomeName, outcomeId }) =>
      path === wanted ||
      outcomeName.toLowerCase() === wanted.toLowerCase() ||
      (outcomeId !== null && String(outcomeId) === wanted),
  )

type ListedSession = Awaited<ReturnType<typeof describeSessions>>[number]
type SessionList = Record<'archived' | 'total' | 'unread', number> & {
  sessions: ListedSession[]
  setUp: boolean
}

async function describeSessions(context: Context, wanted: readonly Session[]) {
  const current = await currentSession(context)
  const places = new Map((await context.store.local.listWorkspaces()).map(({ id, path }) => [id, path]))
  const nowMs = context.ports.now()
  return wanted.map((session) => ({
    ...{ agent: session.agent, id: session.id },
    /** The one in which the command is given, or the newest that is active here. */
    current: session.id === current?.id && session.agent === current.agent,
    ...{ phase: session.phase, source: session.source, startedAt: session.startedAt },
    ...{ lastActivityAt: session.lastActivityAt, endedAt: session.endedAt, endReason: session.endReason },
    paused: session.paused,
    ...timesOf(session, nowMs),
    branch: session.environment.gitBranch,
    worktree: places.get(session.workspace) ?? null,
    stream: session.stream,
    tokens: totalTokens(session.statistics.tokensConsumed),
    files: session.statistics.filesModified.length,
    /** Now, while it goes on; at its end, once it has ended. */
    uncommittedFiles: session.uncommittedFiles,
    focus: session.outcomes.map(({ outcomeName }) => outcomeName),
    asked: lastAsked(session),
  }))
}

/** A table where the screen has room for it, else some lines for each. */
function sayList({ sessions, archived, total, unread, setUp }: SessionList, screen: Screen): string {
  const { columns, paint } = screen
  const todo = setUp ? 'Start the agent.' : 'Set up your agent: savepoint init. Then start it.'
  if (total === 0) return [`No sessions recorded here yet. ${todo}`, ...sayUnread(unread)].join('\n')
  const left = [
    ...(archived > 0 ? [`${archived} older: savepoint sessions --all`] : []),
    ...sayUnread(unread),
  ]
  if (sessions.length === 0)
    return [archived > 0 ? 'No sessions in the last 72 hours.' : 'No session matches.', ...left].join('\n')
  const name = sessionNamer(sessions.map(({ id }) => id))
  const hasPlaces = new Set(sessions.map(({ worktree }) => worktree)).size > 1
  const rows = sessions.map((session) => cellsOf(session, name(session.id), hasPlaces, screen))
  // A column that is empty in every row says nothing.
  const titles = TITLES.filter((title) => rows.some((row) => row[title] !== ''))
  const tableOf = (shown: typeof titles) =>
    tableLines(
      shown,
      rows.map((row) => shown.map((title) => row[title])),
    )
  // What was asked takes the room that is left; where that is too little, what matters least goes.
  const isFit = (shown: typeof titles) =>
    Math.max(...tableOf(shown.filter((title) => title !== 'ASKED')).map(widthOf)) +
      (shown.includes('ASKED') ? MIN_ASKED : 0) <=
    columns
  const fitting = SPARED.map((spared) => titles.filter((title) => !spared.includes(title))).find(isFit)
  const [head = '', ...lines] = fitting ? tableOf(fitting) : []
  const shown = fitting ? [paint('faint', head), ...lines] : rows.map((row) => block(row, screen))
  return fitLines([...shown, ...left].join('\n'), screen)
}

const TITLES = [
  ...(['', 'SESSION', 'PHASE', 'AGO', 'BRANCH', 'WORKTREE'] as const),
  ...(['LASTED', 'TOKENS', 'FILES', 'ENDED', 'WORKS ON', 'ASKED'] as const),
]

/** What a narrower screen does without. */
const SPARED: ReadonlyArray<ReadonlyArray<(typeof TITLES)[number]>> = [
  [],
  ['TOKENS', 'FILES'],
  ['TOKENS', 'FILES', 'LASTED', 'WORKTREE'],
]

/** In less room nobody can read what was asked. */
const MIN_ASKED = 24

type Cells = Record<(typeof TITLES)[number], string>

const cellsOf = (session: ListedSession, name: string, hasPlaces: boolean, { paint }: Screen): Cells => ({
  '': session.current ? '*' : '',
  SESSION: visibleLine(name),
  PHASE:
    session.phase === 'stale'
      ? paint('warn', session.phase)
      : session.phase === 'active'
        ? paint('good', session.phase)
        : session.phase,
  AGO: shortSpan(session.silentMs),
  BRANCH: visibleLine(session.branch ?? ''),
  WORKTREE: hasPlaces ? visibleLine(basename(session.worktree ?? '?')) : '',
  LASTED: shortSpan(session.durationMs),
  TOKENS: shortNumber(session.tokens),
  FILES: String(session.files),
  ENDED: visibleLine(sayEnd(session)),
  'WORKS ON': session.focus.map(visibleLine).join(', '),
  ASKED: visibleLine(session.asked),
})

const NAMES = 'works on'.length

/** One session in lines of its own: its name first, then what is known of it, in the same column in every block. */
function block(cells: Cells, screen: Screen): string {
  const rows = [
    ['branch', cells.BRANCH],
    ['worktree', cells.WORKTREE],
    ['lasted', `${cells.LASTED}, ${cells.TOKENS} tokens, ${formatCount(Number(cells.FILES), 'file')}`],
    ['ended', cells.ENDED],
    ['works on', cells['WORKS ON']],
    ['asked', clipWidth(cells.ASKED, Math.max(MIN_ASKED, screen.columns - NAMES - 6))],
  ].map(([name = '', text = '']) => [`  ${name.padEnd(NAMES)}`, text] as const)
  return `${cells[''] || ' '} ${cells.SESSION}  ${cells.PHASE}, ${cells.AGO} ago\n${sayRows(rows, screen)}`
}
