import type { BriefPage } from '../../core/brief-page.ts'
import type { Brief } from './brief.ts'
import { ladderOf, type Order, orderOf, type Rung, tokensFor } from './brief-ladder.ts'
import type { BriefLine, BriefSection } from './brief-sections.ts'
import { clipLine, type Estimate, headerOf, type Manner, roughCount } from './brief-words.ts'

/** Below this a brief says too little to be worth anything; the caller refuses. */
export const MIN_TOKENS = 200
/** No floor is longer than this. */
export const MIN_CHARACTERS = 1_000

export interface FitOptions {
  tokens?: number
  characters?: number
  /** Shows every line of the page whole. */
  render: (page: BriefPage) => string
  estimate: Estimate
}

export interface FittedBrief {
  page: BriefPage
  text: string
  tokens: number
  /** How many lines of which section are not shown. */
  cuts: Array<{ title: string; count: number }>
  /** How many lines are shown only in part. */
  shortened: number
  /** The lines that are shown. */
  shown: RenderedLines['sections']
}

/**
 * The most of a brief that a budget allows. Every way of saying less stands on one ladder that does not depend on
 * the budget, so more room never shows fewer items. Rendered text is measured, never guessed. Throws a RangeError
 * for a budget below the least one, and where an estimator leaves no room even for the floor.
 */
export function fitBrief(brief: Brief, options: FitOptions): FittedBrief {
  const order = orderOf(brief.sections)
  return firstFit(ladderOf(order), fitter(brief, order, options))
}

/** The whole brief where it fits; null where something would have to go. */
export function fitWhole(brief: Brief, options: FitOptions): FittedBrief | null {
  const order = orderOf(brief.sections)
  return fitter(brief, order, options)(ladderOf(order)[0])
}

/** Tries one rung of the ladder. */
function fitter(
  brief: Brief,
  order: ReturnType<typeof orderOf>,
  { tokens = 1_000, characters = 8_000, render, estimate }: FitOptions,
): (rung: Rung | undefined) => FittedBrief | null {
  if (!(tokens >= MIN_TOKENS && characters >= MIN_CHARACTERS))
    throw new RangeError(`a brief needs ${MIN_TOKENS} tokens and ${MIN_CHARACTERS} characters`)
  return (rung) => {
    const shown = rung && linesAtRung(brief, order, rung, characters, estimate)
    if (!rung || !shown) return null
    const page = pageOf(brief, shown, rung.manner, estimate)
    const text = render(page)
    if (text.length > characters) return null
    const cost = estimate(text)
    const { cuts, shortened, sections } = shown
    return cost > tokens ? null : { page, text, tokens: cost, cuts, shortened, shown: sections }
  }
}

/**
 * The whole brief where it fits, else the rung that a bisection of the ladder ends at. What fits into a budget fits
 * into a bigger one at the same steps of the same search, so a bigger one never ends lower.
 */
function firstFit(
  rungs: readonly Rung[],
  tried: (rung: Rung | undefined) => FittedBrief | null,
): FittedBrief {
  const whole = tried(rungs[0])
  if (whole) return whole
  let best = tried(rungs.at(-1))
  if (!best) throw new RangeError('not even the headings of the brief fit into the budget')
  let [over, fits] = [0, rungs.length - 1]
  while (fits - over > 1) {
    const middle = (over + fits) >> 1
    const found = tried(rungs[middle])
    if (found) [best, fits] = [found, middle]
    else over = middle
  }
  return best
}

interface RenderedLines {
  sections: Array<{ section: BriefSection; lines: BriefLine[] }>
  cuts: FittedBrief['cuts']
  shortened: number
}

/** The lines of a rung; null as soon as their texts alone are too long, so that nothing huge is ever rendered. */
function linesAtRung(
  { sections }: Brief,
  order: Order,
  rung: Rung,
  characters: number,
  estimate: Estimate,
): RenderedLines | null {
  const shown: RenderedLines = { sections: [], cuts: [], shortened: 0 }
  let length = 0
  for (const [at, section] of sections.entries()) {
    const lines: BriefLine[] = []
    for (const place of order.sections[at] ?? []) {
      const tokens = tokensFor(place, rung)
      if (tokens === 0) continue
      const short = clipLine(place.line, tokens, estimate)
      length += short.text.length + short.why.length + short.note.length
      if (length > characters) return null
      if (short !== place.line) shown.shortened += 1
      lines.push(short)
    }
    const count = section.lines.length - lines.length
    if (count > 0) shown.cuts.push({ title: section.title, count })
    if (lines.length > 0 || section.rank === 'must') shown.sections.push({ section, lines })
  }
  return shown
}

function pageOf(brief: Brief, shown: RenderedLines, manner: Manner, estimate: Estimate): BriefPage {
  const header = headerOf(brief, manner, estimate)
  const rough = manner === 'bare'
  const sections = shown.sections.map(({ section: { title, rank, lines: all }, lines }) => {
    const count = rank === 'must' ? all.length - lines.length : 0
    const words = rough ? `${roughCount(count)} more` : `… ${count} more: ${header.command}`
    return { title, lines, more: count === 0 ? '' : words }
  })
  const { command, ...told } = header
  const notes = brief.notes ? { notes: brief.notes } : {}
  const subject = brief.subject === undefined ? {} : { subject: brief.subject }
  return { ...told, ...notes, ...subject, sections, cut: cutOf(shown, command, rough) }
}

function cutOf({ cuts, shortened, sections }: RenderedLines, command: string, rough: boolean): string {
  if (cuts.length === 0 && shortened === 0) return ''
  if (!rough) {
    const counts = cuts.map(({ title, count }) => `${title} ${count}`).join(', ')
    const lines = shortened === 0 ? '' : `${shortened} ${shortened === 1 ? 'line' : 'lines'} shortened`
    return `Cut to fit: ${[counts, lines].filter((part) => part !== '').join('; ')}. All: ${command}`
  }
  // Sections that are there count for themselves.
  const titles = new Set(sections.map(({ section }) => section.title))
  const gone = cuts.filter(({ title }) => !titles.has(title))
  const counts = gone.map(({ title, count }) => `${title} ${roughCount(count)}`).join(', ')
  return `Cut: ${counts === '' ? 'counts above' : counts}. ${command}`
}
