import { nameKey } from '../core/id.ts'
import { branchSlug, isBranchs, type StreamFacts } from './resolve.ts'

/** What a name that somebody types is compared with. */
export type NamedWork = Pick<StreamFacts, 'name' | 'branch' | 'standing' | 'foreign'>

/** The work that is meant; else what it could be: several that begin so, or one that is spelled alike. */
export type NameMatch = { found: string } | { found: null; several: string[]; alike: string | null }

/**
 * The work that somebody means by a name: the one that has it, the one of a branch with that name, or the only one that
 * begins with it. Work that is over, and text that nobody has reviewed, are found by their whole name alone where
 * anything else begins so.
 */
export function matchName(all: readonly NamedWork[], typed: string): NameMatch {
  const key = nameKey(typed)
  const exact =
    all.find(({ name }) => nameKey(name) === key) ??
    all.find((one) => one.branch === typed && isBranchs(one)) ??
    all.find(({ name }) => nameKey(name) === nameKey(branchSlug(typed)))
  if (exact) return { found: exact.name }
  const starts = all.filter(
    ({ name, foreign }) =>
      !foreign && [key, nameKey(branchSlug(typed))].some((start) => nameKey(name).startsWith(start)),
  )
  const open = starts.filter(({ standing }) => standing !== 'archived')
  const [first, ...more] = open.length > 0 ? open : starts
  if (first && more.length === 0) return { found: first.name }
  if (first) return { found: null, several: [first, ...more].map(({ name }) => name).sort(), alike: null }
  return { found: null, several: [], alike: spelledAlike(all, key) }
}

/** The name with the fewest slips of the pen, where there are few of them for its length. */
function spelledAlike(all: readonly NamedWork[], key: string): string | null {
  let best: { name: string; slips: number } | null = null
  for (const { name, foreign } of all) {
    const slips = foreign ? Number.POSITIVE_INFINITY : countSlips(key, nameKey(name))
    if (
      slips <= Math.max(1, Math.floor(name.length / 4)) &&
      slips < (best?.slips ?? Number.POSITIVE_INFINITY)
    )
      best = { name, slips }
  }
  return best?.name ?? null
}

/** How many letters were left out, added, changed, or swapped with the next one. */
function countSlips(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > MOST_SLIPS) return Number.POSITIVE_INFINITY
  let [before, row] = [[] as number[], Array.from({ length: other.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1]
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    ;[before, row] = [row, next]
  }
  return row[other.length] ?? 0
}

const MOST_SLIPS = 8
