// Timing and its arithmetic. Two things are compared only by rounds that alternate, so that noise meets both.
import fs, { mkdtempSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Milliseconds that an act takes. */
export async function timed(act) {
  const start = performance.now()
  await act()
  return performance.now() - start
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** What 95 of 100 stay within. */
export function p95(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.ceil(sorted.length * 0.95) - 1]
}

/** Every side once a round, in turn forwards and backwards. Answers their times in milliseconds, by their names. */
export async function interleaved(rounds, sides) {
  const names = Object.keys(sides)
  const times = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round += 1)
    for (const name of round % 2 === 0 ? names : names.toReversed()) times[name].push(await sides[name]())
  return times
}

/** Runs an act in a throw-away folder that is gone afterwards, also after a failure. */
export async function inTempFolder(act) {
  const place = mkdtempSync(join(tmpdir(), 'savepoint-bench-'))
  try {
    return await act(place)
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

/** One line of a bench: a ratio, and whether it is within its limit; without one it is told for information. */
export const row = (what, measured, against, limit) => ({
  what,
  measured,
  against,
  unit: 'ms',
  ratio: measured / against,
  limit,
  ok: limit === null || measured / against <= limit,
})

/** What is only there to be many need not wait for the disk. */
export async function withoutFileSync(act) {
  const { fsyncSync } = fs
  fs.fsyncSync = () => undefined
  syncBuiltinESMExports()
  try {
    await act()
  } finally {
    fs.fsyncSync = fsyncSync
    syncBuiltinESMExports()
  }
}

/** The same numbers every time (mulberry32). */
export function random(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
