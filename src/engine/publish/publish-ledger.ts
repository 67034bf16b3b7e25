import { sha256 } from '../../core/canonical.ts'
import { ReasonError } from '../../core/reason.ts'
import type { Folder } from '../../fs/disk.ts'
import { makeFolders } from '../../fs/durable.ts'
import { replaceGuarded } from '../../fs/guarded.ts'
import type { OwedView } from '../../store/local-state.ts'
import { excludeFromGit } from '../../workspace/exclude.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { foldersOf, giveBack, guardOf, hasOurText, nameOf } from './guard.ts'
import type { SettleStep } from './settle-rows.ts'

/**
 * Puts the new ledger in the old one's place. An edit that came between stands: the row then says again what we
 * knew before, so that the next save meets the edit and takes it in.
 */
export async function publishLedger(context: Context, root: Folder, row: OwedView): Promise<SettleStep> {
  const { store, identity, notices } = context
  const text = await store.log.readText(row.hash)
  if (text === null) throw new Error(`the store has no text for ${row.path}`)
  if (!context.settings.track_ledger) hideFromGit(context, row.path)
  using folder = makeFolders(root, foldersOf(row.path), { sure: true })
  const outcome = replaceGuarded(folder, nameOf(row.path), Buffer.from(text), guardOf(context, row.base))
  if (!outcome.done && !hasOurText(outcome, row.hash)) {
    await giveBack(context, folder, nameOf(row.path), outcome, row.hash)
    const { path, stream, checkpoint } = row
    const known = { kind: 'ledger', path, stream, checkpoint, hash: row.base ?? NOTHING } as const
    await store.acts.commit({
      workspace: identity.workspace,
      files: [{ ...known, base: null, state: 'published' }],
    })
    notices.push(NOTICES.ledgerEditedMeanwhile(row.path))
    return 'done'
  }
  if (!outcome.done) folder.sync()
  await store.local.markStamped(identity.workspace, [{ path: row.path, hash: row.hash, stamp: null }])
  return 'done'
}

/** The hash of no file's bytes that anybody would call a ledger. */
const NOTHING = sha256('')

function hideFromGit({ place, ports, notices }: Context, path: string): void {
  if (place.git === null) return
  try {
    excludeFromGit(place.git.common, `/${path.replace(/[\\[\]*?]/g, '\\$&')}`, ports)
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
    notices.push(NOTICES.notHiddenFromGit(path, error.message))
  }
}
