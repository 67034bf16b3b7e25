import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** So many calls leave a few megabytes; to collect them takes less time than one of the calls. */
const CALLS = 20

/**
 * Keeps a process small that waits for most of its life: V8 would let garbage grow for speed that nobody needs here,
 * and the SQLite package keeps files open until the statements on them are collected. To be called after each call.
 */
export function smallHeap(): () => void {
  let calls = -1
  return collectWhen(() => {
    calls += 1
    // The first time after the first call, with what the start has left.
    return calls % CALLS === 0
  })
}

/** The same for answers that are large, and come in turn with small ones: only where the process has grown to so many bytes. */
export const collectAbove = (bytes: number) => collectWhen(() => process.memoryUsage.rss() >= bytes)

function collectWhen(isDue: () => boolean): () => void {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  // What is compiled under other flags than those of the next start would be refused there.
  setFlagsFromString('--no-expose-gc')
  let isWaiting = false
  return () => {
    if (isWaiting || !isDue()) return
    isWaiting = true
    // Not before the answer is on its way.
    setImmediate(() => {
      isWaiting = false
      collect()
    })
  }
}
