import { sha256 } from '../../core/canonical.ts'
import { ReasonError } from '../../core/reason.ts'
import { decodeNote, MAX_NOTE_BYTES } from '../../formats/note-json/codec.ts'
import { inFolder } from '../../fs/durable.ts'
import type { Context } from '../context/context.ts'
import { FINDINGS, type Finding, type FindingWords } from '../context/findings.ts'
import { foldersOf, nameOf } from '../publish/guard.ts'

/** A note is never written again: one that somebody changed is named, and what it said is in the store. */
export async function examineNotes(context: Context, findings: Finding[]): Promise<void> {
  const { store, identity, place } = context
  for (const { kind, path, hash, state } of await store.local.listViews({ workspace: identity.workspace })) {
    const words = kind === 'note' && state === 'published' ? changeOf(place.root, path, hash) : null
    if (words !== null) findings.push({ level: 'note', ...words, fixed: null })
  }
}

function changeOf(root: string, path: string, hash: string): FindingWords | null {
  try {
    const bytes = inFolder(root, foldersOf(path), (folder) => folder.read(nameOf(path), MAX_NOTE_BYTES))
    if (bytes === null || sha256(bytes) === hash) return null
    return 'problem' in decodeNote(bytes, path) ? FINDINGS.noteBroken(path) : FINDINGS.noteChanged(path)
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
    return FINDINGS.noteUnreadable(path, error.message)
  }
}
