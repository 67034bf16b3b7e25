import { nameKey, requireName } from '../../core/id.ts'
import { instant } from '../../core/ports.ts'
import { ReasonError } from '../../core/reason.ts'
import { decodeDocument } from '../../formats/checkpoint-md/codec.ts'
import { extendDocument } from '../../formats/checkpoint-md/extend.ts'
import { activePath, archivePath, isDocumentName } from '../../formats/checkpoint-md/layout.ts'
import { workOf } from '../../formats/checkpoint-md/work.ts'
import { redactAll } from '../../policy/redact.ts'
import { isSessionStream } from '../../policy/resolve.ts'
import type { DocumentCommit, WorkRow } from '../../store/acts.ts'
import type { Context } from '../context/context.ts'
import { provenanceOf } from '../trust/here.ts'
import type { DocumentAct } from './act-on-documents.ts'
import { documentPoint, joinCommits, owedDocument } from './checkpoint-of.ts'
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
  throw new ReasonError('id_invalid', {
    what: 'id',
    value: JSON.stringify(name),
    problem: 'it is reserved',
  })
}

/** Timestamps in documents are read by people: whole seconds do. */
export const documentTimestamp = (context: Context) => `${instant(context.ports.now()).slice(0, 19)}Z`

/** A document that begins, with a text that is made once it is sure that it may. */
export async function beginDocument(
  context: Context,
  survey: Survey,
  {
    name,
    parent,
    text,
    current,
    note,
  }: { name: string; parent: string | null; text: string; current: boolean; note: string },
): Promise<DocumentAct<NewDocument>> {
  const known = findRow(survey, name)
  if (known && isBare(known) && parent === null)
    return givenDocument(context, survey, known, { text, current, note })
  refuseTaken(context, survey, name)
  const { stream, begins, after } = beginningOf(context, survey, name)
  const origin = parent === null ? undefined : requireRow(survey, parent)
  const point = await documentPoint(context, {
    stream,
    text,
    parent: null,
    after,
    triggers: [{ kind: 'manual', note }],
    provenance: provenanceOf(survey),
    foreign: origin?.position.foreign ?? false,
  })
  const path = activePath(name)
  requireSize(text, path)
  const { id: checkpoint } = point.checkpoint
  const begun: Partial<DocumentCommit> = {
    ...point.commit,
    begins,
    documents: [owedDocument(point, path, null)],
  }
  const focus = current ? { ...(await clearCurrents(context, survey, stream.id)), focus: stream.id } : {}
  const answer = {
    id: name,
    path,
    parent: origin?.stream.name ?? null,
    checkpoint,
    sequence: (after?.sequence ?? 0) + 1,
    focused: current,
  }
  return { commit: joinCommits(context.identity.workspace, begun, focus), answer }
}

/** Work that was only saved so far gets a document, in which all that is known of it stands. */
async function givenDocument(
  context: Context,
  survey: Survey,
  row: WorkRow,
  { text, current, note }: { text: string; current: boolean; note: string },
): Promise<DocumentAct<NewDocument>> {
  const { stream, position } = row
  const path = activePath(stream.name)
  refuseFile(context, survey, stream.name)
  const work = await workAt(context, position.checkpoint)
  const filled = extendDocument(text, workOf(decodeDocument(text)), work)
  requireSize(filled, path)
  const point = await documentPoint(context, {
    stream,
    text: filled,
    work: redactAll(work, context.mark),
    parent: position.checkpoint,
    after: afterHead(row),
    triggers: [{ kind: 'manual', note }],
    provenance: provenanceOf(survey),
    foreign: position.foreign,
  })
  const documents = [owedDocument(point, path, null)]
  const focus = current ? { ...(await clearCurrents(context, survey, stream.id)), focus: stream.id } : {}
  const { id: checkpoint } = point.checkpoint
  return {
    commit: joinCommits(context.identity.workspace, { ...point.commit, documents }, focus),
    answer: {
      id: stream.name,
      path,
      parent: null,
      checkpoint,
      sequence: stream.headSequence + 1,
      focused: current,
    },
  }
}

function refuseTaken(context: Context, survey: Survey, name: string): void {
  const known = findRow(survey, name)
  if (known) throw new ReasonError('stream_exists', { id: known.stream.name })
  refuseFile(context, survey, name)
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
