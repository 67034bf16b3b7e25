import { existsSync } from 'node:fs'
import type { Stream } from '../../store/log.ts'
import { type Context, workspaceRoot } from '../context/context.ts'
import { inspectAgain, inspectView } from './inspect-view.ts'
import { openRunFolder } from './publish-run.ts'

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
  const problems: VerifyProblem[] = []
  const tell = (path: string, reason: string, message: string) =>
    problems.push({ runId: run.name, path, reason, message })
  let checked = 0
  for (const row of await context.store.log.readHistory(run.id)) {
    if (row.removedAt !== null) continue
    checked += 1
    if ((await context.store.log.readCheckpoint(row.id))?.state === 'damaged')
      tell(
        `store:${row.id}`,
        'checkpoint_integrity_mismatch',
        `${row.id} in the store does not match its checksum`,
      )
  }
  const root = await workspaceRoot(context, run.workspace)
  if (!existsSync(root)) {
    context.notices.push(`The workspace ${root} of run ${run.name} is gone; its snapshots are in the store.`)
    return { checked, problems }
  }
  const folder = await openRunFolder(context, run)
  try {
    for (const row of await context.store.local.listViews({ stream: run.id })) {
      checked += 1
      const first = inspectView(folder, row)
      const health =
        first.state === 'sound' ? first : (await inspectAgain(context, run, folder, row.path)).health
      if (health === null) continue
      if (health.state === 'damaged') tell(row.path, health.error.reason, health.error.message)
      if (health.state === 'missing') tell(row.path, 'missing', `${row.path} is missing`)
      if (health.state === 'unfinished')
        tell(
          row.path,
          'unfinished',
          `${row.path} is still to be ${row.state === 'leaving' ? 'removed' : 'written'}`,
        )
    }
  } finally {
    folder?.close()
  }
  return { checked, problems }
}
