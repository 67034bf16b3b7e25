import type { BriefPage, PageSection } from '../../core/brief-page.ts'
import { clipText } from '../../core/canonical.ts'
import { estimateTokens } from '../../core/tokens.ts'
import { learningsIn, type WorkState } from '../../core/work.ts'
import { cleanText, renderBrief, renderSections } from '../../formats/brief-md/render.ts'
import { type BriefInput, briefOf } from '../../policy/brief/brief.ts'
import { fitBrief, fitWhole, MIN_TOKENS } from '../../policy/brief/brief-fit.ts'
import type { BriefSection } from '../../policy/brief/brief-sections.ts'
import { fitScale, type TalkSection, tellTalks } from '../../policy/brief/brief-talk.ts'
import type { Context } from '../context/context.ts'
import { type Survey, standingOf } from '../documents/survey.ts'

/** A brief that is ready to be told. */
export interface RenderedBrief {
  page: BriefPage
  /** The brief in Markdown, for agents. */
  text: string
  tokens: number
  budget: number
  cuts: Array<{ title: string; count: number }>
  shortened: number
}

/** The share of the budget that saved work takes before quoted talk. */
const SAVED_SHARE = 0.6

/** The brief of a state that was held against the world, with what its sessions said, within a budget. */
export const renderFittedBrief = (given: BriefInput, budget: number): RenderedBrief =>
  fitInput(given, budget).rendered

/** The same, with what it was made from. */
export function fitInput(given: BriefInput, budget: number) {
  // What was learned has a section of its own.
  const references = given.work.references.filter(({ kind }) => kind !== 'learning')
  const noteTokens = Math.min(MOST_NOTE_TOKENS, Math.floor((budget - MIN_TOKENS) / 2))
  const notes = fittingLines(given.notes ?? [], noteTokens).lines
  const input = { ...given, work: { ...given.work, references }, notes }
  const brief = briefOf(input, cleanText)
  const more = input.talks ? `savepoint sessions show ${input.talks.main.id.slice(0, 8)}` : ''
  const leads = input.earlier?.hasNewerTask ?? false
  const place = (page: BriefPage, talk: TalkSection[]) =>
    withTalk(page, brief.sections, { talk, leads, more })
  const options = (tokens: number, talk: TalkSection[]) => ({
    tokens,
    render: (page: BriefPage) => renderBrief(place(page, talk)),
  })
  const fitWithTalk = (tokens: number, talk: TalkSection[]) => fitBrief(brief, options(tokens, talk))
  const tellSaid = input.talks ? tellTalks(input.talks, leads) : () => []
  const tell = (scale: number) => tellSaid(scale).toSpliced(leads ? 1 : 0, 0, ...(input.merged ?? []))
  const all = tell(1)
  // Mostly all of it fits.
  const whole = fitWhole(brief, options(budget, all))
  const talk = whole ? all : talkFor(tell, budget, fitWithTalk)
  const { page, text, tokens, cuts, shortened, shown } = whole ?? fitWithTalk(budget, talk)
  const placed = place(page, talk)
  return {
    rendered: { page: placed, text, tokens, budget, cuts, shortened },
    parts: { input, brief, page: placed, talk, shown },
  }
}

/** As much of the talk as there is room for beside what was saved; nothing where that needs all of it. */
function talkFor(
  tell: (scale: number) => TalkSection[],
  budget: number,
  fitted: (tokens: number, talk: TalkSection[]) => { tokens: number },
): TalkSection[] {
  const saved = fitted(Math.max(MIN_TOKENS, Math.floor(budget * SAVED_SHARE)), []).tokens
  const room = budget - saved
  const fits = (sections: PageSection[]) => {
    const text = renderSections(sections)
    return text.length < MOST_CHARACTERS && estimateTokens(text) + MORE_TOKENS <= room
  }
  const scale = fitScale((one) => fits(tell(one)))
  return scale === null ? firstLines(tell(0), fits) : tell(scale)
}

/** Where not even the least of it fits, its first lines may: they say what is wanted now. */
function firstLines(sections: TalkSection[], fits: (sections: TalkSection[]) => boolean): TalkSection[] {
  const part = [...sections]
  for (let last = part.pop(); last !== undefined; last = part.pop())
    for (let { lines } = last; lines.length > 0; lines = lines.slice(0, -1))
      if (fits([...part, { ...last, lines }])) return [...part, { ...last, lines }]
  return []
}

/** The line that shows the way to more. */
const MORE_TOKENS = 20

/** The talk leaves room for the rest within the characters that a brief may have. */
const MOST_CHARACTERS = 7_600

/** What was said stands behind what must be kept of what was saved; where its newest request is newer, that comes first. */
function withTalk(
  page: BriefPage,
  sections: readonly BriefSection[],
  { talk, leads, more }: { talk: PageSection[]; leads: boolean; more: string },
): BriefPage {
  if (talk.length === 0) return page
  const [lead, behind] = leads ? [talk.slice(0, 1), talk.slice(1)] : [[], talk]
  const must = new Set(sections.filter(({ rank }) => rank === 'must').map(({ title }) => title))
  const first = page.sections.filter(({ title }) => must.has(title))
  const rest = page.sections.filter(({ title }) => !must.has(title))
  return { ...page, sections: [...lead, ...first, ...behind, ...rest], more }
}

/** Of the budget above the least one, notes get a half at most: the work itself is what a brief is for. */
const MOST_NOTE_TOKENS = 300

const LINE_CHARACTERS = 400

/** The first lines that so many tokens have room for, and how many there was no room for. */
function fittingLines(lines: readonly string[], tokens: number): { lines: string[]; left: number } {
  let room = tokens
  const fit = lines
    .map((line) => clipText(line, LINE_CHARACTERS))
    .filter((line) => {
      room -= estimateTokens(`- ${cleanText(line)}\n`) + 2
      return room >= 0
    })
  return { lines: fit, left: lines.length - fit.length }
}

/** What stands around the lines: the fence, the title, and the line that counts what is missing. */
const AROUND = 60

/** Lines for an agent within the budget of a brief; the last one says how many had no room. */
export function withinBudget(all: readonly string[], budget: number): string[] {
  const { lines, left } = fittingLines(all, budget - AROUND)
  return left === 0 ? lines : [...lines, `${left} more: savepoint resume`]
}

const MOST_STREAMS = 5
const MOST_LEARNINGS = 12

/** What was learned in this work, in work that was archived last and in LEARNINGS.md (`written`), as far as it is vouched for. */
export async function learningsFor(
  { store }: Context,
  { rows }: Pick<Survey, 'rows'>,
  { work, written }: { work: WorkState; written: readonly string[] },
): Promise<string[]> {
  const archived = rows
    .filter((row) => standingOf(row) === 'archived' && !row.position.foreign)
    .sort((a, b) => (a.position.at < b.position.at ? 1 : -1))
    .slice(0, MOST_STREAMS)
  const told: string[] = []
  for (const { position } of archived) {
    const stored = await store.log.readCheckpoint(position.checkpoint)
    if (stored?.state === 'whole') told.push(...(stored.checkpoint.completion?.learnings ?? []))
  }
  // Of two that say the same the newer place counts.
  return [...new Set([...told.reverse(), ...written, ...learningsIn(work)].reverse())]
    .slice(0, MOST_LEARNINGS)
    .reverse()
}
