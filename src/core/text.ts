/** `1 run`, `2 runs`. */
export const formatCount = (number: number, noun: string, plural = `${noun}s`) =>
  `${number} ${number === 1 ? noun : plural}`

/** `950`, `12.3k`, `1.2M`. */
export function shortNumber(number: number): string {
  if (number < 1_000) return String(number)
  // What rounds up to a thousand thousands is a million.
  const [amount, unit] = number < 999_950 ? [number / 1_000, 'k'] : [number / 1_000_000, 'M']
  return `${amount.toFixed(1).replace(/\.0$/, '')}${unit}`
}

const [MINUTE, HOUR, DAY, YEAR] = [60_000, 3_600_000, 86_400_000, 31_557_600_000]
const UNITS = Object.entries({ year: YEAR, day: DAY, hour: HOUR, minute: MINUTE })

/** `3 hours`, in the largest unit that gives a whole one. A clock that went back makes nothing younger than now. */
export function ageOf(ms: number): string {
  const [unit, length] = UNITS.find(([, unitMs]) => ms >= unitMs) ?? ['minute', MINUTE]
  const number = Math.max(0, Math.floor(ms / length))
  return number === 0 ? 'less than a minute' : formatCount(number, unit)
}

/** `5m`, `2h 05m`, `3d 4h`: short enough for a column. */
export function shortSpan(ms: number): string {
  if (ms < MINUTE) return '<1m'
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m`
  if (ms < DAY)
    return `${Math.floor(ms / HOUR)}h ${String(Math.floor((ms % HOUR) / MINUTE)).padStart(2, '0')}m`
  return `${Math.floor(ms / DAY)}d ${Math.floor((ms % DAY) / HOUR)}h`
}

/** A text that somebody gave, as a message quotes it: its beginning, in quotes, with control characters as codes. */
export const quoteShort = (text: string) => JSON.stringify(text.slice(0, 80))

/** A text in one line, with one space between its words. */
export const collapseSpaces = (text: string) =>
  // Nearly every text has single spaces only, and to look is ten times as fast as to replace each of them.
  (/ {2}|[^\S ]/.test(text) ? text.replace(/\s+/g, ' ') : text).trim()

/** A text as it is compared with others: other case, other blanks and a final dot make no other item of it. */
export function comparableText(text: string): string {
  const line = collapseSpaces(text).toLowerCase()
  let end = line.length
  while (end > 0 && '. '.includes(line.charAt(end - 1))) end -= 1
  return end === 0 ? line : line.slice(0, end)
}

/** The name that somebody may have meant: the nearest one, by at most two letters; null where none is near. */
export function nearestName(wanted: string, names: readonly string[]): string | null {
  const near = names
    .map((name) => ({ name, letters: lettersApart(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, letters }) => letters <= 2 && letters < Math.max(wanted.length, name.length) / 2)
  return near.sort((a, b) => a.letters - b.letters)[0]?.name ?? null
}

/** How many letters were left out, added, changed, or swapped with the next one. */
export function lettersApart(some: string, other: string): number {
  if (Math.abs(some.length - other.length) > MOST_APART) return Number.POSITIVE_INFINITY
  let [before, row] = [[] as number[], Array.from({ length: other.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= some.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = some[i - 1] === other[j - 1]
      const isSwap = i > 1 && j > 1 && some[i - 1] === other[j - 2] && some[i - 2] === other[j - 1]
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    ;[before, row] = [row, next]
  }
  return row[other.length] ?? 0
}

const MOST_APART = 8

/** The text of a file; null where its bytes are not UTF-8. A byte order mark stays. */
export function decodeUtf8(bytes: Buffer): string | null {
  const text = bytes.toString('utf8')
  return Buffer.from(text).equals(bytes) ? text : null
}
