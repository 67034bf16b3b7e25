// Letters, digits and scripts by their ranges: a class by name takes up to a millisecond to compile, at every start.
const LETTER =
  'A-Za-z0-9\\u00aa-\\u00b5\\u00b9-\\u1fff\\u2c00-\\u2dff\\u2e80-\\u2fff\\u3005-\\ud7ff\\uf900-\\ufdff\\ufe70-\\ufefc\\uff10-\\uff19\\uff21-\\uff3a\\uff41-\\uffdc'
const WORD = new RegExp(`[${LETTER}][${LETTER}_./-]+[${LETTER}]`, 'g')
const ANY_WORD = new RegExp(`[${LETTER}][${LETTER}'’_./-]*`, 'g')
/** Han, kana and hangul. */
const EAST =
  '[\\u2e80-\\u2fdf\\u3005-\\u30ff\\u3130-\\u318f\\u31f0-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff]'
/** Scripts that write no spaces, or few: two characters that stand together count as a word. */
const UNSPACED = new RegExp(`${EAST}+`, 'g')

/** The words of a text as far as they tell it from another: their first letters, so that endings do not matter. */
export function wordsIn(text: string): Set<string> {
  const plain = text.toLowerCase()
  const pairs = (plain.match(UNSPACED) ?? []).flatMap((run) =>
    run.length < 2 ? [run] : Array.from({ length: run.length - 1 }, (_, at) => run.slice(at, at + 2)),
  )
  const words = plain.replace(UNSPACED, ' ').match(WORD) ?? []
  return new Set([...words.map((word) => word.slice(0, 6)), ...pairs])
}

/** How many of some words are among others, from 0 to 1; 1 where there are none. */
export function shareOf(own: ReadonlySet<string>, words: ReadonlySet<string>): number {
  let shared = 0
  for (const word of own) if (words.has(word)) shared += 1
  return own.size === 0 ? 1 : shared / own.size
}

/** A character of a script without spaces says about as much as so many letters. */
const DENSE = 2.5
const DENSE_CHARACTERS = new RegExp(EAST, 'g')

/** How long a text is, in letters of an alphabet: limits hold for what is said, in whatever script. */
export const lettersIn = (text: string): number =>
  text.length + (text.match(DENSE_CHARACTERS)?.length ?? 0) * (DENSE - 1)

/** How many words a text has; two characters of a script without spaces count as one. */
export const countWords = (text: string): number =>
  (text.replace(UNSPACED, ' ').match(ANY_WORD)?.length ?? 0) + (text.match(DENSE_CHARACTERS)?.length ?? 0) / 2

/** Whether a text asks something, in whatever script. */
export const hasQuestion = (text: string) => /[?？]/.test(text)
