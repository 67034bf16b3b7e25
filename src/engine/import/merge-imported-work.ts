import { type Decision, newItems, type WorkState } from '../../core/work.ts'
import { carryForward } from '../../policy/carry.ts'
import { capWork } from '../../policy/save.ts'
import type { ReadSource } from './read-source.ts'

/** What all checkpoints of one stream may carry of imported decisions, in characters, and what each of them. */
const CARRIED = { all: 10_000_000, least: 6_000, most: 60_000 }
/** What a decision costs besides its words. */
const AROUND = 100

/**
 * How much room the imported decisions have in each of so many checkpoints. Each has all that it carries, and
 * thousands of them must not fill the store. What is cut stands in the checkpoint where it came up.
 */
export const roomFor = (checkpoints: number) =>
  Math.min(CARRIED.most, Math.max(CARRIED.least, Math.floor(CARRIED.all / checkpoints)))

/**
 * The work as a source of its time tells it, with what was known before. What is known keeps its word: an old note
 * brings back no decision that was superseded since, and makes no claim less sure.
 */
export function mergeImportedWork(
  before: WorkState,
  { said }: Pick<ReadSource, 'said'>,
  { own, room }: { own: ReadonlySet<string>; room: number },
): { work: WorkState; dropped: number } {
  const { decisions = [], constraints = [], rules = [], facts = [], position, ...rest } = said
  const carried = carryForward(before, {
    ...rest,
    decisions: newItems(before.decisions, decisions),
    constraints: [...before.constraints, ...newItems(before.constraints, constraints)],
    rules: [...before.rules, ...newItems(before.rules, rules)],
    facts: [...before.facts, ...newItems(before.facts, facts)],
  })
  const stated = Object.entries(position ?? {}).filter(([, value]) => value !== '' && value !== null)
  const kept = keepNewestFitting(carried.decisions, own, room)
  const { work, dropped } = capWork({
    ...carried,
    decisions: kept,
    position: { ...before.position, ...Object.fromEntries(stated) },
  })
  return { work, dropped: dropped + carried.decisions.length - kept.length }
}

/** The newest that fit, and all that were known before. */
function keepNewestFitting(
  decisions: readonly Decision[],
  own: ReadonlySet<string>,
  room: number,
): Decision[] {
  let left = room
  const kept = decisions.toReversed().filter(({ text, why }) => {
    if (own.has(text)) return true
    left -= text.length + why.length + AROUND
    return left >= 0
  })
  return kept.reverse()
}
