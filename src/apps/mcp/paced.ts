import { once } from 'node:events'
import { pipeline, Transform, type Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'

/**
 * What a client says, read no faster than it reads its answers: those of one that only talks would pile up. Its last
 * word counts when all that it asked for before is done, so that the answers still find their way.
 */
export function paced(
  source: NodeJS.ReadableStream,
  answers: Writable,
  done: () => Promise<unknown>,
): Transform {
  const drained = async () => {
    if (answers.writableNeedDrain) await once(answers, 'drain')
  }
  // What was just read is heard, and what was just done is answered, before the next turn of the loop.
  const finished = async () => {
    await setImmediate()
    await done()
    await setImmediate()
  }
  // Every large answer listens for it until it is written.
  answers.setMaxListeners(0)
  const pace = new Transform({
    transform(chunk, _encoding, go) {
      drained().then(() => go(null, chunk), go)
    },
    flush(go) {
      finished().then(() => go(), go)
    },
  })
  // However it ends, the connection hears of it by the end of this stream.
  return pipeline(source, pace, () => undefined)
}

/** When all that was written is with the client, or when it has had its time to take it. */
export function taken(answers: Writable, mostMs = 1_000): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, mostMs)
    answers.write('', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
