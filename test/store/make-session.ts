import type { Session } from '../../src/core/session.ts'
import { beginSession } from '../../src/policy/session-apply.ts'
import type { Log, SessionFilter } from '../../src/store/log.ts'
import { AT, WORKSPACE } from './make.ts'

/** A session of the usual workspace; what is not said of it is usual. */
export const newSession = (id: string, more: Partial<Session> = {}): Session => ({
  ...beginSession(
    {
      ...{ agent: 'claude', session: id, at: AT, cwd: WORKSPACE.path, transcript: null },
      ...{ permissionMode: null, helper: null, kind: 'start', source: 'startup', model: null },
    },
    {
      ...{ repository: WORKSPACE.repository, workspace: WORKSPACE.id },
      ...{ branch: null, commit: null, parent: null, stream: null },
    },
  ),
  ...more,
})

export const keyOf = (id: string) => ({ agent: 'claude' as const, id })

export const idsIn = async ({ log }: { log: Log }, filter: SessionFilter = {}) =>
  (await log.listSessions(filter)).map(({ session }) => session.id)
