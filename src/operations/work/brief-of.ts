import type { BriefPage } from '../../core/brief-page.ts'
import { clip } from '../../core/canonical.ts'
import { estimateTokens } from '../../core/tokens.ts'
import type { WorkState } from '../../core/work.ts'
import { cleanText, renderBrief } from '../../formats/brief-md/render.ts'
import { type BriefInput, briefOf } from '../../policy/brief.ts'
import { fitBrief, MIN_TOKENS } from '../../policy/brief-fit.ts'
import type { WorkRow } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { type Survey, standingOf } from '../document/survey.ts'

/** A brief that is ready to be told. */
export interface ToldBrief {
  page: BriefPage
  /** The brief in Markdown, for agents. */
  text: string
  tokens: number
  budget: number
  cuts: Array<{ title: string; count: number }>
  shortened: number
}

/** The brief of a state that was held against the world, within a budget. */
export function toldBrief(input: BriefInput, budget: number): ToldBrief {
  const work = withoutLearnings(input.work)
  const notes = fittingNotes(input.notes ?? [], budget)
  const { page, text, tokens, cuts, shortened } = fitBrief(briefOf({ ...input, work, notes }, cleanText), {
    tokens: budget,
    render: renderBrief,
    estimate: estimateTokens,
  })
  return { page, text, tokens, budget, cuts, shortened }
}

/** Of the budget above the least one, notes get a half at most: the work itself is what a brief is for. */
const MOST_NOTE_TOKENS = 300
const fittingNotes = (notes: readonly string[], budget: number) =>
  fittingLines(notes, Math.min(MOST_NOTE_TOKENS, Math.floor((budget - MIN_TOKENS) / 2))).lines

const LINE_CHARACTERS = 400

/** The first lines that so many tokens have room for, and how many there was no room for. */
export function fittingLines(lines: readonly string[], tokens: number): { lines: string[]; left: number } {
  let room = tokens
  const fit = lines
    .map((line) => clip(line, LINE_CHARACTERS))
    .filter((line) => {
      room -= estimateTokens(`- ${cleanText(line)}\n`) + 2
      return room >= 0
    })
  return { lines: fit, left: lines.length - fit.length }
}

/** What was learned has a section of its own. */
const withoutLearnings = (work: WorkState): WorkState => ({
  ...work,
  references: work.references.filter(({ kind }) => kind !== 'learning'),
})

const MOST_STREAMS = 5
const MOST_LEARNINGS = 12

/** What was learned in this work, and in the work that was archived last; nothing that nobody has vouched for. */
export async function learningsFor({ store }: Context, { rows }: Survey, work: WorkState): Promise<string[]> {
  const own = work.references.filter(({ kind }) => kind === 'learning').map(({ text }) => text)
  const archived = rows
    .filter((row) => standingOf(row) === 'archived' && !row.position.foreign)
    .sort(newestFirst)
    .slice(0, MOST_STREAMS)
  const told: string[] = []
  for (const { position } of archived) {
    const stored = await store.checkpoint(position.checkpoint)
    if (stored?.state === 'whole') told.push(...(stored.checkpoint.completion?.learnings ?? []))
  }
  return [...new Set([...told.reverse(), ...own])].slice(-MOST_LEARNINGS)
}

const newestFirst = (a: WorkRow, b: WorkRow) => (a.position.at < b.position.at ? 1 : -1)
