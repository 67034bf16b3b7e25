import {
  ACCENTED,
  BARE,
  BREAK,
  FOREIGN,
  LATIN,
  LOWER,
  NOISE,
  PRICES,
  type Price,
  placesOfUnits,
  TOKEN,
  UPPER,
} from './token-prices.ts'
import type { WorkField } from './work.ts'

/** One item of one field of the work, as a text that costs tokens. */
export interface BudgetPart {
  field: WorkField
  text: string
  /** A finished artifact, or a decision that another one replaced. */
  finished?: boolean
  /** A breadcrumb whose target is gone. */
  stale?: boolean
  /** The text without its end, where that can go. */
  clip?: string
}

/** What was cut from a field to meet a budget, as data: the caller writes the sentence. */
export interface BudgetCut {
  field: WorkField
  count: number
  how: 'summarised' | 'pruned' | 'shortened'
  why: 'stale' | 'finished' | 'superseded' | 'older' | 'long'
}

export interface BudgetFit {
  /** Parallel to the parts: which stay, and of which only the clip does. */
  kept: boolean[]
  clipped: boolean[]
  cuts: BudgetCut[]
  tokens: number
  fits: boolean
}

const LINE_FEED = 0x0a
/** Less than a whole token, so that the estimate errs upward: a rare word has more tokens than its letters tell. */
const COUNTED_AS_TOKEN = 95

/**
 * An estimate by the rules of o200k, without its vocabulary: on 100 KB of code, prose, JSON or CJK text it is up to a
 * tenth above the real count. It can be below it where most words are rare, as in a list of names or in Polish. Each
 * line is rounded by itself, so the lines of a text cost together what they cost alone; only an empty line costs
 * nothing behind another one.
 */
export function estimateTokens(text: string): number {
  if (text === '') return 0
  const places = placesOfUnits()
  const run = { count: 0, repeats: 0, wordCost: TOKEN, isBare: false, isNoise: false, isForeign: false }
  const reading: TokenCursor = { text, places, at: 0, price: BREAK, unit: LINE_FEED, ...run }
  let tokens = 0
  let line = 0
  while (reading.at < text.length) {
    line += readCost(reading)
    if (reading.unit !== LINE_FEED) continue
    tokens += Math.round(line / COUNTED_AS_TOKEN)
    line = 0
  }
  return Math.max(1, tokens + Math.round(line / COUNTED_AS_TOKEN))
}

/** How far a text is read, and what the cost of the next character depends on. */
interface TokenCursor {
  readonly text: string
  readonly places: Uint8Array
  at: number
  /** The last character, and its place in its run. */
  price: Price
  unit: number
  count: number
  /** How often the last mark stands in a row. */
  repeats: number
  /** What a word costs that begins right behind the last character. */
  wordCost: number
  /** Whether the run is a word of small letters behind something else than a space. */
  isBare: boolean
  isNoise: boolean
  isForeign: boolean
}

/** Reads on, and tells what that costs in hundredths of a token. It is never negative: more text never costs less. */
function readCost(reading: TokenCursor): number {
  const { text, places, at } = reading
  const unit = text.charCodeAt(at)
  const place = places[unit]
  // `as`: every unit has a place, and every place a price.
  const price = PRICES[place as number] as Price
  let end = at + 1
  if (isStretch(price)) while (end < text.length && places[text.charCodeAt(end)] === place) end += 1
  const cost = costOf(price, unit, end - at, reading)
  reading.at = end
  reading.price = price
  reading.unit = unit
  return cost
}

/** What is read in stretches of one price, since their cost depends on nothing but their length. */
const isStretch = ({ is }: Price) => is === 'letter' || is === 'digit' || is === 'space'

function costOf(price: Price, unit: number, length: number, reading: TokenCursor): number {
  const { wordCost } = reading
  const spaceBefore = reading.price.is === 'space' ? price.space : 0
  reading.wordCost = TOKEN
  switch (price.is) {
    case 'letter':
      return letterCost(price, length, wordCost + spaceBefore, reading) + price.each * length
    case 'digit':
      // Three digits are a token.
      return TOKEN * Math.ceil(length / 3) + spaceBefore
    case 'space':
      return spaceCost(length, reading)
    case 'break':
      return breakCost(reading)
    case 'mark':
      return markCost(unit, reading)
    case 'sign':
      return unit === reading.unit ? price.each / 4 : price.each
  }
}

function letterCost(price: Price, length: number, wordCost: number, reading: TokenCursor): number {
  if (price === ACCENTED) reading.isForeign = true
  if (reading.price.is === 'digit') reading.isNoise = true
  let first = 0
  if (beginsRun(price, reading)) {
    reading.isBare = price === LOWER && reading.price.is !== 'space'
    reading.count = 0
    first = reading.isNoise && price === UPPER ? wordCost + NOISY_CAPITAL : wordCost
  }
  const before = reading.count
  reading.count += length
  const { free, more } = price.script === LATIN ? latinPrice(price, reading) : price
  const long = Math.max(0, LONG_WORD_LETTER - more)
  return first + more * countBeyond(free, before, length) + long * countBeyond(LONG_WORD, before, length)
}

/** Of so many letters behind others of a run, how many are beyond its first `limit`. */
const countBeyond = (limit: number, before: number, length: number) =>
  Math.max(0, before + length - Math.max(limit, before))

/** In encoded bytes a capital and the small letters behind it are often not one token, as they are in a name. */
const NOISY_CAPITAL = 20
/** Few words are longer, and those are several tokens. */
const LONG_WORD = 14
const LONG_WORD_LETTER = 25

/** A run ends where the script does, before a capital behind small letters, and behind several capitals. */
function beginsRun(price: Price, { price: before, count }: TokenCursor): boolean {
  if (price.script !== before.script) return true
  return before === UPPER ? price === LOWER && count > 1 : price === UPPER
}

function latinPrice(price: Price, { isNoise, isForeign, isBare }: TokenCursor): Price {
  if (isNoise) return NOISE
  if (price === UPPER) return UPPER
  return isForeign ? FOREIGN : isBare ? BARE : LOWER
}

/** The last space mostly belongs to what is behind it, those before it are a token. */
function spaceCost(length: number, reading: TokenCursor): number {
  reading.isNoise = false
  return length === 1 ? 0 : TOKEN + length - 2
}

/** A line break belongs to the mark or the line breaks before it. */
function breakCost(reading: TokenCursor): number {
  const { is } = reading.price
  reading.isNoise = false
  reading.isForeign = false
  reading.count = is === 'break' ? reading.count + 1 : 1
  return is !== 'mark' && reading.count % 8 === 1 ? TOKEN : 0
}

/** Two marks are a token, of more than two most are one each; repeated ones share. */
function markCost(unit: number, reading: TokenCursor): number {
  const { is } = reading.price
  const wasRepeated = reading.repeats > 2
  if (ENCODING[unit] === undefined) reading.isNoise = false
  reading.repeats = unit === reading.unit ? reading.repeats + 1 : 1
  if (is !== 'mark' || (wasRepeated && reading.repeats === 1)) {
    reading.count = 1
    if (is !== 'mark' && is !== 'space') reading.wordCost = WORD_BEHIND[unit] ?? TOKEN
    return TOKEN
  }
  reading.count += 1
  // A row of them that does not begin the run is a token of its own, and so is what is left of a long one.
  if ((reading.repeats === 3 && reading.count > 3) || reading.repeats === 17) return 65
  if (reading.repeats > 2) return REPEATED[unit] ?? 0
  return reading.count === 2 ? 0 : reading.count === 3 ? 25 : 65
}

/** What a word costs behind a mark that is often one token with it, as in `.then` and `_id`. */
const WORD_BEHIND = byMark([
  ['_.(', 10],
  ["-#'", 40],
  ['/<\\', 55],
])

/** What each mark of a row costs from the third on: whole lines of some are in the vocabulary. */
const REPEATED = byMark([
  ['#*-./=_', 2],
  ['!%+:;<>?@^~', 13],
  ['"$\'(),\\|', 25],
  ['&[]`{}', 50],
])

/** What ids and encoded bytes are written with, besides letters and digits. */
const ENCODING = byMark([['+/=-_', 0]])

/** A row for every ASCII character; undefined where a mark is not in the table. */
function byMark(rows: ReadonlyArray<readonly [string, number]>): ReadonlyArray<number | undefined> {
  const costs = new Array<number | undefined>(128).fill(undefined)
  for (const [marks, cost] of rows) for (const one of marks) costs[one.charCodeAt(0)] = cost
  return costs
}
