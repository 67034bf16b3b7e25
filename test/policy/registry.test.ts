import fc from 'fast-check'
import { expect, test } from 'vitest'
import { noStatistics, PHASES, type Session } from '../../src/core/session.ts'
import { registryOf } from '../../src/policy/registry.ts'
import { T0 } from './sample.ts'
import { after, sampleOutcome, sampleSession } from './session-sample.ts'

const HOUR = 3_600_000
const known = (nowMs: number) => ({
  nowMs,
  keyDecisions: ({ id }: Session) => [`decided in ${id}`],
  nextSteps: ({ id }: Session) => [`next of ${id}`],
  workSummary: ({ id }: Session) => `asked of ${id}`,
})
const ended = (id: string, hours: number, more: Partial<Session> = {}) =>
  sampleSession({ id, phase: 'recent', endedAt: after(hours * HOUR), endReason: 'logout', ...more })

test('the registry has exactly the names of its format [002.01] [002.02] [002.31] [002.32] [002.81] [002.86]', () => {
  const events = [{ at: after(0), kind: 'start', note: 'startup', ms: null, tokens: 0 }]
  const statistics = {
    ...noStatistics(),
    tokensConsumed: { input: 1, output: 20, cacheRead: 300, cacheCreation: 4_000 },
    ...{ apiCalls: 2, filesModified: ['src/auth.ts', 'src/token.ts'], tasksCompleted: 3, tasksFailed: 1 },
    ...{ gitCommits: 1, toolUsageCounts: { Edit: 2 }, subagentsLaunched: 1, unknownLines: { odd: 1 } },
  }
  const one = sampleSession({
    id: 'sess-abc',
    source: 'resume',
    statistics,
    events,
    outcomes: [sampleOutcome()],
  })
  const two = { ...one, phase: 'recent', id: 'sess-xyz', endReason: 'crash', uncommittedFiles: 2 } as const
  const seen = registryOf([two, one], known(T0 + HOUR))
  const active = {
    sessionId: 'sess-abc',
    sessionSource: 'resume',
    startedAt: after(0),
    lastActivityAt: after(0),
    environment: {
      workingDirectory: '/repo',
      gitBranch: 'feature/auth',
      gitCommitHash: 'abc123',
      permissionMode: 'default',
      transcriptPath: '/t.jsonl',
    },
    focusedOutcomes: [sampleOutcome()],
    events,
    statistics: {
      tokensConsumed: 4_321,
      filesModified: ['src/auth.ts', 'src/token.ts'],
      tasksCompleted: 3,
      tasksFailed: 1,
      gitCommits: 1,
      toolUsageCounts: { Edit: 2 },
      subagentsLaunched: 1,
    },
    isStale: false,
  }
  expect(JSON.parse(JSON.stringify(seen))).toEqual({
    activeSessions: [{ ...active, uncommittedFiles: null }],
    recentHistory: [
      {
        ...active,
        sessionId: 'sess-xyz',
        completedAt: after(0),
        sessionEndReason: 'crash',
        durationMinutes: 0,
        accomplishments: [
          'Modified 2 files',
          'Made 1 commit',
          'Completed 3 tasks',
          'Worked on 1 outcome: Authentication',
        ],
        uncommittedFilesAtEnd: 2,
        gitStatusCleanAtEnd: false,
      },
    ],
    lastWorked: {
      sessionId: 'sess-xyz',
      completedAt: after(0),
      outcomes: [
        {
          outcomeId: 5,
          outcomeName: 'Authentication',
          lastTask: 'Implement token refresh',
          workSummary: 'Added JWT refresh logic',
        },
      ],
      context: {
        gitBranch: 'feature/auth',
        gitCommitHash: 'abc123',
        filesModified: ['src/auth.ts', 'src/token.ts'],
        keyDecisions: ['decided in sess-xyz'],
        nextSteps: ['next of sess-xyz'],
      },
    },
    staleSessionsDetected: [],
    indexByOutcome: { 'outcomes/in-progress/005-auth/outcome_track.json': ['sess-abc', 'sess-xyz'] },
    indexByBranch: { 'feature/auth': ['sess-abc', 'sess-xyz'] },
  })
})

test('a session that fell silent is active, flagged as stale and listed [002.03] [002.42] [002.44]', () => {
  const { activeSessions, staleSessionsDetected } = registryOf(
    [sampleSession({ id: 'quiet' }), sampleSession({ id: 'busy', lastActivityAt: after(2 * HOUR) })],
    known(T0 + 2 * HOUR),
  )
  expect(activeSessions.map(({ sessionId, isStale }) => [sessionId, isStale])).toEqual([
    ['busy', false],
    ['quiet', true],
  ])
  expect(staleSessionsDetected).toEqual(['quiet'])
})

test('the history has the latest first, and nothing older than 72 hours anywhere [002.02] [002.24] [002.92]', () => {
  const seen = registryOf([ended('old', 1), ended('mid', 2), ended('new', 3)], known(T0 + 73 * HOUR + 1))
  expect(seen.recentHistory.map(({ sessionId, durationMinutes }) => [sessionId, durationMinutes])).toEqual([
    ['new', 180],
    ['mid', 120],
  ])
  expect(seen.indexByBranch).toEqual({ 'feature/auth': ['new', 'mid'] })
  expect(seen.recentHistory[0]).toMatchObject({ uncommittedFilesAtEnd: null, gitStatusCleanAtEnd: null })
})

test('last worked is the last session that did something; without an ended one there is none [002.30]', () => {
  const worked = ended('worked', 1, { statistics: { ...noStatistics(), apiCalls: 1 } })
  const { lastWorked } = registryOf([worked, ended('looked in', 2)], known(T0 + 3 * HOUR))
  expect(lastWorked?.sessionId).toBe('worked')
  expect(registryOf([ended('a', 1), ended('b', 2)], known(T0 + 3 * HOUR)).lastWorked?.sessionId).toBe('b')
  expect(registryOf([sampleSession()], known(T0)).lastWorked).toBeNull()
})

test('an outcome of which nobody said what was done is told by what its session was asked', () => {
  const outcomes = [sampleOutcome(), sampleOutcome({ workSummary: '' })]
  const { lastWorked } = registryOf([ended('a', 1, { outcomes })], known(T0 + 3 * HOUR))
  expect(lastWorked?.outcomes.map(({ workSummary }) => workSummary)).toEqual([
    'Added JWT refresh logic',
    'asked of a',
  ])
})

test('an outcome is known by its path, else by its name, whatever word that is [002.85] [002.86]', () => {
  const names = ['__proto__', 'constructor', 'toString']
  const odd = sampleSession({
    environment: { ...sampleSession().environment, gitBranch: '__proto__' },
    outcomes: names.map((outcomeName) => sampleOutcome({ outcomeName, path: null })),
  })
  const bare = sampleSession({
    id: 'bare',
    environment: { ...sampleSession().environment, gitBranch: null },
    outcomes: [sampleOutcome({ path: 'a.json' }), sampleOutcome({ path: 'a.json', outcomeName: 'again' })],
  })
  const seen = registryOf([odd, bare], known(T0))
  expect(JSON.stringify(seen.indexByOutcome)).toBe(
    '{"a.json":["bare"],"__proto__":["sess-abc"],"constructor":["sess-abc"],"toString":["sess-abc"]}',
  )
  expect(JSON.stringify(seen.indexByBranch)).toBe('{"__proto__":["sess-abc"]}')
})

test('every session is in one place, and in none when it is archived [002.05]', () => {
  const session = fc
    .record({
      phase: fc.constantFrom(...PHASES),
      heard: fc.nat(100),
      branch: fc.constantFrom(null, 'a', 'b'),
    })
    .map(({ phase, heard, branch }) =>
      sampleSession({
        phase,
        lastActivityAt: after(heard * HOUR),
        endedAt: phase === 'recent' || phase === 'archived' ? after(heard * HOUR) : null,
        environment: { ...sampleSession().environment, gitBranch: branch },
      }),
    )
  fc.assert(
    fc.property(fc.array(session, { maxLength: 12 }), (drawn) => {
      const sessions = drawn.map((one, index) => ({ ...one, id: `s${index}` }))
      const seen = registryOf(sessions, known(T0 + 100 * HOUR))
      const active = seen.activeSessions.map(({ sessionId }) => sessionId)
      const recent = seen.recentHistory.map(({ sessionId }) => sessionId)
      const rest = sessions.filter(
        ({ phase, lastActivityAt }) =>
          phase === 'archived' || (phase === 'recent' && Date.parse(lastActivityAt) < T0 + 28 * HOUR),
      )
      expect([...active, ...recent, ...rest.map(({ id }) => id)].sort()).toEqual(
        sessions.map(({ id }) => id).sort(),
      )
      expect(seen.staleSessionsDetected).toEqual(
        seen.activeSessions.filter(({ isStale }) => isStale).map(({ sessionId }) => sessionId),
      )
      const shown = new Set([...active, ...recent])
      expect(
        Object.values(seen.indexByBranch)
          .flat()
          .every((id) => shown.has(id)),
      ).toBe(true)
    }),
  )
})
