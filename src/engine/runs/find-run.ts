import { nameKey, requireRunName, runNameProblem } from '../../core/id.ts'
import { ReasonError, unlessRefused, usageError } from '../../core/reason.ts'
import type { SnapshotDocument } from '../../formats/snapshot/document.ts'
import { LATEST, latestPath, RUNS_FOLDER, runFolder, snapshotPath } from '../../formats/snapshot/layout.ts'
import { type Folder, openFolder } from '../../fs/disk.ts'
import { findFolder } from '../../fs/durable.ts'
import type { StoredCheckpoint, Stream } from '../../store/log.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import {
  byNewestUpdate,
  listRunsInProgress,
  listStoredRuns,
  type StoredRun,
} from '../surroundings/stored-runs.ts'
import { deliveriesOf } from '../trust/deliveries.ts'
import { lookHere } from '../trust/here.ts'
import {
  countSnapshots,
  isRunFolder,
  type ReadRoom,
  readNewest,
  readSnapshotFile,
} from './read-run-folder.ts'

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

/** A run as lists tell it. */
export interface ListedRun extends Omit<StoredRun, 'stream' | 'status'> {
  runId: string
  /** On disk: its folder is in this workspace, and the store does not know it. */
  place: 'store' | 'disk'
  /** `unknown` where nothing can be read, or where an agent may not be told. */
  status: StoredRun['status'] | 'unknown'
  snapshots: number
  latest: string
  /** It came with the repository, and nobody here has reviewed it. */
  foreign: boolean
  /** Why its `latest.json` cannot be relied on. */
  problem: string | null
}

/** A run folder of this workspace that the store does not know: another harness wrote it, or git brought it. */
export interface RunOnDisk {
  runId: string
  snapshots: number
  /** The newest snapshot that reads well and is of this run; null without one. */
  newest: SnapshotDocument | null
  /** The file that has it. */
  path: string
  /** Why that is not `latest.json`, or why there is none. */
  problem: ReasonError | null
  /** It came with the repository, and nobody here has reviewed it. */
  foreign: boolean
}

type UnjudgedRun = Omit<RunOnDisk, 'foreign'>

/**
 * The runs of this repository, in the store and on disk, the newest first. An agent is told of foreign ones only that
 * they are there.
 */
export async function listRunsHere(context: Context): Promise<ListedRun[]> {
  const stored = await listStoredRuns(context)
  const known = new Set(stored.map(({ stream }) => nameKey(stream.name)))
  const onDisk = await markForeign(context, unlessRefused(() => readRunFolders(context, known)) ?? [])
  const listed = onDisk.map(({ runId, snapshots, newest, problem, foreign }): ListedRun => {
    const isWithheld = foreign && context.speaker === 'agent'
    const told = isWithheld ? null : newest
    return {
      ...{
        runId,
        place: 'disk',
        status: told?.status ?? 'unknown',
        stepId: told?.step_state.step_id ?? null,
      },
      ...{ stepsDone: 0, steps: 0, updatedAt: told?.created_at ?? '' },
      ...{ snapshots, latest: latestPath(runId), foreign },
      problem: isWithheld ? null : (problem?.message ?? null),
    }
  })
  return [...stored.map(describeStoredRun), ...listed].sort(byNewestUpdate)
}

const describeStoredRun = ({ stream, ...run }: StoredRun): ListedRun => ({
  ...{ runId: stream.name, place: 'store', ...run },
  ...{ snapshots: stream.live, latest: latestPath(stream.name), foreign: false, problem: null },
})

/** One run that is only on disk, for whoever may read it; null where there is no such folder. */
async function findRunOnDisk(context: Context, name: string): Promise<RunOnDisk | null> {
  using folder = openFoundRun(context, name)
  if (folder === null || !isRunFolder(folder)) return null
  const [run] = await markForeign(context, [readRun(folder, name, { bytes: MOST_BYTES })])
  if (run?.foreign && context.speaker === 'agent') throw new ReasonError('run_foreign', { run: name })
  return run ?? null
}

/** The newest good snapshot of a run on disk; that a damaged one was stepped over is told. */
export function newestOnDisk({ notices }: Context, { newest, problem, runId }: RunOnDisk): SnapshotDocument {
  if (newest === null) throw problem ?? new ReasonError('run_unknown', { run: runId })
  if (problem !== null) notices.push(NOTICES.runSteppedBack(problem.message))
  return newest
}

/** The folder of a run in this workspace, for reading; null where there is none. */
export function openFoundRun(context: Context, name: string): Folder | null {
  using root = openFolder(context.place.root)
  return findFolder(root, runFolder(name))
}

/** A repository may have any number of folders there, and of files that are costly to look into. */
const MOST_FOLDERS = 500
const MOST_BYTES = 8 * 1024 * 1024

/** The folder of all runs in this workspace. A repository may use its name for something else: then none is ours. */
export function openRunsFolder(context: Context): Folder | null {
  using root = openFolder(context.place.root)
  return root.entry(RUNS_FOLDER)?.kind === 'folder' ? root.folder(RUNS_FOLDER) : null
}

function readRunFolders(context: Context, known: ReadonlySet<string>): UnjudgedRun[] {
  using runs = openRunsFolder(context)
  const names = (runs?.names() ?? [])
    .sort()
    .filter(
      (name) =>
        runNameProblem(name) === null && !known.has(nameKey(name)) && runs?.entry(name)?.kind === 'folder',
    )
  if (names.length > MOST_FOLDERS) context.notices.push(NOTICES.runFoldersUnread(names.length - MOST_FOLDERS))
  const room = { bytes: MOST_BYTES }
  return names.slice(0, MOST_FOLDERS).flatMap((name) => {
    // A folder that its owner has closed hides only itself.
    const run = unlessRefused(() => {
      using folder = runs?.folder(name) ?? null
      return folder !== null && isRunFolder(folder, room) ? readRun(folder, name, room) : null
    })
    return run ? [run] : []
  })
}

/** A damaged `latest.json` is stepped over: the newest good snapshot before it counts. Nothing is written. */
function readRun(folder: Folder, name: string, room: ReadRoom): UnjudgedRun {
  const path = latestPath(name)
  const latest = readSnapshotFile(folder, LATEST, { path, room })
  const files = countSnapshots(folder)
  if (latest !== null && 'document' in latest && latest.document.run_id === name)
    return { runId: name, snapshots: Math.max(files, 1), newest: latest.document, path, problem: null }
  const problem =
    latest instanceof ReasonError
      ? latest
      : new ReasonError('checkpoint_integrity_mismatch', {
          path,
          problem: 'it contains a snapshot of another run',
        })
  const found = readNewest(folder, name, room)
  return {
    ...{ runId: name, snapshots: files, newest: found?.document ?? null, problem },
    path: snapshotPath(name, found?.name ?? LATEST),
  }
}

/** Git runs only in a trusted workspace; in another one all of it is foreign. */
async function markForeign(context: Context, runs: readonly UnjudgedRun[]): Promise<RunOnDisk[]> {
  if (runs.length === 0) return []
  const here = await lookHere(context)
  const deliveries = await deliveriesOf(context, here, here.trusted ? runs : [])
  const isForeign = (path: string) => !here.trusted || deliveries.get(path)?.foreign === true
  return runs.map((run) => ({ ...run, foreign: isForeign(run.path) }))
}
