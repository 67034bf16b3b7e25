import { requireName } from '../../core/id.ts'
import { ReasonError } from '../../core/reason.ts'
import { actOnDocuments, type Files } from '../../engine/documents/act-on-documents.ts'
import { requireOpen } from '../../engine/documents/find-stream.ts'
import { readSurvey } from '../../engine/documents/read-survey.ts'
import { focusOn } from '../../engine/documents/set-focus.ts'
import { isHere } from '../../engine/documents/survey.ts'
import { choiceFact, nullableFact, textFact } from '../define/facts.ts'
import { defineVerb } from '../define/verb.ts'

interface FocusReceipt {
  /** The one in focus now. */
  id: string | null
  beforeId: string | null
  path: string | null
}

export const focus = defineVerb({
  name: 'focus',
  summary: 'Show or choose the checkpoint document in focus',
  detail:
    'At most one document is in focus in a workspace. Choosing one writes `status: current` into it, and `status: active` into the one before.',
  fields: {
    id: {
      kind: 'text',
      at: 0,
      check: requireName,
      about: 'the document to work on; without it the one in focus is shown',
    },
    clear: { kind: 'flag', about: 'have none in focus' },
  },
  examples: ['savepoint focus', 'savepoint focus auth-system', 'savepoint focus --clear'],
  access: ({ id, clear }) => (id !== undefined || clear ? 'write' : 'read'),
  takesIn: 'events',
  async perform(context, { id, clear }): Promise<FocusReceipt & { files?: Files }> {
    if (id !== undefined && clear)
      throw new ReasonError('usage_invalid', { problem: 'either name a document or give --clear' })
    if (id === undefined && !clear) {
      const survey = await readSurvey(context)
      const row = survey.rows.find(({ focused }) => focused)
      const path = row && isHere(survey, row) ? row.view?.path : null
      return { id: row?.stream.name ?? null, beforeId: null, path: path ?? null }
    }
    return actOnDocuments(context, async (survey) => {
      const chosen = id === undefined ? null : (await requireOpen(context, survey, id)).row
      return {
        commit: await focusOn(context, survey, chosen),
        answer: {
          id: chosen?.stream.name ?? null,
          beforeId: survey.rows.find(({ focused }) => focused)?.stream.name ?? null,
          path: chosen?.view?.path ?? null,
        },
      }
    })
  },
  say: ({ id, beforeId, path }) =>
    [
      id === null
        ? 'No document is in focus.'
        : `${id} is in focus (${path ?? 'its document is not in this workspace'}).`,
      beforeId !== null && beforeId !== id ? `Before it was ${beforeId}.` : '',
    ]
      .filter(Boolean)
      .join('\n'),
  tool: {
    title: 'Focus on a document',
    when: 'Call it when the user turns to another piece of work that has a document: saves and briefs without a name then mean that one. Without an id it only tells which one is in focus.',
    effect: 'changes',
    facts: {
      id: nullableFact(textFact('the piece of work in focus now')),
      beforeId: nullableFact(textFact('the one before, where that was changed')),
      path: nullableFact(textFact('its document; null where this workspace has none')),
      files: nullableFact(choiceFact('whether the files say it already', ['published', 'pending'])),
    },
    factsOf: ({ id, beforeId, path, files = null }) => ({ id, beforeId, path, files }),
  },
})
