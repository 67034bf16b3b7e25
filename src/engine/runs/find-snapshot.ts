import { ReasonError } from '../../core/reason.ts'
import type { CheckpointRow, StoredCheckpoint, Stream } from '../../store/log.ts'
import type { Context } from '../context/context.ts'

/** A snapshot of a run by its id, or by `latest`; refuses one that never was and one that is gone. */
export async function findSnapshot(context: Context, run: Stream, id: string): Promise<StoredCheckpoint> {
  const stored = await context.store.log.readCheckpoint(id === 'latest' ? run.headId : id)
  if (stored === null || stored.row.stream !== run.id)
    throw new ReasonError('snapshot_unknown', { run: run.name, snapshot: id })
  if (stored.state === 'removed')
    throw new ReasonError('snapshot_removed', {
      run: run.name,
      snapshot: id,
      removedAt: removalDay(stored.row),
    })
  return stored
}

const removalDay = (row: CheckpointRow) => row.removedAt ?? 'an unknown day'
