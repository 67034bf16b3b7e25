import { sha256 } from '../../core/canonical.ts'
import { randomToken } from '../../core/id.ts'
import { ReasonError } from '../../core/reason.ts'
import { MAX_DOCUMENT_BYTES } from '../../formats/checkpoint-md/layout.ts'
import type { Folder } from '../../fs/disk.ts'
import { replaceGuarded, type WriteRefusal } from '../../fs/guarded.ts'
import type { ViewRow } from '../../store/local-state.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import type { SettleStep } from './settle-rows.ts'

export const guardOf = (context: Context, expected: string | null) => ({
  token: randomToken(context.ports.random),
  expected,
  limit: MAX_DOCUMENT_BYTES,
})

export const foldersOf = (path: string) => path.split('/').slice(0, -1)
export const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/** An edit in the old file after ours took its name: ours goes, theirs comes back, and we begin again. */
export async function giveBack(
  context: Context,
  folder: Folder,
  name: string,
  { found, forget }: WriteRefusal,
  ours: string,
): Promise<void> {
  let standing = ours
  for (let theirs = found; theirs !== null && forget !== null; theirs = forget()) {
    if (theirs.length > 0) {
      const placed = replaceGuarded(folder, name, theirs, guardOf(context, standing))
      // Another write came in between: the kept file stays, and the next command reports it.
      if (!placed.done) return
      standing = sha256(theirs)
    }
    await context.ports.sleep(SAVE_MS)
  }
}

/** Replaces what was read of a file that others write, too; false where somebody wrote it meanwhile: theirs stands. */
export async function replaceOrGiveBack(
  context: Context,
  folder: Folder,
  name: string,
  read: Buffer | null,
  text: string,
): Promise<boolean> {
  const guard = guardOf(context, read && sha256(read))
  const outcome = replaceGuarded(folder, name, Buffer.from(text), guard)
  if (!outcome.done) await giveBack(context, folder, name, outcome, sha256(text))
  return outcome.done
}

/** Editors truncate a file before they write it: after this time the new content is there. */
export const SAVE_MS = 50

export interface SettleOptions {
  /** Git may be told of a file that moves. */
  trusted: boolean
  /** Merges an edit that was made while we wrote the document. */
  mergeEdit(owed: ViewRow, refusal: WriteRefusal): Promise<'again' | 'left'>
}

export type Publish = (
  context: Context,
  root: Folder,
  row: ViewRow,
  how: SettleOptions,
) => Promise<SettleStep>

/** What cannot be hidden from `git status` is told, and written all the same. */
export async function hideOrTell(
  { place, notices }: Context,
  what: string,
  hide: (gitFolder: string) => void | Promise<void>,
): Promise<void> {
  if (place.git === null) return
  try {
    await hide(place.git.common)
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
    notices.push(NOTICES.notHiddenFromGit(what, error.message))
  }
}
