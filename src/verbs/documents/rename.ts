import { nameKey } from '../../core/id.ts'
import type { Context } from '../../engine/context/context.ts'
import { actOnDocuments } from '../../engine/documents/act-on-documents.ts'
import { refuseFile, requireDocumentName } from '../../engine/documents/begin-document.ts'
import { editDocument } from '../../engine/documents/edit-document.ts'
import { claimName, requireDocument, requireRow } from '../../engine/documents/find-stream.ts'
import { isHere, type Survey } from '../../engine/documents/survey.ts'
import { activePath, archivePath, isArchived } from '../../formats/checkpoint-md/layout.ts'
import { setFrontMatter } from '../../formats/markdown/front-matter.ts'
import type { WorkRow } from '../../store/acts.ts'
import { defineVerb } from '../define/verb.ts'
import { STREAM_FIELD } from './stream-field.ts'

/** The document under its new name: its file moves, and its `checkpoint:` says the new id. */
async function moveDocument(context: Context, survey: Survey, { stream }: WorkRow, name: string) {
  const open = await requireDocument(context, survey, stream.name)
  const path = isArchived(open.view.path) ? archivePath(name) : activePath(name)
  refuseFile(context, survey, name)
  const text = setFrontMatter(open.text, 'checkpoint', name)
  const note = `renamed from ${stream.name}`
  return { path, ...(await editDocument(context, survey, open, text, { note, path })) }
}

export const rename = defineVerb({
  name: 'rename',
  summary: 'Rename work',
  detail:
    'Keeps its history, sessions and forks. Its document, if it is in this workspace, is renamed too (like `git mv`).',
  fields: {
    id: STREAM_FIELD,
    name: { kind: 'text', at: 1, required: true, check: requireDocumentName, about: 'the new name' },
  },
  examples: ['savepoint rename feature-webhook webhooks'],
  access: 'write',
  takesIn: 'events',
  async perform(context, { id, name }) {
    return actOnDocuments(context, async (survey) => {
      const row = requireRow(survey, id)
      const here = isHere(survey, row) ? (row.view?.path ?? null) : null
      const { stream } = row
      if (stream.name === name)
        return { commit: {}, answer: { id: name, beforeId: name, path: row.view?.path ?? null } }
      const renames = claimName(survey, stream, name)
      const isSameFile = nameKey(stream.name) === nameKey(name)
      const { path, commit } =
        here !== null && !isSameFile
          ? await moveDocument(context, survey, row, name)
          : { path: here, commit: {} }
      return { commit: { ...commit, renames }, answer: { id: name, beforeId: stream.name, path } }
    })
  },
  say: ({ id, beforeId, path }) =>
    id === beforeId
      ? `${id} already has that name`
      : `Renamed ${beforeId} to ${id}${path === null ? '' : ` (${path})`}`,
})
