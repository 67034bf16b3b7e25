import type { SearchTerm } from '../../core/searchable.ts'
import { formsOf, stemsBefore } from './search-stems.ts'

const SHORTEST_PREFIX = 2

/** A term in the syntax of FTS5: only quoted texts, so that no character of a user means anything there. */
export function expressionOf({ text, prefix }: SearchTerm): string {
  const word = text.replace(/\*+$/, '')
  // So many words begin with one letter that it is none to look for.
  const isPrefix = prefix && word.length >= SHORTEST_PREFIX
  const others = [...formsOf(word).filter((form) => form !== word), ...(isPrefix ? stemsBefore(word) : [])]
  const all = [`${quoteTerm(word)}${isPrefix ? ' *' : ''}`, ...[...new Set(others)].map(quoteTerm)]
  return all.length === 1 ? all.join('') : `(${all.join(' OR ')})`
}

const quoteTerm = (text: string) => `"${text.replaceAll('"', '""')}"`
