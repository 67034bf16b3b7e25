import { requireRunName } from '../../core/id.ts'
import { ReasonError } from '../../core/reason.ts'
import type { StoredCheckpoint, Stream } from '../../store/log.ts'
import type { Context } from '../context/context.ts'

/** The run of this repository by its id, from any of its worktrees. */
export async function findRun(context: Context, name: string): Promise<Stream> {
  requireRunName(name)
  const run = await context.store.log.findStream(context.identity.repository, name)
  if (run === null) throw new ReasonError('run_unknown', { run: name })
  return run
}

/** A snapshot of a run by its id, or by `latest`; refuses one that never was and one that is gone. */
export async function findSnapshot(context: Context, run: Stream, id: string): Promise<StoredCheckpoint> {
  const stored = await context.store.log.readCheckpoint(id === 'latest' ? run.headId : id)
  const named = { run: run.name, snapshot: id }
  if (stored === null || stored.row.stream !== run.id) throw new ReasonError('snapshot_unknown', named)
  if (stored.state === 'removed')
    throw new ReasonError('snapshot_removed', {
      ...named,
      removedAt: stored.row.removedAt ?? 'an unknown day',
    })
  return stored
}
