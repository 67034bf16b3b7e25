import { existsSync } from 'node:fs'
import { ReasonError } from '../../core/reason.ts'
import { HISTORY_FOLDER, LATEST, latestPath } from '../../formats/snapshot/layout.ts'
import type { Folder } from '../../fs/disk.ts'
import type { ViewRow } from '../../store/local-state.ts'
import type { Stream } from '../../store/log.ts'
import { type Context, workspaceRoot } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { workspaceLock } from '../context/workspace-lock.ts'
import { nameOf } from '../publish/guard.ts'
import { setAside } from '../publish/publish-snapshot.ts'
import { openRunFolder, publishRun } from './publish-run.ts'
import { asSnapshotReason, readSnapshotFile } from './read-run-folder.ts'

/** What a published document looks like on the disk now. */
export type ViewHealth =
  | { state: 'sound' | 'unfinished' | 'missing' }
  | { state: 'damaged'; error: ReasonError }

/** Compares one document with its row. `run` is the run's folder, null where it is gone. */
export function inspectView(run: Folder | null, row: ViewRow): ViewHealth {
  if (row.state === 'leaving') return { state: 'unfinished' }
  const found = inspectFile(run, row)
  // Publishing is recorded after the write: a correct file is fine even if its row is still pending.
  return row.state === 'pending' && found.state !== 'sound' ? { state: 'unfinished' } : found
}

/**
 * As `inspectView`, and what seems wrong is looked at once more with its row as it is then: another process may have
 * written both between the looks. Null where the store wants no such document any more.
 */
export async function inspectTwice(
  context: Context,
  folder: Folder | null,
  row: ViewRow,
): Promise<ViewHealth | null> {
  const health = inspectView(folder, row)
  if (health.state === 'sound') return health
  const rows = await context.store.local.listViews({ stream: row.stream })
  const current = rows.find(({ path }) => path === row.path)
  return current ? inspectView(folder, current) : null
}

/** Both forms have a checksum: the file's own bytes, and the document inside. */
function inspectFile(run: Folder | null, { path, checkpoint, hash, contentHash }: ViewRow): ViewHealth {
  try {
    const name = nameOf(path)
    using folder = (name === LATEST ? run?.reopen() : run?.folder(HISTORY_FOLDER)) ?? null
    const found = folder && readSnapshotFile(folder, name, { path })
    if (found === null) return { state: 'missing' }
    if (found instanceof ReasonError) return { state: 'damaged', error: found }
    const { snapshot_id } = found.document
    if (snapshot_id === checkpoint && found.hash === hash && found.contentHash === contentHash)
      return { state: 'sound' }
    const isOther = snapshot_id !== checkpoint
    const problem = isOther ? `it contains snapshot ${snapshot_id}` : 'it is not the file that was published'
    return { state: 'damaged', error: new ReasonError('checkpoint_integrity_mismatch', { path, problem }) }
  } catch (error) {
    return { state: 'damaged', error: asSnapshotReason(error, path) }
  }
}

export interface VerifyProblem {
  runId: string
  path: string
  reason: string
  message: string
}

/** Everything that is wrong with a run, in the store and on the disk. Changes nothing. */
export async function verifyRun(
  context: Context,
  run: Stream,
): Promise<{ checked: number; problems: VerifyProblem[] }> {
  const { store, notices } = context
  const problems: VerifyProblem[] = []
  const tell = (path: string, reason: string, message: string) =>
    problems.push({ runId: run.name, path, reason, message })
  const live = (await store.log.readHistory(run.id)).filter((row) => row.removedAt === null)
  for (const { id } of live)
    if ((await store.log.readCheckpoint(id))?.state === 'damaged')
      tell(`store:${id}`, 'checkpoint_integrity_mismatch', `${id} in the store does not match its checksum`)
  const root = await workspaceRoot(context, run.workspace)
  if (!existsSync(root)) {
    notices.push(NOTICES.verifiedWorkspaceGone(root, run.name))
    return { checked: live.length, problems }
  }
  using folder = await openRunFolder(context, run)
  const views = await store.local.listViews({ stream: run.id })
  for (const row of views) {
    const { path } = row
    const health = await inspectTwice(context, folder, row)
    if (health?.state === 'damaged') tell(path, health.error.reason, health.error.message)
    if (health?.state === 'missing') tell(path, 'missing', `file not found: ${path}`)
    if (health?.state === 'unfinished')
      tell(path, 'unfinished', `${path} was not ${row.state === 'leaving' ? 'removed' : 'written'} yet`)
  }
  return { checked: live.length + views.length, problems }
}

/**
 * Looks at a run's `latest.json` before anybody relies on it. A damaged one is set aside and written again
 * from the newest good snapshot, and the reason is told. Null where it was sound.
 */
export async function mendLatest(context: Context, run: Stream) {
  const { store, notices } = context
  try {
    const rows = await store.local.listViews({ stream: run.id })
    const row = rows.find(({ path }) => path === latestPath(run.name))
    if (row === undefined) return null
    using folder = await openRunFolder(context, run)
    const health = inspectView(folder, row)
    if (health.state === 'sound') return null
    if (health.state === 'unfinished') {
      await publishRun(context, run)
      return null
    }
    const error = health.state === 'damaged' ? health.error : null
    let aside: string | null = null
    if (error !== null && folder !== null) {
      using lock = await workspaceLock(context, run.workspace)
      if (lock === null) {
        notices.push(NOTICES.readFromStoreWhileBusy(error.message))
        return null
      }
      // Other processes write here too: what was read without the lock may be outdated.
      if ((await inspectTwice(context, folder, row))?.state !== 'damaged') return null
      aside = setAside(context, folder, folder, LATEST)
    }
    await store.local.oweView(row)
    await publishRun(context, run)
    const { id: from } = (await store.log.readSituation(run.id)).base.checkpoint
    const message = error?.message ?? `${row.path} was missing`
    notices.push(NOTICES.latestWritten(message, from))
    return { reason: error?.reason ?? 'missing', message, setAside: aside, from }
  } catch (error) {
    // Reading a run must not fail because its folder cannot be written; the store has everything.
    if (!(error instanceof ReasonError)) throw error
    notices.push(NOTICES.readFromStore(error.message))
    return null
  }
}

/** The newest snapshot that is whole, and what is noted since; where it is not the head, the user is told. */
export async function readNewestWhole({ store, notices }: Context, run: Stream) {
  const { base, stream, pending } = await store.log.readSituation(run.id)
  const damagedHead = base.checkpoint.id === stream.headId ? null : stream.headId
  if (damagedHead !== null) notices.push(NOTICES.snapshotDamaged(damagedHead))
  return { base, pending, damagedHead }
}
