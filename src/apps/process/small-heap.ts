import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** So many calls leave a few megabytes; to collect them takes less time than one of the calls. */
const CALLS = 20

/**
 * Keeps a process small that waits for most of its life: V8 would let garbage grow for speed that nobody needs here,
 * and the SQLite package keeps files open until the statements on them are collected. To be called after each call.
 */
export function smallHeap(): () => void {
  const collect = heapCollector()
  let calls = 0
  return () => {
    // The first time after the first call, with what the start has left; and not before the answer is on its way.
    if (calls % CALLS === 0) setImmediate(() => collect())
    calls += 1
  }
}

/** The same for answers that are large, and come in turn with small ones: only where the process has grown to so many bytes. */
export function collectAbove(bytes: number): () => void {
  const collect = heapCollector()
  let isDue = false
  return () => {
    if (isDue || process.memoryUsage.rss() < bytes) return
    isDue = true
    setImmediate(() => {
      isDue = false
      collect()
    })
  }
}

function heapCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  // What is compiled under other flags than those of the next start would be refused there.
  setFlagsFromString('--no-expose-gc')
  return collect
}
