import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Turns } from './server.ts'

/** The output stream. If the client is gone nobody reads it, but its earlier calls are still performed. */
export function answersTo(stdout: Writable): Writable {
  stdout.on('error', () => undefined)
  return new Writable({
    write(chunk, _encoding, done) {
      stdout.write(chunk, () => done())
    },
  })
}

/** So much is read at once: some dozens of short messages, whose answers may be a thousand times as long. */
const PIECE = 4 * 1024

/**
 * What a client says, read no faster than it is done and its answers are read: those of a client that only talks
 * would pile up. Its last word counts when all that it asked for is done, so that the answers still find their way.
 */
export function paceInput(source: AsyncIterable<Buffer>, answers: Writable, queue: Turns): Readable {
  // Every large answer listens for its end.
  answers.setMaxListeners(0)
  return Readable.from(pieces(source, answers, queue))
}

async function* pieces(source: AsyncIterable<Buffer>, answers: Writable, queue: Turns) {
  for await (const chunk of source) {
    // Without a line break it is part of one long message, which is put together faster of large pieces.
    const size = chunk.includes('\n') ? PIECE : chunk.length
    for (let at = 0; at < chunk.length; at += size) {
      yield chunk.subarray(at, at + size)
      // In the next turn of the loop that is heard, and answered unless it has to wait for others.
      await setImmediate()
      await queue.room()
      if (answers.writableNeedDrain) await waitForDrain(answers)
    }
  }
  await queue.done()
  await setImmediate()
}

/** So long a client is waited for that reads nothing: it may be gone, and only what it says last tells that. */
const PATIENCE_MS = 2_000

async function waitForDrain(answers: Writable): Promise<void> {
  const waited = new AbortController()
  const over = setTimeout(() => waited.abort(), PATIENCE_MS)
  try {
    await once(answers, 'drain', { signal: waited.signal })
  } catch (error) {
    if (!waited.signal.aborted) throw error
  } finally {
    clearTimeout(over)
  }
}

/** When all that was written is with the client, or when it has had its time to take it. */
export function flushAnswers(answers: Writable, mostMs = 1_000): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, mostMs)
    answers.write('', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
