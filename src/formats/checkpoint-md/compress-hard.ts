import { clipText } from '../../core/canonical.ts'
import { estimateTokens } from '../../core/tokens.ts'
import { lineBreakOf } from '../markdown/splice.ts'
import { decodeDocument, type SectionName } from './codec.ts'
import { isFilled } from './items.ts'
import { gapBetween, withoutStretches } from './parts.ts'
import { countOf } from './spell.ts'
import { type Unit, unitsOf } from './units.ts'

/** What an absolute budget cost a section. */
export interface HardCut {
  section: SectionName
  /** Items and blocks that a counted line stands for, and those of which only a beginning is left. */
  dropped: number
  shortened: number
}

interface RenderedDocument {
  text: string
  cuts: HardCut[]
}

interface Group {
  section: keyof typeof IS_LOWER
  units: Unit[]
}

/** How many tokens a line of a lower rank may have, how many one that must be kept, and how many of these a list. */
interface Level {
  lower: number
  must: number
  most: number
}

/** Lower ranks only lose the ends of their lines here: the carry table has already said which of them stay. */
const IS_LOWER = {
  Problem: false,
  'Session Intent': false,
  Decisions: false,
  'Technical Context': true,
  Breadcrumbs: true,
  'Play-By-Play': true,
  'Artifact Trail': true,
  'Current State': false,
  'Next Actions': false,
  'User Rules': false,
} as const satisfies Partial<Record<SectionName, boolean>>

const ALL = Number.POSITIVE_INFINITY
/** A beginning that still tells what it is about, and the least one. */
const SHORT = 12
const LEAST = 4

/** The ways of saying less, in their order: each goes down to its least before the next one begins. */
const STEPS: ReadonlyArray<{ least: number; at: (most: number) => Level }> = [
  { least: SHORT, at: (tokens) => ({ lower: tokens, must: ALL, most: ALL }) },
  { least: SHORT, at: (tokens) => ({ lower: SHORT, must: tokens, most: ALL }) },
  { least: 1, at: (most) => ({ lower: SHORT, must: SHORT, most }) },
  { least: LEAST, at: (tokens) => ({ lower: tokens, must: tokens, most: 1 }) },
]

/**
 * A document within an absolute budget. What the lower ranks left is shortened first, then what must be kept, the
 * longest first; then, in the longest lists first, one counted line stands for what is over. Every section keeps its
 * heading and a line, and what was cut once is cut no further at the same budget. Where even the floor is over the
 * budget, the floor is what is given back.
 */
export function fitHard(
  text: string,
  { tokens, command }: { tokens: number; command: string },
): RenderedDocument {
  if (estimateTokens(text) <= tokens) return { text, cuts: [] }
  const found = lowerToBudget(text, tokens, command)
  // A text that would be read differently is no shorter form of this one.
  return titlesOf(found.text) === titlesOf(text) ? found : { text, cuts: [] }
}

/** The first step down that is low enough, and of it the highest place that is. */
function lowerToBudget(text: string, tokens: number, command: string): RenderedDocument {
  const groups = groupsOf(text)
  const render = renderer(text, groups, command)
  const top = groups.reduce((most, { units }) => Math.max(most, units.length), tokens)
  let best: RenderedDocument = { text, cuts: [] }
  for (const { least, at } of STEPS) {
    best = render(at(least))
    if (estimateTokens(best.text) > tokens) continue
    let [fits, over] = [least, top]
    while (over - fits > 1) {
      const middle = (fits + over) >> 1
      const found = render(at(middle))
      if (estimateTokens(found.text) <= tokens) [best, fits] = [found, middle]
      else over = middle
    }
    break
  }
  return best
}

const titlesOf = (text: string) =>
  decodeDocument(text)
    .outline.map(({ level, title }) => `${level} ${title}`)
    .join('\n')

interface Piece {
  start: number
  end: number
  put: string
  isGone: boolean
}

function renderer(text: string, groups: Group[], command: string) {
  const eol = lineBreakOf(text)
  const shown = shortener()
  return (level: Level): RenderedDocument => {
    const cuts = new Map<SectionName, HardCut>()
    const pieces: Piece[] = []
    for (const { section, units } of groups) {
      const isLower = IS_LOWER[section]
      const lines = units.map((unit) =>
        isLower && unit.hasIndented ? unit.raw : shown(unit, isLower ? level.lower : level.must),
      )
      const { gone, line } = isLower ? NONE_GONE : unitsToDrop(section, units, lines, level.most, command)
      const cut = cuts.get(section) ?? { section, dropped: 0, shortened: 0 }
      let put = line
      for (const [at, unit] of units.entries()) {
        const said = lines[at] ?? unit.raw
        if (gone.has(at)) {
          pieces.push({ start: unit.start, end: unit.until, put, isGone: true })
          put = ''
          if (unit.kind !== 'more') cut.dropped += 1
        } else if (said !== unit.raw) {
          pieces.push({ start: unit.start, end: unit.start + unit.raw.length, put: said, isGone: false })
          cut.shortened += 1
        }
      }
      if (cut.dropped + cut.shortened > 0) cuts.set(section, cut)
    }
    pieces.sort((a, b) => a.start - b.start)
    const short = withoutStretches(text, pieces, (before, after, { put, isGone }) => {
      if (!isGone) return put + (GOES_ON.test(after) ? eol : '')
      const head = put === '' ? '' : put + eol
      return head + (NEXT_ITEM.test(after) ? '' : gapBetween(head || before, after, eol))
    })
    return { text: short, cuts: [...cuts.values()] }
  }
}

const NEXT_ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+\S/
/** A line below that might be read as going on with a shorter one. */
const GOES_ON = /^(?:\r\n|\n|\r)(?! {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+\S)[ \t]*[^ \t\r\n]/
const NONE_GONE = { gone: new Set<number>(), line: '' }

/** Which units a counted line stands for: of decisions the oldest go first, of anything else the last ones. */
function unitsToDrop(
  section: SectionName,
  units: Unit[],
  lines: ReadonlyArray<string | null>,
  most: number,
  command: string,
): { gone: Set<number>; line: string } {
  const places = [...units.keys()]
  const old = places.filter((at) => units[at]?.kind === 'more')
  const left = places.filter((at) => lines[at] !== null && units[at]?.kind !== 'more')
  const kept = new Set(
    section === 'Decisions' && most < left.length ? left.slice(-most) : left.slice(0, most),
  )
  const out = places.filter((at) => units[at]?.kind !== 'more' && !kept.has(at))
  if (out.length === 0) return NONE_GONE
  const count = old.reduce((sum, at) => sum + countOf(units[at]?.said), out.length)
  const line = `- … ${count} more: ${command}`
  // A line that is no shorter than what it stands for is not worth it.
  let room = estimateTokens(`${line}\n`)
  for (const at of [...out, ...old]) {
    room -= estimateTokens(`${lines[at] ?? units[at]?.raw}\n`)
    if (room < 0) return { gone: new Set([...out, ...old]), line }
  }
  return NONE_GONE
}

/** What is shown of a unit at a level; null where it has no beginning that says something. */
function shortener(): (unit: Unit, tokens: number) => string | null {
  const newest = new Map<Unit, { tokens: number; line: string | null }>()
  return (unit, tokens) => {
    if (unit.kind === 'more' || unit.tokens <= tokens) return unit.raw
    if (unit.kind === 'whole') return null
    const known = newest.get(unit)
    if (known?.tokens === tokens) return known.line
    let [said, room] = ['', tokens]
    // A beginning of marks alone says nothing: it may be a little longer, as far as one does that is short.
    do said = beginning(unit.said, room++)
    while (!isFilled(said) && room <= SHORT)
    const line = isFilled(said) ? unit.mark + said : null
    newest.set(unit, { tokens, line })
    return line
  }
}

/** The estimate counts a token for at least so many characters of a line without rows of one character. */
const CHARACTERS_PER_TOKEN = 12

/** The longest beginning that costs at most so many tokens, its mark included. */
function beginning(text: string, tokens: number): string {
  const most = tokens * CHARACTERS_PER_TOKEN
  if (text.length <= most && estimateTokens(text) <= tokens) return text
  const head = text.slice(0, most + 1)
  let [fits, over] = [1, Math.min(text.length, most)]
  while (over - fits > 1) {
    const middle = (fits + over) >> 1
    if (estimateTokens(clipText(head, middle)) <= tokens) fits = middle
    else over = middle
  }
  return clipText(head, fits).replace(/[\s\u200D]+…$/, '…')
}

// `as`: these are the table's own keys.
const SHORTENED = Object.keys(IS_LOWER) as Array<keyof typeof IS_LOWER>

/** A list and the blocks around it, for each section; what stands under a heading inside a section is one as well. */
function groupsOf(text: string): Group[] {
  const { sections, outline: headings } = decodeDocument(text)
  return SHORTENED.flatMap((section) =>
    (sections.get(section) ?? [])
      .flatMap(({ end, contentEnd }) => {
        const inside = headings.filter((heading) => heading.start >= end && heading.start < contentEnd)
        const starts = [end, ...inside.map((heading) => heading.end)]
        return starts.map((start, at) => ({ start, end: inside[at]?.start ?? Math.max(start, contentEnd) }))
      })
      .map((stretch) => ({ section, units: unitsOf(text, stretch, section) }))
      .filter(({ units }) => units.length > 0),
  )
}
