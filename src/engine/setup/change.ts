import type { HookChange } from '../../core/agent-setup.ts'
import { differenceOf, sayDifference } from '../../formats/checkpoint-md/difference.ts'

/** One thing that was done, or would be. */
export interface SetupChange {
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
