import fc from 'fast-check'
import { expect, test } from 'vitest'
import { defaultSettings } from '../../src/config/settings.ts'
import { PROGRESS } from '../../src/core/checkpoint.ts'
import { maintenanceDue, planRetention, type RetainedSnapshot } from '../../src/policy/retention.ts'

const { snapshots_per_run, snapshot_days, compress_after_hours } = defaultSettings()
const RETENTION = {
  maxPerRun: snapshots_per_run,
  maxAgeDays: snapshot_days,
  compressAfterHours: compress_after_hours,
}
const DAY = 86_400_000
const NOW = Date.parse('2026-06-01T00:00:00.000Z')

const kept = (sequence: number, ageMs: number, more: Partial<RetainedSnapshot> = {}): RetainedSnapshot => ({
  id: `cp_${sequence}`,
  sequence,
  at: new Date(NOW - ageMs).toISOString(),
  progress: 'in_progress',
  pinned: false,
  plain: true,
  ...more,
})

const daily = (count: number, more: (sequence: number) => Partial<RetainedSnapshot> = () => ({})) =>
  Array.from({ length: count }, (_, index) => kept(index + 1, (count - index - 1) * DAY, more(index + 1)))

const idsOf = (rows: RetainedSnapshot[]) => rows.map(({ id }) => id)

const anySnapshots = fc
  .array(
    fc.record({
      ageMs: fc.integer({ min: -DAY, max: 60 * DAY }),
      progress: fc.constantFrom(...PROGRESS),
      pinned: fc.boolean(),
      plain: fc.boolean(),
    }),
    { maxLength: 90 },
  )
  .map((rows) => rows.map(({ ageMs, ...more }, index) => kept(index + 1, ageMs, more)))

const anyLimits = fc.record({
  maxPerRun: fc.integer({ min: 1, max: 60 }),
  maxAgeDays: fc.integer({ min: 0, max: 30 }),
  compressAfterHours: fc.integer({ min: 0, max: 100 }),
})

test('the defaults are 50 snapshots, 14 days and 24 hours [004.30]', () => {
  expect(RETENTION).toEqual({ maxPerRun: 50, maxAgeDays: 14, compressAfterHours: 24 })
})

test('the latest 50 are kept and the rest goes, oldest first [004.30]', () => {
  const rows = Array.from({ length: 60 }, (_, index) => kept(index + 1, 60 - index))
  expect(idsOf(planRetention(rows, NOW, RETENTION).remove)).toEqual(
    Array.from({ length: 10 }, (_, index) => `cp_${index + 1}`),
  )
})

test('what is older than 14 days goes, what is exactly 14 days old stays [004.32]', () => {
  const rows = [kept(1, 14 * DAY + 1), kept(2, 14 * DAY), kept(3, 0)]
  expect(idsOf(planRetention(rows, NOW, RETENTION).remove)).toEqual(['cp_1'])
})

test('the last failed and the last completed snapshot stay, earlier ones do not [004.31]', () => {
  const progress = new Map([
    [1, 'failed'],
    [2, 'failed'],
    [3, 'completed'],
    [4, 'completed'],
  ] as const)
  const rows = daily(120, (sequence) => ({ progress: progress.get(sequence as 1) ?? 'in_progress' }))
  const { remove } = planRetention(rows, NOW, RETENTION)
  expect(idsOf(remove)).toContain('cp_1')
  expect(idsOf(remove)).not.toContain('cp_2')
  expect(idsOf(remove)).toContain('cp_3')
  expect(idsOf(remove)).not.toContain('cp_4')
})

test('the newest, the last terminal ones and pinned ones are never removed [004.31]', () => {
  fc.assert(
    fc.property(anySnapshots, anyLimits, (rows, limits) => {
      const gone = new Set(idsOf(planRetention(rows, NOW, limits).remove))
      const last = (match: (row: RetainedSnapshot) => boolean) => [...rows].reverse().find(match)
      const precious = [
        rows.at(-1),
        last((row) => row.progress === 'failed'),
        last((row) => row.progress === 'completed'),
        ...rows.filter((row) => row.pinned),
      ]
      for (const row of precious) if (row) expect(gone.has(row.id)).toBe(false)
    }),
  )
})

test('no more than the limit and the preserved ones remain, and nothing young is lost [004.30]', () => {
  fc.assert(
    fc.property(anySnapshots, anyLimits, (rows, limits) => {
      const { remove, compress } = planRetention(rows, NOW, limits)
      const gone = new Set(idsOf(remove))
      const stays = rows.filter((row) => !gone.has(row.id))
      expect(stays.length).toBeLessThanOrEqual(limits.maxPerRun + 3 + rows.filter((row) => row.pinned).length)
      for (const row of rows.slice(-limits.maxPerRun))
        if (NOW - Date.parse(row.at) <= limits.maxAgeDays * DAY) expect(gone.has(row.id)).toBe(false)
      expect(new Set(idsOf([...remove, ...compress])).size).toBe(remove.length + compress.length)
    }),
  )
})

test('a second look after the removal finds nothing more to remove', () => {
  fc.assert(
    fc.property(anySnapshots, anyLimits, (rows, limits) => {
      const gone = new Set(idsOf(planRetention(rows, NOW, limits).remove))
      const stays = rows.filter((row) => !gone.has(row.id))
      expect(planRetention(stays, NOW, limits).remove).toEqual([])
    }),
  )
})

test('only plain files older than 24 hours are compressed [004.36]', () => {
  const hour = DAY / 24
  const rows = [kept(1, 30 * hour), kept(2, 30 * hour, { plain: false }), kept(3, 24 * hour), kept(4, 0)]
  expect(idsOf(planRetention(rows, NOW, RETENTION).compress)).toEqual(['cp_1'])
})

test('a clock that jumped does not change which snapshot is the newest', () => {
  const rows = [kept(1, -90 * DAY), kept(2, 30 * DAY, { progress: 'failed' }), kept(3, 60 * DAY)]
  expect(idsOf(planRetention(rows, NOW, { ...RETENTION, maxPerRun: 1 }).remove)).toEqual(['cp_1'])
})

const DUE: Array<[string, number, string | null, string]> = [
  ['50 snapshots', 50, null, 'none'],
  ['51 snapshots', 51, null, 'surplus'],
  ['one hour since the last time', 5, new Date(NOW - DAY / 24).toISOString(), 'all'],
  ['less than an hour since the last time', 5, new Date(NOW - DAY / 24 + 1).toISOString(), 'none'],
  ['a last time in the future', 5, new Date(NOW + DAY).toISOString(), 'all'],
  ['51 snapshots and one hour', 51, new Date(NOW - DAY / 24).toISOString(), 'all'],
]

test.each(DUE)('with %s so much of retention is due [004.30]', (_, live, maintainedAt, due) => {
  expect(maintenanceDue({ live, maintainedAt }, NOW, RETENTION)).toBe(due)
})
