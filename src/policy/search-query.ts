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
    return `a search takes up to ${MOST_QUERY_CHARACTERS} characters, not ${query.length}`
  const terms: SearchTerm[] = []
  for (const [, phrase, star = '', word = ''] of wellFormed(query)
    .replace(/\p{Cc}/gu, ' ')
    .matchAll(TERMS)) {
    const text = phrase ?? word
    if (WORD.test(text))
      terms.push({ text, prefix: star === '*' || (phrase === undefined && /\*$/.test(word)) })
  }
  if (terms.length === 0) return 'a search needs a word, as in: savepoint search token refresh'
  if (terms.length > MOST_TERMS) return `a search takes up to ${MOST_TERMS} words, not ${terms.length}`
  return { terms, unspaced: terms.some(({ text }) => UNSPACED.test(text)) }
}
