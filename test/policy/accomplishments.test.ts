import { expect, test } from 'vitest'
import { noStatistics } from '../../src/core/session.ts'
import { accomplishmentsOf } from '../../src/policy/registry.ts'
import { sampleOutcome, sampleSession } from './session-sample.ts'

const session = (files: number, gitCommits: number, tasksCompleted: number, outcomes: string[] = []) =>
  sampleSession({
    statistics: {
      ...noStatistics(),
      ...{ gitCommits, tasksCompleted },
      filesModified: Array.from({ length: files }, (_, index) => `${index}.ts`),
    },
    outcomes: outcomes.map((outcomeName) => sampleOutcome({ outcomeName })),
  })

const DERIVED: Array<[ReturnType<typeof session>, string[]]> = [
  [
    session(1, 1, 1, ['Auth']),
    ['Modified 1 file', 'Made 1 commit', 'Completed 1 task', 'Worked on 1 outcome: Auth'],
  ],
  [
    session(2, 3, 4, ['Auth', 'Docs', 'Auth']),
    ['Modified 2 files', 'Made 3 commits', 'Completed 4 tasks', 'Worked on 2 outcomes: Auth, Docs'],
  ],
  [session(0, 2, 0), ['Made 2 commits']],
  [session(0, 0, 0), []],
]

test.each(DERIVED)('accomplishments are derived from what a session did [002.81]', (given, texts) => {
  expect(accomplishmentsOf(given)).toEqual(texts)
})

test('given ones stand, and nothing is added; blank ones count as none [002.80]', () => {
  expect(accomplishmentsOf({ ...session(3, 1, 1), accomplishments: [' Login\n works ', ''] })).toEqual([
    'Login works',
  ])
  expect(accomplishmentsOf({ ...session(3, 0, 0), accomplishments: [' '] })).toEqual(['Modified 3 files'])
})
