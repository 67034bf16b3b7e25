import { nameKey } from '../../core/id.ts'
import { ReasonError } from '../../core/reason.ts'
import { formatCount } from '../../core/text.ts'
import type { WorkState } from '../../core/work.ts'
import type { Context } from '../../engine/context/context.ts'
import { actOnDocuments, type DocumentAct } from '../../engine/documents/act-on-documents.ts'
import { documentTimestamp } from '../../engine/documents/begin-document.ts'
import { workPoint } from '../../engine/documents/checkpoint-of.ts'
import { editDocument } from '../../engine/documents/edit-document.ts'
import {
  afterHead,
  requireDocument,
  requireEnd,
  requireOpen,
  requireRow,
} from '../../engine/documents/find-stream.ts'
import { newestWholePoint } from '../../engine/documents/newest-whole-point.ts'
import { lacksLearnings } from '../../engine/documents/owed-learnings.ts'
import { isBare, isTakenPath, type Survey, standingOf } from '../../engine/documents/survey.ts'
import { provenanceOf } from '../../engine/trust/here.ts'
import { type DocumentCompletion, decodeDocument, isNone } from '../../formats/checkpoint-md/codec.ts'
import { setCompletion } from '../../formats/checkpoint-md/edit.ts'
import { archivePath, entryPath, isDocumentName } from '../../formats/checkpoint-md/layout.ts'
import { learningEntryOf } from '../../formats/checkpoint-md/learnings.ts'
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

type SaidCompletion = Pick<DocumentCompletion, 'outcome' | 'learnings'>

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
    if (isFree && isDocumentName(path.slice(path.lastIndexOf('/') + 1))) return path
  }
}

/** What saves noted as learned. */
const learningsNoted = ({ references }: WorkState) =>
  references.filter(({ kind }) => kind === 'learning').map((one) => one.text)

/** What the user says, and what the document says already. */
function completionOf(
  { mark }: Context,
  completion: SaidCompletion | null,
  outcome: string | undefined,
  learnings: string[],
) {
  const said = (outcome ?? '').trim() || (completion?.outcome ?? '')
  if (said === '' || isNone(said))
    throw new ReasonError('usage_invalid', { problem: 'give the outcome: --outcome "…"' })
  const all = [...(completion?.learnings ?? []), ...learnings].map((line) => line.trim())
  return redactAll({ outcome: said, learnings: [...new Set(all.filter((line) => !isNone(line)))] }, mark)
}

/** Who moved the file by hand asks for what an archive adds to LEARNINGS.md by the same command. */
async function owedEntry(context: Context, { stream, position }: WorkRow): Promise<Partial<DocumentCommit>> {
  const stored = await context.store.log.readCheckpoint(position.checkpoint)
  const entry = stored?.state === 'whole' ? learningEntryOf(stored.checkpoint, stream.name) : null
  if (entry === null || position.foreign || !lacksLearnings(context, entry)) return {}
  const { checkpoint } = position
  return { entries: [{ stream: stream.id, checkpoint, path: entryPath(stream.name) }] }
}

/** Work without a document ends in the store alone: nothing is put into the repository, and its learnings are told all the same. */
async function closeWork(
  context: Context,
  survey: Survey,
  row: WorkRow,
  { outcome, learning, force }: { outcome: string | undefined; learning: string[]; force: boolean },
): Promise<DocumentAct<ArchiveReceipt>> {
  const { checkpoint: last } = await newestWholePoint(context, row.position.checkpoint)
  const answer = { id: row.stream.name, path: null }
  if (standingOf(row) === 'archived') {
    const { outcome: said = '', learnings = [] } = last.completion ?? {}
    refuseMore(row, { outcome: said, learnings }, redactAll({ outcome, learning }, context.mark))
    const { checkpoint, sequence } = row.position
    return {
      commit: {},
      answer: { ...answer, outcome: said, learnings, checkpoint, sequence, already: true },
    }
  }
  if (!force) refuseOpenChildren(survey, row)
  const completion = completionOf(context, null, outcome, [...learningsNoted(last.work), ...learning])
  const { checkpoint, commit } = workPoint(context, {
    ...{ stream: row.stream, parent: row.position.checkpoint, after: afterHead(row) },
    work: redactAll(last.work, context.mark),
    triggers: [{ kind: 'manual', note: 'archived' }],
    change: { summary: completion.outcome, artifacts: [], transitions: [], commands: [] },
    provenance: provenanceOf(survey),
    foreign: row.position.foreign,
    completion: { ...completion, date: documentTimestamp(context) },
  })
  return {
    commit: { ...commit, ...(row.focused ? { focus: null } : {}) },
    answer: {
      ...answer,
      ...completion,
      ...{ checkpoint: checkpoint.id, sequence: row.stream.headSequence + 1, already: false },
    },
  }
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
      const found = requireRow(survey, id)
      if (isBare(found)) return closeWork(context, survey, found, { outcome, learning, force })
      if (standingOf(found) === 'archived') {
        const { row, view, text } = await requireDocument(context, survey, id)
        const said = decodeDocument(text).completion
        refuseMore(row, said, redactAll({ outcome, learning }, context.mark))
        return {
          commit: await owedEntry(context, row),
          answer: {
            ...{ id: row.stream.name, path: view.path, outcome: said?.outcome ?? '' },
            learnings: said?.learnings ?? [],
            ...{ checkpoint: row.position.checkpoint, sequence: row.position.sequence, already: true },
          },
        }
      }
      const open = await requireOpen(context, survey, id)
      const { row, view, text } = open
      requireEnd(open)
      const document = decodeDocument(text)
      const completion = completionOf(context, document.completion, outcome, [
        ...learningsNoted(workOf(document)),
        ...learning,
      ])
      if (!force) refuseOpenChildren(survey, row)
      const path = freePath(context, survey, row.stream.name)
      const stated = view.current ? setFrontMatter(text, 'status', 'active') : text
      const finished = setCompletion(stated, { ...completion, date: documentTimestamp(context) })
      const { point, commit } = await editDocument(
        context,
        survey,
        { ...open, view: { ...view, path } },
        finished,
        {
          kind: 'manual',
          note: 'archived',
          change: { summary: completion.outcome, artifacts: [], transitions: [], commands: [] },
        },
      )
      const { id: checkpoint } = point.checkpoint
      const owed = { stream: row.stream.id, checkpoint }
      const moved: Partial<DocumentCommit> = {
        ...commit,
        documents: (commit.documents ?? []).map((document) => ({ ...document, base: null })),
        leaving: [{ ...owed, path: view.path, hash: view.hash }],
        entries: completion.learnings.length > 0 ? [{ ...owed, path: entryPath(row.stream.name) }] : [],
        ...(row.focused ? { focus: null } : {}),
      }
      return {
        commit: moved,
        answer: {
          ...{ id: row.stream.name, path, outcome: completion.outcome },
          ...{ learnings: completion.learnings, checkpoint },
          ...{ sequence: row.stream.headSequence + 1, already: false },
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
