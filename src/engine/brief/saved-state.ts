import type { Checkpoint } from '../../core/checkpoint.ts'
import type { WorkState } from '../../core/work.ts'
import type { WorkRow } from '../../store/acts.ts'
import type { Context } from '../context/context.ts'
import { readSavedByHand } from '../documents/automatic.ts'
import { newestWholePoint } from '../documents/newest-whole-point.ts'
import { hasEditsFor, vouchedLedger, withEdits } from '../surroundings/ledger-file.ts'
import type { Here } from '../trust/here.ts'

/** Where a stream stands for this workspace: the newest checkpoint that reads well, and edits since. */
export interface SavedState {
  checkpoint: Checkpoint
  sequence: number
  work: WorkState
  /** Some of it stands only in the ledger so far. */
  edited: boolean
  /** What an older version overheard in a session; nobody saved it. */
  overheard: WorkState | null
}

/**
 * A damaged checkpoint is stepped over, and that is said. What was written into the ledger by hand counts. Without
 * trust nothing counts that was taken from a session's talk: it may echo a stranger's files.
 */
export async function savedState(context: Context, row: WorkRow, here: Here): Promise<SavedState> {
  const { checkpoint, sequence, overheard } = await newestWholePoint(context, row.position.checkpoint)
  const ledger = await vouchedLedger(context, here)
  const edited = hasEditsFor(ledger, row.stream.id)
  if (edited)
    context.notices.push(
      `${ledger.path} was edited by hand: what it says counts, and the next save keeps it.`,
    )
  if (ledger?.problem) context.notices.push(`${ledger.path} was passed over: ${ledger.problem}.`)
  const work = here.trusted ? checkpoint.work : await readSavedByHand(context.store, checkpoint)
  return {
    ...{ checkpoint, sequence, edited, work: withEdits(work, ledger, row.stream.id) },
    overheard: here.trusted ? overheard : null,
  }
}
