import type { Session } from '../../core/session.ts'
import { estimateTokens } from '../../core/tokens.ts'
import { renderNotes } from '../../formats/brief-md/render.ts'
import { droppedLines } from '../../policy/digest/dropped.ts'
import { runningIn } from '../../policy/running-in.ts'
import { streamOf } from '../../policy/session-stream.ts'
import { withinBudget } from '../brief/within-budget.ts'
import type { Context } from '../context/context.ts'
import { readSavedByHand } from '../documents/automatic.ts'
import { newestWholeOrNull } from '../documents/newest-whole-point.ts'
import { findRow, surveyDocuments } from '../documents/survey.ts'
import { digestOf } from '../surroundings/session-digest.ts'
import type { HookAnswer } from './start-brief.ts'

/**
 * What the client's summary of a compaction does not hold of what the user said and what was saved, and what was
 * running. Null while the summary is not known; an empty text where it dropped nothing.
 */
export async function droppedWords(context: Context, session: Session): Promise<HookAnswer> {
  const summary = session.compaction?.summary ?? null
  if (summary === null) return null
  const survey = await surveyDocuments(context)
  const row = findRow(survey, streamOf(session))
  const known =
    row && !row.position.foreign ? await newestWholeOrNull(context, row.position.checkpoint) : null
  const digest = await digestOf(context.store, session)
  const { trusted } = survey
  const lines = [
    ...droppedLines(digest, known && (trusted ? known.work : await readSavedByHand(context.store, known)), {
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
