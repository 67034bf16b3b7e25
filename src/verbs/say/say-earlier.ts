import { ageOf, formatCount } from '../../core/text.ts'
import type { Earlier } from '../../engine/sessions/earlier-sessions.ts'

/** What was read of the sessions of before, or would be, in a line or none. */
export function sayEarlier({ read, unread, newestAt }: Earlier, nowMs: number, isDry: boolean): string[] {
  const newest = newestAt === null ? '' : `; the newest: ${ageOf(nowMs - Date.parse(newestAt))} ago`
  if (isDry) return unread === 0 ? [] : [`${formatCount(unread, 'earlier session')} to read${newest}`]
  return [
    ...(read === 0 ? [] : [`Read ${formatCount(read, 'earlier session')}${newest}`]),
    ...sayUnread(unread),
  ]
}

/** That there is more, and what reads it. */
export const sayUnread = (unread: number): string[] =>
  unread === 0 ? [] : [`${formatCount(unread, 'earlier transcript')} not read yet: savepoint reconcile`]
