import { ReasonError } from '../../core/reason.ts'
import type { CheckpointRow, Stored, Stream } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { operation } from '../operation.ts'
import { findRun, RUN } from './find-run.ts'

/** A snapshot of a run by its id, or by `latest`; refuses one that never was and one that is gone. */
export async function findSnapshot(context: Context, run: Stream, id: string): Promise<Stored> {
  const stored = await context.store.checkpoint(id === 'latest' ? run.headId : id)
  if (stored === null || stored.row.stream !== run.id)
    throw new ReasonError('snapshot_unknown', { run: run.name, snapshot: id })
  if (stored.state === 'removed')
    throw new ReasonError('snapshot_removed', {
      run: run.name,
      snapshot: id,
      removed_at: removedAt(stored.row),
    })
  return stored
}

const removedAt = (row: CheckpointRow) => row.removedAt ?? 'an unknown day'

export const runPin = operation({
  name: 'run pin',
  summary: 'Keep a snapshot for good',
  detail: 'Retention never removes a pinned snapshot; later snapshots name it in `protected_artifacts`.',
  fields: {
    run: RUN,
    snapshot: { kind: 'text', at: 1, required: true, about: 'the snapshot id, or `latest`' },
    remove: { kind: 'flag', about: 'take the pin out again' },
  },
  examples: ['savepoint run pin release-2 latest', 'savepoint run pin release-2 latest --remove'],
  access: 'write',
  async perform(context, { run, snapshot, remove }) {
    const found = await findRun(context, run)
    const { row } = await findSnapshot(context, found, snapshot)
    await context.store.pin(row.id, !remove)
    return { run_id: found.name, snapshot_id: row.id, pinned: !remove }
  },
  say: ({ run_id, snapshot_id, pinned }) =>
    `Snapshot ${snapshot_id} of run ${run_id} is ${pinned ? 'pinned: retention keeps it' : 'no longer pinned'}.`,
})
