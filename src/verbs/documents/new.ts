import { requireLookupName } from '../../core/id.ts'
import { actOnDocuments } from '../../engine/documents/act-on-documents.ts'
import {
  beginDocument,
  documentTimestamp,
  type NewDocument,
  requireDocumentName,
} from '../../engine/documents/begin-document.ts'
import { requireRow } from '../../engine/documents/find-stream.ts'
import { trustOwnWorkspace } from '../../engine/documents/trust-own-workspace.ts'
import { newDocument } from '../../formats/checkpoint-md/template.ts'
import { redact } from '../../policy/redact.ts'
import { defineVerb } from '../define/verb.ts'

export const sayMade = ({ id, path, parent, focused }: NewDocument, next: string) =>
  [
    `Created ${path}${parent === null ? '' : ` from ${parent}`}${focused ? ` (${id} is in focus)` : ''}`,
    `  ${next}`,
  ].join('\n')

export const newVerb = defineVerb({
  name: 'new',
  summary: 'Start a checkpoint document',
  detail:
    'Creates a Markdown file in checkpoints/active/ for you, your agents and git. Edit it in any editor: the next command imports your edits.',
  fields: {
    name: {
      kind: 'text',
      at: 0,
      required: true,
      check: requireDocumentName,
      about: 'its name, for example auth-system',
    },
    parent: {
      kind: 'text',
      value: 'ID',
      names: 'work',
      check: requireLookupName,
      about: 'the parent document',
    },
    anchor: { kind: 'text', value: 'TEXT', about: 'the phase or point in the conversation it covers' },
    current: { kind: 'flag', about: 'put it in focus' },
  },
  examples: [
    'savepoint new auth-system --current',
    'savepoint new auth-tokens --parent auth-system --anchor "phase 2"',
  ],
  access: 'write',
  takesIn: 'events',
  async perform(context, { name, parent, anchor, current }) {
    return actOnDocuments(context, async (survey) => {
      await trustOwnWorkspace(context, survey)
      const origin = parent === undefined ? null : requireRow(survey, parent).stream.name
      const text = newDocument({
        id: name,
        created: documentTimestamp(context),
        anchor: anchor === undefined ? null : redact(anchor, context.mark),
        parent: origin,
        current,
      })
      return beginDocument(context, survey, { name, parent: origin, text, current, note: 'created' })
    })
  },
  say: (made) => sayMade(made, `Fill in its sections, then: savepoint validate ${made.path}`),
})
