import type { Checkpoint } from '../../core/checkpoint.ts'
import { ReasonError } from '../../core/reason.ts'
import { emptyWork, type WorkState } from '../../core/work.ts'
import type { Store } from '../../store/store.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { isOlderReading, withoutOlderReading } from './automatic.ts'

export interface WholePoint {
  checkpoint: Checkpoint
  sequence: number
  /** What an older version overheard in the session that it was taken of; null for any other checkpoint. */
  overheard: WorkState | null
}

/** Removes fields that an older version took from a session's talk: nobody saved them. */
const wholePoint = async (store: Store, checkpoint: Checkpoint, sequence: number): Promise<WholePoint> => ({
  checkpoint: await withoutOlderReading(store, checkpoint),
  sequence,
  overheard: isOlderReading(checkpoint) ? checkpoint.work : null,
})

/** A checkpoint; where it is damaged the newest one before it that reads well, and that is said. */
export async function newestWholePoint({ store, notices }: Context, id: string): Promise<WholePoint> {
  const stored = await store.log.readCheckpoint(id)
  if (stored?.state === 'whole') return wholePoint(store, stored.checkpoint, stored.row.sequence)
  const older = stored
    ? (await store.log.readHistory(stored.row.stream)).filter(
        ({ sequence }) => sequence < stored.row.sequence,
      )
    : []
  for (const { id: before, sequence } of older.reverse()) {
    const found = await store.log.readCheckpoint(before)
    if (found?.state !== 'whole') continue
    notices.push(NOTICES.checkpointDamaged(stored?.row.sequence, sequence))
    return wholePoint(store, found.checkpoint, sequence)
  }
  throw new ReasonError('checkpoint_integrity_mismatch', {
    path: `checkpoint ${id} in the store`,
    problem: 'it and all earlier checkpoints are damaged',
  })
}

/** The same; null where nothing of it can be read any more, and that is said. */
export async function newestWholeOrNull(context: Context, id: string): Promise<Checkpoint | null> {
  try {
    return (await newestWholePoint(context, id)).checkpoint
  } catch (error) {
    if (!(error instanceof ReasonError) || error.reason !== 'checkpoint_integrity_mismatch') throw error
    context.notices.push(error.message)
    return null
  }
}

/** Where work stood at a checkpoint. */
export const workAt = async (context: Context, id: string): Promise<WorkState> =>
  (await newestWholeOrNull(context, id))?.work ?? emptyWork()
