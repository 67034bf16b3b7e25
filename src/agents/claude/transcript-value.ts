import { parseOrUndefined } from '../../core/json.ts'

/** A text cut at a character that is whole. */
export function charactersOf(text: string, max: number): string {
  if (text.length <= max) return text
  const last = text.charCodeAt(max - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? max - 1 : max)
}

/** What a word, and so a secret, may be made of; scripts that write no spaces are not among it. */
const IN_WORD = /[!-~]/
/** A longer row of such characters is data and no word. */
const LONGEST_WORD = 4_096

/** A text cut before a word that does not fit: half a secret looks like no secret, and would be kept. */
export function startOf(text: string, max: number): string {
  const cut = charactersOf(text, max)
  if (cut.length === text.length || !IN_WORD.test(text.charAt(cut.length))) return cut
  let end = cut.length
  while (end > 0 && IN_WORD.test(cut.charAt(end - 1))) end -= 1
  return cut.length - end > LONGEST_WORD ? cut : cut.slice(0, end)
}

export function cutToEnd(text: string, max: number): string {
  if (text.length <= max) return text
  const from = text.length - max
  const first = text.charCodeAt(from)
  return text.slice(first >= 0xdc00 && first < 0xe000 ? from + 1 : from)
}

export function cutToLastWords(text: string, max: number): string {
  const cut = cutToEnd(text, max)
  const first = text.length - cut.length
  if (first === 0 || !IN_WORD.test(text.charAt(first - 1))) return cut
  let start = 0
  while (start < cut.length && IN_WORD.test(cut.charAt(start))) start += 1
  return start > LONGEST_WORD ? cut : cut.slice(start)
}

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
