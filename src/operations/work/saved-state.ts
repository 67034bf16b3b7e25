import type { Checkpoint } from '../../core/checkpoint.ts'
import type { WorkState } from '../../core/work.ts'
import type { WorkRow } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { newestWhole } from '../document/newest-whole.ts'
import { isEdited, vouchedLedger, withEdits } from './ledger-file.ts'

/** Where a stream stands for this workspace: the newest checkpoint that reads well, and edits since. */
export interface SavedState {
  checkpoint: Checkpoint
  sequence: number
  work: WorkState
  /** Some of it stands only in the ledger so far. */
  edited: boolean
}

/** A damaged checkpoint is stepped over, and that is said. What was written into the ledger by hand counts. */
export async function savedState(
  context: Context,
  row: WorkRow,
  { trusted }: { trusted: boolean },
): Promise<SavedState> {
  const { checkpoint, sequence } = await newestWhole(context, row.position.checkpoint)
  const ledger = await vouchedLedger(context, trusted)
  // A ledger that we never wrote is about the work that is open here.
  const isShown = ledger !== null && (ledger.row === null || ledger.row.stream === row.stream.id)
  const edited = isShown && ledger.problem === null && isEdited(ledger)
  if (edited)
    context.notices.push(
      `${ledger.path} was edited by hand: what it says counts, and the next save keeps it.`,
    )
  if (ledger?.problem) context.notices.push(`${ledger.path} was passed over: ${ledger.problem}.`)
  return { checkpoint, sequence, edited, work: edited ? withEdits(checkpoint.work, ledger) : checkpoint.work }
}
