import type { Ports } from '../../src/core/ports.ts'

export interface TestPorts extends Ports {
  /** The clock: set it, or let it run. */
  time: number
}

/** A clock that stands still until it is moved, and dice that count. */
export function testPorts(time = Date.parse('2026-01-02T03:04:05.000Z')): TestPorts {
  let drawn = 0
  const ports: TestPorts = {
    time,
    now: () => ports.time,
    random(bytes) {
      drawn += 1
      const made = new Uint8Array(bytes)
      for (let index = 0, rest = drawn; index < bytes; index += 1, rest = Math.floor(rest / 256))
        made[index] = rest % 256
      return made
    },
    sleep: () => new Promise((resolve) => setImmediate(resolve)),
  }
  return ports
}
