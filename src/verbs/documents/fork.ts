import { actOnDocuments } from '../../engine/documents/act-on-documents.ts'
import {
  beginDocument,
  documentTimestamp,
  requireDocumentName,
} from '../../engine/documents/begin-document.ts'
import { requireDocument, requireRow } from '../../engine/documents/find-stream.ts'
import { pointAt } from '../../engine/documents/point.ts'
import { isBare } from '../../engine/documents/survey.ts'
import { trustOwnWorkspace } from '../../engine/documents/trust-own-workspace.ts'
import { withoutCompletion } from '../../formats/checkpoint-md/edit.ts'
import { foldDeltas } from '../../formats/checkpoint-md/fold.ts'
import { setFrontMatter } from '../../formats/markdown/front-matter.ts'
import { redact } from '../../policy/redact.ts'
import { choiceFact, flagFact, nullableFact, textFact } from '../define/facts.ts'
import { defineVerb } from '../define/verb.ts'
import { sayMade } from './new.ts'
import { STREAM_FIELD } from './stream-field.ts'

/** A document of its own with everything that its parent knows: the deltas are folded into the body. */
const forkText = (text: string, front: ReadonlyArray<[key: string, value: string | null]>) =>
  front.reduce(
    (made, [key, value]) => setFrontMatter(made, key, value),
    withoutCompletion(foldDeltas(text).text),
  )

export const fork = defineVerb({
  name: 'fork',
  summary: 'Start a document from another one',
  detail: 'The new document has the full content of its parent, with deltas merged in, and a link to it.',
  fields: {
    id: { ...STREAM_FIELD, about: 'name of the parent' },
    name: {
      kind: 'text',
      at: 1,
      required: true,
      check: requireDocumentName,
      about: 'name of the new document',
    },
    anchor: { kind: 'text', value: 'TEXT', about: 'the phase or point in the conversation it covers' },
    current: { kind: 'flag', about: 'put it in focus' },
  },
  examples: ['savepoint fork auth-system auth-with-passkeys --current'],
  access: 'write',
  takesIn: 'events',
  async perform(context, { id, name, anchor, current }) {
    return actOnDocuments(context, async (survey) => {
      await trustOwnWorkspace(context, survey)
      const row = requireRow(survey, id)
      const parent = row.stream.name
      const { text } = isBare(row)
        ? await pointAt(context, row)
        : await requireDocument(context, survey, parent)
      const child = forkText(text, [
        ['checkpoint', name],
        ['created', documentTimestamp(context)],
        ['parent', parent],
        ['status', current ? 'current' : 'active'],
        ['last_delta', null],
        ...(anchor === undefined ? [] : [['anchor', redact(anchor, context.mark)] as [string, string]]),
      ])
      const note = `forked from ${parent}`
      return beginDocument(context, survey, { name, parent, text: child, current, note })
    })
  },
  say: (made) => sayMade(made, `See both: savepoint diff ${made.parent} ${made.id}`),
  tool: {
    title: 'Fork a document',
    when: 'Call it when another approach or part of the work needs its own document, not to continue the same work.',
    effect: 'adds',
    facts: {
      id: textFact(),
      path: textFact(),
      parent: nullableFact(textFact()),
      checkpoint: textFact(),
      focused: flagFact(),
      files: choiceFact(['published', 'pending']),
    },
    factsOf: ({ id, path, parent, checkpoint, focused, files }) => ({
      ...{ id, path, parent, checkpoint, focused, files },
    }),
  },
})
