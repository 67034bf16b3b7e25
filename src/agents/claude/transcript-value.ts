import { parseOrUndefined } from '../../core/json.ts'
import { charactersOf, startOf } from './cut-text.ts'

/** A value of a line, of which nothing is known yet. */
export type Members = Readonly<Record<string, unknown>>

const NOTHING: Members = {}

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The members of an object; none where the value is something else. */
export const membersOf = (value: unknown): Members => (isObject(value) ? value : NOTHING)

/** The members of the object that a text of JSON is; null where it is none. */
export function membersIn(text: string): Members | null {
  const value = parseOrUndefined(text)
  return isObject(value) ? value : null
}

/** A string, cut at a whole character; empty where the value is something else. */
export const nameIn = (value: unknown, max: number): string =>
  typeof value === 'string' ? charactersOf(value, max) : ''

/** The same for a text that people read: it ends with a whole word. */
export const cutTextOf = (value: unknown, max: number): string =>
  typeof value === 'string' ? startOf(value, max) : ''

/** A count: whole, not negative, not absurd; else 0. */
export const countIn = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= 1e12 ? value : 0

/** What an API call used. Where the provider used tools of its own, each step has had a window; the last is the present one. */
export function usageOf(usage: Members) {
  const steps: unknown[] = Array.isArray(usage.iterations) ? usage.iterations : []
  const step = membersOf(steps.findLast((one) => typeof one === 'object' && one !== null) ?? usage)
  return {
    input: countIn(usage.input_tokens),
    output: countIn(usage.output_tokens),
    cacheRead: countIn(usage.cache_read_input_tokens),
    cacheCreation: countIn(usage.cache_creation_input_tokens),
    window:
      countIn(step.input_tokens) +
      countIn(step.cache_read_input_tokens) +
      countIn(step.cache_creation_input_tokens),
  }
}

const MOST_PARTS = 100

/** The texts of a value that is a string, or a list of parts of which some are text. */
export function textPartsOf(value: unknown, max: number, cut = startOf): string[] {
  if (typeof value === 'string') return [cut(value, max)]
  if (!Array.isArray(value)) return []
  const texts: string[] = []
  for (const one of value) {
    const { type, text } = membersOf(one)
    if (type === 'text' && typeof text === 'string') texts.push(cut(text, max))
    if (texts.length >= MOST_PARTS) break
  }
  return texts
}
