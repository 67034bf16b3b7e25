import { sha256 } from '../../core/canonical.ts'
import { randomToken } from '../../core/id.ts'
import { MAX_DOCUMENT_BYTES } from '../../formats/checkpoint-md/layout.ts'
import type { Folder } from '../../fs/disk.ts'
import { type Refusal, replaceGuarded } from '../../fs/guarded.ts'
import type { OwedView } from '../../store/local-state.ts'
import type { Context } from '../context/context.ts'

export const guardOf = (context: Context, expected: string | null) => ({
  token: randomToken(context.ports.random),
  expected,
  limit: MAX_DOCUMENT_BYTES,
})

export const foldersOf = (path: string) => path.split('/').slice(0, -1)
export const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/** The file has our text already: somebody died between the write and the note of it. */
export const isText = ({ found, ours }: Refusal, hash: string) =>
  found !== null && !ours && sha256(found) === hash

/** An edit in the old file after ours took its name: ours goes, theirs comes back, and we begin again. */
export async function giveBack(
  context: Context,
  folder: Folder,
  name: string,
  { found, forget }: Refusal,
  ours: string,
): Promise<void> {
  let standing = ours
  for (let theirs = found; theirs !== null && forget !== null; theirs = forget()) {
    if (theirs.length > 0) {
      const placed = replaceGuarded(folder, name, theirs, guardOf(context, standing))
      // Somebody was faster once more: the kept file stays, and the next command names it.
      if (!placed.done) return
      standing = sha256(theirs)
    }
    await context.ports.sleep(SAVE_MS)
  }
}

/** In so many milliseconds an editor that has cut a file has also written it. */
export const SAVE_MS = 50

/** What becomes of an edit that came while a document of ours was written. */
export type MergeEdit = (context: Context, owed: OwedView, refusal: Refusal) => Promise<'again' | 'left'>

/** What writing what is owed goes by. */
export interface Settling {
  /** Git may be told of a file that moves. */
  trusted: boolean
  mergeEdit: MergeEdit
}
