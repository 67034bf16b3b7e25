import type { Decision } from '../core/work.ts'
import { BACK } from './harvest-decisions.ts'
import { chooses } from './harvest-matter.ts'

interface Return<T> {
  /** What is returned to. */
  named: T[]
  /** What stands again: that, and all that its successors had replaced. */
  again: T[]
  /** The successors, which are over. */
  over: T[]
}

/** What "back to Redis" changes among decisions; null where nothing that it names was ever chosen. */
export function backTo<T extends Decision>(decisions: readonly T[], said: string): Return<T> | null {
  if (!BACK.test(said)) return null
  const named = decisions.filter(({ text }) => !BACK.test(text) && chooses(text, said))
  if (named.length === 0) return null
  if (named.some(({ supersededBy }) => supersededBy === null)) return { named: [], again: [], over: [] }
  const successors = new Set(named.map((one) => one.supersededBy))
  const over = decisions.filter((one) => one.supersededBy === null && successors.has(one.text))
  const again = decisions.filter((one) => over.some(({ text }) => text === one.supersededBy))
  return over.length === 0 ? null : { named: named.filter((one) => again.includes(one)), again, over }
}
