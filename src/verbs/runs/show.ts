import { sequenceOf } from '../../core/id.ts'
import { ReasonError } from '../../core/reason.ts'
import { visible } from '../../core/visible.ts'
import type { Context } from '../../engine/context/context.ts'
import { renderSnapshot } from '../../engine/publish/publish-snapshot.ts'
import {
  findAnyRun,
  findSnapshot,
  type ListedRun,
  newestOnDisk,
  openFoundRun,
  type RunOnDisk,
} from '../../engine/runs/find-run.ts'
import { readHistory } from '../../engine/runs/read-run-folder.ts'
import { withoutDelivered } from '../../engine/runs/take-in-run.ts'
import { mendLatest, readNewestWhole } from '../../engine/runs/verify-run.ts'
import { historyPath } from '../../formats/snapshot/layout.ts'
import { defineVerb } from '../define/verb.ts'
import { renderTable } from '../say/table.ts'
import { paintStatus, RUN, saySnapshot, sayTakeIn } from './run.ts'

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
    const { id: stream, name: runId } = found
    const place: ListedRun['place'] = 'store'
    if (history) {
      const views = await context.store.local.listViews({ stream })
      const paths = new Set(views.map(({ path }) => path))
      const rows = await context.store.log.readHistory(stream)
      return {
        ...{ kind: 'history' as const, runId, place },
        snapshots: rows.map(({ id, sequence, at, progress, pinned, removedAt }) => ({
          ...{ snapshotId: id, sequence, createdAt: at, status: progress, pinned },
          ...{ compressed: paths.has(historyPath(runId, id, true)), removedAt },
        })),
      }
    }
    const recovered = snapshot === undefined ? await mendLatest(context, found) : null
    const id = snapshot ?? (await readNewestWhole(context, found)).base.checkpoint.id
    const stored = await findSnapshot(context, found, id)
    if (stored.state !== 'whole')
      throw new ReasonError('checkpoint_integrity_mismatch', {
        path: `snapshot ${id} in the store`,
        problem: 'its content was changed',
      })
    const { checkpoint, notes, row } = stored
    return {
      ...{ kind: 'snapshot' as const, runId, place, sequence: row.sequence as number | null },
      snapshot: renderSnapshot(checkpoint, runId, notes),
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
