import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ports } from '../core/ports.ts'

/** The real clock and the real dice. */
export const realPorts: Ports = {
  now: () => Date.now(),
  random: (bytes) => randomBytes(bytes),
  sleep: async (ms) => {
    await sleep(ms)
  },
}
