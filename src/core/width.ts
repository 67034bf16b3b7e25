const PLAIN = /^[ -~]*$/
const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|[\u{1F000}-\u{3FFFD}]|\p{Emoji_Presentation}/u

/** Marks upon another letter, and those of a style (`style.ts`). */
const NARROW = /[\p{M}\uFDD0-\uFDDF]/u

/** Columns on a terminal: two for wide letters and emoji, none for a mark. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const character of text) width += WIDE.test(character) ? 2 : NARROW.test(character) ? 0 : 1
  return width
}

/** A text with spaces behind it, up to so many columns. */
export const padWidth = (text: string, columns: number) =>
  `${text}${' '.repeat(Math.max(0, columns - widthOf(text)))}`

/** A line that fits into so many columns; what does not is cut, with a mark. */
export function clipWidth(text: string, columns: number): string {
  if (text.length * 2 <= columns || widthOf(text) <= columns) return text
  let [kept, used] = ['', 0]
  for (const character of text) {
    const width = widthOf(character)
    if (used + width > columns - 1) break
    kept += character
    used += width
  }
  return `${kept}…`
}

/**
 * A text in lines of at most so many columns, broken at spaces. A word that is wider has a line of its own, so that
 * what is to be copied stays whole, or is broken where `breaksWords` says so.
 */
export function wrapWidth(text: string, columns: number, { breaksWords = false } = {}): string[] {
  if (widthOf(text) <= columns) return [text]
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) <= columns) {
      line += ` ${word}`
      continue
    }
    if (line !== '') lines.push(line)
    line = breaksWords && widthOf(word) > columns ? '' : word
    if (line === word) continue
    for (const character of word) {
      if (widthOf(line) + widthOf(character) > columns) {
        lines.push(line)
        line = ''
      }
      line += character
    }
  }
  return [...lines, line]
}

/** Lines that are too wide go on below, set in by two: no word is broken. A line in columns is left to who made them. */
export const wrapLines = (text: string, columns: number): string =>
  columns === Number.POSITIVE_INFINITY
    ? text
    : text
        .split('\n')
        .flatMap((line) => {
          const isFit = line.length * 2 <= columns || widthOf(line) <= columns
          if (isFit || /\S {2,}\S/.test(line)) return [line]
          const indent = line.length - line.trimStart().length
          return wrapWidth(line.trimStart(), Math.max(MIN_COLUMNS, columns - indent - 2)).map(
            (part, at) => `${' '.repeat(at === 0 ? indent : indent + 2)}${part}`,
          )
        })
        .join('\n')

const MIN_COLUMNS = 16
