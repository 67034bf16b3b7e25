const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,3})\d*)?)?(Z|[+-]\d\d:?\d\d)?)?$/

/**
 * Reads an ISO-8601 timestamp or date; null where it is none, or a day that the calendar does not have. A bare date or
 * a time without a zone means another moment elsewhere.
 */
export function readTimestamp(text: string): { ms: number; hasZone: boolean } | null {
  const [, year, month, day, time = '00:00', seconds = '00', fraction = '0', zone] = ISO.exec(text) ?? []
  if (year === undefined || Number(day) > lastDay(Number(year), Number(month))) return null
  // The engine reads a fraction behind a point only, and an offset with a colon only.
  const offset = (zone ?? 'Z').replace(/(\d\d):?(\d\d)$/, '$1:$2')
  const ms = Date.parse(`${year}-${month}-${day}T${time}:${seconds}.${fraction.padEnd(3, '0')}${offset}`)
  return Number.isNaN(ms) ? null : { ms, hasZone: zone !== undefined }
}

/** The engine takes the 30th of February for the 2nd of March. */
const lastDay = (year: number, month: number) => new Date(Date.UTC(year, month, 0)).getUTCDate()
