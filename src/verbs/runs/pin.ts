import { findRun, findSnapshot } from '../../engine/runs/find-run.ts'
import { defineVerb } from '../define/verb.ts'
import { RUN } from './run-field.ts'

export const runPin = defineVerb({
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
    await context.store.log.pin(row.id, !remove)
    return { runId: found.name, snapshotId: row.id, pinned: !remove }
  },
  say: ({ runId, snapshotId, pinned }) =>
    `Snapshot ${snapshotId} of run ${runId} is ${pinned ? 'pinned: retention keeps it' : 'no longer pinned'}.`,
})
