import { charactersOf, endOf, startOf } from './cut-text.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
/** A character takes at most so many bytes in JSON: as \u and four digits. */
const BYTES_PER_CHARACTER = 6
/** How far a cut looks for a space, at which no escape and no character is torn. */
const SLACK = 512

/** A value's place in the bytes: of a string, with its quotes. */
export interface Span {
  from: number
  to: number
}

/** Keys by their length, so that most others are told apart without a look at their letters. */
export type Names<K extends string> = ReadonlyArray<ReadonlyArray<{ name: K; bytes: Uint8Array }>>

export function memberNames<K extends string>(...all: K[]): Names<K> {
  const byLength: Array<Array<{ name: K; bytes: Uint8Array }>> = []
  for (const name of all) {
    const same = byLength[name.length] ?? []
    byLength[name.length] = same
    same.push({ name, bytes: Buffer.from(name) })
  }
  return byLength
}

/** Just past the closing quote of a string whose opening quote is before `at`; -1 where it does not end. */
function stringEnd(bytes: Buffer, at: number, end: number): number {
  for (let i = at; i < end; i += 1) {
    const c = bytes[i]
    if (c === QUOTE) return i + 1
    if (c === BACKSLASH) i += 1
  }
  return -1
}

/**
 * Goes through one JSON text in bytes and builds nothing that nobody asks for.
 * What is skipped is not checked: only that strings, objects and arrays end. Nothing here throws or recurses.
 */
export class Walk {
  readonly bytes: Buffer
  at: number
  readonly end: number
  /** It is no JSON; every loop over it ends at once. */
  broken = false

  constructor(bytes: Buffer, from: number, to: number) {
    this.bytes = bytes
    this.at = from
    this.end = to
  }

  private space() {
    let c = this.bytes[this.at]
    while ((c === 0x20 || c === 0x0d || c === 0x09) && this.at < this.end) {
      this.at += 1
      c = this.bytes[this.at]
    }
    return this.at < this.end ? c : -1
  }

  private fail() {
    this.broken = true
    this.at = this.end
  }

  private enter(mark: number): boolean {
    if (this.space() !== mark) return false
    this.at += 1
    return true
  }

  /** Enters an object; false where the value is something else, which is then still to be read or skipped. */
  object(): boolean {
    return this.enter(OPEN_OBJECT)
  }

  array(): boolean {
    return this.enter(OPEN_ARRAY)
  }

  /** The next member's name, '' for one that is not among the names, null past the last. Its value is next. */
  member<K extends string>(names: Names<K>): K | '' | null {
    let c = this.space()
    if (c === COMMA) {
      this.at += 1
      c = this.space()
    }
    if (c === CLOSE_OBJECT) {
      this.at += 1
      return null
    }
    const from = this.at + 1
    const to = c === QUOTE ? stringEnd(this.bytes, from, this.end) : -1
    this.at = to
    if (to < 0 || this.space() !== COLON) {
      this.fail()
      return null
    }
    this.at += 1
    return matched(this.bytes, from, to - 1, names)
  }

  /** Whether an array has another element, which is then next. */
  element(): boolean {
    let c = this.space()
    if (c === COMMA) {
      this.at += 1
      c = this.space()
    }
    if (c === CLOSE_ARRAY) {
      this.at += 1
      return false
    }
    // What closes an object is no element: it would be passed over for ever.
    if (c === -1 || c === CLOSE_OBJECT || this.broken) {
      this.fail()
      return false
    }
    return true
  }

  /** Passes over a value of any kind, to any depth. */
  skip(): void {
    let depth = 0
    const { bytes, end } = this
    let at = this.space() === -1 ? end : this.at
    while (at < end) {
      const c = bytes[at]
      if (c === QUOTE) {
        at = stringEnd(bytes, at + 1, end)
        if (at < 0) break
        if (depth === 0) {
          this.at = at
          return
        }
      } else if (c === OPEN_OBJECT || c === OPEN_ARRAY) {
        depth += 1
        at += 1
      } else if (c === CLOSE_OBJECT || c === CLOSE_ARRAY || (c === COMMA && depth === 0)) {
        // A bare value ends before what closes or follows it.
        if (depth <= 1) {
          this.at = depth === 1 ? at + 1 : at
          return
        }
        depth -= 1
        at += 1
      } else at += 1
    }
    this.fail()
  }

  /** Passes over a value and tells where it was. */
  span(): Span {
    this.space()
    const from = this.at
    this.skip()
    return { from, to: this.at }
  }

  /** A string of at most so many characters, from its start; null for anything else. */
  string(max: number): string | null {
    return this.begun(max, charactersOf)
  }

  /** The same for a text that people read: it ends with a whole word. */
  words(max: number): string | null {
    return this.begun(max, startOf)
  }

  private begun(max: number, cut: (text: string, max: number) => string): string | null {
    const isString = this.space() === QUOTE
    const span = this.span()
    const text = isString && !this.broken ? decodedStart(this.bytes, span, max) : null
    return text === null ? null : cut(text, max)
  }

  /** A string that is mostly one of these, which then costs no new string. */
  word(names: Names<string>, max: number): string | null {
    if (this.space() !== QUOTE) return this.string(max)
    const from = this.at + 1
    const to = stringEnd(this.bytes, from, this.end)
    const known = to < 0 ? '' : matched(this.bytes, from, to - 1, names)
    if (known === '') return this.string(max)
    this.at = to
    return known
  }

  true(): boolean {
    const { from, to } = this.span()
    return to - from >= 4 && this.bytes[from] === 0x74
  }

  /** A count: whole, not negative, not absurd; else 0. */
  count(): number {
    const { from, to } = this.span()
    if (to - from > 16) return 0
    const number = Number(this.bytes.toString('latin1', from, to))
    return Number.isSafeInteger(number) && number >= 0 && number <= 1e12 ? number : 0
  }
}

function matched<K extends string>(bytes: Buffer, from: number, to: number, names: Names<K>): K | '' {
  const same = names[to - from]
  if (same === undefined) return ''
  next: for (const { name, bytes: wanted } of same) {
    for (let i = 0; i < wanted.length; i += 1) if (wanted[i] !== bytes[from + i]) continue next
    return name
  }
  return ''
}

/** Whether a string stands at a span. */
export const isTextSpan = (bytes: Buffer, { from }: Span) => bytes[from] === QUOTE

/** The beginning of a string, however long it is, up to a whole word. */
export function textStart(bytes: Buffer, span: Span, max: number): string | null {
  const text = decodedStart(bytes, span, max)
  return text === null ? null : startOf(text, max)
}

/** At least so many characters of a string, where it has as many. */
function decodedStart(bytes: Buffer, { from, to }: Span, max: number): string | null {
  const enough = from + 1 + max * BYTES_PER_CHARACTER
  const cut = enough + SLACK < to ? bytes.indexOf(0x20, enough) : -1
  return decoded(bytes, from + 1, cut >= 0 && cut < to - 1 ? cut : to - 1)
}

/** The last characters of a string, however long it is. */
export function textEnd(bytes: Buffer, { from, to }: Span, max: number): string | null {
  const enough = to - 1 - max * BYTES_PER_CHARACTER
  const cut = enough - SLACK > from ? bytes.lastIndexOf(0x20, enough) : -1
  const text = decoded(bytes, cut > from ? cut + 1 : from + 1, to - 1)
  return text === null ? null : endOf(text, max)
}

function decoded(bytes: Buffer, from: number, to: number): string | null {
  const raw = bytes.toString('utf8', from, to)
  if (!raw.includes('\\')) return raw
  try {
    const value: unknown = JSON.parse(`"${raw}"`)
    return typeof value === 'string' ? value : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/** Small values that are wanted whole; undefined where they are too large or no JSON. */
export function parsedSpan(bytes: Buffer, { from, to }: Span, maxBytes = 262_144): unknown {
  if (to - from > maxBytes) return undefined
  try {
    return JSON.parse(bytes.toString('utf8', from, to))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
