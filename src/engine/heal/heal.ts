import { instant } from '../../core/ports.ts'
import { ReasonError } from '../../core/reason.ts'
import type { Stream } from '../../store/log.ts'
import type { RestoredFile } from '../../store/store-file.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { publishRun } from '../runs/publish-run.ts'
import { readmitRun } from '../runs/take-in-run.ts'

export interface HealReport extends RestoredFile {
  /** Snapshots that came back from the files in the workspaces. */
  readmitted: number
}

/**
 * Brings a damaged store back: the file is set aside, a fresh one is filled from the newest good backup, from
 * what the damaged file still gives, and from the snapshots that lie in the workspaces of runs it knows.
 */
export async function healStore(context: Context, { force = false } = {}): Promise<HealReport> {
  const { store, file, home, ports } = context
  if (file === null)
    throw new ReasonError('store_damaged', {
      path: home.database,
      problem: 'this file cannot be restored here',
    })
  const back: Stream[] = []
  let readmitted = 0
  const restored = await file.restore({
    force,
    async bringBack() {
      for (const run of await store.log.listStreams(null)) {
        const found = await tellRefusal(context, () => readmitRun(context, run))
        if (found > 0) back.push(run)
        readmitted += found
      }
      await store.log.closeGaps(instant(ports.now()))
    },
  })
  for (const run of back) await tellRefusal(context, () => publishRun(context, run))
  // Where somebody else had restored it already there is nothing to tell.
  const { setAside, backup, checkpoints } = restored
  if (setAside !== null || backup !== null || checkpoints + readmitted > 0)
    context.notices.push(NOTICES.storeRestored(restored, readmitted))
  return { ...restored, readmitted }
}

/** A workspace that is gone or read-only must not stop the healing of the others. */
async function tellRefusal<T>(context: Context, act: () => Promise<T>): Promise<T | 0> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
    context.notices.push(error.message)
    return 0
  }
}
