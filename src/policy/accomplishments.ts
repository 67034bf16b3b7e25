import { plainLine } from '../core/bullets.ts'
import type { Session } from '../core/session.ts'
import { formatCount } from '../core/text.ts'

/** What a session got done: in the words that somebody gave, else counted from what it did. */
export function accomplishmentsOf({
  accomplishments,
  statistics,
  outcomes,
}: Pick<Session, 'accomplishments' | 'statistics' | 'outcomes'>): string[] {
  const given = accomplishments.map(plainLine).filter((text) => text !== '')
  if (given.length > 0) return given
  const names = [...new Set(outcomes.map(({ outcomeName }) => plainLine(outcomeName)))].filter(
    (name) => name !== '',
  )
  return [
    ...countLine('Modified', statistics.filesModified.length, 'file'),
    ...countLine('Made', statistics.gitCommits, 'commit'),
    ...countLine('Completed', statistics.tasksCompleted, 'task'),
    ...countLine('Worked on', names.length, 'outcome').map((text) => `${text}: ${names.join(', ')}`),
  ]
}

const countLine = (verb: string, count: number, noun: string) =>
  count > 0 ? [`${verb} ${formatCount(count, noun)}`] : []
