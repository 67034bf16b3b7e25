import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Turns } from '../process/turns.ts'

/** The output stream. If the client is gone nobody reads it, but its earlier calls are still performed. */
export function answersTo(stdout: Writable): Writable {
  stdout.on('error', () => undefined)
  return new Writable({
    write(chunk, _encoding, done) {
      stdout.write(chunk, () => done())
    },
  })
}

/**
 * What a client says, read no faster than it is done and its answers are read: those of a client that only talks
 * would pile up. Its last word counts when all that it asked for is done, so that the answers still find their way.
 */
export function paceInput(source: AsyncIterable<Buffer>, answers: Writable, queue: Turns): Readable {
  // Every large answer listens for its end.
  answers.setMaxListeners(0)
  return Readable.from(pacedMessages(source, answers, queue))
}

async function* pacedMessages(source: AsyncIterable<Buffer>, answers: Writable, queue: Turns) {
  for await (const message of readMessages(source, (id) => answers.write(tooLongError(id)))) {
    yield message
    // In the next turn of the loop that is heard, and answered unless it has to wait for others.
    await setImmediate()
    await queue.room()
    if (answers.writableNeedDrain) await waitForDrain(answers)
  }
  await queue.done()
  await setImmediate()
}

/** Nothing that is saved is nearly as long. */
const MAX_MESSAGE = 4 * 1024 * 1024
const LINE_BREAK = 0x0a
/** The id of a request stands in so many bytes at its start or at its end. */
const ID_BYTES = 256

/** Whole messages. One that is too long is passed over as it comes, and refused with its id: the client waits for it. */
async function* readMessages(source: AsyncIterable<Buffer>, refuse: (id: string) => void) {
  let parts: Buffer[] = []
  let length = 0
  for await (const chunk of source)
    for (let start = 0; start < chunk.length; ) {
      const end = chunk.indexOf(LINE_BREAK, start) + 1 || chunk.length
      const part = chunk.subarray(start, end)
      start = end
      length += part.length
      parts.push(part)
      if (length > MAX_MESSAGE) {
        const read = Buffer.concat(parts)
        parts = [read.subarray(0, ID_BYTES), read.subarray(-ID_BYTES)]
      }
      if (part.at(-1) !== LINE_BREAK) continue
      if (length > MAX_MESSAGE) refuse(idOf(parts))
      else yield Buffer.concat(parts)
      parts = []
      length = 0
    }
  if (length <= MAX_MESSAGE) yield Buffer.concat(parts)
}

/** The id as it stands in a request, where it is the first or the last of its keys; else null. */
function idOf([head, tail]: Buffer[]): string {
  const id = String.raw`"id"\s*:\s*(-?\d+|"[\w.:-]{0,100}")`
  const first = new RegExp(String.raw`^\s*\{(?:\s*"jsonrpc"\s*:\s*"2\.0"\s*,)?\s*${id}`).exec(`${head}`)
  return (first ?? new RegExp(String.raw`${id}\s*\}\s*$`).exec(`${tail}`))?.[1] ?? 'null'
}

const tooLongError = (id: string) =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":-32600,"message":"The message is longer than ${MAX_MESSAGE} bytes."}}\n`

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
