import { nameKey, requireName } from '../../core/id.ts'
import { instant } from '../../core/ports.ts'
import { ReasonError } from '../../core/reason.ts'
import { decodeDocument } from '../../formats/checkpoint-md/codec.ts'
import { extendDocument } from '../../formats/checkpoint-md/extend.ts'
import { activePath, archivePath, isDocumentName } from '../../formats/checkpoint-md/layout.ts'
import { workOf } from '../../formats/checkpoint-md/work.ts'
import { redactAll } from '../../policy/redact.ts'
import { isSessionStream } from '../../policy/resolve.ts'
import type { Context } from '../context/context.ts'
import { provenanceOf } from '../trust/here.ts'
import type { DocumentAct } from './act-on-documents.ts'
import { documentPoint, joinCommits, oweDocument } from './checkpoint-of.ts'
import { requireSize } from './edit-document.ts'
import { afterHead, requireRow } from './find-stream.ts'
import { workAt } from './newest-whole-point.ts'
import { clearCurrents } from './set-focus.ts'
import { findRow, isBare, isTakenPath, type Survey } from './survey.ts'
import { beginningOf } from './take-in.ts'

export interface NewDocument {
  id: string
  path: string
  parent: string | null
  checkpoint: string
  sequence: number
  focused: boolean
}

/** A name for a document: a file that is called like an index is none. */
export function requireDocumentName(name: string): void {
  requireName(name)
  if (isDocumentName(`${name}.md`) && !isSessionStream(name)) return
  throw new ReasonError('id_invalid', { what: 'id', value: JSON.stringify(name), problem: 'it is reserved' })
}

/** Timestamps in documents are read by people: whole seconds do. */
export const documentTimestamp = (context: Context) => `${instant(context.ports.now()).slice(0, 19)}Z`

interface DocumentBeginning {
  name: string
  parent: string | null
  text: string
  current: boolean
  note: string
}

/** A document that begins. Work that was only saved so far gets it, and all that is known of it stands in it then. */
export async function beginDocument(
  context: Context,
  survey: Survey,
  { name, parent, text: given, current, note }: DocumentBeginning,
): Promise<DocumentAct<NewDocument>> {
  const known = findRow(survey, name)
  if (known && !(isBare(known) && parent === null))
    throw new ReasonError('stream_exists', { id: known.stream.name })
  const id = known?.stream.name ?? name
  const path = activePath(id)
  refuseFile(context, survey, id)
  const origin = parent === null ? null : requireRow(survey, parent)
  const work = known && (await workAt(context, known.position.checkpoint))
  const text = work ? extendDocument(given, workOf(decodeDocument(given)), work) : given
  requireSize(text, path)
  const { begins, ...begun } = known
    ? { begins: [], stream: known.stream, after: afterHead(known) }
    : beginningOf(context, survey, name)
  const point = await documentPoint(context, {
    ...{ ...begun, text, parent: known?.position.checkpoint ?? null },
    ...(work && { work: redactAll(work, context.mark) }),
    triggers: [{ kind: 'manual', note }],
    provenance: provenanceOf(survey),
    foreign: (known ?? origin)?.position.foreign ?? false,
  })
  const { id: stream } = begun.stream
  const focus = current ? { ...(await clearCurrents(context, survey, stream)), focus: stream } : {}
  const commit = { ...point.commit, begins, views: oweDocument(point, path, null) }
  return {
    commit: joinCommits(context.identity.workspace, commit, focus),
    answer: {
      ...{ id, path, parent: origin?.stream.name ?? null, checkpoint: point.checkpoint.id },
      ...{ sequence: (begun.after?.sequence ?? 0) + 1, focused: current },
    },
  }
}

/** Refuses a name under which a file stands already, in either folder, ignoring case. */
export function refuseFile(context: Context, survey: Survey, name: string): void {
  for (const path of survey.files.keys())
    if ([activePath(name), archivePath(name)].some((mine) => mine.toLowerCase() === path.toLowerCase()))
      throw new ReasonError('document_taken', { path })
  if (isTakenPath(context, activePath(name)))
    throw new ReasonError('document_taken', { path: activePath(name) })
  const foreign = survey.foreign.find(({ id }) => nameKey(id) === nameKey(name))
  if (foreign) throw new ReasonError('document_taken', { path: foreign.path })
}
