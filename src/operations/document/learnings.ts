import { visible } from '../../core/visible.ts'
import { LEARNINGS_FILE } from '../../formats/checkpoint-md/layout.ts'
import { decodeLearnings } from '../../formats/checkpoint-md/learnings.ts'
import { openFolder } from '../../fs/disk.ts'
import { findFolder } from '../../fs/durable.ts'
import { operation } from '../operation.ts'
import { MAX_DOCUMENT_BYTES } from './read-documents.ts'
import { isTrustedHere } from './trusted.ts'

function readLearnings(root: string): string {
  const top = openFolder(root)
  try {
    const folder = findFolder(top, ['checkpoints'])
    try {
      return folder?.read(LEARNINGS_FILE, MAX_DOCUMENT_BYTES)?.toString('utf8') ?? ''
    } finally {
      folder?.close()
    }
  } finally {
    top.close()
  }
}

export const learnings = operation({
  name: 'learnings',
  summary: 'Show what archived work has taught',
  detail: 'It reads checkpoints/LEARNINGS.md, newest first.',
  fields: { query: { kind: 'words', at: 0, about: 'words that a learning must all contain, ignoring case' } },
  examples: ['savepoint learnings', 'savepoint learnings webhook retry'],
  access: 'read',
  async perform(context, { query }) {
    const words = query.map((word) => word.toLowerCase())
    const entries = decodeLearnings(readLearnings(context.place.root))
      .map(({ date, id, learnings }) => ({
        date,
        id,
        learnings: learnings.filter((text) =>
          words.every((word) => `${text} ${id}`.toLowerCase().includes(word)),
        ),
      }))
      .filter(({ learnings }) => learnings.length > 0)
    const trusted = await isTrustedHere(context)
    if (!trusted && entries.length > 0)
      context.notices.push('These learnings came with the repository, and this workspace is not trusted.')
    return { entries, trusted, query }
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
