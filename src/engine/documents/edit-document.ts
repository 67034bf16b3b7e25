import type { Change, TriggerKind } from '../../core/checkpoint.ts'
import { ReasonError } from '../../core/reason.ts'
import type { Position } from '../../core/work.ts'
import { MAX_DOCUMENT_BYTES } from '../../formats/checkpoint-md/layout.ts'
import type { DocumentCommit } from '../../store/acts.ts'
import type { Context } from '../context/context.ts'
import { provenanceOf } from '../trust/here.ts'
import { type DocumentPoint, documentPoint, owedDocument } from './checkpoint-of.ts'
import { afterHead, type OpenDocument } from './find-stream.ts'
import type { Survey } from './survey.ts'

/** A new text for a document that is here: a checkpoint of its own, owed to the file that stands there. */
export async function editDocument(
  context: Context,
  survey: Survey,
  { row, view }: OpenDocument,
  text: string,
  why: { kind: TriggerKind; note: string; change?: Change; position?: Partial<Position> },
): Promise<{ point: DocumentPoint; commit: Partial<DocumentCommit> }> {
  const { kind, note, change, position } = why
  requireSize(text, view.path)
  const point = await documentPoint(context, {
    stream: row.stream,
    text,
    parent: row.position.checkpoint,
    after: afterHead(row),
    triggers: [{ kind, note }],
    ...(change ? { change } : {}),
    ...(position ? { position } : {}),
    provenance: provenanceOf(survey),
    foreign: row.position.foreign,
  })
  return { point, commit: { ...point.commit, documents: [owedDocument(point, view.path, view.hash)] } }
}

/** A document that nobody could read again must not be written. */
export function requireSize(text: string, path: string): void {
  if (Buffer.byteLength(text) > MAX_DOCUMENT_BYTES)
    throw new ReasonError('file_too_large', { path, limit: MAX_DOCUMENT_BYTES })
}
