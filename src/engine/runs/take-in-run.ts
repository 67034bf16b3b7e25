import { runFolder } from '../../formats/snapshot/layout.ts'
import { openFolder } from '../../fs/disk.ts'
import { findFolder } from '../../fs/durable.ts'
import type { Context } from '../context/context.ts'
import { publishRun } from './publish-run.ts'
import { readmitRun, takeUpRunFolder } from './readmit.ts'

/** What came of a run folder: how many of its snapshots are new in the store. */
export interface TakenRun {
  run: string
  /** The store did not know the run. */
  began: boolean
  count: number
}

/**
 * Takes a run of this workspace from its folder into the store, at the user's own word. Only snapshots whose checksum
 * is right are taken, each once. Null where nothing in the folder is a sound snapshot of that run.
 */
export async function takeInRun(context: Context, name: string): Promise<TakenRun | null> {
  const { store, identity, place } = context
  const known = await store.log.findStream(identity.repository, name)
  let count = 0
  if (known === null) {
    using root = openFolder(place.root)
    using folder = findFolder(root, runFolder(name))
    if (folder !== null) count = await takeUpRunFolder(context, folder, name)
  }
  const run = known ?? (await store.log.findStream(identity.repository, name))
  if (run === null || run.kind !== 'run') return null
  count += await readmitRun(context, run)
  await publishRun(context, run)
  return { run: name, began: known === null, count }
}
