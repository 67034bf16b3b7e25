import { sha256 } from '../../core/canonical.ts'
import { instant } from '../../core/ports.ts'
import { lastCheckpointIn } from '../../formats/state-index/codec.ts'
import type { DocumentCommit } from '../../store/acts.ts'
import type { ActFile } from '../../store/local-state.ts'
import type { Context } from '../context/context.ts'
import { readTextHere } from '../documents/act-record.ts'
import { owedValue } from '../publish/publish-shared.ts'

/** A file that an undo or a redo changes, or leaves because somebody changed it since. */
export interface TurnedFile {
  path: string
  state: 'written' | 'removed' | 'left'
}

/** What becomes of a file besides the documents. `checkpoint`: the one that says so of its stream. */
export async function turnFile(
  context: Context,
  file: ActFile,
  { checkpoint = file.checkpoint, isRedo }: { checkpoint: string | undefined; isRedo: boolean },
): Promise<{ commit: Partial<DocumentCommit>; told: TurnedFile }> {
  const { kind, stream, after, before, shown } = file
  const path = file.path.replace(/#.*/, '')
  const tellRemoved = (part: Partial<DocumentCommit>) => ({
    commit: part,
    told: { path, state: 'removed' as const },
  })
  const tellWritten = (part: Partial<DocumentCommit>) => ({
    commit: part,
    told: { path, state: 'written' as const },
  })
  const left = { commit: {}, told: { path, state: 'left' as const } }
  const row = { kind, path: file.path, stream, checkpoint }
  switch (kind) {
    case 'entry': {
      // Its text is made of the checkpoint that the act appended.
      const entry = { ...row, checkpoint: file.checkpoint }
      const text = readTextHere(context, path)
      if (isRedo) return tellWritten({ entries: [entry] })
      return tellRemoved({
        // What is about to go is kept: a writer who dies over it leaves it under another name.
        texts: text === null ? [] : [{ hash: sha256(text), text }],
        leaving: [{ ...entry, hash: '', base: before }],
      })
    }
    case 'note':
    case 'handoff':
      return isRedo
        ? tellWritten({ files: [{ ...row, kind, hash: after, base: null, state: 'pending' }] })
        : tellRemoved({ leaving: [{ ...row, hash: after }] })
    case 'index': {
      const text = readTextHere(context, path)
      const set = await owedValue(context, { hash: '', checkpoint: file.checkpoint })
      if (text === null || lastCheckpointIn(text) !== (isRedo ? before : set)) return left
      const value = before ?? ''
      const owed = { ...row, kind, base: null, state: 'pending' as const }
      return isRedo
        ? tellWritten({ files: [{ ...owed, checkpoint: file.checkpoint, hash: '' }] })
        : tellWritten({
            texts: [{ hash: sha256(value), text: value }],
            files: [{ ...owed, hash: sha256(value) }],
          })
    }
    case 'ledger': {
      const text = readTextHere(context, path)
      const standing = text === null ? null : sha256(text)
      const [from, to] = isRedo ? [before, after] : [after, before]
      if (standing !== from) return left
      if (to === null) return tellRemoved({ leaving: [{ ...row, hash: after }] })
      const at = instant(context.ports.now())
      const owner =
        isRedo || shown === null ? row : { ...row, stream: shown.stream, checkpoint: shown.checkpoint }
      return tellWritten({
        files: [{ ...owner, kind, hash: to, base: from, state: 'pending' }],
        ledgers: [{ path, checkpoint, hash: to, at }],
      })
    }
  }
}
