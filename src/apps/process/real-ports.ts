import type { Ports } from '../../core/ports.ts'
import { describeError, ReasonError } from '../../core/reason.ts'

const POOL_BYTES = 1_024
let pool = new Uint8Array(0)

/** Random bytes, fetched many at a time: each call to the system costs as much as a thousand bytes. */
function draw(bytes: number): Uint8Array {
  if (pool.length < bytes)
    pool = process.getBuiltinModule('node:crypto').randomBytes(Math.max(bytes, POOL_BYTES))
  const drawn = pool.slice(0, bytes)
  pool = pool.subarray(bytes)
  return drawn
}

/** The real clock and the real dice. */
export const realPorts: Ports = {
  now: () => Date.now(),
  random: draw,
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}

/** The directory of this process, which may have been removed under it. */
export function workingFolder(): string {
  try {
    return process.cwd()
  } catch (error) {
    throw new ReasonError('folder_unreadable', { path: '.', problem: describeError(error) }, { cause: error })
  }
}
