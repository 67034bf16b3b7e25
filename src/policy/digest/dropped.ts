import type { WorkState } from '../../core/work.ts'
import { MESSAGE_LINES } from '../agent-words.ts'
import { inOneLine, shorten } from './quote.ts'
import type { Digest } from './state.ts'
import { shareOf, wordsIn } from './words.ts'

interface Compaction {
  summary: string
  trusted: boolean
  /** When it began: what the user said since is in the window. */
  until: string
}

/** What the summary of a compaction does not hold, as lines to give back: the user's words first, the newest on top. */
export function droppedLines(
  digest: Digest | null,
  work: WorkState | null,
  { summary, trusted, until }: Compaction,
): string[] {
  const words = wordsIn(summary)
  const isHeld = (text: string) => shareOf(wordsIn(text), words) >= HELD
  const requests = (digest?.requests ?? []).filter(
    ({ text, at, how, isUnsure }) =>
      wordsIn(text).size > SAYS_LITTLE &&
      at <= until &&
      (trusted || (how !== 'answer' && !isUnsure)) &&
      !isHeld(text),
  )
  return [
    ...requests.toReversed().map(({ text, about, how }) => {
      const said = `user: "${shorten(inOneLine(text), 400)}"`
      return how === 'answer' ? `agent: "${shorten(inOneLine(about), 160)}" ${said}` : said
    }),
    ...(work ? claimLines(work) : []).filter((line) => !isHeld(line.replace(/^\w+: /, ''))),
  ]
}

/** So many of the words of a text must stand in a summary that holds it. */
const HELD = 0.7
/** So few words ("go on") need not be given back. */
const SAYS_LITTLE = 2

/** Decisions, rules and constraints of some work, as lines. */
export function claimLines(work: WorkState): string[] {
  const standing = work.decisions.filter(({ supersededBy }) => supersededBy === null)
  const withClaimMark = ({ text, confirmed }: { text: string; confirmed: boolean }) =>
    confirmed ? text : MESSAGE_LINES.unconfirmed(text)
  return [
    ...standing.map((one) => MESSAGE_LINES.decision(withClaimMark(one), one.why)),
    ...work.rules.map((one) => MESSAGE_LINES.rule(withClaimMark(one))),
    ...work.constraints.map((one) => MESSAGE_LINES.constraint(withClaimMark(one))),
  ]
}

/** The same, with where it stands and what is next. */
export const workLines = (work: WorkState): string[] => [
  ...claimLines(work),
  ...(work.now === '' ? [] : [MESSAGE_LINES.now(work.now)]),
  ...work.next.map(({ text }) => MESSAGE_LINES.next(text)),
  ...work.blockers.map(({ text }) => MESSAGE_LINES.blocker(text)),
]
