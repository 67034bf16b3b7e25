import { IGNORABLE, type Span } from './assigned.ts'
import { MARK, makeRules, type SecretRule } from './rules.ts'

/** A secret in a text: where it stands, and what it is without what hides it. */
export interface FoundSecret extends Span {
  kind: string
  value: string
}

/** Letters without case, digits, and the marks that tokens begin with; everything else is one class. */
const OTHER = 31
const MARKS: Readonly<Record<string, number>> = { _: 28, '-': 29, '+': 30, '/': 30 }
const CLASS = Uint8Array.from({ length: 128 }, (_, code) => {
  const one = String.fromCharCode(code).toLowerCase()
  return /[a-z]/.test(one) ? one.charCodeAt(0) - 96 : /\d/.test(one) ? 27 : (MARKS[one] ?? OTHER)
})
const classAt = (text: string, at: number) => {
  const code = text.charCodeAt(at)
  return code < 128 ? (CLASS[code] ?? OTHER) : OTHER
}

/** A rule, and the classes of what must follow the first three characters of one of its beginnings. */
interface RuleStart {
  rule: SecretRule
  rest: readonly number[]
}

let table: ReturnType<typeof makeTable> | null = null

/**
 * For every three classes in a row the place in `starts` of the rules to try there, 0 where there are none: a text is
 * looked through once for all rules together.
 */
function makeTable() {
  const made = { places: new Uint8Array(32_768), starts: [[]] as RuleStart[][] }
  for (const rule of makeRules())
    for (const at of rule.at) {
      const key = (classAt(at, 0) << 10) | (classAt(at, 1) << 5) | classAt(at, 2)
      const rest = Array.from(at.slice(3), (one) => classAt(one, 0))
      if (made.places[key] === 0) made.places[key] = made.starts.push([]) - 1
      made.starts[made.places[key] ?? 0]?.push({ rule, rest })
    }
  return made
}

/** A run of this length may be base64 of a text with a secret in it. */
const ENCODED = 24

/** Every secret of a text as it stands there, in order, none inside another. */
function findPlain(text: string, depth = 0): FoundSecret[] {
  table ??= makeTable()
  const { places, starts } = table
  const found: FoundSecret[] = []
  let key = 0
  let run = 0
  let from = 0
  for (let at = 0; at <= text.length; at += 1) {
    const one = at < text.length ? classAt(text, at) : OTHER
    key = ((key << 5) | one) & 0x7fff
    if (one !== OTHER) run += 1
    else {
      const encoded = run >= ENCODED && depth < DEEPEST ? findEncoded(text, at - run, at, depth) : null
      run = 0
      if (encoded !== null && encoded.start >= from) {
        found.push(encoded)
        from = encoded.end
      }
    }
    const place = places[key]
    if (place === 0 || place === undefined) continue
    const begin = at - 2
    if (begin < from) continue
    const secret = findFirst(starts[place] ?? [], text, begin, from, depth)
    if (secret === null) continue
    // On from its end: nothing inside it is looked at again.
    if (secret.kind !== MARK) found.push(secret)
    from = secret.end
    at = Math.max(at, secret.end - 1)
    run = 0
  }
  return found
}

function goesOn(text: string, from: number, classes: readonly number[]): boolean {
  for (let at = 0; at < classes.length; at += 1) if (classAt(text, from + at) !== classes[at]) return false
  return true
}

function findFirst(
  starts: readonly RuleStart[],
  text: string,
  begin: number,
  from: number,
  depth: number,
): FoundSecret | null {
  let tried: SecretRule | null = null
  for (const { rule, rest } of starts) {
    if (rule === tried || !goesOn(text, begin + 3, rest)) continue
    tried = rule
    const { kind, find } = rule
    const span = find(text, begin)
    if (span === null || span.start < from) continue
    const value = text.slice(span.start, span.end)
    // What was found by its name may be of a kind that has a form of its own.
    const inner = kind === 'assigned-secret' && depth < DEEPEST ? findPlain(value, depth + 1) : []
    const whole = inner.find(({ start, end }) => start === 0 && end === value.length)
    return { ...span, kind: whole?.kind ?? kind, value: whole?.value ?? value }
  }
  return null
}

/** How often a text may be encoded in another. */
const DEEPEST = 2

/** A secret in base64 of a text; all of the encoded text goes. */
function findEncoded(text: string, start: number, at: number, depth: number): FoundSecret | null {
  const head = Buffer.from(text.slice(start, start + 16), 'base64')
  if (!head.every(isPrinted)) return null
  const end = text.startsWith('==', at) ? at + 2 : text.startsWith('=', at) ? at + 1 : at
  const [secret] = findPlain(Buffer.from(text.slice(start, end), 'base64').toString('latin1'), depth + 1)
  return secret === undefined ? null : { start, end, kind: secret.kind, value: secret.value }
}

const isPrinted = (byte: number) => (byte >= 32 && byte < 127) || byte === 10 || byte === 13 || byte === 9

/** Every secret of a text, also where something that nobody sees stands inside it. */
export function findSecrets(text: string): { secrets: FoundSecret[]; hidden: RegExp | null } {
  const plain = findPlain(text)
  if (PLAIN.test(text) || !ANY_HIDDEN.test(text)) return { secrets: plain, hidden: null }
  let before = text.length
  // Made when needed: every start of the program would pay for them.
  for (const hidden of [`${SEQUENCE}|${UNSEEN}`, UNSEEN].map((one) => new RegExp(one, 'gu'))) {
    const { bare, origin } = withoutHidden(text, hidden)
    if (bare.length === before) break
    before = bare.length
    const all = findPlain(bare).map((one) => ({
      ...one,
      start: origin(one.start),
      end: origin(one.end - 1) + 1,
    }))
    const isNew = all.some(({ start, end }) => !plain.some((one) => one.start === start && one.end === end))
    if (isNew) return { secrets: merge([...plain, ...all]), hidden }
  }
  return { secrets: plain, hidden: null }
}

/** Where two overlap, one that holds both: of the kind and the value of the longer one. */
function merge(secrets: FoundSecret[]): FoundSecret[] {
  const merged: FoundSecret[] = []
  for (const one of secrets.sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1)
    if (last === undefined || one.start >= last.end) merged.push({ ...one })
    else {
      const longer = one.end - one.start > last.end - last.start ? one : last
      Object.assign(last, { kind: longer.kind, value: longer.value, end: Math.max(last.end, one.end) })
    }
  }
  return merged
}

/** A text without what nobody sees, and where each of its characters stood. */
function withoutHidden(text: string, hidden: RegExp): { bare: string; origin: (at: number) => number } {
  const parts: string[] = []
  /** Where a part begins in the bare text, and in the whole one. */
  const begins: number[] = []
  const offsets: number[] = []
  let length = 0
  let from = 0
  const keep = (to: number) => {
    if (to === from) return
    parts.push(text.slice(from, to))
    begins.push(length)
    offsets.push(from)
    length += to - from
  }
  for (const { index, 0: one } of text.matchAll(hidden)) {
    keep(index)
    from = index + one.length
  }
  keep(text.length)
  const origin = (at: number) => {
    let low = 0
    for (let high = begins.length; high - low > 1; ) {
      const middle = (low + high) >> 1
      if ((begins[middle] ?? 0) <= at) low = middle
      else high = middle
    }
    return (offsets[low] ?? 0) + at - (begins[low] ?? 0)
  }
  return { bare: parts.join(''), origin }
}

const PLAIN = /^[ -[\]-~\n\t]*$/
/** At least what UNSEEN and SEQUENCE find: nearly no text has any of it. */
const ANY_HIDDEN = new RegExp(
  [
    `[\\x00-\\x08\\x0B-\\x1F\\x7F-\\x9F${IGNORABLE}\\uFFF9-\\uFFFB]`,
    // Ignorable ones among marks of shorthand and of music, by the first half of each.
    '[\\uD82F\\uD834]',
    '\\\\(?:[uU](?:00[01]|20[06]|[fF][eE])|[xX]1[bB]|033|[eE]\\[|\\r?\\n)',
  ].join('|'),
)
/** A backslash at the end of a line of a command hides the break. */
const UNSEEN =
  '(?![\\n\\t])[\\p{Cc}\\p{DI}\\uFFF9-\\uFFFB]|\\\\{1,4}u(?:200[B-Fb-f]|00[01][0-8b-fB-F]|2060|[Ff][Ee][Ff][Ff])|\\\\\\r?\\n'
/** Terminal sequences: colours, window titles, character sets. */
const ESC = '(?:\\x1B|\\\\{1,4}(?:u001[Bb]|x1[Bb]|033|e))'
const SEQUENCE = `${ESC}(?:\\[[0-?]*[ -/]*[@-~]|\\][^\\x07\\x1B\\n]*(?:\\x07|\\x1B\\\\)|[()][0-~])`
