const WORD = /[\p{L}\p{N}][\p{L}\p{N}_./-]+[\p{L}\p{N}]/gu
/** Scripts that write no spaces: two characters that stand together count as a word. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu

/** The words of a text as far as they tell it from another: their first letters, so that endings do not matter. */
export function wordsIn(text: string): Set<string> {
  const plain = text.toLowerCase()
  const pairs = (plain.match(UNSPACED) ?? []).flatMap((run) =>
    run.length < 2 ? [run] : Array.from({ length: run.length - 1 }, (_, at) => run.slice(at, at + 2)),
  )
  const words = plain.replace(UNSPACED, ' ').match(WORD) ?? []
  return new Set([...words.map((word) => word.slice(0, 6)), ...pairs])
}

/** How many of the words of a text are among some others, from 0 to 1; 1 for a text without words. */
export function shareOf(text: string, words: ReadonlySet<string>): number {
  const own = [...wordsIn(text)]
  return own.length === 0 ? 1 : own.filter((word) => words.has(word)).length / own.length
}

/** A character of a script without spaces says about as much as so many letters. */
const DENSE = 2.5
const DENSE_CHARACTERS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu

/** How long a text is, in letters of an alphabet: limits hold for what is said, in whatever script. */
export const weightOf = (text: string): number =>
  text.length + (text.match(DENSE_CHARACTERS)?.length ?? 0) * (DENSE - 1)

/** How many words a text has; two characters of a script without spaces count as one. */
export const countWords = (text: string): number =>
  (text.replace(UNSPACED, ' ').match(/[\p{L}\p{N}][\p{L}\p{N}'’_./-]*/gu)?.length ?? 0) +
  (text.match(DENSE_CHARACTERS)?.length ?? 0) / 2
