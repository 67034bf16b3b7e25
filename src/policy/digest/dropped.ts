import type { WorkState } from '../../core/work.ts'
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
    ...claimsIn(work).filter((line) => !isHeld(line.replace(/^\w+: /, ''))),
  ]
}

/** So many of the words of a text must stand in a summary that holds it. */
const HELD = 0.7
/** So few words ("go on") need not be given back. */
const SAYS_LITTLE = 2

function claimsIn(work: WorkState | null): string[] {
  if (work === null) return []
  const standing = work.decisions.filter(({ supersededBy }) => supersededBy === null)
  const withClaimMark = ({ text, confirmed }: { text: string; confirmed: boolean }) =>
    confirmed ? text : `UNCONFIRMED: ${text}`
  return [
    ...standing.map((one) => `Decided: ${withClaimMark(one)}${one.why === '' ? '' : ` (why: ${one.why})`}`),
    ...work.rules.map((one) => `Rule: ${withClaimMark(one)}`),
    ...work.constraints.map((one) => `Constraint: ${withClaimMark(one)}`),
  ]
}
