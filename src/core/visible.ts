import { collapseSpaces } from './text.ts'
/** A line that cannot drive a terminal: control characters, and marks that turn the direction of writing, as codes. */
export const visible = (text: string) =>
  // Nearly no text has any, and thousands are shown at once: the bare test is six times as fast.
  HIDDEN.test(text) ? text.replace(HIDDEN_EACH, codeOf) : text

/** The same for a text of several lines. */
export const visibleLines = (text: string) =>
  SUSPECT.test(text) ? text.split(/\r?\n/).map(visible).join('\n') : text

/** As `HIDDEN`, but for the line break: one test for a whole screen. */
const SUSPECT = /(?!\n)[\p{Cc}\u2028-\u202E\u2066-\u2069]/u
const HIDDEN = /[\p{Cc}\u2028-\u202E\u2066-\u2069]/u
const HIDDEN_EACH = /(?!\t)[\p{Cc}\u2028-\u202E\u2066-\u2069]/gu

function codeOf(character: string): string {
  const code = character.charCodeAt(0)
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`
}

/** A text from outside as one line that drives no terminal. */
export const visibleLine = (text: string) => visible(collapseSpaces(text))
