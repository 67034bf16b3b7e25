import { type Session, totalTokens } from '../../core/session.ts'
import type { Context } from '../../engine/context/context.ts'
import { currentSession } from '../../engine/sessions/current.ts'
import { readMoreEarlier } from '../../engine/sessions/ingest-sessions.ts'
import { readToEnd } from '../../engine/sessions/read-to-end.ts'
import { registryHere } from '../../engine/sessions/registry-here.ts'
import { isSetUpHere } from '../../engine/setup/is-set-up.ts'
import type { Registry } from '../../policy/registry.ts'
import { defineVerb } from '../define/verb.ts'
import { type List, type ListedSession, sayList } from './say-list.ts'
import { durationOf } from './session-text.ts'

/** The registry is given as it is: whoever asks for it knows its names, and wants no more than those. */
type SessionsAnswer = List | { registry: Registry; toJSON(): Registry }

export const sessions = defineVerb({
  name: 'sessions',
  summary: 'List the sessions of agents in this repository',
  detail:
    'Those that are active, that fell silent, and that ended within 72 hours. * marks the current one. --registry gives them as one JSON document instead: active and recent sessions, the last work, stale sessions, and indexes by outcome and branch.',
  fields: {
    branch: { kind: 'text', value: 'BRANCH', about: 'only those that began on this branch' },
    outcome: {
      kind: 'text',
      value: 'OUTCOME',
      about: 'only those focused on this outcome: its path, name or id',
    },
    all: { kind: 'flag', about: 'also those that ended long ago' },
    registry: { kind: 'flag', about: 'the session registry as JSON' },
  },
  examples: [
    'savepoint sessions',
    'savepoint sessions --branch feature/auth --all',
    'savepoint sessions --registry',
  ],
  access: 'read',
  takesIn: 'talk',
  lenient: true,
  async perform(context, { branch, outcome, all, registry }): Promise<SessionsAnswer> {
    const earlier = await readMoreEarlier(context)
    const { store, identity } = context
    const rows = await store.log.listSessions({ repository: identity.repository })
    const every = await Promise.all(
      // Of the session that asks nothing was saved just now.
      rows.map(({ session }) => (session.id === context.session?.id ? readToEnd(context, session) : session)),
    )
    const meant = every.filter(
      (session) =>
        (branch === undefined || session.environment.gitBranch === branch) &&
        (outcome === undefined || worksOn(session, outcome)),
    )
    const wanted = all ? meant : meant.filter(({ phase }) => phase !== 'archived')
    if (registry) {
      const document = await registryHere(context, wanted)
      return { registry: document, toJSON: () => document }
    }
    const archived = meant.length - wanted.length
    return {
      sessions: await describeSessions(context, wanted),
      archived,
      total: every.length,
      unread: earlier.unread,
      setUp: await isSetUpHere(context),
    }
  },
  say: (answer, { columns }) =>
    'registry' in answer ? asciiJson(answer.registry) : sayList(answer, columns),
})

const worksOn = ({ outcomes }: Session, wanted: string) =>
  outcomes.some(
    ({ path, outcomeName, outcomeId }) =>
      path === wanted ||
      outcomeName.toLowerCase() === wanted.toLowerCase() ||
      (outcomeId !== null && String(outcomeId) === wanted),
  )

async function describeSessions(context: Context, wanted: readonly Session[]): Promise<ListedSession[]> {
  const current = (await currentSession(context))?.session
  const places = new Map((await context.store.local.listWorkspaces()).map(({ id, path }) => [id, path]))
  const nowMs = context.ports.now()
  return wanted.map((session) => ({
    ...{ agent: session.agent, id: session.id },
    current: session.id === current?.id && session.agent === current.agent,
    ...{ phase: session.phase, source: session.source, startedAt: session.startedAt },
    ...{ lastActivityAt: session.lastActivityAt, endedAt: session.endedAt, endReason: session.endReason },
    paused: session.paused,
    silentMs: Math.max(0, nowMs - Date.parse(session.lastActivityAt)),
    durationMs: durationOf(session, nowMs),
    branch: session.environment.gitBranch,
    worktree: places.get(session.workspace) ?? null,
    stream: session.stream,
    tokens: totalTokens(session.statistics.tokensConsumed),
    files: session.statistics.filesModified.length,
    focus: session.outcomes.map(({ outcomeName }) => outcomeName),
  }))
}

/** JSON that stays JSON where a terminal is guarded against what drives it. */
const asciiJson = (value: object) =>
  JSON.stringify(value, null, 2).replace(
    /[\u007F-\u009F\u2028-\u202E\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
