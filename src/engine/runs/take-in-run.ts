import { runFolder, snapshotPath } from '../../formats/snapshot/layout.ts'
import { openFolder } from '../../fs/disk.ts'
import { findFolder } from '../../fs/durable.ts'
import type { Context } from '../context/context.ts'
import { deliveriesOf } from '../trust/deliveries.ts'
import { lookHere } from '../trust/here.ts'
import { publishRun } from './publish-run.ts'
import { type ChooseSnapshots, readmitRun, takeUpRunFolder } from './readmit.ts'

/** What came of a run folder: how many of its snapshots are new in the store. */
export interface TakenRun {
  run: string
  /** The store did not know the run. */
  began: boolean
  count: number
}

/**
 * Chooses the snapshots that git did not deliver: a checksum says nothing of who wrote one, and a pulled file must not
 * move the user's own run. Git is asked only in a trusted workspace; in another one nobody can say it. What the user
 * vouches for may be told, where it is not to be taken in.
 */
export const withoutDelivered =
  (context: Context, { withVouched = false } = {}): ChooseSnapshots =>
  async (run, found) => {
    const here = await lookHere(context)
    if (!here.trusted) return []
    const files = found.map((one) => ({ one, path: snapshotPath(run, one.name) }))
    const deliveries = await deliveriesOf(context, here, files)
    return files.flatMap(({ one, path }) => {
      const delivery = deliveries.get(path)
      return delivery?.foreign || (delivery?.delivered && !withVouched) ? [] : [one]
    })
  }

/**
 * Takes a run of this workspace from its folder into the store. Only snapshots whose checksum is right are taken, each
 * once; those that git delivered only where the user named the run. Null where nothing in the folder is a sound
 * snapshot of that run.
 */
export async function takeInRun(
  context: Context,
  name: string,
  { isNamed }: { isNamed: boolean },
): Promise<TakenRun | null> {
  const choose = isNamed ? undefined : withoutDelivered(context)
  const { store, identity, place } = context
  const known = await store.log.findStream(identity.repository, name)
  let count = 0
  if (known === null) {
    using root = openFolder(place.root)
    using folder = findFolder(root, runFolder(name))
    if (folder !== null) count = await takeUpRunFolder(context, folder, name, choose)
  }
  const run = known ?? (await store.log.findStream(identity.repository, name))
  if (run === null || run.kind !== 'run') return null
  count += await readmitRun(context, run, choose)
  await publishRun(context, run)
  return { run: name, began: known === null, count }
}
