import { type Completion, noChange } from '../../core/checkpoint.ts'
import { nameKey } from '../../core/id.ts'
import { ReasonError, usageError } from '../../core/reason.ts'
import { formatCount } from '../../core/text.ts'
import { learningsIn, type WorkState } from '../../core/work.ts'
import type { Context } from '../../engine/context/context.ts'
import { actOnDocuments } from '../../engine/documents/act-on-documents.ts'
import { documentTimestamp } from '../../engine/documents/begin-document.ts'
import { workPoint } from '../../engine/documents/checkpoint-of.ts'
import { continueWork, editDocument } from '../../engine/documents/edit-document.ts'
import {
  type OpenDocument,
  requireDocument,
  requireEnd,
  requireRow,
} from '../../engine/documents/find-stream.ts'
import { newestWholePoint } from '../../engine/documents/newest-whole-point.ts'
import { lacksEntry, owedEntry } from '../../engine/documents/owed-learnings.ts'
import { isBare, isTakenPath, type Survey, standingOf } from '../../engine/documents/survey.ts'
import { nameOf } from '../../engine/publish/guard.ts'
import { decodeDocument, isNone } from '../../formats/checkpoint-md/codec.ts'
import { setCompletion } from '../../formats/checkpoint-md/edit.ts'
import { archivePath, isDocumentName } from '../../formats/checkpoint-md/layout.ts'
import { workOf } from '../../formats/checkpoint-md/work.ts'
import { setFrontMatter } from '../../formats/markdown/front-matter.ts'
import { redactAll } from '../../policy/redact.ts'
import type { DocumentCommit, WorkRow } from '../../store/acts.ts'
import { choiceFact, flagFact, integerFact, nullableFact, textFact } from '../define/facts.ts'
import { defineVerb } from '../define/verb.ts'
import { STREAM_FIELD } from './stream-field.ts'

interface ArchiveReceipt {
  id: string
  /** Where its document is; null where it has none. */
  path: string | null
  outcome: string
  learnings: string[]
  checkpoint: string
  sequence: number
  /** It was archived before; nothing was changed. */
  already: boolean
}

type SaidCompletion = Pick<Completion, 'outcome' | 'learnings'>

function refuseOpenChildren(survey: Survey, { stream }: WorkRow): void {
  const children = survey.rows.filter(
    (row) =>
      nameKey(row.position.gist.document?.parent ?? '') === nameKey(stream.name) &&
      row.stream.id !== stream.id &&
      standingOf(row) !== 'archived',
  )
  if (children.length === 0) return
  const names = children.map((row) => row.stream.name).join(', ')
  throw new ReasonError('stream_has_children', { id: stream.name, children: names })
}

/** Archiving twice with the same input succeeds without a change; new input is refused, because it would be lost. */
function refuseMore(
  { stream }: WorkRow,
  said: SaidCompletion | null,
  { outcome, learning }: { outcome: string | undefined; learning: string[] },
): void {
  const known = new Set(said?.learnings)
  const isNew = learning.some((line) => !isNone(line) && !known.has(line.trim()))
  if (isNew || (outcome !== undefined && outcome.trim() !== said?.outcome))
    throw new ReasonError('stream_archived', { id: stream.name })
}

/** A path in the archive that nothing has yet: an older archive is never written over. */
function freePath(context: Context, survey: Survey, name: string): string {
  const taken = new Set([...survey.files.keys()].map((path) => path.toLowerCase()))
  for (let number = 1; ; number += 1) {
    const path = archivePath(number === 1 ? name : `${name}-${number}`)
    const isFree = !taken.has(path.toLowerCase()) && !isTakenPath(context, path)
    if (isFree && isDocumentName(nameOf(path))) return path
  }
}

/** What the user says, and what the document says already. */
function completionOf(
  { mark }: Context,
  completion: SaidCompletion | null,
  outcome: string | undefined,
  learnings: string[],
) {
  const said = (outcome ?? '').trim() || (completion?.outcome ?? '')
  if (said === '' || isNone(said)) throw usageError('give the outcome: --outcome "…"')
  const all = [...(completion?.learnings ?? []), ...learnings].map((line) => line.trim())
  return redactAll({ outcome: said, learnings: [...new Set(all.filter((line) => !isNone(line)))] }, mark)
}

/**
 * Its document goes to the archive, with its completion; its learnings go into the file that all work shares. Work without
 * a document ends in the store alone: nothing is put into the repository, and its learnings are told all the same.
 */
async function closeWork(
  context: Context,
  survey: Survey,
  row: WorkRow,
  { open, work, completion }: { open: OpenDocument | null; work: WorkState; completion: Completion },
): Promise<{ path: string | null; checkpoint: string; commit: Partial<DocumentCommit> }> {
  const { id: stream, name } = row.stream
  const said = { note: 'archived', change: { ...noChange(), summary: completion.outcome } }
  if (open === null) {
    const { note, change } = said
    const point = {
      ...continueWork(survey, row, note),
      change,
      completion,
      work: redactAll(work, context.mark),
    }
    const { checkpoint, commit } = workPoint(context, point)
    return { path: null, checkpoint: checkpoint.id, commit }
  }
  const path = freePath(context, survey, name)
  const text = open.view.current ? setFrontMatter(open.text, 'status', 'active') : open.text
  const finished = setCompletion(text, completion)
  const { checkpoint, commit } = await editDocument(context, survey, open, finished, { ...said, path })
  const entries = completion.learnings.length > 0 ? [owedEntry(name, stream, checkpoint)] : []
  return { path, checkpoint, commit: { ...commit, views: [...commit.views, ...entries] } }
}

/** What was said last: by its document, or by its last checkpoint where it has none. */
async function lastSaid(context: Context, row: WorkRow, open: OpenDocument | null) {
  if (open === null) return (await newestWholePoint(context, row.position.checkpoint)).checkpoint
  const document = decodeDocument(open.text)
  return { work: workOf(document), completion: document.completion }
}

export const archive = defineVerb({
  name: 'archive',
  summary: 'Close finished work, with its outcome and learnings',
  detail:
    'Adds a completion to its document, if it has one, moves it to checkpoints/archive/ (like `git mv`), and adds its learnings to checkpoints/LEARNINGS.md. If you moved the document by hand, it only adds the learnings, once. Reopen it with `savepoint restore`.',
  fields: {
    id: STREAM_FIELD,
    outcome: {
      kind: 'text',
      value: 'TEXT',
      about: 'what was achieved (required, unless the document says it)',
    },
    learning: { kind: 'words', value: 'TEXT', about: 'a lesson learned' },
    force: { kind: 'flag', about: 'even if forks of it are still open' },
  },
  examples: [
    'savepoint archive auth-system --outcome "Login with refresh tokens is live" --learning "Rotate tokens on every use"',
  ],
  access: 'write',
  takesIn: 'events',
  async perform(context, { id, outcome, learning, force }) {
    return actOnDocuments<ArchiveReceipt>(context, async (survey) => {
      const row = requireRow(survey, id)
      const { position, stream } = row
      const isOver = standingOf(row) === 'archived'
      const open = isBare(row) ? null : await requireDocument(context, survey, id)
      const { work, completion = null } = await lastSaid(context, row, open)
      if (isOver) {
        refuseMore(row, completion, redactAll({ outcome, learning }, context.mark))
        const entry = owedEntry(stream.name, stream.id, position.checkpoint)
        return {
          // Who moved the file by hand asks for what an archive adds to LEARNINGS.md by the same command.
          commit: open && (await lacksEntry(context, row)) ? { views: [entry] } : {},
          answer: {
            ...{ id: stream.name, path: open?.view.path ?? null, outcome: completion?.outcome ?? '' },
            learnings: completion?.learnings ?? [],
            ...{ checkpoint: position.checkpoint, sequence: position.sequence, already: true },
          },
        }
      }
      if (open) requireEnd(open)
      const known = [...learningsIn(work), ...learning]
      // Without a document it is open again only where a merge closed it, and that said nothing of its own.
      const end = completionOf(context, open && completion, outcome, known)
      if (!force) refuseOpenChildren(survey, row)
      const dated = { ...end, date: documentTimestamp(context) }
      const closed = await closeWork(context, survey, row, { open, work, completion: dated })
      const { path, checkpoint, commit } = closed
      return {
        commit: { ...commit, ...(row.focused ? { focus: null } : {}) },
        answer: {
          ...{ id: stream.name, path, outcome: end.outcome, learnings: end.learnings, checkpoint },
          ...{ sequence: stream.headSequence + 1, already: false },
        },
      }
    })
  },
  say: ({ id, path, learnings, already }, { paint }) => {
    const where = path === null ? '' : ` (${path})`
    const kept = path === null ? 'kept' : 'in checkpoints/LEARNINGS.md'
    return [
      already ? `${id} is already archived${where}` : `${paint('good', `Archived ${id}`)}${where}`,
      ...(learnings.length > 0 && !(already && path === null)
        ? [`  ${formatCount(learnings.length, 'learning')} ${kept}`]
        : []),
    ].join('\n')
  },
  tool: {
    title: 'Archive finished work',
    when: 'Call it when the user says that the work is finished. At the end of a session call save or handoff instead.',
    effect: 'changes',
    facts: {
      id: textFact(),
      path: nullableFact(textFact()),
      checkpoint: textFact(),
      sequence: integerFact(),
      learnings: integerFact(),
      already: flagFact('was already archived'),
      files: choiceFact(['published', 'pending']),
    },
    factsOf: ({ id, path, checkpoint, sequence, learnings, already, files }) => ({
      ...{ id, path, checkpoint, sequence, already, files },
      learnings: learnings.length,
    }),
  },
})
