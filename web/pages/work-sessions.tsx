import type { SessionLine } from '../../src/apps/dashboard/api.ts'
import { Empty } from '../parts/empty.tsx'
import { SessionRow } from './session-row.tsx'

export function WorkSessions({ sessions }: { sessions: readonly SessionLine[] }) {
  if (sessions.length === 0)
    return (
      <Empty icon="sessions" title="No session saved to it" commands={['savepoint init']}>
        Sessions of agents that save to this work are listed here.
      </Empty>
    )
  return (
    <ul class="rows card is-flush">
      {sessions.map((session) => (
        <li key={session.key}>
          <SessionRow session={session} />
        </li>
      ))}
    </ul>
  )
}
