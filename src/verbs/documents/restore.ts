import { instant } from '../../core/ports.ts'
import { ReasonError } from '../../core/reason.ts'
import type { Context } from '../../engine/context/context.ts'
import { actOnDocuments } from '../../engine/documents/act-on-documents.ts'
import { documentPoint, joinCommits, oweDocument, workPoint } from '../../engine/documents/checkpoint-of.ts'
import { continueWork, requireSize } from '../../engine/documents/edit-document.ts'
import { documentRefusalOf, requireKnownRow } from '../../engine/documents/find-stream.ts'
import { pointAt } from '../../engine/documents/point.ts'
import { isBare, isHere, isTakenPath, type Survey, standingOf } from '../../engine/documents/survey.ts'
import { indexOf, ledgerOf, noteOf } from '../../engine/save/save-files.ts'
import { vouchedLedger } from '../../engine/surroundings/ledger-file.ts'
import { worldOf } from '../../engine/surroundings/world.ts'
import { decodeDocument } from '../../formats/checkpoint-md/codec.ts'
import { withoutCompletion } from '../../formats/checkpoint-md/edit.ts'
import { activePath, archivePath, isArchived } from '../../formats/checkpoint-md/layout.ts'
import { setFrontMatter } from '../../formats/markdown/front-matter.ts'
import { redactAll } from '../../policy/redact.ts'
import type { DocumentCommit, WorkRow } from '../../store/acts.ts'
import { defineVerb } from '../define/verb.ts'
import { STREAM_FIELD } from './stream-field.ts'

/** The point that is meant, and whether it has a document. Of work whose beginning was undone it is the last before that. */
async function targetOf(
  { store }: Context,
  survey: Survey,
  row: WorkRow,
  given: number | undefined,
): Promise<{ at: number | undefined; hasDocument: boolean }> {
  if (!survey.withdrawn.includes(row)) return { at: given, hasDocument: !isBare(row) }
  const history = await store.log.readHistory(row.stream.id)
  const found = history.findLast(({ sequence, gist }) =>
    given === undefined ? gist.document?.stands === undefined : sequence === given,
  )
  return { at: found?.sequence ?? given, hasDocument: (found?.gist.document?.created ?? '') !== '' }
}

/** What a restore comes to: nothing, where what is asked for stands there already. */
interface RestoredWork {
  path: string | null
  made: { checkpoint: string; commit: Partial<DocumentCommit> } | null
}

/**
 * Work that has no document, as it was at a point, or open again where it was closed: a save like any other, that says
 * what was said then.
 */
async function restoreWork(
  context: Context,
  survey: Survey,
  row: WorkRow,
  at: number | undefined,
): Promise<RestoredWork> {
  const { stream, position } = row
  const history = await context.store.log.readHistory(stream.id)
  const found = history.find(({ sequence }) => sequence === (at ?? position.sequence))
  const stored = found ? await context.store.log.readCheckpoint(found.id) : null
  if (!found || stored?.state !== 'whole')
    throw new ReasonError('checkpoint_unknown', { id: stream.name, at: at ?? position.sequence })
  if (standingOf(row) !== 'archived' && found.id === position.checkpoint) return { path: null, made: null }
  const { work, absent = [], stands = found.id } = stored.checkpoint
  const atMs = context.ports.now()
  const point = workPoint(context, {
    ...{ ...continueWork(survey, row, noteOfRestore(at)), foreign: found.foreign, atMs },
    ...{ work: redactAll(work, context.mark), absent, stands: stands ?? found.id },
  })
  const world = await worldOf(context, survey, { wantsDirty: false })
  const told = { note: false, saying: { files: [] } }
  const ledger = await vouchedLedger(context, survey)
  // Text that nobody reviewed would lose its mark in a file.
  const files = found.foreign
    ? []
    : [
        ...(await noteOf(context, point, { work, atMs, world, told })),
        ...indexOf(point, world),
        ...(await ledgerOf(context, survey, point, { ledger, work, at: instant(atMs) })),
      ]
  const commit = joinCommits(context.identity.workspace, point.commit, ...files.map((file) => file.commit))
  return { path: null, made: { checkpoint: point.checkpoint.id, commit } }
}

const noteOfRestore = (at: number | undefined) => (at === undefined ? 'restored' : `restored from #${at}`)

async function restoreDocument(
  context: Context,
  survey: Survey,
  row: WorkRow,
  at: number | undefined,
): Promise<RestoredWork> {
  const { stream, view } = row
  const trouble = survey.troubles.find(({ path, kind }) => path === view?.path && kind !== 'broken')
  if (trouble) throw documentRefusalOf(trouble, stream.name)
  const { text, found } = await textOf(context, row, at)
  const standing = view !== null && isHere(survey, row) ? view : null
  const isClosed = decodeDocument(text).completion !== null
  const own = standing && isArchived(standing.path) === isClosed ? standing.path : null
  const path = own ?? (isClosed ? archivePath(stream.name) : activePath(stream.name))
  if (own === null && isTakenPath(context, path)) throw new ReasonError('document_taken', { path })
  requireSize(text, path)
  const point = await documentPoint(context, {
    ...{ ...continueWork(survey, row, noteOfRestore(at)), text },
    ...(at === undefined ? {} : { stands: found }),
  })
  const hash = standing && own !== null ? await hashToReplace(context, survey, row, standing) : standing?.hash
  if (own !== null && hash === point.hash) return { path, made: null }
  const views = oweDocument(point, path, standing && { path: standing.path, hash: hash ?? '' })
  return { path, made: { checkpoint: point.checkpoint.id, commit: { ...point.commit, views } } }
}

/** The text to bring back: a point's own; without one the last one here, open again where it was archived. */
async function textOf(context: Context, row: WorkRow, at: number | undefined) {
  const { text, checkpoint } = await pointAt(context, row, at)
  const wanted = at === undefined ? withoutCompletion(text) : text
  const says = decodeDocument(wanted).front?.fields.get('status')?.value === 'current'
  // Focus is of today, whatever the old text says.
  const isSaid = says === row.focused
  return {
    found: checkpoint,
    text: isSaid ? wanted : setFrontMatter(wanted, 'status', row.focused ? 'current' : 'active'),
  }
}

export const restore = defineVerb({
  name: 'restore',
  summary: 'Restore work and its document to an earlier version',
  detail:
    'The current text stays in the history, so you can undo a restore. Without --at, a removed document comes back as it was, and archived work is reopened.',
  fields: {
    id: STREAM_FIELD,
    at: { kind: 'count', least: 1, value: 'NUMBER', about: 'number of the checkpoint to go back to' },
  },
  examples: ['savepoint restore auth-system --at 3', 'savepoint restore auth-system'],
  access: 'write',
  takesIn: 'events',
  async perform(context, { id, at: given }) {
    // An earlier point knows nothing of what the user said, confirmed or rejected since.
    if (given !== undefined && context.speaker === 'agent')
      throw new ReasonError('users_word', { act: 'restore', item: JSON.stringify(id) })
    return actOnDocuments(context, async (survey) => {
      const row = requireKnownRow(survey, id)
      const { at, hasDocument } = await targetOf(context, survey, row, given)
      const { path, made } = await (hasDocument ? restoreDocument : restoreWork)(context, survey, row, at)
      const { stream, position } = row
      return {
        commit: made?.commit ?? {},
        answer: {
          ...{ id: stream.name, path, checkpoint: made?.checkpoint ?? position.checkpoint },
          sequence: made ? stream.headSequence + 1 : position.sequence,
          ...{ restored: at ?? null, already: made === null },
        },
      }
    })
  },
  say: ({ id, path, sequence, restored, already }, { paint }) =>
    already
      ? path === null
        ? `${id} is already there`
        : `${path} already has that text`
      : `${paint('good', `Restored ${id}`)}${restored === null ? '' : ` from #${restored}`}${path === null ? '' : ` to ${path}`} (now #${sequence})`,
})

/** The hash of what a restore replaces. A file that does not parse is replaced only where its bytes were kept. */
async function hashToReplace(
  { store }: Context,
  { troubles }: Survey,
  { stream }: WorkRow,
  { path, hash }: { path: string; hash: string },
): Promise<string> {
  const trouble = troubles.find((one) => one.path === path)
  if (trouble === undefined) return hash
  if (trouble.hash !== undefined && (await store.log.findVersion(stream.id, trouble.hash)) !== null)
    return trouble.hash
  const problem = `${trouble.what}, and this text is not saved: move the file away first`
  throw new ReasonError('document_broken', { id: stream.name, path, line: trouble.line, problem })
}
