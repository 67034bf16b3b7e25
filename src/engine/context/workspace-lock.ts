import { ReasonError } from '../../core/reason.ts'
import type { Release } from '../../store/local-state.ts'
import type { Context } from './context.ts'

/** How long a run waits for another process that is publishing in the same workspace. */
const WAIT_MS = 2_000

/** The one lock under which files of a workspace are taken in and written, those of runs and documents alike. */
export async function workspaceLock(
  { store }: Context,
  workspace: string,
  waitMs = WAIT_MS,
  mostMs = waitMs,
): Promise<(Release & Disposable) | null> {
  const release = await store.local.takeLock(`workspace:${workspace}`, waitMs, mostMs)
  return release && Object.assign(release, { [Symbol.dispose]: release })
}

/** A stopped process may hold the lock for ever: a save says so after this. */
const SAVE_WAIT_MS = 5_000
/** Fifty agents at one document take their turns; each turn is some milliseconds. */
const QUEUE_WAIT_MS = 40_000

/** The lock of the workspace that the context is in, for who cannot do without. */
export async function workspaceLockForSave(context: Context): Promise<Release & Disposable> {
  const lock = await workspaceLock(context, context.identity.workspace, SAVE_WAIT_MS, QUEUE_WAIT_MS)
  if (lock === null) throw storeBusy(context)
  return lock
}

export const storeBusy = ({ home }: Context) =>
  new ReasonError('store_busy', { path: home.database, waitedMs: SAVE_WAIT_MS })
