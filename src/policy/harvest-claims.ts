import type { Origin } from '../core/work.ts'
import type { Choice } from './harvest-decisions.ts'
import { isCorrection, keyOf, meantBy, replacing, restates } from './harvest-matter.ts'
import { backTo } from './harvest-return.ts'
import { tidy } from './harvest-sentences.ts'
import { type Harvest, type Heard, type HeardDecision, KEEP, keep } from './harvest-state.ts'

/** Who said something, when, and whether it stands for sure. */
export interface Source {
  origin: Origin
  confirmed: boolean
  at: string
}

/** Adds a claim that is not there yet; the user's word makes a known one sure. */
export function claim(list: Heard[], text: string, source: Source, most: number): void {
  const said = tidy(text)
  if (said === '') return
  const known = list.find((one) => keyOf(one.text) === keyOf(said))
  if (!known) list.push({ text: said, ...source })
  else if (source.confirmed && !known.confirmed) Object.assign(known, source)
  keep(list, most)
}

const DECISION = { text: 300, why: 200 }

/** How a choice was put: the whole sentence, and whether it may correct a choice that it does not name. */
interface Put {
  sentence?: string
  corrects?: boolean
}

/** Adds a decision, or what is new about a known one, and lets it take the place of those that it replaces. */
export function decide(harvest: Harvest, { text, why }: Choice, source: Source, put: Put = {}): void {
  const said = tidy(text, DECISION.text)
  if (said === '') return
  const { decisions } = harvest
  if (goBack(decisions, said, source)) return
  const reason = tidy(why, DECISION.why)
  if (!source.confirmed && isSaidAgain(decisions, said, reason)) return
  const corrects = put.corrects !== false && isCorrection(put.sentence ?? said)
  const at = decisions.findIndex((one) => keyOf(one.text) === keyOf(said))
  const known = decisions[at]
  let fresh: HeardDecision = { text: said, why: reason, ...source, corrects, supersededBy: null }
  if (known) {
    // Said again by somebody who may say so, it stands again, and is the newest.
    if (known.supersededBy !== null && known.confirmed && !source.confirmed) return
    const isSure = known.confirmed || source.confirmed
    const { origin } = known.confirmed ? known : source
    fresh = { ...fresh, why: fresh.why === '' ? known.why : fresh.why, origin, confirmed: isSure }
    if (known.supersededBy === null) {
      Object.assign(known, { ...fresh, text: known.text })
      supersede(harvest, known, put)
      return
    }
    decisions.splice(at, 1)
  }
  decisions.push(fresh)
  supersede(harvest, fresh, put)
  drop(decisions)
}

/** The agent's words for what the user has chosen: at most its reason is new. */
function isSaidAgain(decisions: readonly HeardDecision[], said: string, why: string): boolean {
  const known = decisions.findLast(
    (one) => one.confirmed && one.supersededBy === null && restates(said, one.text),
  )
  if (known && known.why === '') known.why = why
  return known !== undefined
}

/** "Back to Redis", where Redis was chosen before: it stands again, with all that its successor had replaced. */
function goBack(decisions: HeardDecision[], said: string, { confirmed, at }: Source): boolean {
  const back = confirmed ? backTo(decisions, said) : null
  if (back === null) return false
  const [named] = back.named
  for (const one of back.again) Object.assign(one, { supersededBy: null, at })
  for (const one of back.named) one.confirmed = true
  for (const one of back.over) if (named) one.supersededBy = named.text
  return true
}

/** Marks the decisions that a statement replaces. What is not confirmed replaces nothing that is. */
export function supersede(
  { decisions }: Harvest,
  fresh: Pick<HeardDecision, 'text' | 'confirmed'>,
  { sentence = fresh.text, corrects = true }: Put = {},
): void {
  const earlier = decisions.filter((one) => one !== fresh && one.supersededBy === null)
  const replaces = replacing(sentence)
  const isMeant = meantBy(
    sentence,
    earlier.map((one) => one.text),
  )
  for (const one of earlier) {
    if (one.confirmed && !fresh.confirmed) continue
    if (replaces(one.text, corrects && isMeant(one.text))) one.supersededBy = tidy(fresh.text, DECISION.text)
  }
}

/** What was superseded goes first. */
function drop(decisions: HeardDecision[]): void {
  while (decisions.length > KEEP.decisions) {
    const spent = decisions.findIndex(({ supersededBy }) => supersededBy !== null)
    const unsure = decisions.findIndex(({ confirmed }) => !confirmed)
    decisions.splice(Math.max(0, spent === -1 ? unsure : spent), 1)
  }
}

/** Takes a decision back that nobody confirmed; what it had replaced stands again. */
export function withdraw({ decisions }: Harvest, text: string): void {
  const key = keyOf(tidy(text, DECISION.text))
  const at = decisions.findIndex((one) => !one.confirmed && keyOf(one.text) === key)
  const [gone] = at === -1 ? [] : decisions.splice(at, 1)
  for (const one of decisions) if (gone && one.supersededBy === gone.text) one.supersededBy = null
}

export const deadEnd = (harvest: Harvest, text: string, source: Source) =>
  claim(harvest.facts, `Dead end: ${text}`, source, KEEP.facts)
