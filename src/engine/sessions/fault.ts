import { closeSync, openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { fieldOf, parseOrUndefined } from '../../core/json.ts'
import { unlessRefused } from '../../core/reason.ts'
import { redactAll } from '../../policy/redact.ts'

/** What went wrong where an agent was at work, which must not be told of it. */
export type HookFault = Record<'at' | 'event' | 'reason' | 'message', string>

/** More than this is the same fault again and again: the older half goes. */
const MOST_BYTES = 64 * 1024

/** Leaves a reason where `savepoint doctor` finds it. Where even that cannot be written, nobody is told: an agent is at work. */
export function noteFault(home: string, fault: HookFault): void {
  const path = join(home, 'faults.jsonl')
  try {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MOST_BYTES) renameSync(path, `${path}.1`)
    const descriptor = openSync(path, 'a', 0o600)
    try {
      writeSync(descriptor, `\n${JSON.stringify(redactAll(fault))}\n`)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
  }
}

const MOST_READ_BYTES = 256 * 1024

/** Those that stand in the file, and in the one before it. */
export function readFaults(file: string): HookFault[] {
  return [`${file}.1`, file].flatMap((path) => {
    const text = unlessRefused(() => readFileSync(path, 'utf8').slice(-MOST_READ_BYTES)) ?? ''
    return text.split('\n').flatMap(faultOf)
  })
}

/** Some of them are written by a shell script where there is no Node. */
function faultOf(line: string): HookFault[] {
  const found = parseOrUndefined(line)
  if (typeof found !== 'object' || found === null) return []
  const text = (name: string) => {
    const value = fieldOf(found, name)
    return typeof value === 'string' ? value : ''
  }
  return [{ at: text('at'), event: text('event'), reason: text('reason'), message: text('message') }]
}
