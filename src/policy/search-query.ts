import { wellFormed } from '../core/canonical.ts'
import type { SearchTerm } from '../core/searchable.ts'

export interface SearchWords {
  terms: readonly SearchTerm[]
  /** Some word is of a script that puts no spaces between words: an index of words does not know it. */
  unspaced: boolean
}

export const MOST_QUERY_CHARACTERS = 500
const MOST_TERMS = 24

/** A quote that nobody closes ends with the query. */
const TERMS = /"([^"]*)(?:"|$)(\*?)|([^\s"]+)/gu
/** What the index keeps of a text; all other characters part words. */
const WORD = /[\p{L}\p{N}\p{Co}]/u
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** Reads a query: words, "a phrase", pref*. Everything else is plain text. Answers what is wrong with it, as a text. */
export function readQuery(query: string): SearchWords | string {
  if (query.length > MOST_QUERY_CHARACTERS)
    return `the search is too long: ${query.length} characters, at most ${MOST_QUERY_CHARACTERS} are allowed`
  const terms: SearchTerm[] = []
  for (const [, phrase, star = '', word = ''] of wellFormed(query)
    .replace(/\p{Cc}/gu, ' ')
    .matchAll(TERMS)) {
    const text = phrase ?? word
    if (WORD.test(text))
      terms.push({ text, prefix: star === '*' || (phrase === undefined && /\*$/.test(word)) })
  }
  if (terms.length === 0) return 'no search word given, for example: savepoint search token refresh'
  if (terms.length > MOST_TERMS)
    return `too many search words: ${terms.length}, at most ${MOST_TERMS} are allowed`
  return { terms, unspaced: terms.some(({ text }) => UNSPACED.test(text)) }
}
