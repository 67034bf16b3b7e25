import {
  decodeBlock,
  decodeClaim,
  decodeItems,
  encodeBlock,
  encodeClaim,
  encodeLine,
  plainLine,
} from '../../core/bullets.ts'
import { decisionOf, decisionSentence } from '../../core/decision.ts'
import { linesOf } from '../../core/outline.ts'
import type { Claim, Decision, Item } from '../../core/work.ts'
import type { TextRange } from '../markdown/splice.ts'
import { isNone } from './codec.ts'

/** How one kind of item stands in a list. Whatever `write` gives, `read` takes for the same, up to its white space. */
export interface Spelling<Value> {
  /** The item without its bullet, in one line; empty where there is nothing to say. */
  write(value: Value): string
  /** Null where the item says nothing. */
  read(item: string): Value | null
}

// A mark of a comment anywhere in a text would hide what comes behind it.
export const hideCommentMarks = (text: string) =>
  text.replace(/<(?=\\*!--)/g, '<\\').replace(/--(?=\\*>)/g, '--\\')
export const revealCommentMarks = (text: string) =>
  text.replace(/--\\(?=\\*>)/g, '--').replace(/<\\(?=\\*!--)/g, '<')

// A letter of a word that would mean something is written as its number; the mark `&` of such a number as well.
const LETTERS = [...'&bBcCoOqQsS~'].map((letter) => letter.charCodeAt(0)).join('|')
const NUMBERED = new RegExp(`&#(${LETTERS});`, 'g')
const AMPERSAND = new RegExp(`&(?=#(?:${LETTERS});)`, 'g')

/** `meaning` finds the letter, behind what may stand before it. */
const escapeMeaning = (text: string, meaning = /(?!)/) =>
  hideCommentMarks(text)
    .replace(AMPERSAND, '&#38;')
    .replace(meaning, (_, lead: string, letter: string) => `${lead}&#${letter.charCodeAt(0)};`)
/** The same for an item that must not be read as struck out. */
const escapeItem = (text: string, meaning?: RegExp) =>
  escapeMeaning(text, meaning).replace(/^~(?=~)/, '&#126;')
const unescapeText = (text: string) =>
  revealCommentMarks(text.replace(NUMBERED, (_, code: string) => String.fromCharCode(Number(code))))

/** A text in brackets is what a template says, and to be replaced. */
const PLACEHOLDER = /^\[[^\]]*\]$/
export const saysNothing = (item: string) => isNone(item) || PLACEHOLDER.test(item)

/** Somebody struck out the whole of it: it is over, and stays where it is written. */
const isStruck = (text: string) =>
  text.length > 4 && text.startsWith('~~') && text.endsWith('~~') && !text.slice(2, -2).includes('~~')

const lineOf = (said: string) => encodeLine(said).replace(/^(?=\\*\[[^\]]*\]$)/, '\\')
function plainItem(item: string): string {
  const bare = item.replace(/^\\(?=\\*\[[^\]]*\]$)/, '')
  return bare.startsWith('\\') ? (decodeItems(`- ${plainLine(bare)}`)[0] ?? '') : bare
}

/** `Label:`, plain or in stars, as often as it stands there. */
const label = (word: string) =>
  new RegExp(`^(?:(?:${word}[ \\t]*:|([*_]{1,2})${word}(?:\\1[ \\t]*:|:\\1))[ \\t]*)+`, 'i')
const CONSTRAINT = label('constraint')
const QUESTION = label('(?:open[ \\t]+)?question')
const BLOCKED = label('block(?:ed|er|ing)')
const isBlocker = (text: string) => /^\**block(?:ed|er|ing)\b/i.test(text)

export const STEP: Spelling<Item> = {
  write: ({ text }) => (isNone(plainLine(text)) ? '' : lineOf(escapeItem(plainLine(text)))),
  read(item) {
    const said = plainItem(item)
    return saysNothing(item) || isStruck(said) ? null : { text: unescapeText(said) }
  },
}

/** A claim as it stands there; null where the item says nothing, or is struck out. */
function readClaim(item: string): Claim | null {
  const claim = saysNothing(item) ? null : decodeClaim(plainItem(item))
  return claim && isStruck(claim.text) ? null : claim
}

export const CLAIM: Spelling<Claim> = {
  write: ({ text, confirmed }) =>
    isNone(plainLine(text)) ? '' : lineOf(encodeClaim(escapeItem(plainLine(text)), confirmed)),
  read(item) {
    const claim = readClaim(item)
    return claim && { ...claim, text: unescapeText(claim.text) }
  },
}

export type Fact = Claim & { kind: 'facts' | 'constraints' }
const FACT_LABEL = /^([*_]*)(c)(?=onstraint[*_]*[ \t]*:)/i

/** Technical Context: `Constraint: …` is a constraint, anything else a fact. */
export const FACT: Spelling<Fact> = {
  write({ kind, text, confirmed }) {
    const said = kind === 'facts' ? plainLine(text) : plainLine(text).replace(CONSTRAINT, '')
    if (isNone(said)) return ''
    const item = kind === 'facts' ? escapeItem(said, FACT_LABEL) : `Constraint: ${escapeItem(said)}`
    return lineOf(encodeClaim(item, confirmed))
  },
  read(item) {
    const claim = readClaim(item)
    if (claim === null) return null
    const said = claim.text.replace(CONSTRAINT, '')
    if (said === '' || said === claim.text) return { ...claim, kind: 'facts', text: unescapeText(claim.text) }
    return isNone(said) || isStruck(said) ? null : { ...claim, kind: 'constraints', text: unescapeText(said) }
  },
}

export type Action = Pick<Claim, 'text' | 'confirmed'> & { kind: 'next' | 'blockers' | 'questions' }
const ACTION_LABEL =
  /^([*_]*)(b(?=lock(?:ed|er|ing)\b)|q(?=uestion[*_]*[ \t]*:)|o(?=pen[ \t]+question[*_]*[ \t]*:))/i

export const isTicked = (item: string) => /^\[[xX]\]/.test(item)

/** Next Actions: `Blocked: …` is a blocker, `Question: …` a question; what is ticked is done. */
export const ACTION: Spelling<Action> = {
  write({ kind, text, confirmed }) {
    const line = plainLine(text)
    if (kind === 'next') return isNone(line) ? '' : lineOf(escapeItem(line, ACTION_LABEL))
    const said = line.replace(kind === 'blockers' ? BLOCKED : QUESTION, '')
    if (kind === 'questions')
      return isNone(said) ? '' : lineOf(encodeClaim(`Question: ${escapeItem(said)}`, confirmed))
    const blocker = said === '' ? line : said
    if (isNone(blocker)) return ''
    return lineOf(isBlocker(blocker) ? escapeMeaning(blocker) : `Blocked: ${escapeItem(blocker)}`)
  },
  read(item) {
    const open = item.replace(/^\[ \]\s*/, '')
    if (isTicked(item) || saysNothing(item) || saysNothing(open)) return null
    const said = plainItem(open)
    if (isStruck(said)) return null
    const action = (kind: Action['kind'], text: string, confirmed = true): Action | null =>
      isNone(text) || isStruck(text) ? null : { kind, text: unescapeText(text), confirmed }
    if (isBlocker(said)) return action('blockers', said.replace(BLOCKED, '') || said)
    const question = said.replace(QUESTION, '')
    if (question === '' || question === said) return action('next', said)
    const claim = decodeClaim(question)
    return claim && action('questions', claim.text, claim.confirmed)
  },
}

const SUPERSEDED = /()(s)(?=uperseded by\b)/gi
const tildes = (text: string, all: boolean) =>
  all || /~~|\\~/.test(text) ? text.replaceAll('~', '\\~') : text

/** A decision and its reason in a sentence; struck out where another one came in its place, or where it was rejected. */
export const DECISION: Spelling<Decision> = {
  write(decision) {
    const { supersededBy, confirmed, rejected } = decision
    const sentence = plainLine(decisionSentence(decision))
    if (isNone(sentence)) return ''
    const isOver = supersededBy !== null
    const said = tildes(escapeMeaning(sentence, SUPERSEDED), isOver)
    const by = plainLine(supersededBy ?? '')
    const isNamed = rejected === undefined && by !== '' && by !== decisionOf(sentence).text
    const quote = (text: string) => `"${tildes(escapeMeaning(text, SUPERSEDED), true)}"`
    const reason = plainLine(rejected ?? '')
    const against = rejected === undefined ? '' : ` rejected${reason === '' ? '' : `: ${quote(reason)}`}`
    const tail = isNamed ? ` superseded by ${quote(by)}` : against
    return lineOf(encodeClaim(isOver ? `~~${said}~~${tail}` : said, confirmed))
  },
  read(item) {
    const claim = saysNothing(item) ? null : decodeClaim(plainItem(item))
    if (claim === null) return null
    const struck = parseStruck(claim.text)
    const unescapeStruck = (text: string) => unescapeText(text.replaceAll('\\~', '~'))
    const said = { ...claim, ...decisionOf(unescapeStruck(struck?.text ?? claim.text)) }
    if (struck?.rejected !== undefined)
      return { ...said, supersededBy: said.text, rejected: unescapeStruck(struck.rejected) }
    if (struck) return { ...said, supersededBy: struck.by === '' ? said.text : unescapeStruck(struck.by) }
    const isOver = /^~~.*~~/.test(claim.text) || /\bsuperseded by\b/i.test(claim.text)
    const whole = unescapeStruck(claim.text)
    return isOver ? { ...claim, text: whole, why: '', supersededBy: whole } : { ...said, supersededBy: null }
  },
}

/** `~~text~~`, and behind it what came in its place, why it was rejected, or nothing. */
function parseStruck(said: string): { text: string; by: string; rejected?: string } | null {
  const end = said.lastIndexOf('~~')
  const text = said.slice(2, end)
  const tail = said.slice(end + 2).trim()
  if (!said.startsWith('~~') || end < 3 || text.includes('~~') || text.trim() === '') return null
  if (tail === '') return { text, by: '' }
  const [against, stated, plain = ''] = /^[-–—:,(]*\s*rejected\b[:,]?\s*(?:"(.*)"|(.*))$/is.exec(tail) ?? []
  const reason = (tail.startsWith('(') ? plain.replace(/\)$/, '') : plain).replace(/^because\s/i, '').trim()
  if (against !== undefined) return { text, by: '', rejected: stated ?? reason }
  const [, quoted, bare = ''] = /^[-–—:,(]*\s*superseded by:?\s+(?:"(.*)"|(.*))$/is.exec(tail) ?? []
  const by = quoted ?? (tail.startsWith('(') ? bare.replace(/\)$/, '') : bare)
  return by.trim() === '' ? null : { text, by }
}

// A line of the state that begins as the paragraph about now does.
const NOW_LINE = /^((?:\*\*|__)?now(?:\*\*|__)?[ \t]*)(?=\\*:)/gim
const NOW_ESCAPED = /^((?:\*\*|__)?now(?:\*\*|__)?[ \t]*)\\(?=\\*:)/gim

/** A text of several lines, none of which is taken for structure. */
export const writeBlock = (text: string) => hideCommentMarks(encodeBlock(text))
export const encodeStateBody = (text: string) => writeBlock(text).replace(NOW_LINE, '$1\\')
export const readBlock = (body: string) =>
  revealCommentMarks(body)
    .split(/(\r\n|\n|\r)/)
    // A line in the middle of a text keeps the blanks around it.
    .map((line) => (/^[ \t]*\\/.test(line) ? decodeBlock(`x\n${line}\nx`).slice(2, -2) : line))
    .join('')
const decodeStateBody = (body: string) => readBlock(body.replace(NOW_ESCAPED, '$1'))

const NOW = /^(?:(\*\*|__)now(?:\1[ \t]*:|:\1)|now[ \t]*:)[ \t]*(?=\S)/i
const STOP = /^[ \t]*(?:$|[#>|<]|`{3}|~{3}|(?:[-*+]|\d{1,9}[.)])[ \t])/
const FENCE = /^ {0,3}(`{3,}|~{3,})/

/** The paragraph of Current State that tells what is being done now; its text begins behind the label. */
type NowParagraph = TextRange & { textStart: number }

export function nowParagraph(body: string): NowParagraph | null {
  let found: NowParagraph | null = null
  let fence = null as string | null
  let isStart = true
  for (const { text, start, end } of linesOf(body)) {
    if (found) {
      if (STOP.test(text)) return found
      found.end = end
      continue
    }
    const marks = FENCE.exec(text)?.[1] ?? null
    const label = isStart && fence === null ? NOW.exec(text) : null
    if (label) found = { start, end, textStart: start + label[0].length }
    else if (fence === null) fence = marks
    else if (marks?.startsWith(fence)) fence = null
    isStart = text.trim() === ''
  }
  return found
}

/** Current State, parted into how things stand and what is being done now. */
export function splitStateAndNow(body: string): { state: string; now: string } {
  const found = nowParagraph(body)
  if (!found) return { state: decodeStateBody(body), now: '' }
  const before = body.slice(0, found.start).trimEnd()
  const after = body.slice(found.end).replace(/^(?:[ \t]*(?:\r\n|\n|\r))+/, '')
  return {
    state: decodeStateBody([before, after].filter((part) => part !== '').join('\n\n')),
    now: revealCommentMarks(plainLine(body.slice(found.textStart, found.end))),
  }
}
