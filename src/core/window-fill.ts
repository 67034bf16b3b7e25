/** How much of a context window was used at a time. */
export interface WindowSample {
  atMs: number
  tokens: number
}

const MOST_SAMPLES = 100

/**
 * Adds a sample, in place. Where there are too many, every second one goes, so that those that are left still cover the
 * whole time; the last one before a compaction and the first one after it stay.
 */
export function addWindowSample(samples: WindowSample[], sample: WindowSample): void {
  if (Number.isNaN(sample.atMs) || samples.at(-1)?.tokens === sample.tokens) return
  samples.push(sample)
  if (samples.length <= MOST_SAMPLES) return
  const isFall = (at: number) => (samples[at]?.tokens ?? 0) < (samples[at - 1]?.tokens ?? 0)
  const kept = samples.filter(
    (_, at) => at % 2 === 0 || at === samples.length - 1 || isFall(at) || isFall(at + 1),
  )
  samples.splice(0, samples.length, ...kept.slice(-MOST_SAMPLES))
}
