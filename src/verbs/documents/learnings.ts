import { sha256 } from '../../core/canonical.ts'
import { visible } from '../../core/visible.ts'
import { NOTICES } from '../../engine/context/notices.ts'
import { readLearnings } from '../../engine/documents/read-learnings.ts'
import { judgeFile } from '../../engine/surroundings/judge-file.ts'
import { lookHere } from '../../engine/trust/here.ts'
import { LEARNINGS_PATH } from '../../formats/checkpoint-md/layout.ts'
import { decodeLearnings } from '../../formats/checkpoint-md/learnings.ts'
import { defineVerb } from '../define/verb.ts'

export const learnings = defineVerb({
  name: 'learnings',
  summary: 'Show what archived work has taught',
  detail: 'It reads checkpoints/LEARNINGS.md, newest first.',
  fields: { query: { kind: 'words', at: 0, about: 'words that a learning must all contain, ignoring case' } },
  examples: ['savepoint learnings', 'savepoint learnings webhook retry'],
  access: 'read',
  async perform(context, { query }) {
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
  },
  say: ({ entries, query }) =>
    entries.length === 0
      ? query.length === 0
        ? 'Nothing learned yet: `savepoint archive` writes down what finished work has taught.'
        : 'Nothing learned matches.'
      : entries
          .map(({ date, id, learnings }) =>
            [`${date}  ${id}`, ...learnings.map((line) => `  - ${visible(line)}`)].join('\n'),
          )
          .join('\n'),
})
