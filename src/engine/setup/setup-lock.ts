import { ReasonError } from '../../core/reason.ts'
import type { Context } from '../context/context.ts'

const WAIT_MS = 10_000

/** One at a time changes what is set up: two would lose each other's notes of it. */
export async function setupLock<T>({ store, home }: Context, act: () => Promise<T>): Promise<T> {
  const release = await store.local.takeLock('setup', WAIT_MS)
  if (release === null) throw new ReasonError('store_busy', { path: home.database, waitedMs: WAIT_MS })
  try {
    return await act()
  } finally {
    release()
  }
}
