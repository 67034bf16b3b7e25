/** The last millisecond of the year 9999: later years have more digits, and would not sort. */
const LAST_TIME = 253_402_300_799_999

/** A time that can be written with a year of four digits, the nearest there is. */
export const clampTime = (atMs: number) =>
  Number.isNaN(atMs) ? 0 : Math.min(Math.max(0, Math.trunc(atMs)), LAST_TIME)

/**
 * `20260131T120000Z.json`, as other tools write it and read it as a date; where a note of that second has the name,
 * `20260131T120000Z_001.json` and so on. `_` comes behind `.`, so that by their bytes names sort by time.
 */
export function* noteNames(atMs: number): Generator<string> {
  const seconds = new Date(clampTime(atMs)).toISOString().slice(0, 19).replace(/[-:]/g, '')
  yield `${seconds}Z.json`
  for (let more = 1; ; more += 1) yield `${seconds}Z_${String(more).padStart(3, '0')}.json`
}

/** Names of ours had a token behind the milliseconds once. */
const NAME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z(?:_(\d{3})(?!\d))?[^/\\]*\.json$/

const ORDERED =
  /^\d{4}(?:0[1-9]|1[0-2])(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3])[0-5]\d[0-5]\dZ(?:_\d{3}(?:-[0-9a-f]+)?)?\.json$/

/** Whether a name is certainly a time, and sorts by it among others that are. It need not be one of the last days of a month. */
export const isOrderedName = (name: string) => ORDERED.test(name)

/** When a note was taken, as its name says; null where the name says nothing, or a day that does not exist. */
export function noteTime(name: string): number | null {
  const found = NAME.exec(name)
  if (!found) return null
  const [, year, month, day, hours, minutes, seconds, thousandths = '000'] = found
  const iso = `${year}-${month}-${day}T${hours}:${minutes}:${seconds}.${thousandths}Z`
  const ms = Date.parse(iso)
  return !Number.isNaN(ms) && new Date(ms).toISOString() === iso ? ms : null
}
