import { sequenceOf } from '../../core/id.ts'
import { ReasonError } from '../../core/reason.ts'
import { visible } from '../../core/visible.ts'
import type { Context } from '../../engine/context/context.ts'
import { NOTICES } from '../../engine/context/notices.ts'
import { renderSnapshot } from '../../engine/publish/publish-snapshot.ts'
import { findAnyRun, findSnapshot } from '../../engine/runs/find-run.ts'
import { type ListedRun, newestOnDisk, openFoundRun, type RunOnDisk } from '../../engine/runs/list-runs.ts'
import { mendLatest } from '../../engine/runs/mend-latest.ts'
import { readHistory } from '../../engine/runs/read-run-folder.ts'
import { withoutDelivered } from '../../engine/runs/take-in-run.ts'
import { historyPath } from '../../formats/snapshot/layout.ts'
import type { StoredCheckpoint, Stream } from '../../store/log.ts'
import { defineVerb } from '../define/verb.ts'
import { renderTable } from '../say/table.ts'
import { RUN } from './run-field.ts'
import { sayTakeIn } from './say-disk-run.ts'
import { paintStatus } from './say-receipt.ts'
import { saySnapshot } from './say-snapshot.ts'

/** The newest snapshot that is whole; where that is not the head, the user is told. */
async function newest(context: Context, run: Stream): Promise<StoredCheckpoint> {
  const { base, stream } = await context.store.log.readSituation(run.id)
  if (base.checkpoint.id !== stream.headId) context.notices.push(NOTICES.snapshotDamaged(stream.headId))
  return findSnapshot(context, run, base.checkpoint.id)
}

export const runShow = defineVerb({
  name: 'run show',
  summary: 'Show a run or one of its snapshots',
  detail: 'A run that was not imported is read from its files; nothing is written.',
  fields: {
    run: RUN,
    snapshot: { kind: 'text', at: 1, about: 'a snapshot id or `latest` (default: the newest)' },
    history: { kind: 'flag', about: 'list its snapshots, including removed ones' },
  },
  examples: ['savepoint run show release-2', 'savepoint run show release-2 --history'],
  access: 'read',
  async perform(context, { run, snapshot, history }) {
    const found = await findAnyRun(context, run)
    if ('newest' in found) return showFromDisk(context, found, { snapshot, history })
    if (history) {
      const views = new Set(
        (await context.store.local.listViews({ stream: found.id })).map(({ path }) => path),
      )
      const rows = await context.store.log.readHistory(found.id)
      return {
        kind: 'history' as const,
        runId: found.name,
        place: 'store' as ListedRun['place'],
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
      place: 'store' as ListedRun['place'],
      sequence: stored.row.sequence as number | null,
      snapshot: renderSnapshot(checkpoint, found.name, notes),
      plan: checkpoint.work.position.plan,
      recovered,
    }
  },
  say: (result, screen) =>
    [
      ...(result.kind === 'snapshot'
        ? saySnapshot(result.snapshot, result.plan, screen).map(visible)
        : [
            renderTable(
              ['NUMBER', 'SNAPSHOT', 'STATUS', 'CREATED', 'STATE'],
              result.snapshots.map((row) => [
                String(row.sequence ?? '-'),
                row.snapshotId,
                paintStatus(row.status, screen),
                screen.time(row.createdAt),
                row.removedAt
                  ? 'removed'
                  : [row.pinned && 'pinned', row.compressed && 'gzip'].filter(Boolean).join(' ') || '-',
              ]),
              screen,
            ),
          ]),
      ...sayTakeIn([result]),
    ].join('\n'),
})

/** A run that is only on disk: what its files say, and nothing is written. An agent is shown no file that nobody reviewed. */
async function showFromDisk(
  context: Context,
  run: RunOnDisk,
  { snapshot, history }: { snapshot: string | undefined; history: boolean },
) {
  const { runId } = run
  const place: ListedRun['place'] = 'disk'
  using folder = openFoundRun(context, runId)
  const all = folder === null ? [] : readHistory(folder)
  const files =
    context.speaker === 'user' ? all : await withoutDelivered(context, { withVouched: true })(runId, all)
  if (history)
    return {
      ...{ kind: 'history' as const, runId, place },
      snapshots: files.map(({ document, name }) => ({
        ...{ snapshotId: document.snapshot_id, sequence: sequenceOf(document.snapshot_id) },
        ...{ createdAt: document.created_at, status: document.status, pinned: false },
        ...{ compressed: name.endsWith('.gz'), removedAt: null },
      })),
    }
  const isNewest = snapshot === undefined || snapshot === 'latest'
  const found = isNewest
    ? newestOnDisk(context, run)
    : files.find(({ document }) => document.snapshot_id === snapshot)?.document
  if (found === undefined)
    throw new ReasonError('snapshot_unknown', { run: runId, snapshot: snapshot ?? 'latest' })
  return {
    ...{ kind: 'snapshot' as const, runId, place, snapshot: found, plan: null, recovered: null },
    sequence: sequenceOf(found.snapshot_id),
  }
}
