import { closeSync, openSync, renameSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** More than this is the same fault again and again: the older half goes. */
const MOST_BYTES = 64 * 1024

/** Leaves a reason where `savepoint doctor` finds it. Where even that cannot be written, nobody is told: an agent is at work. */
export function noteFault(
  home: string,
  fault: { at: string; event: string; reason: string; message: string },
): void {
  const path = join(home, 'faults.jsonl')
  try {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MOST_BYTES) renameSync(path, `${path}.1`)
    const descriptor = openSync(path, 'a', 0o600)
    try {
      writeSync(descriptor, `\n${JSON.stringify(fault)}\n`)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
  }
}
