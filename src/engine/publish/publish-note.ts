import { NOTE_FILE, NOTE_PLACES } from '../../core/layout.ts'
import { ReasonError } from '../../core/reason.ts'
import type { Folder } from '../../fs/disk.ts'
import { makeFolders } from '../../fs/durable.ts'
import { replaceGuarded } from '../../fs/guarded.ts'
import type { OwedView } from '../../store/local-state.ts'
import { excludeFromGit, isExcluded } from '../../workspace/exclude.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { isTrustedHere } from '../trust/trusted.ts'
import { foldersOf, guardOf, hasOurText, nameOf } from './guard.ts'
import type { SettleStep } from './settle-rows.ts'

/** Writes a note under a free name. A note is never overwritten: an existing file keeps its name. */
export async function publishNote(context: Context, root: Folder, row: OwedView): Promise<SettleStep> {
  const { store, identity, notices } = context
  const text = await store.log.readText(row.hash)
  if (text === null) throw new Error(`the store has no text for ${row.path}`)
  await hideFromGit(context, row.path)
  using folder = makeFolders(root, foldersOf(row.path), { sure: true })
  const outcome = replaceGuarded(folder, nameOf(row.path), Buffer.from(text), guardOf(context, null))
  if (!outcome.done && !hasOurText(outcome, row.hash)) notices.push(NOTICES.notePlaceTaken(row.path))
  // The name may not be durable yet.
  if (!outcome.done) folder.sync()
  await store.local.markStamped(identity.workspace, [{ path: row.path, hash: row.hash, stamp: null }])
  return 'done'
}

/** Where somebody tracks notes, the next one is theirs to commit. In an untrusted workspace git is not asked. */
async function hideFromGit(context: Context, path: string): Promise<void> {
  const { place, ports, settings, notices } = context
  const found = NOTE_PLACES.find(({ folder }) => path.startsWith(`${folder}/`))
  if (place.git === null || settings.track_notes || found === undefined) return
  const { common } = place.git
  try {
    if (isExcluded(common, found.exclude)) return
    if (await isTrustedHere(context)) {
      const { tracksAnyOf } = await import('../../workspace/git-index.ts')
      if (await tracksAnyOf(place, found.folder, NOTE_FILE)) return
    }
    excludeFromGit(common, found.exclude, ports)
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
    notices.push(NOTICES.notHiddenFromGit(path, error.message))
  }
}
