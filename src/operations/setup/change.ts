import type { HookChange } from '../../agents/claude/settings.ts'
import { differenceOf, sayDifference } from '../../formats/checkpoint-md/difference.ts'
import { namedRows } from '../text.ts'

/** One thing that was done, or would be. */
export interface Change {
  /** For `ran` the command, which the client of the agent carried out. */
  path: string
  what: 'made' | 'changed' | 'removed' | 'restored' | 'trusted' | 'ran'
  about: string
  /** What changes in a file of others, line by line. */
  diff: string | null
}

/** `hooks for 12 events`, or which where they are few. */
export function hooksChanged(changes: readonly HookChange[]): string {
  return (['added', 'updated', 'removed'] as const)
    .map((what) => ({
      what,
      events: changes.filter((change) => change.what === what).map(({ event }) => event),
    }))
    .filter(({ events }) => events.length > 0)
    .map(({ what, events }) => `hooks ${what}: ${events.join(', ')}`)
    .join('; ')
}

export const diffOf = (path: string, before: string, after: string) =>
  sayDifference(differenceOf(before, after), { from: path, to: path })

/** The list of paths with what becomes of each; with `diffs` also line by line. */
export function sayChanges(changes: readonly Change[], columns: number, { diffs = false } = {}): string {
  const rows = changes.map(({ path, what, about }) => [what, `${path}${about ? ` (${about})` : ''}`] as const)
  const list = namedRows(rows, columns)
  return [list, ...(diffs ? changes.flatMap(({ diff }) => (diff ? [diff] : [])) : [])].join('\n')
}
