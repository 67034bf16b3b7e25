/** What a text is, for who looks at it. The colours are chosen once, below. */
export type Style = 'head' | 'good' | 'warn' | 'bad' | 'found' | 'faint'

/**
 * Marks of a style are characters that no text may have (Unicode reserves them): they take no room on a line, and pass
 * where control characters are made visible. Only the last step before the terminal makes escape codes of them.
 */
const MARKS: Readonly<Record<Style, readonly [mark: string, code: string]>> = {
  head: ['\uFDD0', '1'],
  good: ['\uFDD1', '32'],
  warn: ['\uFDD2', '33'],
  bad: ['\uFDD3', '31'],
  found: ['\uFDD4', '1;36'],
  faint: ['\uFDD5', '2'],
}
const ANY_MARKS = /[\uFDD0-\uFDDF]/g
const END = '\uFDDF'

export const markStyle = (style: Style, text: string) =>
  text === '' ? '' : `${MARKS[style][0]}${text}${END}`

const CODES = new Map(
  [...Object.values(MARKS), [END, '0'] as const].map(([mark, code]) => [mark, `\x1b[${code}m`]),
)

/**
 * The marks as escape codes. A style ends with its line, also where its end was cut off; one whose end stands in a line
 * below was wrapped, and goes on there.
 */
export function renderStyles(text: string): string {
  if (!hasStyleMarks(text)) return text
  let open = ''
  return text
    .split('\n')
    .map((line) => {
      const marks = line.match(ANY_MARKS) ?? []
      const start = marks[0] === END ? open : ''
      const last = marks.at(-1) ?? ''
      if (last !== '') open = last === END ? '' : last
      const coded = `${start}${line}`.replace(ANY_MARKS, (mark) => CODES.get(mark) ?? '')
      return last === '' || last === END ? coded : `${coded}${CODES.get(END)}`
    })
    .join('\n')
}

/** Whether a text has marks of its own, which only a text from outside has before it is painted. */
export const hasStyleMarks = (text: string) => text.search(ANY_MARKS) >= 0
