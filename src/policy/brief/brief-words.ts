import { clipText } from '../../core/canonical.ts'
import { formatCount } from '../../core/text.ts'
import { type Brief, hasDrift, type Question } from './brief.ts'
import type { BriefLine } from './brief-sections.ts'

export type Estimate = (text: string) => number

/**
 * How much room there is for words around the work: `tight` quotes less, `brisk` asks in few words, `terse` asks one
 * question and rounds counts, `bare` quotes almost nothing, `mute` asks nothing, `silent` does not even tell the drift.
 */
export type Manner = 'full' | 'tight' | 'brisk' | 'terse' | 'bare' | 'mute' | 'silent'

/** The manners in which counts are rounded and commands said once. */
export const isRough = (manner: Manner) => LIMITS[manner].questions < 3

interface Limits {
  /** Tokens of a quote in a question, of a branch or step in the drift, of the stream's name. */
  quote: number
  name: number
  questions: number
  isTerse: boolean
}

const LIMITS: Record<Manner, Limits> = {
  full: { quote: Number.POSITIVE_INFINITY, name: Number.POSITIVE_INFINITY, questions: 3, isTerse: false },
  tight: { quote: 12, name: Number.POSITIVE_INFINITY, questions: 3, isTerse: false },
  brisk: { quote: 12, name: 24, questions: 3, isTerse: true },
  terse: { quote: 8, name: 14, questions: 1, isTerse: true },
  bare: { quote: 4, name: 6, questions: 1, isTerse: true },
  mute: { quote: 4, name: 6, questions: 0, isTerse: true },
  silent: { quote: 4, name: 6, questions: 0, isTerse: true },
}

export interface Header {
  stream: string
  age: string
  drift: string
  /** What stands above the questions. */
  lead: string
  questions: string[]
  /** Shows everything that was cut. */
  command: string
}

/** A name of so many tokens fits behind the floor of every brief. */
const COMMAND_NAME = 24

export function headerOf(brief: Brief, manner: Manner, estimate: Estimate): Header {
  const limits = LIMITS[manner]
  const short = (text: string) => clipTokens(text, limits.quote, estimate)
  const stream = clipTokens(brief.stream, limits.name, estimate)
  const questions = brief.questions
    .slice(0, limits.questions)
    .map((question) => wordQuestion(question, limits, estimate))
  return {
    stream,
    age: ageOf(brief.ageMs, limits.isTerse),
    drift:
      manner === 'silent' || (brief.session !== undefined && !hasDrift(brief.drift))
        ? ''
        : limits.isTerse
          ? terseDrift(brief)
          : driftOf(brief, short),
    lead: questions.length > 0 && !limits.isTerse ? 'Ask before going on from Now:' : '',
    questions,
    // A name that was cut finds nothing.
    command:
      brief.command ??
      (estimate(brief.stream) <= COMMAND_NAME ? `savepoint show ${brief.stream}` : 'savepoint list'),
  }
}

function wordQuestion({ kind, about }: Question, { quote, isTerse }: Limits, estimate: Estimate): string {
  // A question in the asker's own words has no words of ours around it.
  if (kind === 'asked') return clipTokens(about, quote * 2, estimate)
  const text = clipTokens(about, quote, estimate)
  if (isTerse)
    return kind === 'focus' ? `Is "${text}" still the current focus?` : `Can you confirm "${text}"?`
  return kind === 'focus'
    ? `The checkpoint shows "${text}" was in progress - is this still the current focus?`
    : `I see "${text}" marked UNCONFIRMED - can you confirm this?`
}

function driftOf(brief: Brief, short: (text: string) => string): string {
  const { branch, commitsSince, filesChanged, filesGone, planStep } = brief.drift
  const parts = [
    branch && `the branch was ${short(branch.was)}, now ${short(branch.now)}`,
    commitsSince && `${formatCount(commitsSince, 'commit')} since`,
    filesChanged > 0 && `${formatCount(filesChanged, 'file')} changed`,
    filesGone > 0 && `${formatCount(filesGone, 'file')} gone`,
    planStep !== null && `the plan is at ${short(planStep)}`,
    brief.stale > 0 && `${brief.stale} stale`,
    brief.unverifiable > 0 && `${brief.unverifiable} unverifiable`,
  ].filter((part) => typeof part === 'string')
  if (parts.length > 0) return parts.join(', ')
  return commitsSince === null ? 'none seen, commits unknown' : 'none'
}

function terseDrift({ drift }: Brief): string {
  const { branch, commitsSince, filesChanged, filesGone, planStep } = drift
  const files = filesChanged + filesGone
  if (!hasDrift(drift)) return 'none'
  return [
    branch && 'branch',
    commitsSince && `${roughCount(commitsSince)} ${commitsSince === 1 ? 'commit' : 'commits'}`,
    files > 0 && `${roughCount(files)} ${files === 1 ? 'file' : 'files'}`,
    planStep !== null && 'plan',
  ]
    .filter((part) => typeof part === 'string')
    .join(', ')
}

/** A count in at most three characters, or a word where it has more than five digits. */
export function roughCount(count: number): string {
  if (count < 1_000) return `${count}`
  return count < 100_000 ? `${Math.floor(count / 1_000)}k` : 'many'
}

const UNITS: ReadonlyArray<readonly [string, number]> = [
  ['year', 31_557_600_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

function ageOf(ageMs: number, isTerse: boolean): string {
  const [unit, length] = UNITS.find(([, ms]) => ageMs >= ms) ?? ['minute', 60_000]
  const count = Math.floor(ageMs / length)
  if (!isTerse && count === 0) return 'less than a minute old'
  return isTerse ? `${roughCount(count)}${unit.charAt(0)} old` : `${formatCount(count, unit)} old`
}

/** The estimate counts a token for at least so many characters of a line without rows of one character. */
const CHARACTERS_PER_TOKEN = 12

/** The longest beginning that costs at most so many tokens, its mark included. */
export function clipTokens(text: string, tokens: number, estimate: Estimate): string {
  if (tokens === Number.POSITIVE_INFINITY) return text
  const most = tokens * CHARACTERS_PER_TOKEN
  if (text.length <= most && estimate(text) <= tokens) return text
  let [fits, over] = [1, Math.min(text.length, most)]
  while (over - fits > 1) {
    const middle = (fits + over) >> 1
    if (estimate(clipText(text, middle)) <= tokens) fits = middle
    else over = middle
  }
  return clipText(text, fits)
}

/** A line of about so many tokens: the note goes first, then the reason, and of the text a beginning stays. */
export function clipLine(line: BriefLine, tokens: number, estimate: Estimate): BriefLine {
  const { text, why, note } = line
  if (tokens === Number.POSITIVE_INFINITY) return line
  const isLong = text.length + why.length + note.length > tokens * CHARACTERS_PER_TOKEN
  if (!isLong && estimate(text) + estimate(why) + estimate(note) <= tokens) return line
  const short = clipTokens(text, why === '' ? tokens : Math.ceil((tokens * 2) / 3), estimate)
  const left = tokens - estimate(short)
  return {
    ...line,
    text: short,
    why: left < MIN_REASON ? '' : clipTokens(why, left, estimate),
    note: '',
  }
}

/** A shorter reason says nothing. */
const MIN_REASON = 4
