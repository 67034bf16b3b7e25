/** Whether every fault of a sweep is tried (`npm run test:faults`), or a fixed sample of them (`npm test`). */
export const isFull = process.env.SAVEPOINT_TEST_FAULTS === 'all'

/** One of so many is in the sample. Each proves what it proves in a full run: that it fired, and that nothing is lost. */
const EVERY = 8

/** An eighth of the faults, spread evenly and the same ones at each run, at least one; all of them in a full run. */
export function sampleOf<Fault>(faults: Fault[]): Fault[] {
  if (isFull) return faults
  const count = Math.ceil(faults.length / EVERY)
  const chosen = new Set(
    Array.from({ length: count }, (_, index) => Math.floor(((index + 0.5) * faults.length) / count)),
  )
  return faults.filter((_, index) => chosen.has(index))
}

/** How many faults there must be at least, where a full run has so many. */
export const leastOf = (floor: number): number => (isFull ? floor : Math.max(1, Math.floor(floor / EVERY)))
