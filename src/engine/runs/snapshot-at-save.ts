import type { Context } from '../context/context.ts'
import type { StoredRun } from '../surroundings/stored-runs.ts'
import { type Receipt, takeSnapshot } from './take-snapshot.ts'

/** The snapshot that a save takes of a run, and how many other runs are in progress here. */
export interface RunAtSave extends Pick<Receipt, 'runId' | 'snapshotId' | 'coalesced' | 'files'> {
  others: number
}

/** Takes the manual snapshot of the run that this session works on, else of the newest. `runs`: the newest first. */
export async function snapshotAtSave(
  context: Context,
  runs: readonly [StoredRun, ...StoredRun[]],
): Promise<RunAtSave> {
  const { stream } = (await findRunOfSession(context, runs)) ?? runs[0]
  const taken = await takeSnapshot(context, stream, { kind: 'save', note: 'savepoint save' })
  const { runId, snapshotId, coalesced, files } = taken
  return { runId, snapshotId, coalesced, files, others: runs.length - 1 }
}

async function findRunOfSession(
  { session, store }: Context,
  runs: readonly StoredRun[],
): Promise<StoredRun | null> {
  if (session === null || runs.length === 1) return null
  for (const run of runs) {
    const head = await store.log.readCheckpoint(run.stream.headId)
    if (head?.state === 'whole' && head.checkpoint.session === session.id) return run
  }
  return null
}
