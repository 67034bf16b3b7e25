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

/** The end of a text, from a whole word on. */
export function cutToLastWords(text: string, max: number): string {
  const cut = cutToEnd(text, max)
  const first = text.length - cut.length
  if (first === 0 || !IN_WORD.test(text.charAt(first - 1))) return cut
  let start = 0
  while (start < cut.length && IN_WORD.test(cut.charAt(start))) start += 1
  return start > LONGEST_WORD ? cut : cut.slice(start)
}
