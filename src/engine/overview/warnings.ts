import type { Session } from '../../core/session.ts'
import { formatCount } from '../../core/text.ts'
import type { Context } from '../context/context.ts'
import { FIX } from '../context/findings.ts'
import { readFaults } from '../sessions/fault.ts'
import { type KnownPlaces, workspaceFor } from './places.ts'

interface WarningFacts {
  places: KnownPlaces
  stale: readonly Session[]
  damaged: ReadonlyArray<{ name: string; repository: string }>
}

interface StoreWarning {
  level: 'error' | 'warning' | 'note'
  what: string
  todo: string
  repository: string | null
  workspace: string | null
  action: { verb: string; input: Record<string, unknown>; label: string } | null
}

/** A fault of a hook that is older has been seen, or is over. */
const FAULTS_FOR_MS = 86_400_000

/** What the store and the home show by themselves; whatever needs git or every file is for `status` and `doctor`. */
export async function warningsOf(context: Context, facts: WarningFacts): Promise<StoreWarning[]> {
  return [...damagedHeads(facts), ...brokenSessions(facts), ...hookFaults(context), ...listNotices(context)]
}

const damagedHeads = ({ places, damaged }: WarningFacts): StoreWarning[] =>
  damaged.map(({ name, repository }) => ({
    level: 'error',
    what: `The newest checkpoint of ${name} does not match its checksum; the one before it is shown.`,
    todo: FIX,
    repository,
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
    level: 'warning',
    what: `${formatCount(count, 'session')} broke off without an end.`,
    todo: 'savepoint reconcile',
    ...{ repository, workspace, action: { verb: 'reconcile', input: {}, label: 'Reconcile' } },
  }))
}

function hookFaults({ home, ports }: Context): StoreWarning[] {
  const recent = readFaults(home.faults).filter(
    ({ at }) => ports.now() - (Date.parse(at) || 0) < FAULTS_FOR_MS,
  )
  const last = recent.at(-1)
  if (last === undefined) return []
  const more = recent.length > 1 ? ` (${recent.length} in the last day)` : ''
  return [
    {
      ...{ level: 'warning', what: `A hook failed: ${last.message}${more}`, todo: 'savepoint doctor' },
      ...{ repository: null, workspace: null, action: null },
    },
  ]
}

const listNotices = ({ notices }: Context): StoreWarning[] =>
  [...new Set(notices)].map((what) => ({
    ...{ level: 'note', what, todo: '', repository: null, workspace: null, action: null },
  }))
