import { sha256 } from '../../core/canonical.ts'
import { NOTE_FILE, NOTE_PLACES } from '../../core/layout.ts'
import type { Folder } from '../../fs/disk.ts'
import { findFolder, makeFolders } from '../../fs/durable.ts'
import { removeGuarded, replaceGuarded, type WriteRefusal } from '../../fs/guarded.ts'
import type { ViewRow } from '../../store/local-state.ts'
import { excludeFromGit, isExcluded } from '../../workspace/exclude.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { isTrustedHere } from '../trust/trusted.ts'
import { foldersOf, giveBack, guardOf, hideOrTell, nameOf, type Publish } from './guard.ts'

export const publishDocument: Publish = async (context, root, row, { mergeEdit }) => {
  using folder =
    row.base === null
      ? makeFolders(root, foldersOf(row.path), { sure: true })
      : findFolder(root, foldersOf(row.path))
  // The folder went with its files: the user or git removed them.
  if (folder === null) return 'left'
  const refusal = await placeText(context, folder, row, row.base)
  if (refusal !== null) return await mergeEdit(row, refusal)
  return 'written'
}

/** Writes a note under a free name. A note is never overwritten: an existing file keeps its name. */
export const publishNote: Publish = async (context, root, row) => {
  await hideNote(context, row.path)
  using folder = makeFolders(root, foldersOf(row.path), { sure: true })
  const refusal = await placeText(context, folder, row, null)
  if (refusal !== null) context.notices.push(NOTICES.notePlaceTaken(row.path))
  return 'written'
}

/** Where somebody tracks notes, the next one is theirs to commit. In an untrusted workspace git is not asked. */
async function hideNote(context: Context, path: string): Promise<void> {
  const { place, ports, settings } = context
  const found = NOTE_PLACES.find(({ folder }) => path.startsWith(`${folder}/`))
  if (settings.track_notes || found === undefined) return
  await hideOrTell(context, path, async (common) => {
    if (isExcluded(common, found.exclude)) return
    if (await isTrustedHere(context)) {
      const { tracksAnyOf } = await import('../../workspace/git-index.ts')
      if (await tracksAnyOf(place, found.folder, NOTE_FILE)) return
    }
    excludeFromGit(common, found.exclude, ports)
  })
}

/**
 * Puts the new ledger in the old one's place. An edit that came between stands: the row then says again what we
 * knew before, so that the next save meets the edit and takes it in.
 */
export const publishLedger: Publish = async (context, root, row) => {
  const { store, identity, notices, settings, ports } = context
  const { path, stream, checkpoint } = row
  if (!settings.track_ledger)
    await hideOrTell(context, path, (common) =>
      excludeFromGit(common, `/${path.replace(/[\\[\]*?]/g, '\\$&')}`, ports),
    )
  using folder = makeFolders(root, foldersOf(path), { sure: true })
  const refusal = await placeText(context, folder, row, row.base)
  if (refusal === null) return 'written'
  await giveBack(context, folder, nameOf(path), refusal, row.hash)
  const known = { path, stream, checkpoint, hash: row.base ?? NOTHING }
  await store.acts.commit({
    workspace: identity.workspace,
    views: [{ ...known, kind: 'ledger', state: 'published' }],
  })
  notices.push(NOTICES.ledgerEditedMeanwhile(path))
  return 'done'
}

/** The hash of no file's bytes that anybody would call a ledger. */
const NOTHING = sha256('')

/** Writes the text of a row while `expected` stands there; null where it has its place, else what stands there. */
async function placeText(
  context: Context,
  folder: Folder,
  { path, hash }: ViewRow,
  expected: string | null,
): Promise<WriteRefusal | null> {
  const text = await context.store.log.readText(hash)
  if (text === null) throw new Error(`the store has no text for ${path}`)
  const outcome = replaceGuarded(folder, nameOf(path), Buffer.from(text), guardOf(context, expected))
  if (outcome.done) return null
  const { found, ours } = outcome
  if (found === null || ours || sha256(found) !== hash) return outcome
  // A process died between the write and the note of it: the rename may not be durable yet.
  folder.sync()
  return null
}

/** Removes a file that an undone act wrote, while it is as the act left it. One that somebody changed since stays. */
export const takeFileAway: Publish = async (context, root, row) => {
  using folder = findFolder(root, foldersOf(row.path))
  const outcome = folder && removeGuarded(folder, nameOf(row.path), guardOf(context, row.hash))
  if (outcome?.done === false) context.notices.push(NOTICES.changedSoItStays(row.path))
  return 'gone'
}

/** The old place of a document that was archived or brought back; or the place of one whose beginning was undone. */
export const takeDocumentAway: Publish = async (context, root, row, how) => {
  if (row.base !== null) return takeFileAway(context, root, row, how)
  const { store, identity } = context
  const rows = await store.acts.listWork(identity.repository, identity.workspace)
  const view = rows.find(({ stream }) => stream.id === row.stream)?.view ?? null
  if (view?.state !== 'published') return 'left'
  using folder = findFolder(root, foldersOf(row.path))
  if (folder?.entry(nameOf(row.path))) {
    if (how.trusted) await tellGit(context, row.path, view.path)
    const outcome = removeGuarded(folder, nameOf(row.path), guardOf(context, row.hash))
    if (!outcome.done) return await how.mergeEdit(row, outcome)
  }
  return 'gone'
}

async function tellGit({ place, notices }: Context, from: string, to: string): Promise<void> {
  if (place.git === null) return
  const { moveInIndex } = await import('../../workspace/git-index.ts')
  const moved = await moveInIndex(place, from, to)
  if (typeof moved !== 'string') notices.push(NOTICES.moveUnknownToGit(from, to, moved.problem))
}
