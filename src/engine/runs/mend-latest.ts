import { ReasonError } from '../../core/reason.ts'
import { LATEST, latestPath } from '../../formats/snapshot/layout.ts'
import type { Stream } from '../../store/log.ts'
import type { Context } from '../context/context.ts'
import { workspaceLock } from '../context/workspace-lock.ts'
import { setAside } from '../publish/publish-snapshot.ts'
import { inspectAgain, inspectView } from './inspect-view.ts'
import { openRunFolder, publishRun } from './publish-run.ts'

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
    context.notices.push(`${error.message}. What follows comes from the store.`)
    return null
  }
}

async function mend(context: Context, run: Stream): Promise<Recovery | null> {
  const rows = await context.store.local.listViews({ stream: run.id })
  const row = rows.find(({ path }) => path === latestPath(run.name))
  const folder = await openRunFolder(context, run)
  try {
    if (row === undefined) return null
    const health = inspectView(folder, row)
    if (health.state === 'sound') return null
    if (health.state === 'unfinished') {
      await publishRun(context, run)
      return null
    }
    let aside: string | null = null
    if (health.state === 'damaged' && folder !== null) {
      const release = await workspaceLock(context, run.workspace)
      if (release === null) {
        context.notices.push(
          `${health.error.message}. Another process is writing in this workspace; what follows comes from the store.`,
        )
        return null
      }
      try {
        // Other processes write here too: what was read without the lock may be outdated.
        const { health: now } = await inspectAgain(context, run, folder, row.path)
        if (now?.state !== 'damaged') return null
        aside = setAside(context, folder, folder, LATEST)
      } finally {
        release()
      }
    }
    await context.store.local.oweView(row)
    await publishRun(context, run)
    const { base } = await context.store.log.readSituation(run.id)
    const damaged = health.state === 'damaged'
    const recovered: Recovery = {
      reason: damaged ? health.error.reason : 'missing',
      message: damaged ? health.error.message : `${row.path} was missing`,
      setAside: aside,
      from: base.checkpoint.id,
    }
    context.notices.push(`${recovered.message}. It was written again from ${recovered.from}.`)
    return recovered
  } finally {
    folder?.close()
  }
}
