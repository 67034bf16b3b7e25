import { sha256 } from '../../core/canonical.ts'
import type { Checkpoint, Trigger } from '../../core/checkpoint.ts'
import { encodeSnapshot, snapshotOf } from '../../formats/snapshot/codec.ts'
import type { SnapshotDocument } from '../../formats/snapshot/document.ts'
import { resumeHints } from '../../policy/resume.ts'

/** The document of a run's checkpoint, with the triggers that came to it later where they belong. */
export function renderSnapshot(checkpoint: Checkpoint, run: string, later: Trigger[] = []): SnapshotDocument {
  return snapshotOf(checkpoint, run, resumeHints(checkpoint.work.position, checkpoint.progress), later)
}

export interface RenderedFile {
  document: SnapshotDocument
  bytes: Buffer
  hash: string
}

export function renderFile(checkpoint: Checkpoint, run: string, later: Trigger[] = []): RenderedFile {
  const document = renderSnapshot(checkpoint, run, later)
  const bytes = encodeSnapshot(document)
  return { document, bytes, hash: sha256(bytes) }
}
