import { fittingLines } from './brief-of.ts'

/** What stands around the lines: the fence, the title, and the line that counts what is missing. */
const AROUND = 60

/** Lines for an agent within the budget of a brief; the last one says how many had no room. */
export function withinBudget(all: readonly string[], budget: number): string[] {
  const { lines, left } = fittingLines(all, budget - AROUND)
  return left === 0 ? lines : [...lines, `${left} more: savepoint resume`]
}
