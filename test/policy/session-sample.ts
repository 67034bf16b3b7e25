import type { Outcome, Session } from '../../src/core/session.ts'
import { beginSession } from '../../src/policy/session-apply.ts'
import { T0 } from './sample.ts'

export const after = (ms: number) => new Date(T0 + ms).toISOString()

export const sampleOutcome = (more: Partial<Outcome> = {}): Outcome => ({
  outcomeId: 5,
  outcomeName: 'Authentication',
  path: 'outcomes/in-progress/005-auth/outcome_track.json',
  lastTask: 'Implement token refresh',
  workSummary: 'Added JWT refresh logic',
  ...more,
})

/** An active session that began at T0. */
export const sampleSession = (more: Partial<Session> = {}): Session => ({
  ...beginSession(
    {
      ...{ agent: 'claude', session: 'sess-abc', at: after(0), cwd: '/repo', transcript: '/t.jsonl' },
      ...{ permissionMode: 'default', helper: null, kind: 'start', source: 'startup', model: 'a-model' },
    },
    {
      ...{ repository: 'r1', workspace: 'w1', branch: 'feature/auth', commit: 'abc123' },
      ...{ parent: null, stream: null },
    },
  ),
  ...more,
})
