import { oneLine } from '../core/bullets.ts'
import type { Session } from '../core/session.ts'
import { count as formatCount } from '../core/text.ts'

/** What a session got done: in the words that somebody gave, else counted from what it did. */
export function accomplishmentsOf({
  accomplishments,
  statistics,
  outcomes,
}: Pick<Session, 'accomplishments' | 'statistics' | 'outcomes'>): string[] {
  const given = accomplishments.map(oneLine).filter((text) => text !== '')
  if (given.length > 0) return given
  const names = [...new Set(outcomes.map(({ outcomeName }) => oneLine(outcomeName)))].filter(
    (name) => name !== '',
  )
  return [
    ...counted('Modified', statistics.filesModified.length, 'file'),
    ...counted('Made', statistics.gitCommits, 'commit'),
    ...counted('Completed', statistics.tasksCompleted, 'task'),
    ...counted('Worked on', names.length, 'outcome').map((text) => `${text}: ${names.join(', ')}`),
  ]
}

const counted = (verb: string, count: number, noun: string) =>
  count > 0 ? [`${verb} ${formatCount(count, noun)}`] : []
