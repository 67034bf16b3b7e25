import type { Session } from '../core/session.ts'
import { collapseSpaces, comparableText } from '../core/text.ts'
import { CHOICES, CLAIMS, type Claim, rejectionsIn, type WorkState } from '../core/work.ts'

/** Who gives words to be kept, and what its user is known to have said. */
export interface WordSource {
  by: 'user' | 'agent'
  /** What the user said in the session of the agent that speaks. */
  requests: readonly string[]
}

/** The user said or confirmed it, or wrote it into a file. */
export const isUsersClaim = ({ confirmed, origin }: Partial<Claim>): boolean =>
  confirmed === true && (origin === 'user' || origin === 'file')

/**
 * Whose word a claim is. An agent can claim anything: what it passes on is its user's word only where it stands in a
 * request, sentence by sentence. A part of a sentence is not enough: "never push to main" holds "push to main".
 */
export function whoseWord({ by, requests }: WordSource, text: string): WordSource['by'] {
  if (by === 'user') return 'user'
  const said = sentencesOf(text)
  const isSaid = (request: string) =>
    joinSentences(sentencesOf(withoutQuotes(request))).includes(joinSentences(said))
  return said.length > 0 && requests.some(isSaid) ? 'user' : 'agent'
}

/** Code and quoted lines are pasted: they are somebody else's words in the user's mouth. */
function withoutQuotes(text: string): string {
  let isCode = false
  const isOwn = (line: string) => {
    const isFence = /^[ \t]*(?:`{3}|~{3})/.test(line)
    if (isFence) isCode = !isCode
    return !isCode && !isFence && !/^[ \t]*>/.test(line)
  }
  const lines = text.split('\n').map((line) => (isOwn(line) ? line : ''))
  return lines.join('\n')
}

/** Sentences and lines, without list marks, case and full stops. A question states nothing, and keeps its mark. */
const sentencesOf = (text: string) =>
  text
    .split(/(?<=[.!?;。！？])(?=\s|$)|[\r\n]+|(?<=[。！？])/)
    .map((sentence) =>
      collapseSpaces(sentence.replace(/^\s*(?:[-*+•]|\d{1,9}[.)])\s+/, '').replace(/[\s.!;。！]+$/, '')),
    )
    .filter((sentence) => sentence !== '')
    .map((sentence) => sentence.toLowerCase())

const joinSentences = (sentences: readonly string[]) => `\n${sentences.join('\n')}\n`

/** After so long without an event nobody is at work any more. */
const SILENCE_MS = 60 * 60 * 1_000

/** Between these an agent is not at work: what is written then is its user's. */
const PAUSES = ['start', 'stop', 'failure', 'end']

/** Whether an agent was at work in its session at a time: a file that was written then is taken for its work. */
export function isAtWork({ events }: Pick<Session, 'events'>, atMs: number): boolean {
  const last = events.findLast(({ at }) => Date.parse(at) <= atMs)
  return last !== undefined && !PAUSES.includes(last.kind) && atMs - Date.parse(last.at) <= SILENCE_MS
}

/**
 * The work after an edit that an agent made: it chooses and assumes, and confirms nothing. What was confirmed before
 * stays so, and what was rejected does not come back.
 */
export function withoutConfirmations(before: WorkState, after: WorkState, source: WordSource): WorkState {
  if (source.by === 'user') return after
  const work = { ...after }
  const rejections = rejectionsIn(before)
  for (const field of CLAIMS) {
    const known = new Map(before[field].map((claim) => [claim.text, claim.confirmed]))
    const isGiven = ({ text, confirmed }: Claim) =>
      !confirmed || (known.get(text) ?? !CHOICES.some((choice) => choice === field))
    const judge = <C extends Claim>(claim: C): C => {
      if (isGiven(claim)) return claim
      const by = whoseWord(source, claim.text)
      return { ...claim, origin: by, confirmed: by === 'user' }
    }
    // `as`: each field keeps its own kind of claim.
    const claims = (after[field] as Claim[]).flatMap((claim) => {
      const rejection = rejections.get(comparableText(claim.text))
      if (!rejection) return [judge(claim)]
      return field === 'decisions' ? [rejection] : []
    })
    Object.assign(work, { [field]: claims })
  }
  return work
}
