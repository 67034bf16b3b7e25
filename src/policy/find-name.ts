import { nameKey } from '../core/id.ts'
import { lettersApart } from '../core/text.ts'
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
  const near = all
    .filter(({ foreign }) => !foreign)
    .map(({ name }) => ({ name, slips: lettersApart(key, nameKey(name)) }))
    .filter(({ name, slips }) => slips <= Math.max(1, Math.floor(name.length / 4)))
  return near.sort((a, b) => a.slips - b.slips)[0]?.name ?? null
}
