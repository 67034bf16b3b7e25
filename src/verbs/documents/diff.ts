import { ReasonError, usageError } from '../../core/reason.ts'
import { quoteShort } from '../../core/text.ts'
import type { Context } from '../../engine/context/context.ts'
import { requireKnownRow, requireRow, tellForeign } from '../../engine/documents/find-stream.ts'
import { pointAt } from '../../engine/documents/point.ts'
import { readSurvey } from '../../engine/documents/read-survey.ts'
import { findRow } from '../../engine/documents/survey.ts'
import { differenceOf, sayDifference } from '../../formats/checkpoint-md/difference.ts'
import type { WorkRow } from '../../store/acts.ts'
import { defineVerb } from '../define/verb.ts'
import { paintDifference } from '../say/paint-difference.ts'
import { STREAM_FIELD } from './stream-field.ts'

const isNumber = (word: string) => /^\d{1,9}$/.test(word)

/** A stream at a point of its history; where this workspace stands without one. */
async function sideOf(context: Context, row: WorkRow, word: string | number | undefined) {
  if (typeof word === 'string' && !isNumber(word))
    throw usageError(`${quoteShort(word)} is not a checkpoint number`)
  const point = await pointAt(context, row, word === undefined ? undefined : Number(word))
  return { id: row.stream.name, ...point }
}

/** Without points: what the newest checkpoint here changed. */
async function before(context: Context, row: WorkRow): Promise<number> {
  const history = await context.store.log.readHistory(row.stream.id)
  const stored = await context.store.log.readCheckpoint(row.position.checkpoint)
  const parent = stored?.state === 'whole' ? stored.checkpoint.parent : null
  const found = history.find(({ id }) => id === parent)
  if (found) return found.sequence
  const at = `before number ${row.position.sequence}`
  throw new ReasonError('checkpoint_unknown', { id: row.stream.name, at })
}

export const diff = defineVerb({
  name: 'diff',
  summary: 'Compare two versions of a document, or two documents',
  detail:
    'Without numbers it shows what the newest checkpoint changed. With one number, the changes since then; with two, those between them. With another name, the differences between the two documents.',
  fields: {
    id: STREAM_FIELD,
    from: { kind: 'text', at: 1, value: 'A', about: 'number of a checkpoint, or another document' },
    to: {
      kind: 'text',
      at: 2,
      value: 'B',
      about: 'number of a checkpoint (of the other document, if named)',
    },
  },
  examples: [
    'savepoint diff auth-system',
    'savepoint diff auth-system 3',
    'savepoint diff auth-system 3 5',
    'savepoint diff auth-system auth-with-passkeys',
  ],
  access: 'read',
  takesIn: 'events',
  async perform(context, { id, from, to }) {
    const survey = await readSurvey(context)
    const row = requireKnownRow(survey, id)
    tellForeign(context, row)
    const other =
      from !== undefined && (findRow(survey, from) || !isNumber(from)) ? requireRow(survey, from) : null
    const first = from === undefined ? await before(context, row) : other ? undefined : from
    const old = await sideOf(context, row, first)
    const now = await sideOf(context, other ?? row, to)
    const difference = differenceOf(old.text, now.text)
    const { added, removed } = difference
    const names = { from: `${old.id}@${old.sequence}`, to: `${now.id}@${now.sequence}` }
    return {
      from: { id: old.id, sequence: old.sequence, checkpoint: old.checkpoint },
      to: { id: now.id, sequence: now.sequence, checkpoint: now.checkpoint },
      ...{ added, removed, diff: sayDifference(difference, names) },
    }
  },
  say: ({ diff, from, to }, { paint }) =>
    diff === ''
      ? `No difference between ${from.id}@${from.sequence} and ${to.id}@${to.sequence}`
      : paintDifference(diff, paint),
  exact: ({ diff }) => (diff === '' ? null : `${diff}\n`),
})
