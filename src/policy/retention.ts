import type { Progress } from '../core/checkpoint.ts'

export interface RetentionLimits {
  maxPerRun: number
  maxAgeDays: number
  compressAfterHours: number
}

const EVERY_MS = 3_600_000
const DAY_MS = 86_400_000

export interface RetainedSnapshot {
  id: string
  sequence: number
  at: string
  progress: Progress
  pinned: boolean
  /** The history file is still plain JSON. */
  plain: boolean
}

/** How much of retention is due after a save: all of it once an hour, and what is beyond the number at once. */
export function maintenanceDue(
  run: { live: number; maintainedAt: string | null },
  nowMs: number,
  limits: RetentionLimits,
): 'all' | 'surplus' | 'none' {
  if (run.maintainedAt !== null && Math.abs(nowMs - Date.parse(run.maintainedAt)) >= EVERY_MS) return 'all'
  return run.live > limits.maxPerRun ? 'surplus' : 'none'
}

/**
 * What goes and what is compressed. The newest, the last failed, the last completed and every pinned
 * snapshot stay, whatever their age or number. Order is by sequence; only age is read off the clock.
 */
export function planRetention(
  snapshots: RetainedSnapshot[],
  nowMs: number,
  limits: RetentionLimits,
): Record<'remove' | 'compress', RetainedSnapshot[]> {
  const newestFirst = [...snapshots].sort((a, b) => b.sequence - a.sequence)
  const kept = [
    newestFirst[0],
    newestFirst.find((snapshot) => snapshot.progress === 'failed'),
    newestFirst.find((snapshot) => snapshot.progress === 'completed'),
    ...newestFirst.filter((snapshot) => snapshot.pinned),
  ]
  const preserved = new Set(kept.map((snapshot) => snapshot?.id))

  const ageMs = (snapshot: RetainedSnapshot) => nowMs - Date.parse(snapshot.at)
  const remove = newestFirst.filter(
    (snapshot, rank) =>
      !preserved.has(snapshot.id) &&
      (rank >= limits.maxPerRun || ageMs(snapshot) > limits.maxAgeDays * DAY_MS),
  )
  const gone = new Set(remove.map((snapshot) => snapshot.id))
  const compress = newestFirst.filter(
    (snapshot) =>
      !gone.has(snapshot.id) && snapshot.plain && ageMs(snapshot) > (limits.compressAfterHours * DAY_MS) / 24,
  )
  return { remove: remove.reverse(), compress: compress.reverse() }
}
