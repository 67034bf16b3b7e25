import type { Checkpoint } from '../../core/checkpoint.ts'
import { ReasonError } from '../../core/reason.ts'
import { emptyWork, type WorkState } from '../../core/work.ts'
import type { Context } from '../context.ts'

export interface WholePoint {
  checkpoint: Checkpoint
  sequence: number
}

/** A checkpoint; where it is damaged the newest one before it that reads well, and that is said. */
export async function newestWhole({ store, notices }: Context, id: string): Promise<WholePoint> {
  const stored = await store.checkpoint(id)
  if (stored?.state === 'whole') return { checkpoint: stored.checkpoint, sequence: stored.row.sequence }
  const older = stored
    ? (await store.history(stored.row.stream)).filter(({ sequence }) => sequence < stored.row.sequence)
    : []
  for (const { id: before, sequence } of older.reverse()) {
    const found = await store.checkpoint(before)
    if (found?.state !== 'whole') continue
    notices.push(
      `Number ${stored?.row.sequence} of this work is damaged; number ${sequence} is used. See: savepoint doctor`,
    )
    return { checkpoint: found.checkpoint, sequence }
  }
  throw new ReasonError('checkpoint_integrity_mismatch', {
    path: `checkpoint ${id} in the store`,
    problem: 'neither it nor any before it is whole',
  })
}

/** Where work stood at a checkpoint. Where nothing of it can be read any more, nothing is known, and that is said. */
export async function workAt(context: Context, id: string): Promise<WorkState> {
  try {
    return (await newestWhole(context, id)).checkpoint.work
  } catch (error) {
    if (!(error instanceof ReasonError) || error.reason !== 'checkpoint_integrity_mismatch') throw error
    context.notices.push(error.message)
    return emptyWork()
  }
}
