import { requireRunName } from '../../core/id.ts'
import { ReasonError } from '../../core/reason.ts'
import type { Stream } from '../../store/log.ts'
import type { Context } from '../context/context.ts'

/** The run of this repository by its id, from any of its worktrees. */
export async function findRun(context: Context, name: string): Promise<Stream> {
  requireRunName(name)
  const run = await context.store.log.findStream(context.identity.repository, name)
  if (run === null) throw new ReasonError('run_unknown', { run: name })
  return run
}
