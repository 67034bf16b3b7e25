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
