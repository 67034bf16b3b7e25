import { requireRunName } from '../../core/id.ts'
import { ReasonError, usageError } from '../../core/reason.ts'
import type { StoredCheckpoint, Stream } from '../../store/log.ts'
import type { Context } from '../context/context.ts'
import { listRunsInProgress, listStoredRuns } from '../surroundings/stored-runs.ts'
import { findRunOnDisk, type RunOnDisk } from './list-runs.ts'

/** The run of this repository by its id, from any of its worktrees. One that is only on disk is not written to. */
export async function findRun(context: Context, name: string | undefined): Promise<Stream> {
  const run = await findAnyRun(context, name)
  if ('newest' in run) throw new ReasonError('run_not_taken_in', { run: run.runId })
  return run
}

/** The same; one that is only on disk is found, too. */
export async function findAnyRun(context: Context, given: string | undefined): Promise<Stream | RunOnDisk> {
  const name = given ?? (await nameOnlyRun(context))
  requireRunName(name)
  const run = await context.store.log.findStream(context.identity.repository, name)
  const found = run ?? (await findRunOnDisk(context, name))
  if (found === null) throw new ReasonError('run_unknown', { run: name })
  return found
}

/** The run that is meant where none is named: the one in progress here, else the only one. */
async function nameOnlyRun(context: Context): Promise<string> {
  const here = await listRunsInProgress(context)
  const runs = (here.length > 0 ? here : await listStoredRuns(context)).map(({ stream }) => stream.name)
  const [only, ...others] = runs
  if (only === undefined) throw usageError('no run here yet. Start one: savepoint run start <plan.md>')
  if (others.length > 0) throw usageError(`which run? ${runs.slice(0, MOST_NAMED).join(', ')}`)
  return only
}

const MOST_NAMED = 5

/** A snapshot of a run by its id, or by `latest`; refuses one that never was and one that is gone. */
export async function findSnapshot(context: Context, run: Stream, id: string): Promise<StoredCheckpoint> {
  const stored = await context.store.log.readCheckpoint(id === 'latest' ? run.headId : id)
  const named = { run: run.name, snapshot: id }
  if (stored === null || stored.row.stream !== run.id) throw new ReasonError('snapshot_unknown', named)
  if (stored.state === 'removed')
    throw new ReasonError('snapshot_removed', {
      ...named,
      removedAt: stored.row.removedAt ?? 'an unknown day',
    })
  return stored
}
