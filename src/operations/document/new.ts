import { nameKey, requireName } from '../../core/id.ts'
import { instant } from '../../core/ports.ts'
import { ReasonError } from '../../core/reason.ts'
import { activePath, archivePath, isDocumentName } from '../../formats/checkpoint-md/layout.ts'
import { newDocument } from '../../formats/checkpoint-md/template.ts'
import { redact } from '../../policy/redact.ts'
import type { DocumentCommit } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { operation } from '../operation.ts'
import { type Act, act } from './act.ts'
import { joined, owedDocument, pointOf } from './checkpoint-of.ts'
import { requireSize } from './edit-document.ts'
import { provenanceHere, requireRow } from './find-stream.ts'
import { trustIfOurs } from './give-trust.ts'
import { clearCurrents } from './set-focus.ts'
import { findRow, isTakenPath, type Survey } from './survey.ts'
import { newStream } from './take-in.ts'

export interface Made {
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
  if (isDocumentName(`${name}.md`)) return
  throw new ReasonError('id_invalid', {
    what: 'the id',
    value: JSON.stringify(name),
    problem: 'it is reserved',
  })
}

/** Timestamps in documents are read by people: whole seconds do. */
export const stampOf = (context: Context) => `${instant(context.ports.now()).slice(0, 19)}Z`

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
): Promise<Act<Made>> {
  refuseTaken(context, survey, name)
  const stream = newStream(context, name)
  const origin = parent === null ? undefined : requireRow(survey, parent)
  const point = pointOf(context, {
    stream,
    text,
    parent: null,
    after: null,
    trigger: { kind: 'manual', note },
    provenance: provenanceHere(context),
    foreign: origin?.position.foreign ?? false,
  })
  const path = activePath(name)
  requireSize(text, path)
  const { id: checkpoint } = point.checkpoint
  const begins: Partial<DocumentCommit> = {
    ...point.commit,
    begins: [stream],
    documents: [owedDocument(point, path, null)],
  }
  const focus = current ? { ...(await clearCurrents(context, survey, stream.id)), focus: stream.id } : {}
  const answer = {
    id: name,
    path,
    parent: origin?.stream.name ?? null,
    checkpoint,
    sequence: 1,
    focused: current,
  }
  return { commit: joined(context.identity.workspace, begins, focus), answer }
}

function refuseTaken(context: Context, survey: Survey, name: string): void {
  const known = findRow(survey, name)
  if (known) throw new ReasonError('stream_exists', { id: known.stream.name })
  for (const path of survey.files.keys())
    if ([activePath(name), archivePath(name)].some((mine) => mine.toLowerCase() === path.toLowerCase()))
      throw new ReasonError('document_taken', { path })
  if (isTakenPath(context, activePath(name)))
    throw new ReasonError('document_taken', { path: activePath(name) })
  const foreign = survey.foreign.find(({ id }) => nameKey(id) === nameKey(name))
  if (foreign) throw new ReasonError('document_taken', { path: foreign.path })
}

export const sayMade = ({ id, path, parent, focused }: Made, next: string) =>
  [
    `${id} begins in ${path}${parent === null ? '' : `, a child of ${parent}`}${focused ? ', and is in focus' : ''}.`,
    next,
  ].join('\n')

export const newOperation = operation({
  name: 'new',
  summary: 'Begin a checkpoint document for a piece of work',
  detail:
    'It is a Markdown file in checkpoints/active/, for you, your agents and git. Fill its sections in any editor: every later command takes your edits in.',
  fields: {
    name: {
      kind: 'text',
      at: 0,
      required: true,
      check: requireDocumentName,
      about: 'its id, for example auth-system',
    },
    parent: { kind: 'text', value: 'ID', check: requireName, about: 'the document that it descends from' },
    anchor: {
      kind: 'text',
      value: 'TEXT',
      about: 'the phase or point of the conversation that it sums up to',
    },
    current: { kind: 'flag', about: 'put it in focus' },
  },
  examples: [
    'savepoint new auth-system --current',
    'savepoint new auth-tokens --parent auth-system --anchor "phase 2"',
  ],
  access: 'write',
  async perform(context, { name, parent, anchor, current }) {
    return act(context, async (survey) => {
      await trustIfOurs(context, survey)
      const origin = parent === undefined ? null : requireRow(survey, parent).stream.name
      const text = newDocument({
        id: name,
        created: stampOf(context),
        anchor: anchor === undefined ? null : redact(anchor),
        parent: origin,
        current,
      })
      return beginDocument(context, survey, { name, parent: origin, text, current, note: 'begun' })
    })
  },
  say: (made) => sayMade(made, `Fill its sections, then: savepoint validate ${made.path}`),
})
