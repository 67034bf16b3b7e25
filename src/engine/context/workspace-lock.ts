import type { Release } from '../../store/local-state.ts'
import type { Context } from './context.ts'

/** How long a run waits for another process that is publishing in the same workspace. */
const WAIT_MS = 2_000

/** The one lock under which files of a workspace are taken in and written, those of runs and documents alike. */
export const workspaceLock = (
  { store }: Context,
  workspace: string,
  waitMs = WAIT_MS,
): Promise<Release | null> => store.local.takeLock(`workspace:${workspace}`, waitMs)
