import { type Session, type SessionKey, totalTokens } from '../../core/session.ts'
import type { Registry } from '../../policy/registry.ts'
import type { Context } from '../context.ts'
import { operation } from '../operation.ts'
import { isSetUpHere } from '../setup/record.ts'
import { currentSession } from './current.ts'
import { readMoreEarlier } from './keep-up.ts'
import { readToEnd, upToDate } from './look.ts'
import { registryHere } from './registry-here.ts'
import { sayList } from './say-list.ts'
import { durationOf } from './session-text.ts'

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

/** The registry is given as it is: whoever asks for it knows its names, and wants no more than those. */
type Answer = List | { registry: Registry; toJSON(): Registry }

export const sessions = operation({
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
  lenient: true,
  async perform(context, { branch, outcome, all, registry }): Promise<Answer> {
    await upToDate(context)
    const earlier = await readMoreEarlier(context)
    const { store, identity } = context
    const rows = await store.sessions({ repository: identity.repository })
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
      sessions: await listed(context, wanted),
      archived,
      total: every.length,
      unread: earlier.unread,
      setUp: isSetUpHere(context.home.path, context.identity.workspace),
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

async function listed(context: Context, wanted: readonly Session[]): Promise<ListedSession[]> {
  const current = (await currentSession(context))?.session
  const places = new Map((await context.store.workspaces()).map(({ id, path }) => [id, path]))
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
