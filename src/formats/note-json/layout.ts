import { requireName } from '../../core/id.ts'

/** The last millisecond of the year 9999: later years have more digits, and would not sort. */
const LAST_TIME = 253_402_300_799_999

/** A time that can be written with a year of four digits, the nearest there is. */
export const clampTime = (atMs: number) =>
  Number.isNaN(atMs) ? 0 : Math.min(Math.max(0, Math.trunc(atMs)), LAST_TIME)

/**
 * `20260131T120000Z_123-<token>.json`: the seconds are written as other tools write them, so that a reader of the
 * beginning understands the name; the milliseconds and a token follow, so that two notes of one second are two
 * files. `_` comes behind the `.` of `20260131T120000Z.json`, which stands for the second's beginning: by their
 * bytes, names sort by time, ours and others' together.
 */
export function noteName(atMs: number, token: string): string {
  const [seconds = '', rest = ''] = new Date(clampTime(atMs)).toISOString().replace(/[-:]/g, '').split('.')
  return `${seconds}Z_${rest.slice(0, 3)}-${requireName(token, 'the token of a note')}.json`
}

const NAME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z(?:_(\d{3})(?!\d))?[^/\\]*\.json$/

/** When a note was taken, as its name says; null where the name says nothing, or a day that does not exist. */
export function noteTime(name: string): number | null {
  const found = NAME.exec(name)
  if (!found) return null
  const [, year, month, day, hours, minutes, seconds, thousandths = '000'] = found
  const iso = `${year}-${month}-${day}T${hours}:${minutes}:${seconds}.${thousandths}Z`
  const ms = Date.parse(iso)
  return !Number.isNaN(ms) && new Date(ms).toISOString() === iso ? ms : null
}
