import { sha256 } from '../../core/canonical.ts'
import { visible } from '../../core/visible.ts'
import type { Context } from '../../engine/context/context.ts'
import { NOTICES } from '../../engine/context/notices.ts'
import { readLearnings } from '../../engine/documents/owed-learnings.ts'
import { judgeFile } from '../../engine/surroundings/judge-file.ts'
import { lookHere } from '../../engine/trust/here.ts'
import { LEARNINGS_PATH } from '../../formats/checkpoint-md/layout.ts'
import { decodeLearnings } from '../../formats/checkpoint-md/learnings.ts'
import type { Screen } from '../define/screen.ts'

/** What archived work has taught, by its file, the newest first; with words only what has all of them. */
export async function findLearnings(context: Context, query: string[]) {
  const words = query.map((word) => word.toLowerCase())
  const text = readLearnings(context.place.root)
  const entries = decodeLearnings(text)
    .map(({ date, id, learnings }) => ({
      date,
      id,
      learnings: learnings.filter((text) =>
        words.every((word) => `${text} ${id}`.toLowerCase().includes(word)),
      ),
    }))
    .filter(({ learnings }) => learnings.length > 0)
  const here = await lookHere(context)
  const file = { path: LEARNINGS_PATH, saying: sha256(text) }
  const isForeign = (await judgeFile(context, here, file)) === 'foreign'
  const isWithheld = isForeign && context.speaker === 'agent'
  if (isForeign && entries.length > 0)
    context.notices.push(NOTICES.learningsForeign(isWithheld, here.trusted))
  const foreign = isForeign && entries.length > 0
  return { entries: isWithheld ? [] : entries, foreign, trusted: here.trusted, query }
}

export function sayLearnings(
  { entries, query }: Awaited<ReturnType<typeof findLearnings>>,
  { paint }: Screen,
): string {
  if (entries.length === 0)
    return query.length === 0
      ? 'No learnings yet: savepoint archive writes down what finished work has taught'
      : 'No learning matches'
  return entries
    .map(({ date, id, learnings }) =>
      [paint('head', `${date}  ${id}`), ...learnings.map((line) => `  - ${visible(line)}`)].join('\n'),
    )
    .join('\n')
}
