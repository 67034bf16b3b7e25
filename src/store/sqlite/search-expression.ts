import type { SearchTerm } from '../../core/searchable.ts'

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

/** Endings that a stemmer takes off, in one step or in several. */
const ENDINGS = [
  ...['ing', 'ings', 'ed', 'edly', 'es', 'ies', 'ied', 's', 'e', 'y', 'ly', 'ily', 'er', 'ers', 'or', 'ors'],
  ...['ation', 'ations', 'ational', 'ationally', 'ator', 'ators', 'ate', 'ated', 'ates', 'ating', 'ative'],
  ...['ication', 'ications', 'icate', 'icated', 'icating', 'icator', 'ical', 'ically', 'icity', 'icities'],
  ...['ion', 'ions', 'ional', 'ity', 'ities', 'ic', 'al', 'ally', 'ality', 'ance', 'ence', 'ant', 'ent'],
  ...['able', 'ably', 'ability', 'abilities', 'ible', 'ibility', 'ment', 'ments', 'ement', 'ements', 'ism'],
  ...['ive', 'iveness', 'ively', 'ivity', 'ous', 'ously', 'ousness', 'ful', 'fully', 'fulness', 'ness'],
  ...['ize', 'ized', 'izes', 'izer', 'izing', 'ization', 'izations', 'ancy', 'ency', 'ently', 'antly'],
]
const LONGEST = 11
const SHORTEST_STEM = 3

/**
 * The index has stems: of `authentication` only `authent`. So a beginning that reaches into an ending stands for
 * the stems before it too: `authenticat` for `authentic` and `authent`.
 */
function stemsBefore(beginning: string): string[] {
  const word = beginning.toLowerCase()
  if (!/^[a-z]+$/.test(word)) return []
  const stems: string[] = []
  for (let length = Math.max(SHORTEST_STEM, word.length - LONGEST); length < word.length; length += 1) {
    const tail = word.slice(length)
    if (ENDINGS.some((ending) => ending.startsWith(tail))) stems.push(...formsOf(word.slice(0, length)))
  }
  return stems
}

const IN_Y = /^([a-z]*[aeiou]y)(?:ments?|ers?|able)?$/i

/** `deploy` and `deployment` have two stems, because the stemmer writes a last y as i: each stands for both. */
function formsOf(word: string): string[] {
  const [, base] = IN_Y.exec(word) ?? []
  return base === undefined ? [word] : [base, `${base}ment`]
}
