import type { Artifact, Claim, Item, WorkState } from '../core/work.ts'
import { keyOf } from './harvest-matter.ts'
import { decisionsWith } from './harvest-merge-decisions.ts'
import { CUT_OFF } from './harvest-next.ts'
import { FAILING, type Yield } from './harvest-yield.ts'

type Found = Pick<Yield, 'work' | 'times' | 'decidedAt' | 'nextAt'> &
  Partial<Pick<Yield, 'corrects' | 'lastAt'>>

/**
 * What was known, with what a transcript adds. A save outranks it: nothing known goes, what was said again is not
 * told twice, what was superseded comes back only where the user chose it again since, and how things stand is
 * replaced only by what came after `savedAt`. Doing it again changes nothing.
 */
export function withHarvest(
  known: WorkState,
  { work, times, decidedAt, nextAt, corrects = [], lastAt = null }: Found,
  { savedAt }: { savedAt: string | null },
): WorkState {
  const isNews = (at: string | null) => at !== null && (savedAt === null || at > savedAt)
  const text = (field: 'problem' | 'intent') =>
    work[field] !== '' && (known[field].trim() === '' || savedAt === null) ? work[field] : known[field]
  const standing = (field: 'state' | 'now') =>
    work[field] !== '' && (isNews(times[field]) || known[field].trim() === '') ? work[field] : known[field]
  const nextWith = (steps: Item[]): Item[] => {
    if (savedAt === null && isNews(times.next)) return work.next.map(copy)
    const isPlanned = work.next.some((_, at) => isNews(nextAt[at] || null))
    // Steps of before the save go; a request that was cut off has no time, and goes along with newer steps.
    const fresh = work.next.filter((_, at) => !nextAt[at] || isNews(nextAt[at] ?? null))
    if (isPlanned) return fresh.map(copy)
    return steps.length === 0 ? work.next.map(copy) : steps
  }
  const next = nextWith(known.next)
  // A request that was cut off takes no saved step's place, and is what is being done.
  const cut = isNews(times.next)
    ? work.next.find(({ text: said }, at) => !nextAt[at] && said !== CUT_OFF)
    : undefined
  const isLeftOut = cut !== undefined && next.every((one) => keyOf(one.text) !== keyOf(cut.text))
  return {
    ...known,
    problem: text('problem'),
    intent: text('intent'),
    decisions: decisionsWith(
      known.decisions,
      work.decisions,
      (at) => isNews(decidedAt[at] ?? null),
      corrects,
    ),
    constraints: claimsWith(known.constraints, work.constraints),
    rules: claimsWith(known.rules, work.rules),
    facts: claimsWith(known.facts, work.facts),
    done: [...known.done, ...unknown(known.done, work.done)],
    state: standing('state'),
    now: isLeftOut ? cut.text : standing('now'),
    next,
    // A session that went on after a save which named no blocker still knows of its red tests.
    blockers:
      isNews(times.blockers) || (known.blockers.length === 0 && isNews(lastAt))
        ? blockersWith(known.blockers, work.blockers)
        : known.blockers,
    questions: isNews(times.questions) ? questionsWith(known.questions, work.questions) : known.questions,
    artifacts: artifactsWith(known.artifacts, work.artifacts),
  }
}

const copy = <T extends object>(item: T): T => ({ ...item })

/** The items whose words are not there yet, each once. */
function unknown<T extends Item>(known: readonly Item[], fresh: readonly T[]): T[] {
  const keys = new Set(known.map(({ text }) => keyOf(text)))
  return fresh.filter(({ text }) => {
    const key = keyOf(text)
    return keys.has(key) ? false : keys.add(key)
  })
}

/** What the user confirmed since is sure from now on. */
function claimsWith(known: readonly Claim[], fresh: readonly Claim[]): Claim[] {
  const sure = new Map(fresh.filter(({ confirmed }) => confirmed).map((one) => [keyOf(one.text), one]))
  const kept = known.map((one) => {
    const same = one.confirmed ? undefined : sure.get(keyOf(one.text))
    return same ? { ...one, confirmed: true, origin: same.origin } : one
  })
  return [...kept, ...unknown(known, fresh).map(copy)]
}

/** Of the known blockers those go that only said which command failed. */
const blockersWith = (known: readonly Item[], fresh: readonly Item[]): Item[] => {
  const kept = known.filter(({ text }) => !text.startsWith(FAILING))
  return [...kept, ...unknown(kept, fresh).map(copy)]
}

/** Of the known questions those go that were only overheard: nobody saved them. */
const questionsWith = (known: readonly Claim[], fresh: readonly Claim[]): Claim[] => {
  const kept = known.filter(({ origin, confirmed }) => confirmed || origin !== 'agent')
  return [...kept, ...unknown(kept, fresh).map(copy)]
}

/** The newest last. A known file keeps what was said about it. */
function artifactsWith(known: readonly Artifact[], fresh: readonly Artifact[]): Artifact[] {
  const before = new Map(known.map((one) => [one.path, one]))
  const touched = fresh.filter(({ path, action }) => action !== 'mentioned' || !before.has(path))
  const paths = new Set(touched.map(({ path }) => path))
  const updated = touched.map((one) => {
    const { action, description } = before.get(one.path) ?? one
    const made = one.action === 'modified' && action === 'created'
    return { ...before.get(one.path), ...one, action: made ? action : one.action, description }
  })
  return [...known.filter(({ path }) => !paths.has(path)), ...updated]
}
