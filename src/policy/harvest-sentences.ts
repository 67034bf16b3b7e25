import { oneLine, plainText } from '../core/bullets.ts'
import { clip } from '../core/canonical.ts'
import { redact } from './redact.ts'

/** No item that is kept is longer. */
export const ITEM_LENGTH = 400

/** Nearly every text is, and then there is nothing to take out. */
const PLAIN = /^[ -~]*$/

/** A text as it is kept: one line, nothing that drives a terminal, no secrets, bounded. */
export function tidy(text: string, limit = ITEM_LENGTH): string {
  // A secret must not be cut in half before it is looked for, so the look is at more than is kept.
  const some = text.length > limit * 4 + 1_000 ? text.slice(0, limit * 4 + 1_000) : text
  const clean = redact(some)
  return cut((PLAIN.test(clean) ? clean.trim() : oneLine(clean)).replace(/\s+/g, ' '), limit)
}

/** The same with its line breaks. */
export const tidyLines = (text: string, limit: number): string =>
  cut(plainText(redact(text.slice(0, limit * 4 + 1_000))), limit)

/** At most so many characters of JSON: a quote or a line break takes two. */
function cut(text: string, limit: number): string {
  const escapes = text.length * 2 <= limit ? 0 : (text.match(/["\\\n\t]/g) ?? []).length
  return clip(text, Math.max(Math.floor(limit / 2), Math.min(limit, limit - escapes)))
}

/** One sentence of somebody's prose, without its Markdown. */
export interface Sentence {
  text: string
  /** The heading or label that it stands under, in lower case. */
  under: string
  /** The number of the list item that it is in; 0 for a plain bullet, null outside of lists. */
  item: number | null
  /** It begins its line. */
  first: boolean
}

/** So much of a text is read, half from each end; what lies between is data that somebody pasted. */
const READ = 24_000
const LINE = 2_000
const MOST_SENTENCES = 400

const FENCE = /^\s{0,8}(?:`{3}|~{3})/
const QUOTED = /^\s*(?:>|\||&gt;)/
const CODE = /^(?: {4}|\t)\s*(?![-*+\s]|\d{1,3}[.)])/
// What programs print, and people paste.
const PRINTED =
  /^\s*(?:\[?\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d|at \S+ \(|at \/|\$ |% |#\d+ |\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL)\b[\]: ]|npm (?:ERR!|error|WARN|warn)|Traceback |File "|[+-]{3} |@@ |diff --git |[{}[\]();]|<[/!?A-Za-z]|[A-Z][A-Za-z]{2,40}(?:Error|Exception)\b)/
// "The log says:" is followed by data; "the rules are:" is not.
const INTRODUCES =
  /\b(?:log|logs|output|error|errors|trace|stack|stacktrace|says|said|wrote|prints|printed|readme|docs|email|mail|message|ticket|snippet|response|result|file contains|reads)\b[^:]{0,60}:\s*$/i
const ASKS = /\b(?:rules?|requirements?|constraints?|please|remember|conventions?|want|need)\b/i
const BULLET = /^\s*(?:([-*+•])|(\d{1,3})[.)])\s+(?:\[[ xX]\]\s+)?/
const HEADING = /^\s{0,3}#{1,6}\s+/

/** The sentences of what somebody said, without their secrets. */
export const heardOf = (text: string): Sentence[] => sentencesOf(redact(text))

const KEPT = { first: 10, last: 14, length: 300 }

/** Of the sentences of a text those at its ends, as they are kept. */
export function endsOf(sentences: readonly Sentence[]): Sentence[] {
  const { first, last, length } = KEPT
  const ends =
    sentences.length <= first + last
      ? sentences
      : [...sentences.slice(0, first), ...sentences.slice(sentences.length - last)]
  return ends.map((one) => ({
    ...one,
    text: cut(oneLine(one.text), length),
    under: cut(oneLine(one.under), 90),
  }))
}

/** The sentences of a text, in order. Code, quotes, tables and what a program printed are data and give none. */
export function sentencesOf(text: string): Sentence[] {
  const found: Sentence[] = []
  let isFenced = false
  let isData = false
  let under = { text: '', holds: false }
  let open = null as { text: string; item: number | null } | null
  const close = () => {
    if (open !== null) pushSentences(found, open.text, under.text, open.item)
    open = null
  }
  for (const { line, isRead } of linesOf(text)) {
    if (found.length >= MOST_SENTENCES) break
    const isFence = FENCE.test(line)
    if (isFence) isFenced = !isFenced
    if (line.trim() === '') {
      close()
      isData = false
      if (!under.holds) under = { text: '', holds: false }
      continue
    }
    if (isFence || isFenced || isData || !isRead || isNoProse(line)) {
      close()
      continue
    }
    const bullet = BULLET.exec(line)
    const said = withoutMarks(bullet ? line.slice(bullet[0].length) : line)
    const isHeading = HEADING.test(line)
    const isLabel = said.length < 90 && said.endsWith(':')
    if (isHeading || isLabel || isAllBold(line)) {
      close()
      isData = INTRODUCES.test(said) && !ASKS.test(said)
      under = { text: said.toLowerCase(), holds: isHeading }
    } else if (bullet) {
      close()
      open = { text: said, item: Number(bullet[2] ?? 0) }
    } else if (open !== null && /^\p{Ll}/u.test(said) && !/[.!?:;]$/.test(open.text)) {
      // A wrapped line goes on with its sentence.
      open = { ...open, text: `${open.text} ${said}` }
    } else {
      close()
      open = { text: said, item: null }
    }
    if (!isHeading && INTRODUCES.test(said) && !ASKS.test(said)) isData = true
  }
  close()
  return found.slice(0, MOST_SENTENCES)
}

const isNoProse = (line: string) =>
  line.length > LINE || QUOTED.test(line) || PRINTED.test(line) || CODE.test(line)

const isAllBold = (line: string) => /^\s{0,3}\*\*[^*]{1,90}\*\*:?\s*$/.test(line)

/** The lines of a text one by one, so that a megabyte costs no list; those far from both ends are not read. */
function* linesOf(text: string): Generator<{ line: string; isRead: boolean }> {
  for (let from = 0; from <= text.length; ) {
    const at = text.indexOf('\n', from)
    const to = at === -1 ? text.length : at
    const isRead = to <= READ / 2 || from >= text.length - READ / 2
    // Of what is not read, only a fence matters: what comes after it may be code.
    const isFence = !isRead && to - from > 2 && FENCE.test(text.slice(from, Math.min(to, from + 12)))
    if (isRead || isFence)
      yield { line: text.slice(from, Math.min(to, from + LINE + 1)).replace(/\r$/, ''), isRead }
    from = to + 1
  }
}

/** Emphasis, headings and links are how a text looks, not what it says. */
export const withoutMarks = (line: string) =>
  line
    .replace(HEADING, '')
    .replace(/\*\*|__/g, '')
    .replace(/\[([^[\]\n]{1,200})\]\([^()\n]{1,300}\)/g, '$1')
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/\s+/g, ' ')
    .replace(/^(?:\p{Extended_Pictographic}|[\uFE0F\u2713\u2714\u2192 ]){1,12}/u, '')
    .trim()

const ENDS = /[.!?]["')\]]? |; /g
const SHORTENED = /(?:^|[\s(])(?:e\.g|i\.e|vs|etc|cf|approx|resp|z\.B|bzw|ca|d\.h|p\.ex)\.$/i

function pushSentences(into: Sentence[], text: string, under: string, item: number | null): void {
  let from = 0
  const push = (to: number) => {
    const said = text.slice(from, to).trim().replace(/;$/, '')
    if (/[\p{L}\p{N}]/u.test(said)) into.push({ text: said, under, item, first: from === 0 })
    from = to
  }
  for (const found of text.matchAll(ENDS)) {
    const to = found.index + found[0].length
    const until = text.slice(Math.max(from, found.index - 8), found.index + 1)
    const isNumber = /^\d{1,3}\.$/.test(until.trim()) || (/\b\d{1,3}\.$/.test(until) && isLower(text, to))
    if (!isNumber && !SHORTENED.test(until)) push(to)
  }
  push(text.length)
}

/** "On the 3. floor" goes on; "on Postgres 12. And" does not. */
const isLower = (text: string, at: number) => /^\p{Ll}/u.test(text.slice(at, at + 2))

/** A prompt longer than this holds something that was pasted; its first and last words are the user's own. */
const LONG_PROMPT = 4_000

/** What the user typed of a prompt, without what surely was pasted or put there by the client. */
export function typedOf(prompt: string): string {
  if (prompt.length <= LONG_PROMPT) return prompt
  const fences = (part: string) => (part.match(/^\s{0,8}(?:`{3}|~{3})/gm) ?? []).length
  const head = prompt.slice(0, 1_500)
  const tail = prompt.slice(-600)
  // The last words count where they are a paragraph of their own and in no open fence.
  const paragraph = tail.lastIndexOf('\n\n')
  const last = paragraph === -1 ? '' : tail.slice(paragraph + 2)
  return fences(prompt) % 2 === 0 && last !== '' ? `${cutAtLine(head)}\n\n${last}` : cutAtLine(head)
}

const cutAtLine = (head: string) => {
  const at = head.lastIndexOf('\n')
  const whole = at > 400 ? head.slice(0, at) : head
  const isOpen = (whole.match(/^\s{0,8}(?:`{3}|~{3})/gm) ?? []).length % 2 === 1
  return isOpen ? `${whole}\n\`\`\`` : whole
}
