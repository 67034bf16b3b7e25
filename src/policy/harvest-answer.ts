import { deadEnd, decide, type Source, withdraw } from './harvest-claims.ts'
import { BY_HAND, choice, withoutLead } from './harvest-decisions.ts'
import { ANSWERED, names } from './harvest-matter.ts'
import { answerOf, chosenOf, offerOf, takenUp, withNumber } from './harvest-proposals.ts'
import { type Sentence, tidy } from './harvest-sentences.ts'
import type { Harvest } from './harvest-state.ts'

export const byUser = (at: string): Source => ({ origin: 'user', confirmed: true, at })
/** Said by the agent, and agreed to. */
export const agreed = (at: string): Source => ({ origin: 'agent', confirmed: true, at })

/** Takes a prompt as the answer to the agent's last words; whether it was one, and refused something. */
export function hearAnswer(
  harvest: Harvest,
  typed: string,
  at: string,
): { isAnswer: boolean; refused: boolean } {
  const { text, asked, last } = harvest
  if (asked && asked.answeredAt === null) asked.answeredAt = at
  if (text === null || last === 'prompt') return { isAnswer: false, refused: false }
  const { proposals, question } = offerOf(text.said)
  const answer = answerOf(typed)
  if (answer === 'yes') for (const one of proposals) decide(harvest, one, agreed(at))
  if (answer === 'no') for (const one of proposals) refuse(harvest, one.text, at)
  const isRefusal = { isAnswer: true, refused: answer === 'no' && proposals.length > 0 }
  if (answer !== null) return isRefusal
  const chosen = question === '' ? null : chosenOf(question, typed)
  const changed = question === '' ? correctNumber(harvest, typed, at) : false
  const taken = chosen === null ? takenUp(text.said, typed) : null
  if (taken !== null) decide(harvest, taken, byUser(at), { corrects: false })
  if (chosen !== null) {
    const { text: named, why } = choice(chosen)
    decide(harvest, { ...answered(question, named), why }, byUser(at))
  }
  return { isAnswer: chosen !== null || taken !== null || changed, refused: false }
}

/** "150", where the agent had just chosen 300: the same choice with the user's number. */
function correctNumber(harvest: Harvest, typed: string, at: string): boolean {
  const fresh = madeSince(harvest).flatMap((one) => {
    const text = withNumber(one.text, typed)
    return text === null ? [] : [{ one, text }]
  })
  const [only] = fresh
  if (fresh.length !== 1 || !only) return false
  decide(harvest, { text: only.text, why: only.one.why }, byUser(at), { corrects: false })
  only.one.supersededBy = only.text
  return true
}

/** What the agent chose by itself in its last turn. */
const madeSince = ({ decisions, prompt }: Harvest) =>
  decisions.filter((one) => !one.confirmed && one.supersededBy === null && one.at >= (prompt?.at ?? ''))

function refuse(harvest: Harvest, proposal: string, at: string): void {
  withdraw(harvest, proposal)
  deadEnd(harvest, `${proposal} (the user refused it)`, byUser(at))
}

const OBJECTS =
  /^(?:(?:we|i|you|it) (?:can'?t|cannot|don'?t|do not|won'?t|will not|shouldn'?t|should not|must not|mustn't|may not|aren'?t allowed to|are not allowed to) (?!(?:know|think|see|understand|remember|mind|care|get|believe)\b)|no )/i

/** What the agent chose by itself in its last turn goes where the user speaks against it, or wants it made by hand. */
export function hearObjection(harvest: Harvest, { text }: Sentence, at: string): void {
  const bare = withoutLead(text)
  const isByHand = BY_HAND.test(bare)
  if (text.endsWith('?') || !(isByHand || OBJECTS.test(bare))) return
  const fresh = madeSince(harvest)
  for (const one of fresh)
    if ((isByHand && one === fresh.at(-1)) || names(text, one.text)) refuse(harvest, one.text, at)
}

/** A question, and what was chosen. */
export const answered = (question: string, answer: string) => ({
  text: `${tidy(question, 140)}${ANSWERED}${tidy(answer, 150)}`,
  why: '',
})
