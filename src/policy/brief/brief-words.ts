import { clipText } from '../../core/canonical.ts'
import { ageOf, formatCount } from '../../core/text.ts'
import { estimateTokens } from '../../core/tokens.ts'
import { bisectRange } from './bisect-range.ts'
import { type Brief, type Drift, hasDrift } from './brief.ts'
import type { BriefLine } from './brief-sections.ts'

/** How much room there is for words around the work: `brisk` quotes less, `bare` asks one question and rounds counts. */
export type Manner = 'full' | 'brisk' | 'bare'

const WHOLE = Number.POSITIVE_INFINITY

/** Tokens of a quote in a question, of a branch or step in the drift, of the stream's name; how many questions. */
const LIMITS: Record<Manner, Record<'quote' | 'drift' | 'name' | 'questions', number>> = {
  full: { quote: WHOLE, drift: WHOLE, name: WHOLE, questions: 3 },
  brisk: { quote: 12, drift: 12, name: 24, questions: 3 },
  bare: { quote: 4, drift: 1, name: 6, questions: 1 },
}

/** A name of so many tokens fits behind the floor of every brief. */
const COMMAND_NAME = 12

/** What stands around the sections; the lead stands above the questions, and the command shows all that was cut. */
export function headerOf(brief: Brief, manner: Manner) {
  const { quote, drift, name, questions } = LIMITS[manner]
  const cutTo = (tokens: number) => (text: string) => clipTokens(text, tokens)
  const hasNow = brief.sections.some(({ title }) => title === 'Now')
  return {
    stream: clipTokens(brief.stream, name),
    age: `${ageOf(brief.ageMs)} old`,
    drift: brief.subject !== undefined && !hasDrift(brief.drift) ? '' : sayDrift(brief, cutTo(drift)),
    lead:
      brief.questions.length > 0 && manner !== 'bare'
        ? `Ask the user before continuing${hasNow ? ' from Now' : ''}:`
        : '',
    questions: brief.questions
      .slice(0, questions)
      .map(({ kind, about }) => ASKS[kind](cutTo(quote)(about), brief.shownIn)),
    // A name that was cut finds nothing.
    command:
      brief.command ??
      (estimateTokens(brief.stream) <= COMMAND_NAME ? `savepoint show ${brief.stream}` : 'savepoint list'),
  }
}

const ASKS = {
  focus: (text: string, shownIn: Brief['shownIn']) =>
    `The ${shownIn} shows "${text}" was in progress - is this still the current focus?`,
  confirm: (text: string) => `I see assumption "${text}" marked UNCONFIRMED - can you confirm this?`,
}

/** What changed in the world, in parts of a sentence. */
export function describeDrift(drift: Drift, short: (text: string) => string): string[] {
  const { branch, commitsSince, filesChanged, filesGone, planStep } = drift
  return [
    branch ? `the branch was ${short(branch.was)}, now ${short(branch.now)}` : '',
    commitsSince ? `${formatCount(commitsSince, 'commit')} since` : '',
    filesChanged > 0 ? `${formatCount(filesChanged, 'file')} changed` : '',
    filesGone > 0 ? `${formatCount(filesGone, 'file')} missing` : '',
    planStep === null ? '' : `the plan is at ${short(planStep)}`,
  ].filter((part) => part !== '')
}

function sayDrift({ drift, stale, unverifiable }: Brief, short: (text: string) => string): string {
  const parts = [
    ...describeDrift(drift, short),
    ...(stale > 0 ? [`${stale} stale`] : []),
    ...(unverifiable > 0 ? [`${unverifiable} unverifiable`] : []),
  ]
  if (parts.length > 0) return parts.join(', ')
  return drift.commitsSince === null ? 'none found, commits unknown' : 'none'
}

/** A count in at most three characters, or a word where it has more than five digits. */
export function roughCount(count: number): string {
  if (count < 1_000) return `${count}`
  return count < 100_000 ? `${Math.floor(count / 1_000)}k` : 'many'
}

/** The estimate counts a token for at least so many characters of a line without rows of one character. */
const CHARACTERS_PER_TOKEN = 12

/** The longest beginning that costs at most so many tokens, its mark included. */
function clipTokens(text: string, tokens: number): string {
  if (tokens === WHOLE) return text
  const most = tokens * CHARACTERS_PER_TOKEN
  if (text.length <= most && estimateTokens(text) <= tokens) return text
  const fits = (length: number) => estimateTokens(clipText(text, length)) <= tokens
  return clipText(text, bisectRange(1, Math.min(text.length, most), fits))
}

/** A line of about so many tokens: the note goes first, then the reason, and of the text a beginning stays. */
export function clipLine(line: BriefLine, tokens: number): BriefLine {
  const { text, why, note } = line
  if (tokens === WHOLE) return line
  const isLong = text.length + why.length + note.length > tokens * CHARACTERS_PER_TOKEN
  if (!isLong && estimateTokens(text) + estimateTokens(why) + estimateTokens(note) <= tokens) return line
  const short = clipTokens(text, why === '' ? tokens : Math.ceil((tokens * 2) / 3))
  const left = tokens - estimateTokens(short)
  return { ...line, text: short, why: left < MIN_REASON ? '' : clipTokens(why, left), note: '' }
}

const MIN_REASON = 4
