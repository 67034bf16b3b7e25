import { END_REASONS, PHASES, type Session, totalTokens } from '../../core/session.ts'
import { type Context, workspaceRoot } from '../../engine/context/context.ts'
import { currentSession, tellChoice } from '../../engine/sessions/current.ts'
import { readToEnd } from '../../engine/sessions/read-to-end.ts'
import { registryHere } from '../../engine/sessions/registry-here.ts'
import { isSetUpHere } from '../../engine/setup/is-set-up.ts'
import { accomplishmentsOf } from '../../policy/accomplishments.ts'
import { runningIn } from '../../policy/running-in.ts'
import { streamOf } from '../../policy/session-stream.ts'
import { choiceFact, integerFact, nullableFact, recordFact, textFact } from '../define/facts.ts'
import { defineVerb } from '../define/verb.ts'
import { namedRows } from '../say/table.ts'
import { type CurrentSessionInfo, type Info, infoRows, type StaleSessionInfo } from './say-info.ts'
import { durationOf } from './session-text.ts'

export const info = defineVerb({
  name: 'info',
  summary: 'Show the current session, the last one, and those that fell silent',
  detail:
    'The id and duration of the session, what it did, the outcomes it is focused on, what the last session got done, decided and left to do, and sessions that ended without saying so.',
  fields: {},
  examples: ['savepoint info', 'savepoint info --json'],
  access: 'read',
  takesIn: 'talk',
  lenient: true,
  async perform(context): Promise<Info> {
    const row = await currentSession(context)
    if (row && context.session === null) await tellChoice(context, row)
    const { store, identity } = context
    const rows = await store.log.listSessions({ repository: identity.repository })
    const all = rows.map(({ session }) => session)
    const others = all.filter(({ id, agent }) => id !== row?.session.id || agent !== row.session.agent)
    const silent = others.filter(({ phase }) => phase === 'stale')
    const stale = await Promise.all(silent.map((session) => staleOf(context, session)))
    const unrecorded = row === null ? (context.session?.id ?? null) : null
    return {
      session: row && hereOf(context, await readToEnd(context, row.session)),
      unrecorded,
      unnamed: context.speaker === 'agent' && context.session === null,
      lastSession: await lastOf(context, others),
      staleSessionsDetected: stale,
      todo: [
        ...((await isNotSetUp(context, all.length)) || unrecorded !== null ? ['savepoint init'] : []),
        ...(stale.some(({ worktree }) => worktree === null) ? ['savepoint reconcile'] : []),
      ],
    }
  },
  say: (result, { columns }) => namedRows(infoRows(result), columns),
  tool: {
    title: 'About the session',
    when: 'Call it when the user asks about this session or the last one: what was done, how long it took, what is left. For how full the context window is call budget.',
    effect: 'reads',
    facts: {
      session: nullableFact(
        recordFact('the current session', {
          id: textFact('its id'),
          phase: choiceFact('where it stands in its life', PHASES),
          startedAt: textFact('when it began'),
          durationMs: integerFact('how long it has lasted'),
          stream: textFact('the piece of work that it saves to'),
          filesModified: integerFact('how many files it changed'),
          tasksCompleted: integerFact('calls of tools that went well'),
          tasksFailed: integerFact('calls of tools that failed'),
          commits: integerFact('how many commits it made'),
          tokens: integerFact('tokens in all its calls'),
        }),
      ),
      unrecorded: nullableFact(textFact('the id of the current session, where nothing of it is recorded')),
      last: nullableFact(
        recordFact('the session before', {
          id: textFact('its id'),
          endedAt: textFact('when it ended'),
          endReason: nullableFact(choiceFact('how it ended', END_REASONS)),
        }),
      ),
      stale: integerFact('how many sessions fell silent without an end'),
    },
    factsOf: ({ session, unrecorded, lastSession: last, staleSessionsDetected: stale }) => ({
      session: session && hereFacts(session),
      unrecorded,
      last: last && { id: last.sessionId, endedAt: last.completedAt, endReason: last.endReason },
      stale: stale.length,
    }),
  },
})

const hereFacts = ({ statistics, ...here }: CurrentSessionInfo) => ({
  ...{ id: here.sessionId, phase: here.phase, startedAt: here.startedAt },
  ...{ durationMs: here.durationMs, stream: here.savesTo },
  filesModified: statistics.filesModified.length,
  tasksCompleted: statistics.tasksCompleted,
  tasksFailed: statistics.tasksFailed,
  commits: statistics.gitCommits,
  tokens: totalTokens(statistics.tokensConsumed),
})

/** Nothing is recorded, and nothing will be. */
const isNotSetUp = async (context: Context, sessions: number) =>
  sessions === 0 && !(await isSetUpHere(context))

function hereOf({ ports }: Context, session: Session): CurrentSessionInfo {
  const { phase, source, startedAt, lastActivityAt, paused, context } = session
  return {
    ...{ sessionId: session.id, phase, source, startedAt, lastActivityAt, paused, context },
    inFlight: runningIn(session),
    durationMs: durationOf(session, ports.now()),
    gitBranch: session.environment.gitBranch,
    savesTo: streamOf(session),
    statistics: { events: session.events.length, ...session.statistics },
    focusedOutcomes: session.outcomes,
  }
}

async function staleOf(context: Context, session: Session): Promise<StaleSessionInfo> {
  const { id: sessionId, lastActivityAt, environment, workspace } = session
  return {
    ...{ sessionId, lastActivityAt, gitBranch: environment.gitBranch },
    silentMs: Math.max(0, context.ports.now() - Date.parse(lastActivityAt)),
    worktree: workspace === context.identity.workspace ? null : await workspaceRoot(context, workspace),
  }
}

async function lastOf(context: Context, others: readonly Session[]): Promise<Info['lastSession']> {
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
