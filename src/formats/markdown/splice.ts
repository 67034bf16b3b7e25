/** The line break that a text uses first; a text without one uses the newline. */
export const lineBreakOf = (text: string) => /\r\n|\n|\r/.exec(text)?.[0] ?? '\n'

/** A part of a text. */
export interface TextRange {
  start: number
  end: number
}

/** Something to stand in the place of a stretch. */
export interface Edit extends TextRange {
  put: string
}

/** The text with its edits. Where they overlap, what was cut stays cut. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let done = 0
  const parts = [...edits]
    .sort((a, b) => a.start - b.start || a.end - b.end)
    .map(({ start, end, put }) => {
      const part = text.slice(done, start) + put
      done = Math.max(done, end)
      return part
    })
  return parts.join('') + text.slice(done)
}

/** What makes an empty line behind a text. */
export function gapBehind(before: string, eol: string): string {
  const end = before.slice(-200)
  if (end === '' || /(?:\n|\r(?!\n))[ \t]*(?:\r\n|\n|\r)$/.test(end)) return ''
  return /[\r\n]$/.test(end) ? eol : eol + eol
}

/** What has to stand between two texts so that they do not grow together. */
export function gapBetween(before: string, after: string, eol: string): string {
  const isApart = !/\S/.test(before) || !/\S/.test(after) || /^[ \t]*[\r\n]/.test(after)
  return isApart ? '' : gapBehind(before, eol)
}

/** How far a text is read to see what it begins with. */
const PEEK = 1_000

/**
 * The text without some of its stretches, which come in order and apart. `between` says what stands in the place of
 * one, by what is before it and how what is left behind it begins. It builds the text once: there may be thousands.
 */
export function withoutStretches<S extends TextRange>(
  text: string,
  stretches: readonly S[],
  between: (before: string, after: string, stretch: S) => string,
): string {
  const parts: string[] = []
  let [head, next] = ['', text.length]
  for (const stretch of stretches.toReversed()) {
    const behind = text.slice(stretch.end, next)
    // The first characters that say something decide; blanks before them may be many.
    const first = behind.search(/\S/)
    head = first < 0 ? (behind.slice(0, PEEK) + head).slice(0, 2 * PEEK) : behind.slice(0, first + PEEK)
    const put = between(text.slice(0, stretch.start), head, stretch)
    parts.push(behind, put)
    head = put + head
    next = stretch.start
  }
  parts.push(text.slice(0, next))
  return parts.reverse().join('')
}
