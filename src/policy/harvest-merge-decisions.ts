import type { Decision } from '../core/work.ts'
import { keyOf, meantBy, replacing, restates } from './harvest-matter.ts'
import { backTo } from './harvest-return.ts'

/** The known decisions with those that were heard; `isNews` and `corrects` are about the heard ones, by their place. */
export function decisionsWith(
  known: readonly Decision[],
  fresh: readonly Decision[],
  isNews: (at: number) => boolean,
  corrects: readonly boolean[],
): Decision[] {
  const decisions = known.map((one) => ({ ...one }))
  // Among themselves the harvest has settled them: only what was known before is left to judge.
  const heard = new Set(fresh.map(({ text }) => keyOf(text)))
  const before = decisions.filter(({ text }) => !heard.has(keyOf(text)))
  let isNext = true
  for (const [at, one] of fresh.entries()) {
    const same = decisions.find(({ text }) => keyOf(text) === keyOf(one.text))
    const stands = one.supersededBy === null && isNews(at)
    if (same) {
      if (stands && one.confirmed && same.supersededBy !== null) again(before, same)
      update(same, one, isNews(at), fresh)
      isNext = false
      continue
    }
    if (isSaidAgain(before, one)) continue
    if (stands && one.confirmed && goBack(before, one.text)) continue
    if (stands) supersede(before, one, { isNext, corrects: corrects[at] ?? false })
    decisions.push({ ...one })
    isNext = false
  }
  return decisions
}

/** What the user chose once more since the save stands again, in the place of what had replaced it. */
function again(before: readonly Decision[], same: Decision): void {
  for (const one of before)
    if (one.text === same.supersededBy && one.supersededBy === null) one.supersededBy = same.text
  same.supersededBy = null
}

/** The agent's words for what is decided already. */
const isSaidAgain = (before: readonly Decision[], { text, confirmed }: Decision) =>
  !confirmed && before.some((one) => one.confirmed && one.supersededBy === null && restates(text, one.text))

function goBack(before: readonly Decision[], said: string): boolean {
  const back = backTo(before, said)
  const [named] = back?.named ?? []
  for (const one of back?.again ?? []) one.supersededBy = null
  for (const one of back?.over ?? []) if (named) one.supersededBy = named.text
  return back !== null
}

/** A known decision, heard again. Only what came after the save says that it was superseded, or that it is sure. */
function update(same: Decision, heard: Decision, isNews: boolean, fresh: readonly Decision[]): void {
  if (same.why === '') same.why = heard.why
  if (heard.confirmed && !same.confirmed) Object.assign(same, { confirmed: true, origin: heard.origin })
  if (same.supersededBy !== null || heard.supersededBy === null) return
  const successor = fresh.find(({ text }) => text === heard.supersededBy)
  if (isNews && (!same.confirmed || (successor?.confirmed ?? true))) same.supersededBy = heard.supersededBy
}

function supersede(
  decisions: readonly Decision[],
  fresh: Decision,
  { isNext, corrects }: { isNext: boolean; corrects: boolean },
): void {
  const standing = decisions.filter(({ supersededBy }) => supersededBy === null)
  // The words that made it a correction are not in its text.
  const sentence = corrects ? `actually ${fresh.text}` : fresh.text
  const replaces = replacing(sentence)
  const isMeant = meantBy(
    sentence,
    standing.map(({ text }) => text),
  )
  for (const one of standing)
    if ((fresh.confirmed || !one.confirmed) && replaces(one.text, isNext && isMeant(one.text)))
      one.supersededBy = fresh.text
}
