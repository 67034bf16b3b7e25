import { ReasonError } from '../../core/reason.ts'
import type { Context } from '../../engine/context/context.ts'
import { NOTICES } from '../../engine/context/notices.ts'
import { renderSnapshot } from '../../engine/publish/render-snapshot.ts'
import { findRun, findSnapshot } from '../../engine/runs/find-run.ts'
import { mendLatest } from '../../engine/runs/mend-latest.ts'
import { historyPath } from '../../formats/snapshot/layout.ts'
import type { StoredCheckpoint, Stream } from '../../store/log.ts'
import { defineVerb } from '../define/verb.ts'
import { renderTable } from '../say/table.ts'
import { RUN } from './run-field.ts'
import { saySnapshot } from './say-snapshot.ts'

/** The newest snapshot that is whole; where that is not the head, the user is told. */
async function newest(context: Context, run: Stream): Promise<StoredCheckpoint> {
  const { base, stream } = await context.store.log.readSituation(run.id)
  if (base.checkpoint.id !== stream.headId) context.notices.push(NOTICES.snapshotDamaged(stream.headId))
  return findSnapshot(context, run, base.checkpoint.id)
}

export const runShow = defineVerb({
  name: 'run show',
  summary: 'Show a run, or one of its snapshots',
  fields: {
    run: RUN,
    snapshot: { kind: 'text', at: 1, about: 'a snapshot id, or `latest`; the newest without it' },
    history: { kind: 'flag', about: 'list its snapshots instead, removed ones included' },
  },
  examples: ['savepoint run show release-2', 'savepoint run show release-2 --history'],
  access: 'read',
  async perform(context, { run, snapshot, history }) {
    const found = await findRun(context, run)
    if (history) {
      const views = new Set(
        (await context.store.local.listViews({ stream: found.id })).map(({ path }) => path),
      )
      const rows = await context.store.log.readHistory(found.id)
      return {
        kind: 'history' as const,
        runId: found.name,
        snapshots: rows.map((row) => ({
          snapshotId: row.id,
          sequence: row.sequence,
          createdAt: row.at,
          status: row.progress,
          pinned: row.pinned,
          compressed: views.has(historyPath(found.name, row.id, true)),
          removedAt: row.removedAt,
        })),
      }
    }
    const recovered = snapshot === undefined ? await mendLatest(context, found) : null
    const stored =
      snapshot === undefined ? await newest(context, found) : await findSnapshot(context, found, snapshot)
    if (stored.state !== 'whole')
      throw new ReasonError('checkpoint_integrity_mismatch', {
        path: `snapshot ${snapshot} in the store`,
        problem: 'its content was changed',
      })
    const { checkpoint, notes } = stored
    return {
      kind: 'snapshot' as const,
      runId: found.name,
      sequence: stored.row.sequence,
      snapshot: renderSnapshot(checkpoint, found.name, notes),
      plan: checkpoint.work.position.plan,
      recovered,
    }
  },
  say: (result) =>
    result.kind === 'snapshot'
      ? saySnapshot(result.snapshot, result.plan).join('\n')
      : renderTable(
          ['NUMBER', 'SNAPSHOT', 'STATUS', 'CREATED', 'STATE'],
          result.snapshots.map((row) => [
            String(row.sequence),
            row.snapshotId,
            row.status,
            row.createdAt.slice(0, 19).replace('T', ' '),
            row.removedAt
              ? 'removed'
              : [row.pinned && 'pinned', row.compressed && 'gzip'].filter(Boolean).join(' ') || '-',
          ]),
        ),
})
