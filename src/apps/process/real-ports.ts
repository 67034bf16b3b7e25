import type { Ports } from '../../core/ports.ts'
import { describeError, ReasonError } from '../../core/reason.ts'

/** The real clock and the real dice. */
export const realPorts: Ports = {
  now: () => Date.now(),
  random: (bytes) => process.getBuiltinModule('node:crypto').randomBytes(bytes),
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
