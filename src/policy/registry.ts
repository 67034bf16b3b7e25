import { type Outcome, type Session, totalTokens } from '../core/session.ts'
import { accomplishmentsOf } from './accomplishments.ts'
import { phaseAt } from './session-lifecycle.ts'

interface Statistics {
  tokensConsumed: number
  filesModified: string[]
  tasksCompleted: number
  tasksFailed: number
  gitCommits: number
  toolUsageCounts: Record<string, number>
  subagentsLaunched: number
}

interface ActiveSession {
  sessionId: string
  sessionSource: Session['source']
  startedAt: string
  lastActivityAt: string
  environment: Omit<Session['environment'], 'model'>
  focusedOutcomes: Outcome[]
  events: Session['events']
  statistics: Statistics
  isStale: boolean
}

interface RecentSession extends ActiveSession {
  completedAt: string
  sessionEndReason: NonNullable<Session['endReason']>
  durationMinutes: number
  accomplishments: string[]
  /** Both null where nobody looked. */
  uncommittedFilesAtEnd: number | null
  gitStatusCleanAtEnd: boolean | null
}

interface LastWorked {
  sessionId: string
  completedAt: string
  outcomes: Array<Omit<Outcome, 'path'>>
  context: {
    gitBranch: string | null
    gitCommitHash: string | null
    filesModified: string[]
    keyDecisions: string[]
    nextSteps: string[]
  }
}

/** The session registry under the names of its format. Archived sessions are in no part of it. */
export interface Registry {
  activeSessions: ActiveSession[]
  recentHistory: RecentSession[]
  lastWorked: LastWorked | null
  staleSessionsDetected: string[]
  indexByOutcome: Record<string, string[]>
  indexByBranch: Record<string, string[]>
}

/** What the sessions themselves do not say. */
interface RegistryFacts {
  nowMs: number
  keyDecisions(session: Session): string[]
  nextSteps(session: Session): string[]
  /** What it was asked last, for an outcome of which nobody said what was done. */
  workSummary(session: Session): string
}

/** The registry at a time; everywhere the latest first. */
export function registryOf(sessions: readonly Session[], known: RegistryFacts): Registry {
  const living: Session[] = []
  const ended: Session[] = []
  for (const session of sessions) {
    const phase = phaseAt(session, known.nowMs)
    if (phase === 'recent') ended.push({ ...session, phase })
    else if (phase !== 'archived') living.push({ ...session, phase })
  }
  living.sort(latestFirst)
  ended.sort(latestFirst)
  // Somebody who only looked in does not hide what was worked on before.
  const last = ended.find(didSomething) ?? ended[0]
  const all = [...living, ...ended]
  return {
    activeSessions: living.map(activeSession),
    recentHistory: ended.map(recentSession),
    lastWorked: last ? lastWorked(last, known) : null,
    staleSessionsDetected: living.filter(({ phase }) => phase === 'stale').map(({ id }) => id),
    indexByOutcome: indexOf(all, ({ outcomes }) =>
      outcomes.map(({ path, outcomeName }) => path || outcomeName),
    ),
    indexByBranch: indexOf(all, ({ environment: { gitBranch } }) => [gitBranch ?? '']),
  }
}

const endTimeOf = ({ endedAt, lastActivityAt }: Session) => endedAt ?? lastActivityAt

function latestFirst(one: Session, other: Session): number {
  const apart = Date.parse(endTimeOf(other)) - Date.parse(endTimeOf(one))
  return apart || (one.id < other.id ? -1 : 1)
}

const didSomething = ({ statistics, outcomes, accomplishments }: Session) =>
  statistics.apiCalls > 0 || outcomes.length > 0 || accomplishments.length > 0

function activeSession(session: Session): ActiveSession {
  const { workingDirectory, gitBranch, gitCommitHash, permissionMode, transcriptPath } = session.environment
  const { statistics } = session
  return {
    sessionId: session.id,
    sessionSource: session.source,
    startedAt: session.startedAt,
    lastActivityAt: session.lastActivityAt,
    environment: { workingDirectory, gitBranch, gitCommitHash, permissionMode, transcriptPath },
    focusedOutcomes: session.outcomes,
    events: session.events,
    statistics: {
      tokensConsumed: totalTokens(statistics.tokensConsumed),
      filesModified: statistics.filesModified,
      tasksCompleted: statistics.tasksCompleted,
      tasksFailed: statistics.tasksFailed,
      gitCommits: statistics.gitCommits,
      toolUsageCounts: statistics.toolUsageCounts,
      subagentsLaunched: statistics.subagentsLaunched,
    },
    isStale: session.phase === 'stale',
  }
}

function recentSession(session: Session): RecentSession {
  const { uncommittedFiles } = session
  const took = Date.parse(endTimeOf(session)) - Date.parse(session.startedAt)
  return {
    ...activeSession(session),
    completedAt: endTimeOf(session),
    sessionEndReason: session.endReason ?? 'other',
    durationMinutes: Math.max(0, Math.round(took / 60_000)),
    accomplishments: accomplishmentsOf(session),
    uncommittedFilesAtEnd: uncommittedFiles,
    gitStatusCleanAtEnd: uncommittedFiles === null ? null : uncommittedFiles === 0,
  }
}

function lastWorked(session: Session, known: RegistryFacts): LastWorked {
  const { gitBranch, gitCommitHash } = session.environment
  return {
    sessionId: session.id,
    completedAt: endTimeOf(session),
    outcomes: session.outcomes.map(({ outcomeId, outcomeName, lastTask, workSummary }) => {
      return { outcomeId, outcomeName, lastTask, workSummary: workSummary || known.workSummary(session) }
    }),
    context: {
      gitBranch,
      gitCommitHash,
      filesModified: session.statistics.filesModified,
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
