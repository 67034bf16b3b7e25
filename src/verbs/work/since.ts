import { instant } from '../../core/ports.ts'
import { ReasonError } from '../../core/reason.ts'

const SPAN = /^(\d{1,5})([mhdw])$/
const SPAN_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const
const TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)?)?$/

/** A date, a time, or how long ago: `3d`. Where no zone is said it is the local one, as in all that people are shown. */
export function sinceTime(text: string, nowMs: number): string {
  const [, number, unit] = SPAN.exec(text) ?? []
  // `as`: the expression lets only these letters through.
  if (number !== undefined) return instant(nowMs - Number(number) * SPAN_MS[unit as keyof typeof SPAN_MS])
  // A date alone would be read as UTC.
  const ms = TIME.test(text)
    ? Date.parse(text.length <= 10 ? `${text}T00:00` : text.replace(' ', 'T'))
    : Number.NaN
  if (!Number.isNaN(ms)) return instant(ms)
  throw new ReasonError('usage_invalid', {
    problem: `--since takes a date, a time or how long ago (2026-01-31, 2026-01-31T08:00, 3d, 12h, 2w), not ${JSON.stringify(text.slice(0, 40))}`,
  })
}
