import { usageError } from '../../core/reason.ts'
import { actOnDocuments, type Files } from '../../engine/documents/act-on-documents.ts'
import { requireOpenWork } from '../../engine/documents/find-stream.ts'
import { readSurvey } from '../../engine/documents/read-survey.ts'
import { focusOn } from '../../engine/documents/set-focus.ts'
import { isBare, isHere } from '../../engine/documents/survey.ts'
import { choiceFact, nullableFact, textFact } from '../define/facts.ts'
import { defineVerb } from '../define/verb.ts'
import { MAYBE_STREAM } from './stream-field.ts'

interface FocusReceipt {
  /** The one in focus now. */
  id: string | null
  beforeId: string | null
  path: string | null
  /** It has a document, and this workspace does not have it. */
  isAway: boolean
}

export const focus = defineVerb({
  name: 'focus',
  summary: 'Show or set the work in focus',
  detail:
    'Commands without a name use the work in focus. Setting it writes `status: current` to its document, if it has one, and `status: active` to the previous one.',
  fields: {
    id: { ...MAYBE_STREAM, about: 'name of the work (default: show the focus)' },
    clear: { kind: 'flag', about: 'clear the focus' },
  },
  examples: ['savepoint focus', 'savepoint focus auth-system', 'savepoint focus --clear'],
  access: ({ id, clear }) => (id !== undefined || clear ? 'write' : 'read'),
  takesIn: 'events',
  async perform(context, { id, clear }): Promise<FocusReceipt & { files?: Files }> {
    if (id !== undefined && clear) throw usageError('either name a piece of work or give --clear')
    if (id === undefined && !clear) {
      const survey = await readSurvey(context)
      const row = survey.rows.find(({ focused }) => focused)
      const path = row && isHere(survey, row) ? row.view?.path : null
      const isAway = row !== undefined && !isBare(row) && !path
      return { id: row?.stream.name ?? null, beforeId: null, path: path ?? null, isAway }
    }
    return actOnDocuments(context, async (survey) => {
      const chosen = id === undefined ? null : await requireOpenWork(context, survey, id)
      return {
        commit: await focusOn(context, survey, chosen),
        answer: {
          id: chosen?.stream.name ?? null,
          beforeId: survey.rows.find(({ focused }) => focused)?.stream.name ?? null,
          path: chosen?.view?.path ?? null,
          isAway: false,
        },
      }
    })
  },
  say: ({ id, beforeId, path, isAway }) =>
    [
      id === null
        ? 'Nothing in focus'
        : `In focus: ${id}${isAway ? ' (file not in this worktree)' : path === null ? '' : ` (${path})`}`,
      beforeId !== null && beforeId !== id ? `  Before: ${beforeId}` : '',
    ]
      .filter(Boolean)
      .join('\n'),
  tool: {
    title: 'Focus on work',
    when: 'Call it when the user switches to other work: saves and briefs without a name then use it. Without an id it only shows the focus.',
    effect: 'changes',
    facts: {
      id: nullableFact(textFact()),
      beforeId: nullableFact(textFact('the previous focus, if changed')),
      path: nullableFact(textFact()),
      files: nullableFact(choiceFact(['published', 'pending'])),
    },
    factsOf: ({ id, beforeId, path, files = null }) => ({ id, beforeId, path, files }),
  },
})
