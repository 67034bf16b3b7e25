import type { TriggerKind } from '../../core/checkpoint.ts'
import { ReasonError } from '../../core/reason.ts'
import { MAX_DOCUMENT_BYTES } from '../../formats/checkpoint-md/layout.ts'
import type { WorkRow } from '../../store/acts.ts'
import type { Context } from '../context/context.ts'
import { provenanceOf } from '../trust/here.ts'
import { documentPoint, type NewPoint, oweDocument } from './checkpoint-of.ts'
import { afterHead, type OpenDocument } from './find-stream.ts'
import type { Survey } from './survey.ts'

/** What a new point has in common with where this workspace stands in a stream. */
export const continueWork = (
  survey: Survey,
  row: WorkRow,
  note: string,
  kind: TriggerKind = 'manual',
): Omit<NewPoint, 'work'> => ({
  ...{ stream: row.stream, parent: row.position.checkpoint, after: afterHead(row) },
  ...{ triggers: [{ kind, note }], provenance: provenanceOf(survey), foreign: row.position.foreign },
})

/** A new text for a document that is here: a checkpoint of its own, owed to its file, or to another `path`. */
export async function editDocument(
  context: Context,
  survey: Survey,
  { row, view }: OpenDocument,
  text: string,
  why: Pick<NewPoint, 'change' | 'position'> & { note: string; kind?: TriggerKind; path?: string },
) {
  const { note, kind, path = view.path, ...said } = why
  requireSize(text, path)
  const point = await documentPoint(context, { ...continueWork(survey, row, note, kind), ...said, text })
  return {
    checkpoint: point.checkpoint.id,
    sequence: row.stream.headSequence + 1,
    commit: { ...point.commit, views: oweDocument(point, path, view) },
  }
}

/** A document that nobody could read again must not be written. */
export function requireSize(text: string, path: string): void {
  if (Buffer.byteLength(text) > MAX_DOCUMENT_BYTES)
    throw new ReasonError('file_too_large', { path, limit: MAX_DOCUMENT_BYTES })
}
