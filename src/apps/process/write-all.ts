import { writeSync } from 'node:fs'
import { errorCode } from '../../core/reason.ts'

/**
 * Writes all of a text, or of bytes, straight to a descriptor, and waits for a pipe that is full: Node's streams for it cost several
 * milliseconds to set up at every start.
 */
export function writeAll(descriptor: number, text: string | Uint8Array): void {
  const bytes = Buffer.from(text)
  for (let from = 0; from < bytes.length; ) {
    try {
      from += writeSync(descriptor, bytes, from)
    } catch (error) {
      if (errorCode(error) !== 'EAGAIN') throw error
      pauseOneMs()
    }
  }
}

/** A millisecond, without giving up the turn. */
export const pauseOneMs = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
