import { makeCell, useCell } from './external-store.ts'

const TICK_MS = 15_000
const clock = makeCell(Date.now())

/** Ages on the page grow older without anything being read. */
export const useNow = (): number => useCell(clock)

export function startClock() {
  setInterval(() => clock.set(Date.now()), TICK_MS)
}
