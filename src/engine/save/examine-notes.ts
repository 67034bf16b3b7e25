import { sha256 } from '../../core/canonical.ts'
import { ReasonError } from '../../core/reason.ts'
import { decodeNote, MAX_NOTE_BYTES } from '../../formats/note-json/codec.ts'
import { openFolder } from '../../fs/disk.ts'
import { findFolder } from '../../fs/durable.ts'
import type { Context } from '../context/context.ts'
import type { Finding } from '../context/finding.ts'
import { foldersOf, nameOf } from '../publish/guard.ts'

/** A note is never written again: one that somebody changed is named, and what it said is in the store. */
export async function examineNotes(context: Context, findings: Finding[]): Promise<void> {
  const { store, identity, place } = context
  const notes = (await store.local.listFileViews(identity.workspace)).filter(({ kind }) => kind === 'note')
  if (notes.length === 0) return
  const root = openFolder(place.root)
  try {
    for (const { path, hash, state } of notes) {
      const what = state === 'published' ? changeOf(root, path, hash) : null
      if (what !== null)
        findings.push({
          level: 'note',
          what,
          todo: 'It is passed over; what was saved is in the store.',
          fixed: null,
        })
    }
  } finally {
    root.close()
  }
}

function changeOf(root: ReturnType<typeof openFolder>, path: string, hash: string): string | null {
  try {
    const folder = findFolder(root, foldersOf(path))
    try {
      const bytes = folder?.read(nameOf(path), MAX_NOTE_BYTES) ?? null
      if (bytes === null || sha256(bytes) === hash) return null
      return 'problem' in decodeNote(bytes, path) ? `${path} cannot be read any more` : `${path} was changed`
    } finally {
      folder?.close()
    }
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
    return `${path} cannot be read: ${error.message}`
  }
}
