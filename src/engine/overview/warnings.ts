import type { Session } from '../../core/session.ts'
import type { Context } from '../context/context.ts'
import { FINDINGS, type Finding } from '../context/findings.ts'
import { describeFaults } from '../sessions/examine-capture.ts'
import { readFaults } from '../sessions/fault.ts'
import { type KnownPlaces, workspaceFor } from './places.ts'

interface WarningFacts {
  places: KnownPlaces
  stale: readonly Session[]
  damaged: ReadonlyArray<{ name: string; repository: string }>
}

interface StoreWarning extends Pick<Finding, 'level' | 'what' | 'todo'> {
  repository: string | null
  workspace: string | null
  /** What a button does about it; null where only a person can. */
  action: { verb: string; input: Record<string, unknown>; label: string } | null
}

const NOWHERE = { repository: null, workspace: null, action: null }

/** What the store and the home show by themselves; whatever needs git or every file is for `status` and `doctor`. */
export const warningsOf = (context: Context, facts: WarningFacts): StoreWarning[] => [
  ...damagedHeads(facts),
  ...brokenSessions(facts),
  ...describeFaults(readFaults(context.home.faults), context.ports.now()).map(({ level, what, todo }) => ({
    ...{ level, what, todo, ...NOWHERE },
  })),
  ...[...new Set(context.notices)].map((words) => ({
    ...{ level: 'note' as const, ...FINDINGS.notice(words), ...NOWHERE },
  })),
]

const damagedHeads = ({ places, damaged }: WarningFacts): StoreWarning[] =>
  damaged.map(({ name, repository }) => ({
    ...{ level: 'error', ...FINDINGS.headDamaged(name), repository },
    workspace: workspaceFor(places, repository, '').id || null,
    action: { verb: 'doctor', input: { fix: true }, label: 'Repair' },
  }))

/** One for each workspace: a reconciliation is done in one. */
function brokenSessions({ places, stale }: WarningFacts): StoreWarning[] {
  const counts = new Map<string, { repository: string; count: number }>()
  for (const { repository, workspace: wanted } of stale) {
    const { id, exists } = workspaceFor(places, repository, wanted)
    if (exists) counts.set(id, { repository, count: (counts.get(id)?.count ?? 0) + 1 })
  }
  return [...counts].map(([workspace, { repository, count }]) => ({
    ...{ level: 'warning', ...FINDINGS.sessionsBrokeOff(count), repository, workspace },
    action: { verb: 'reconcile', input: {}, label: 'Reconcile' },
  }))
}
