import { END_REASONS, type Outcome, PHASES, type Session, totalTokens } from '../../core/session.ts'
import { shortId } from '../../core/session-name.ts'
import { ageOf, formatCount, shortNumber, shortSpan } from '../../core/text.ts'
import { type Context, workspaceRoot } from '../../engine/context/context.ts'
import { currentSession, listSessions, tellChoice } from '../../engine/sessions/current.ts'
import { readToEnd } from '../../engine/sessions/read-to-end.ts'
import { registryHere, withUncommittedNow } from '../../engine/sessions/registry.ts'
import { isSetUpHere } from '../../engine/setup/settings-places.ts'
import { accomplishmentsOf } from '../../policy/registry.ts'
import { streamOf } from '../../policy/resolve.ts'
import { runningIn } from '../../policy/session-lifecycle.ts'
import { choiceFact, integerFact, nullableFact, recordFact, textFact } from '../define/facts.ts'
import type { Screen } from '../define/screen.ts'
import { defineVerb } from '../define/verb.ts'
import { firstLines, type SessionRowText, sayContext, sayEnd, sayRows, timesOf } from './session-words.ts'

export const info = defineVerb({
  name: 'sessions info',
  summary: 'Show this session, the last one and stale ones',
  detail:
    'Id and duration of this session, its statistics and outcomes; what the last session did, decided and left to do; and sessions that went silent.',
  fields: {},
  examples: ['savepoint sessions info', 'savepoint sessions info --json'],
  access: 'read',
  takesIn: 'talk',
  lenient: true,
  async perform(context) {
    const current = await currentSession(context)
    if (current) await tellChoice(context, current)
    const all = await listSessions(context, { repository: context.identity.repository })
    const others = all.filter(({ id, agent }) => id !== current?.id || agent !== current.agent)
    const silent = others.filter(({ phase }) => phase === 'stale')
    const stale = await Promise.all(silent.map((session) => staleOf(context, session)))
    const unrecorded = current === null ? (context.session?.id ?? null) : null
    // Nothing is recorded, and nothing will be.
    const isNotSetUp = all.length === 0 && !(await isSetUpHere(context))
    return {
      /** Null where none is active, or where this one is not recorded. */
      session: current && (await hereOf(context, current)),
      /** The session that the agent says it is, where nothing of it is recorded. */
      unrecorded,
      /** An agent asks that does not say which session this is. */
      unnamed: context.speaker === 'agent' && context.session === null,
      lastSession: await lastOf(context, others),
      staleSessionsDetected: stale,
      /** What to do now, as commands. */
      todo: [
        ...(isNotSetUp || unrecorded !== null ? ['savepoint init'] : []),
        ...(stale.some(({ worktree }) => worktree === null) ? ['savepoint reconcile'] : []),
      ],
    }
  },
  say: ({ session, unrecorded, unnamed, lastSession, staleSessionsDetected: stale, todo }, screen) => {
    const none = unnamed
      ? 'not known (the agent gives no id): savepoint sessions'
      : unrecorded === null
        ? 'none active'
        : `${unrecorded} (not recorded)`
    return sayRows(
      [
        ...(session ? hereRows(session, screen) : ([['Session', none]] as const)),
        ...(lastSession ? lastRows(lastSession) : []),
        ['Stale', firstLines(stale.map(sayStale)), 'warn'],
        ['Do now', todo, 'good'],
      ],
      screen,
    )
  },
  tool: {
    title: 'About the session',
    name: 'info',
    when: 'Call it when the user asks about this session or the last one. For context usage call budget.',
    effect: 'reads',
    facts: {
      session: nullableFact(
        recordFact({
          id: textFact(),
          phase: choiceFact(PHASES),
          startedAt: textFact(),
          durationMs: integerFact(),
          stream: textFact(),
          filesModified: integerFact(),
          tasksCompleted: integerFact('successful tool calls'),
          tasksFailed: integerFact('failed tool calls'),
          commits: integerFact(),
          tokens: integerFact(),
        }),
      ),
      unrecorded: nullableFact(textFact('the current session, if not recorded')),
      last: nullableFact(
        recordFact({ id: textFact(), endedAt: textFact(), endReason: nullableFact(choiceFact(END_REASONS)) }),
      ),
      stale: integerFact(),
    },
    factsOf: ({ session, unrecorded, lastSession: last, staleSessionsDetected: stale }) => ({
      session: session && hereFacts(session),
      unrecorded,
      last: last && { id: last.sessionId, endedAt: last.completedAt, endReason: last.endReason },
      stale: stale.length,
    }),
  },
})

type Here = Awaited<ReturnType<typeof hereOf>>

const hereFacts = ({ statistics, ...here }: Here) => ({
  ...{ ...here, ...statistics, id: here.sessionId, stream: here.savesTo, commits: statistics.gitCommits },
  filesModified: statistics.filesModified.length,
  tokens: totalTokens(statistics.tokensConsumed),
})

async function hereOf(context: Context, current: Session) {
  const read = await readToEnd(context, current)
  const [session = read] = await withUncommittedNow(context, [read])
  const { uncommittedFiles } = session
  const { phase, source, startedAt, lastActivityAt, paused, context: use } = session
  return {
    ...{ sessionId: session.id, phase, source, startedAt, lastActivityAt, paused, context: use },
    inFlight: runningIn(session),
    durationMs: timesOf(session, context.ports.now()).durationMs,
    uncommittedFiles,
    gitBranch: session.environment.gitBranch,
    savesTo: streamOf(session),
    statistics: { events: session.events.length, ...session.statistics },
    focusedOutcomes: session.outcomes,
  }
}

function hereRows(
  { statistics, focusedOutcomes: outcomes, ...here }: Here,
  { time }: Screen,
): SessionRowText[] {
  const state = sayEnd({ ...here, endReason: null })
  const files = here.uncommittedFiles
  const uncommitted = files === null ? null : `${formatCount(files, 'file')} uncommitted`
  return [
    ['Session', `${here.sessionId} (${[here.phase, state].filter(Boolean).join(', ')})`],
    ['Duration', `${shortSpan(here.durationMs)}, since ${time(here.startedAt)} (${here.source})`],
    ['Branch', [here.gitBranch, uncommitted].filter(Boolean).join(', ')],
    [
      'Statistics',
      [
        formatCount(statistics.events, 'event'),
        formatCount(statistics.filesModified.length, 'file'),
        `${formatCount(statistics.tasksCompleted, 'task')} completed, ${statistics.tasksFailed} failed`,
        formatCount(statistics.gitCommits, 'commit'),
        `${shortNumber(totalTokens(statistics.tokensConsumed))} tokens`,
      ].join(', '),
    ],
    ['Context', here.context && sayContext(here.context)],
    ['Saves to', here.savesTo],
    ['Works on', outcomes.map(sayOutcome).join('; ') || 'nothing yet: savepoint outcome focus <name>'],
    ['Running', firstLines(here.inFlight.map(({ kind, what }) => `${kind}: ${what}`))],
  ]
}

const sayOutcome = ({ outcomeName, lastTask }: Pick<Outcome, 'outcomeName' | 'lastTask'>) =>
  lastTask === '' ? outcomeName : `${outcomeName} (${lastTask})`

async function staleOf(context: Context, session: Session) {
  const { id: sessionId, lastActivityAt, environment, workspace } = session
  return {
    ...{ sessionId, lastActivityAt, gitBranch: environment.gitBranch },
    silentMs: timesOf(session, context.ports.now()).silentMs,
    /** Where it is to be reconciled; null for this workspace. */
    worktree: workspace === context.identity.workspace ? null : await workspaceRoot(context, workspace),
  }
}

function sayStale({ sessionId, silentMs, gitBranch, worktree }: Awaited<ReturnType<typeof staleOf>>): string {
  const there = worktree === null ? '' : `. Run savepoint reconcile in ${worktree}`
  return `${shortId(sessionId)} silent for ${ageOf(silentMs)}${onBranch(gitBranch)}: crashed or closed${there}`
}

const onBranch = (branch: string | null) => (branch === null ? '' : ` on ${branch}`)

async function lastOf(context: Context, others: readonly Session[]) {
  const { lastWorked } = await registryHere(context, others)
  const session = others.find(({ id }) => id === lastWorked?.sessionId)
  if (!lastWorked || !session) return null
  return {
    ...lastWorked,
    agoMs: Math.max(0, context.ports.now() - Date.parse(lastWorked.completedAt)),
    endReason: session.endReason,
    accomplishments: accomplishmentsOf(session),
  }
}

function lastRows(last: NonNullable<Awaited<ReturnType<typeof lastOf>>>): SessionRowText[] {
  const { sessionId, agoMs, endReason, context } = last
  const end = sayEnd({ phase: 'recent', endReason, paused: null }) || 'ended'
  return [
    ['Last', `${shortId(sessionId)} ${end} ${ageOf(agoMs)} ago${onBranch(context.gitBranch)}`],
    ['  Works on', firstLines(last.outcomes.map(sayOutcome))],
    ['  Done', firstLines(last.accomplishments)],
    ['  Decided', firstLines(context.keyDecisions)],
    ['  Next', firstLines(context.nextSteps)],
  ]
}
