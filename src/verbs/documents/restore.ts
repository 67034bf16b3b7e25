import { instant } from '../../core/ports.ts'
import { ReasonError } from '../../core/reason.ts'
import type { Context } from '../../engine/context/context.ts'
import { actOnDocuments, type DocumentAct } from '../../engine/documents/act-on-documents.ts'
import { documentPoint, joinCommits, owedDocument, workPoint } from '../../engine/documents/checkpoint-of.ts'
import { requireSize } from '../../engine/documents/edit-document.ts'
import { afterHead, documentRefusalOf, requireKnownRow } from '../../engine/documents/find-stream.ts'
import { pointAt } from '../../engine/documents/point.ts'
import { isBare, isHere, isTakenPath, type Survey, standingOf } from '../../engine/documents/survey.ts'
import { indexOf, ledgerOf, noteOf } from '../../engine/save/save-files.ts'
import { vouchedLedger } from '../../engine/surroundings/ledger-file.ts'
import { worldOf } from '../../engine/surroundings/world.ts'
import { provenanceOf } from '../../engine/trust/here.ts'
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

/**
 * Work that has no document, as it was at a point, or open again where it was closed: a save like any other, that says
 * what was said then.
 */
async function restoreWork(
  context: Context,
  survey: Survey,
  row: WorkRow,
  at: number | undefined,
): Promise<DocumentAct<RestoreReceipt>> {
  const { stream, position } = row
  const history = await context.store.log.readHistory(stream.id)
  const found = history.find(({ sequence }) => sequence === (at ?? position.sequence))
  const stored = found ? await context.store.log.readCheckpoint(found.id) : null
  if (!found || stored?.state !== 'whole')
    throw new ReasonError('checkpoint_unknown', { id: stream.name, at: at ?? position.sequence })
  const answer = { ...answerOf(row, null), restored: at ?? null }
  const isOpen = standingOf(row) !== 'archived'
  if (isOpen && found.id === position.checkpoint)
    return { commit: {}, answer: { ...answer, checkpoint: found.id, already: true } }
  const { work, absent = [], stands = found.id } = stored.checkpoint
  const nowMs = context.ports.now()
  const point = workPoint(context, {
    ...{ stream, work: redactAll(work, context.mark), absent, stands: stands ?? found.id },
    parent: position.checkpoint,
    after: afterHead(row),
    triggers: [{ kind: 'manual', note: at === undefined ? 'restored' : `restored from #${at}` }],
    provenance: provenanceOf(survey),
    foreign: found.foreign,
    atMs: nowMs,
  })
  const world = await worldOf(context, survey, { wantsDirty: false })
  const told = { note: false, saying: { files: [] } }
  const ledger = await vouchedLedger(context, survey)
  // Text that nobody reviewed would lose its mark in a file.
  const files = found.foreign
    ? []
    : [
        ...(await noteOf(context, point, { work, atMs: nowMs, world, told })),
        ...indexOf(point, world),
        ...(await ledgerOf(context, survey, point, { ledger, work, at: instant(nowMs) })),
      ]
  return {
    commit: joinCommits(context.identity.workspace, point.commit, ...files.map(({ commit }) => commit)),
    answer: {
      ...answer,
      ...{ checkpoint: point.checkpoint.id, sequence: stream.headSequence + 1, already: false },
    },
  }
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

function refuseTaken(context: Context, path: string, own: string | undefined): void {
  if (path !== own && isTakenPath(context, path)) throw new ReasonError('document_taken', { path })
}

export const restore = defineVerb({
  name: 'restore',
  summary: 'Restore work and its document to an earlier version',
  detail:
    'The current text stays in the history, so you can undo a restore. Without --at, a removed document comes back as it was, and archived work is reopened.',
  fields: {
    id: STREAM_FIELD,
    at: {
      kind: 'count',
      least: 1,
      value: 'NUMBER',
      about: 'number of the checkpoint to go back to',
    },
  },
  examples: ['savepoint restore auth-system --at 3', 'savepoint restore auth-system'],
  access: 'write',
  takesIn: 'events',
  async perform(context, { id, at: given }) {
    // An earlier point knows nothing of what the user said, confirmed or rejected since.
    if (given !== undefined && context.speaker === 'agent')
      throw new ReasonError('users_word', { act: 'restore', item: JSON.stringify(id) })
    return actOnDocuments<RestoreReceipt>(context, async (survey) => {
      const row = requireKnownRow(survey, id)
      const { at, hasDocument } = await targetOf(context, survey, row, given)
      if (!hasDocument) return restoreWork(context, survey, row, at)
      const { stream, view, position } = row
      const trouble = survey.troubles.find(({ path, kind }) => path === view?.path && kind !== 'broken')
      if (trouble) throw documentRefusalOf(trouble, stream.name)
      const { text, found } = await textOf(context, row, at)
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
        triggers: [{ kind: 'manual', note: at === undefined ? 'restored' : `restored from #${at}` }],
        provenance: provenanceOf(survey),
        foreign: position.foreign,
        ...(at === undefined ? {} : { stands: found }),
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
  say: ({ id, path, sequence, restored, already }, { paint }) =>
    already
      ? path === null
        ? `${id} is already there`
        : `${path} already has that text`
      : `${paint('good', `Restored ${id}`)}${restored === null ? '' : ` from #${restored}`}${path === null ? '' : ` to ${path}`} (now #${sequence})`,
})

interface RestoreReceipt {
  id: string
  /** Its document; null where it has none. */
  path: string | null
  checkpoint: string
  sequence: number
  restored: number | null
  already: boolean
}

const answerOf = ({ stream, position }: WorkRow, path: string | null) => ({
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
  const problem = `${trouble.what}, and this text is not saved: move the file away first`
  throw new ReasonError('document_broken', { id: stream.name, path, line: trouble.line, problem })
}
