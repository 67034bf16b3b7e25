import { ReasonError } from '../../core/reason.ts'
import { LATEST, latestPath } from '../../formats/snapshot/layout.ts'
import type { Stream } from '../../store/log.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { workspaceLock } from '../context/workspace-lock.ts'
import { setAside } from '../publish/publish-snapshot.ts'
import { openRunFolder, publishRun } from './publish-run.ts'
import { inspectTwice, inspectView } from './verify-run.ts'

export interface Recovery {
  reason: string
  message: string
  setAside: string | null
  from: string
}

/**
 * Looks at a run's `latest.json` before anybody relies on it. A damaged one is set aside and written again
 * from the newest good snapshot, and the reason is told. Null where it was sound.
 */
export async function mendLatest(context: Context, run: Stream): Promise<Recovery | null> {
  try {
    return await mend(context, run)
  } catch (error) {
    // Reading a run must not fail because its folder cannot be written; the store has everything.
    if (!(error instanceof ReasonError)) throw error
    context.notices.push(NOTICES.readFromStore(error.message))
    return null
  }
}

async function mend(context: Context, run: Stream): Promise<Recovery | null> {
  const { store, notices } = context
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
    if ((await inspectTwice(context, run, folder, row))?.state !== 'damaged') return null
    aside = setAside(context, folder, folder, LATEST)
  }
  await store.local.oweView(row)
  await publishRun(context, run)
  const { id: from } = (await store.log.readSituation(run.id)).base.checkpoint
  const message = error?.message ?? `${row.path} was missing`
  notices.push(NOTICES.latestWritten(message, from))
  return { reason: error?.reason ?? 'missing', message, setAside: aside, from }
}

/** The newest snapshot that is whole, and what is noted since; where it is not the head, the user is told. */
export async function readNewestWhole({ store, notices }: Context, run: Stream) {
  const { base, stream, pending } = await store.log.readSituation(run.id)
  const damagedHead = base.checkpoint.id === stream.headId ? null : stream.headId
  if (damagedHead !== null) notices.push(NOTICES.snapshotDamaged(damagedHead))
  return { base, pending, damagedHead }
}
