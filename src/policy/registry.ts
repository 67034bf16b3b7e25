import { plainLine } from '../core/bullets.ts'
import { type Session, totalTokens } from '../core/session.ts'
import { formatCount } from '../core/text.ts'
import { phaseAt } from './session-lifecycle.ts'

/** The session registry under the names of its format. Archived sessions are in no part of it. */
export type Registry = ReturnType<typeof registryOf>

/** What the sessions themselves do not say. */
interface RegistryFacts {
  nowMs: number
  keyDecisions(session: Session): string[]
  nextSteps(session: Session): string[]
  /** What it was asked last, for an outcome of which nobody said what was done. */
  workSummary(session: Session): string
}

/** The registry at a time; everywhere the latest first. */
export function registryOf(sessions: readonly Session[], known: RegistryFacts) {
  const all = sessions
    .map((session) => ({ ...session, phase: phaseAt(session, known.nowMs) }))
    .filter(({ phase }) => phase !== 'archived')
    .sort(latestFirst)
  const living = all.filter(({ phase }) => phase !== 'recent')
  const ended = all.filter(({ phase }) => phase === 'recent')
  const inOrder = [...living, ...ended]
  // Somebody who only looked in does not hide what was worked on before.
  const last = ended.find(didSomething) ?? ended[0]
  return {
    // What is uncommitted now is null where git was not asked.
    activeSessions: living.map((one) => ({ ...activeSession(one), uncommittedFiles: one.uncommittedFiles })),
    recentHistory: ended.map(recentSession),
    lastWorked: last ? lastWorked(last, known) : null,
    staleSessionsDetected: living.filter(({ phase }) => phase === 'stale').map(({ id }) => id),
    indexByOutcome: indexOf(inOrder, ({ outcomes }) =>
      outcomes.map(({ path, outcomeName }) => path || outcomeName),
    ),
    indexByBranch: indexOf(inOrder, ({ environment }) => [environment.gitBranch ?? '']),
  }
}

/** The registry as a document: JSON that stays JSON where a terminal is guarded against what drives it. */
export const encodeRegistry = (registry: Registry): string =>
  JSON.stringify(registry, null, 2).replace(
    /[\u007F-\u009F\u2028-\u202E\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const endTimeOf = ({ endedAt, lastActivityAt }: Session) => endedAt ?? lastActivityAt

const latestFirst = (one: Session, other: Session) =>
  Date.parse(endTimeOf(other)) - Date.parse(endTimeOf(one)) || (one.id < other.id ? -1 : 1)

const didSomething = ({ statistics, outcomes, accomplishments }: Session) =>
  statistics.apiCalls > 0 || outcomes.length > 0 || accomplishments.length > 0

function activeSession(session: Session) {
  const { model: _model, ...environment } = session.environment
  const { apiCalls: _calls, unknownLines: _lines, tokensConsumed, ...statistics } = session.statistics
  const { id, source, startedAt, lastActivityAt, outcomes, events } = session
  return {
    ...{ sessionId: id, sessionSource: source, startedAt, lastActivityAt, environment },
    ...{ focusedOutcomes: outcomes, events },
    statistics: { tokensConsumed: totalTokens(tokensConsumed), ...statistics },
    isStale: session.phase === 'stale',
  }
}

function recentSession(session: Session) {
  const { uncommittedFiles } = session
  const took = Date.parse(endTimeOf(session)) - Date.parse(session.startedAt)
  return {
    ...activeSession(session),
    completedAt: endTimeOf(session),
    sessionEndReason: session.endReason ?? 'other',
    durationMinutes: Math.max(0, Math.round(took / 60_000)),
    accomplishments: accomplishmentsOf(session),
    // Both null where nobody looked.
    uncommittedFilesAtEnd: uncommittedFiles,
    gitStatusCleanAtEnd: uncommittedFiles === null ? null : uncommittedFiles === 0,
  }
}

function lastWorked(session: Session, known: RegistryFacts) {
  const { gitBranch, gitCommitHash } = session.environment
  return {
    sessionId: session.id,
    completedAt: endTimeOf(session),
    outcomes: session.outcomes.map(({ path: _path, ...outcome }) => ({
      ...outcome,
      workSummary: outcome.workSummary || known.workSummary(session),
    })),
    context: {
      ...{ gitBranch, gitCommitHash, filesModified: session.statistics.filesModified },
      keyDecisions: known.keyDecisions(session),
      nextSteps: known.nextSteps(session),
    },
  }
}

/** Which sessions have a key, each once. The keys are people's words: `__proto__` is one like any other. */
function indexOf(sessions: readonly Session[], keysOf: (session: Session) => string[]) {
  const index: Record<string, string[]> = Object.create(null)
  for (const session of sessions)
    for (const key of new Set(keysOf(session))) {
      if (key === '') continue
      index[key] ??= []
      index[key].push(session.id)
    }
  return index
}

/** What a session got done: in the words that somebody gave, else counted from what it did. */
export function accomplishmentsOf(
  session: Pick<Session, 'accomplishments' | 'statistics' | 'outcomes'>,
): string[] {
  const { accomplishments, statistics, outcomes } = session
  const plain = (texts: string[]) => [...new Set(texts.map(plainLine))].filter((text) => text !== '')
  const given = plain(accomplishments)
  if (given.length > 0) return given
  const names = plain(outcomes.map(({ outcomeName }) => outcomeName))
  return [
    ...countLine('Modified', statistics.filesModified.length, 'file'),
    ...countLine('Made', statistics.gitCommits, 'commit'),
    ...countLine('Completed', statistics.tasksCompleted, 'task'),
    ...countLine('Worked on', names.length, 'outcome').map((text) => `${text}: ${names.join(', ')}`),
  ]
}

const countLine = (verb: string, count: number, noun: string) =>
  count > 0 ? [`${verb} ${formatCount(count, noun)}`] : []
