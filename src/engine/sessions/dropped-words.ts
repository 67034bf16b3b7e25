import type { Session } from '../../core/session.ts'
import { estimateTokens } from '../../core/tokens.ts'
import { renderNotes } from '../../formats/brief-md/render.ts'
import { droppedFrom } from '../../policy/digest/dropped.ts'
import { runningIn } from '../../policy/running-in.ts'
import { streamOf } from '../../policy/session-stream.ts'
import { withinBudget } from '../brief/within-budget.ts'
import type { Context } from '../context/context.ts'
import { savedByHand } from '../documents/automatic.ts'
import { wholeOrNothing } from '../documents/newest-whole.ts'
import { findRow, look } from '../documents/survey.ts'
import { digestOf } from '../surroundings/session-digest.ts'
import type { Answer } from './start-brief.ts'

/**
 * What the client's summary of a compaction does not hold of what the user said and what was saved, and what was
 * running. Null while the summary is not known; an empty text where it dropped nothing.
 */
export async function droppedWords(context: Context, session: Session): Promise<Answer> {
  const summary = session.compaction?.summary ?? null
  if (summary === null) return null
  const survey = await look(context)
  const row = findRow(survey, streamOf(session))
  const known = row && !row.position.foreign ? await wholeOrNothing(context, row.position.checkpoint) : null
  const digest = await digestOf(context.store, session)
  const { trusted } = survey
  const lines = [
    ...droppedFrom(digest, known && (trusted ? known.work : await savedByHand(context.store, known)), {
      summary,
      trusted,
      until: session.compaction?.at ?? '',
    }),
    ...(trusted ? runningIn(session) : [])
      .filter(({ what }) => !summary.includes(what))
      .map(({ what }) => `Still running: ${what}`),
  ]
  if (lines.length === 0) return { text: '', tokens: 0 }
  const text = renderNotes(
    'Known before the compaction, and not in its summary',
    withinBudget(lines, context.settings.brief_tokens),
  )
  return { text, tokens: estimateTokens(text) }
}
