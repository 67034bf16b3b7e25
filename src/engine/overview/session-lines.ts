import { instant } from '../../core/ports.ts'
import { type Session, type SessionKey, totalTokens } from '../../core/session.ts'
import { lastAsked, runningIn } from '../../policy/session-lifecycle.ts'
import { windowState } from '../../policy/window.ts'
import type { SessionFilter } from '../../store/log.ts'
import type { Context } from '../context/context.ts'
import { listSessions } from '../sessions/current.ts'
import { listPlaces } from './places.ts'

/** A session in one word of a path. */
export const sessionKeyText = ({ agent, id }: SessionKey) => `${agent}~${id}`

/** The session that such a word names; null where it names none. */
export function readSessionKey(text: string): SessionKey | null {
  const [agent = '', id = '', ...more] = text.split('~')
  return agent === '' || id === '' || more.length > 0 ? null : { agent, id }
}

/**
 * A session as lists show it; `key` names it in a path. `asked`: the newest request that says what is to be done, in a
 * line. `work`: what it saves to, null while it has only its own. `paused`: why it stopped without its user wanting it.
 */
export const describeSession = (session: Session) => ({
  key: sessionKeyText(session),
  ...{ id: session.id, agent: session.agent, repository: session.repository, workspace: session.workspace },
  ...{ branch: session.environment.gitBranch, model: session.environment.model, phase: session.phase },
  ...{ source: session.source, startedAt: session.startedAt, lastActivityAt: session.lastActivityAt },
  ...{ endedAt: session.endedAt, endReason: session.endReason, paused: session.paused },
  asked: lastAsked(session),
  outcomes: session.outcomes.map(({ path, outcomeName }) => path ?? outcomeName),
  ...{ work: session.stream, savedAt: session.savedAt, compactions: session.compactions },
  tokens: totalTokens(session.statistics.tokensConsumed),
  usedPercent: windowState(session.context).usedPercent,
  commits: session.statistics.gitCommits,
  files: session.statistics.filesModified.length,
})

/** How full the window of a session is, null where nobody can say; a smaller point after a larger one is a compaction. */
export function gaugeOf({ context, fill = [] }: Session) {
  const { used, window, usedPercent, pressure } = windowState(context)
  const points = fill.map(({ atMs, tokens }) => ({ at: instant(atMs), tokens }))
  return { usedPercent, tokens: used, window, pressure, points }
}

/** Helpers and background commands that were running at its last event. */
export const listRunning = (session: Session) =>
  runningIn(session).map(({ kind, what, since }) => ({ kind, what, since }))

const PAGE = 200

/** Where the next page goes on: how many were told, and until when sessions count, so that new ones move nothing. */
const CURSOR = /^(\d{4}-[\d-]{5}T[\d:.]{8,12}Z)~(\d{1,7})$/

/**
 * The timeline of sessions, newest first, a page at a time; what can be filtered by is told in the first one alone.
 * `before`: what the page before answered as `next`.
 */
export async function readSessionTimeline(
  context: Context,
  { before, ...filter }: Pick<SessionFilter, 'repository' | 'branch' | 'outcome'> & { before?: string },
) {
  const { store, ports } = context
  const now = instant(ports.now())
  const [, until = instant(ports.now() + 1), told = '0'] = CURSOR.exec(before ?? '') ?? []
  const skip = Number(told)
  const asked = { ...filter, heardBefore: until }
  const found = await listSessions(context, { ...asked, most: PAGE, skip })
  const total = await store.log.countSessions(asked)
  const isFirst = skip === 0
  const names = isFirst ? await store.log.listSessionNames(filter.repository ?? null) : null
  return {
    at: now,
    sessions: found.map(describeSession),
    next: skip + found.length < total && found.length > 0 ? `${until}~${skip + found.length}` : null,
    total,
    repositories: isFirst ? (await listPlaces(context)).repositories : [],
    ...(names ?? { agents: [], branches: [], outcomes: [] }),
  }
}
