import type { Ports } from '../core/ports.ts'

/** The real clock and the real dice. */
export const realPorts: Ports = {
  now: () => Date.now(),
  random: (bytes) => process.getBuiltinModule('node:crypto').randomBytes(bytes),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}
