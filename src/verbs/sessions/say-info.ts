import type { Session, Statistics } from '../../core/session.ts'
import { type Outcome, totalTokens } from '../../core/session.ts'
import { shortId } from '../../core/session-name.ts'
import { ageOf, formatCount } from '../../core/text.ts'
import { visibleLine } from '../../core/visible.ts'
import type { Registry } from '../../policy/registry.ts'
import { sayContext } from './say-statistics.ts'
import { sayEnd, shortNumber, shortSpan } from './session-text.ts'

const MOST_SHOWN = 5

type Rows = Array<[name: string, text: string]>

const row = (name: string, text: string): Rows => [[name, text]]

/** The page, as names and what they say. */
export function infoRows({
  session,
  unrecorded,
  unnamed,
  lastSession,
  staleSessionsDetected: stale,
  todo,
}: Info): Rows {
  const none = unnamed
    ? 'the agent does not say which one this is: savepoint sessions'
    : unrecorded === null
      ? 'none is active here'
      : `${unrecorded}, which is not recorded`
  return [
    ...(session ? sayHere(session) : row('Session', none)),
    ...(lastSession ? sayLast(lastSession) : []),
    ...stale
      .slice(0, MOST_SHOWN)
      .map((one, at): [string, string] => [at === 0 ? 'Stale' : '', sayStale(one)]),
    ...(stale.length > MOST_SHOWN ? row('', `and ${stale.length - MOST_SHOWN} more`) : []),
    ...todo.map((command, at): [string, string] => [at === 0 ? 'Do now' : '', command]),
  ]
}

function sayStale({
  sessionId,
  silentMs,
  gitBranch,
  worktree,
}: Info['staleSessionsDetected'][number]): string {
  const branch = gitBranch === null ? '' : ` on ${visibleLine(gitBranch)}`
  const there = worktree === null ? '' : `. Run savepoint reconcile in ${visibleLine(worktree)}`
  return `${shortId(sessionId)} fell silent ${ageOf(silentMs)} ago${branch}: crashed, or its terminal was closed${there}`
}

function sayHere(session: CurrentSessionInfo): Rows {
  const { statistics, focusedOutcomes: outcomes, context, inFlight } = session
  const { tasksCompleted, tasksFailed, filesModified, tokensConsumed, gitCommits } = statistics
  const state = sayEnd({ ...session, endReason: null })
  return [
    ['Session', `${session.sessionId} (${[session.phase, state].filter(Boolean).join(', ')})`],
    [
      'Duration',
      `${shortSpan(session.durationMs)}, since ${session.startedAt.slice(0, 16).replace('T', ' ')}Z (${session.source})`,
    ],
    ...(session.gitBranch === null ? [] : row('Branch', visibleLine(session.gitBranch))),
    [
      'Statistics',
      [
        formatCount(statistics.events, 'event'),
        formatCount(filesModified.length, 'file'),
        `${formatCount(tasksCompleted, 'task')} completed, ${tasksFailed} failed`,
        formatCount(gitCommits, 'commit'),
        `${shortNumber(totalTokens(tokensConsumed))} tokens`,
      ].join(', '),
    ],
    ...(context ? row('Context', sayContext(context)) : []),
    ['Saves to', visibleLine(session.savesTo)],
    [
      'Works on',
      outcomes.length === 0
        ? 'no outcome: savepoint outcome focus <name>'
        : outcomes.map(sayOutcome).join('; '),
    ],
    ...list(
      'In flight',
      inFlight.map(({ kind, what }) => `${kind}: ${what}`),
    ),
  ]
}

const sayOutcome = ({ outcomeName, lastTask }: Pick<Outcome, 'outcomeName' | 'lastTask'>) =>
  visibleLine(lastTask === '' ? outcomeName : `${outcomeName} (${lastTask})`)

function sayLast(last: NonNullable<Info['lastSession']>): Rows {
  const { sessionId, agoMs, endReason, context, outcomes } = last
  const end = sayEnd({ phase: 'recent', endReason, paused: null }) || 'ended'
  const branch = context.gitBranch === null ? '' : ` on ${visibleLine(context.gitBranch)}`
  return [
    ['Last', `${shortId(sessionId)} ${end} ${ageOf(agoMs)} ago${branch}`],
    ...list('  Works on', outcomes.map(sayOutcome)),
    ...list('  Done', last.accomplishments),
    ...list('  Decided', context.keyDecisions),
    ...list('  Next', context.nextSteps),
  ]
}

/** The first ones under one name; how many more there are is said. */
function list(name: string, texts: readonly string[]): Rows {
  const more = texts.length > MOST_SHOWN ? [`and ${texts.length - MOST_SHOWN} more`] : []
  return [...texts.slice(0, MOST_SHOWN).map(visibleLine), ...more].map((text, at) => [
    at === 0 ? name : '',
    text,
  ])
}

export interface CurrentSessionInfo
  extends Pick<
    Session,
    'phase' | 'source' | 'startedAt' | 'lastActivityAt' | 'paused' | 'context' | 'inFlight'
  > {
  sessionId: string
  durationMs: number
  gitBranch: string | null
  savesTo: string
  statistics: Statistics & { events: number }
  focusedOutcomes: Outcome[]
}

export interface StaleSessionInfo {
  sessionId: string
  lastActivityAt: string
  silentMs: number
  gitBranch: string | null
  /** Where it is to be reconciled; null for this workspace. */
  worktree: string | null
}

export interface Info {
  /** Null where none is active, or where this one is not recorded. */
  session: CurrentSessionInfo | null
  /** The session that the agent says it is, where nothing of it is recorded. */
  unrecorded: string | null
  /** An agent asks that does not say which session this is. */
  unnamed: boolean
  lastSession:
    | (NonNullable<Registry['lastWorked']> & {
        agoMs: number
        endReason: Session['endReason']
        accomplishments: string[]
      })
    | null
  staleSessionsDetected: StaleSessionInfo[]
  /** What to do now, as commands. */
  todo: string[]
}
