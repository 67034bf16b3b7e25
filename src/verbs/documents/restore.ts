import { ReasonError } from '../../core/reason.ts'
import type { Context } from '../../engine/context/context.ts'
import { actOnDocuments } from '../../engine/documents/act-on-documents.ts'
import { documentPoint, owedDocument } from '../../engine/documents/checkpoint-of.ts'
import { requireSize } from '../../engine/documents/edit-document.ts'
import { afterHead, documentRefusalOf, requireRow } from '../../engine/documents/find-stream.ts'
import { pointAt } from '../../engine/documents/point.ts'
import { isHere, isTakenPath, type Survey } from '../../engine/documents/survey.ts'
import { provenanceOf } from '../../engine/trust/here.ts'
import { decodeDocument } from '../../formats/checkpoint-md/codec.ts'
import { withoutCompletion } from '../../formats/checkpoint-md/edit.ts'
import { activePath, archivePath, isArchived } from '../../formats/checkpoint-md/layout.ts'
import { setFrontMatter } from '../../formats/markdown/front-matter.ts'
import type { DocumentCommit, WorkRow } from '../../store/acts.ts'
import { defineVerb } from '../define/verb.ts'
import { STREAM_FIELD } from './stream-field.ts'

/** The text to bring back: a point's own; without one the last one here, open again where it was archived. */
async function textOf(context: Context, row: WorkRow, at: number | undefined): Promise<string> {
  const { text } = await pointAt(context, row, at)
  const wanted = at === undefined ? withoutCompletion(text) : text
  const says = decodeDocument(wanted).front?.fields.get('status')?.value === 'current'
  // Focus is of today, whatever the old text says.
  return says === row.focused ? wanted : setFrontMatter(wanted, 'status', row.focused ? 'current' : 'active')
}

function refuseTaken(context: Context, path: string, own: string | undefined): void {
  if (path !== own && isTakenPath(context, path)) throw new ReasonError('document_taken', { path })
}

export const restore = defineVerb({
  name: 'restore',
  summary: 'Bring a checkpoint document back, as it was at a point',
  detail:
    'The present text stays in the history, so a restore can be undone by another one. Without --at a document that was removed comes back as it was last here, and an archived one is opened again.',
  fields: {
    id: STREAM_FIELD,
    at: {
      kind: 'count',
      least: 1,
      value: 'NUMBER',
      about: 'the checkpoint to go back to, by its number in the history',
    },
  },
  examples: ['savepoint restore auth-system --at 3', 'savepoint restore auth-system'],
  access: 'write',
  takesIn: 'events',
  async perform(context, { id, at }) {
    return actOnDocuments(context, async (survey) => {
      const row = requireRow(survey, id)
      const { stream, view, position } = row
      const trouble = survey.troubles.find(({ path, kind }) => path === view?.path && kind !== 'broken')
      if (trouble) throw documentRefusalOf(trouble, stream.name)
      const text = await textOf(context, row, at)
      const path =
        decodeDocument(text).completion === null ? activePath(stream.name) : archivePath(stream.name)
      const stands = view !== null && isHere(survey, row) ? view : null
      const target = stands && isArchived(stands.path) === isArchived(path) ? stands.path : path
      refuseTaken(context, target, stands?.path)
      requireSize(text, target)
      const point = await documentPoint(context, {
        stream,
        text,
        parent: position.checkpoint,
        after: afterHead(row),
        triggers: [{ kind: 'manual', note: at === undefined ? 'restored' : `restored from number ${at}` }],
        provenance: provenanceOf(survey),
        foreign: position.foreign,
      })
      const { id: checkpoint } = point.checkpoint
      const base = stands?.path === target ? await standing(context, survey, row, stands) : null
      if (stands && base === point.hash && target === stands.path)
        return {
          commit: {},
          answer: {
            ...answerOf(row, target),
            checkpoint: position.checkpoint,
            restored: at ?? null,
            already: true,
          },
        }
      const commit: Partial<DocumentCommit> = {
        ...point.commit,
        documents: [owedDocument(point, target, base)],
        leaving:
          stands && stands.path !== target
            ? [{ path: stands.path, stream: stream.id, checkpoint, hash: stands.hash }]
            : [],
      }
      return {
        commit,
        answer: {
          ...answerOf(row, target),
          ...{ checkpoint, sequence: stream.headSequence + 1, restored: at ?? null, already: false },
        },
      }
    })
  },
  say: ({ id, path, sequence, restored, already }) =>
    already
      ? `${id} is in ${path} already, with that text.`
      : `${id} is ${restored === null ? 'back' : `as it was at number ${restored}`} in ${path} (number ${sequence} now).`,
})

const answerOf = ({ stream, position }: WorkRow, path: string) => ({
  id: stream.name,
  path,
  sequence: position.sequence,
})

/** The hash of what a restore replaces. A file that does not parse is replaced only where its bytes were kept. */
async function standing(
  { store }: Context,
  { troubles }: Survey,
  { stream }: WorkRow,
  { path, hash }: { path: string; hash: string },
): Promise<string> {
  const trouble = troubles.find((one) => one.path === path)
  if (trouble === undefined) return hash
  if (trouble.hash !== undefined && (await store.log.findVersion(stream.id, trouble.hash)) !== null)
    return trouble.hash
  const problem = `${trouble.what}, and its bytes are not in the store: move the file away first`
  throw new ReasonError('document_broken', { id: stream.name, path, line: trouble.line, problem })
}
