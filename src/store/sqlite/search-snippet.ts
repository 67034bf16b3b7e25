import { clipText, wellFormed } from '../../core/canonical.ts'

const BEFORE = 30
const SHOWN = 120

/** The part of a text around the first place of the first words that are in it, each of their places marked. */
export function snippetAround(text: string, words: readonly string[]): string {
  // Of a few letters the small form is longer: then only the same letters are found.
  const lower = text.toLowerCase().length === text.length ? text.toLowerCase() : text
  const [first = 0] = words
    .map((word) => lower.indexOf(word.toLowerCase()))
    .filter((at) => at >= 0)
    .sort((a, b) => a - b)
  const start = Math.max(0, first - BEFORE)
  const part = clipText(wellFormed(text.slice(start)), SHOWN)
  const marked = part.replace(anyOf(words), (match) => `\u0001${match}\u0002`)
  return start === 0 ? marked : `…${marked}`
}

const anyOf = (words: readonly string[]) =>
  new RegExp(words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|'), 'giu')
