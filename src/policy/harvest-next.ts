import { keyOf, wordsOf } from './harvest-matter.ts'
import { type Sentence, tidy } from './harvest-sentences.ts'
import type { Harvest } from './harvest-state.ts'

const LABEL =
  /^(?:(?:the )?next steps?(?: is| are)?\s?:|next up\s?:|next\s?:|remaining(?: work| tasks?)?\s?:|to-?do\s?:|still to do\s?:|what'?s left\s?:|nächste[rn]? schritte?\s?:|prochaine étape\s?:|próximo paso\s?:)\s+/i
const SAYS =
  /^(?:next,? (?:i|we)(?:'ll| will|'m going to| am going to| need to| should)|next up,? |the next step is |(?:i|we) still (?:need|have) to |als nächstes |ensuite,? je |a continuación )/i
const UNDER =
  /^(?:\d{1,2}[.)] )?(?:(?:the |my |suggested |recommended |possible |immediate )?next steps?|remaining(?: work| tasks| steps)?|to-?do|todos?|what'?s (?:next|left)|still (?:open|to do|missing)|follow-?ups?|open (?:tasks|items|points))\b.{0,30}$/

/** Two steps with the same key are one, however they were announced. */
export const stepKey = (text: string) => keyOf(text.replace(SAYS, ''))

export const withoutLabel = (text: string) => text.replace(LABEL, '')

/** It stands in a list of what is still to do. */
export const isAhead = ({ under, item }: Sentence) => item !== null && UNDER.test(under)

/** What the agent said it would do next. */
export function nextIn(sentences: readonly Sentence[]): string[] {
  return sentences.flatMap((one) => {
    const { text, first } = one
    if (LABEL.test(text)) return [withoutLabel(text)]
    if (SAYS.test(text)) return [text]
    return first && isAhead(one) ? [text] : []
  })
}

/**
 * What lies ahead, the most certain first: open tasks, the steps of an approved plan, what the agent announced, and
 * a request that it had not finished. With the time of the newest source; null where nothing was heard.
 */
export function aheadOf(
  harvest: Harvest,
  { finished, doing, asked }: { finished: boolean; doing: string; asked: string },
): { texts: string[]; at: string | null; saidAt: Map<string, string> } {
  const { tasks, tasksAt, plan, text, summary, done, last, prompt } = harvest
  const open = tasks.filter(({ state, text: what }) => state !== 'done' && what !== doing)
  const hasList = tasks.length > 0 && (plan === null || (tasksAt ?? '') >= plan.at)
  const finishedKeys = done.map((one) => new Set(wordsOf(one.text)))
  const isDone = (step: string) => {
    const words = wordsOf(step)
    return finishedKeys.some((known) => words.length > 0 && words.every((word) => known.has(word)))
  }
  const steps = hasList || plan === null ? [] : plan.steps.filter((step) => !isDone(step))
  const stated = nextIn(text?.said ?? []).map((one) => tidy(one))
  const isCut = !finished && last !== 'none' && prompt !== null
  const texts = [...open.map((one) => one.text), ...steps, ...stated]
  // Only what nothing newer answers: a prompt after the summary has its own next step.
  const told = texts.length === 0 && !isCut && text === null ? (summary?.next ?? []) : []
  if (isCut && open.length + steps.length === 0)
    texts.unshift(asked === '' || keyOf(asked) === keyOf(harvest.intent?.text ?? '') ? CUT_OFF : asked)
  const at = [
    tasks.length > 0 || tasksAt !== null ? tasksAt : null,
    steps.length > 0 ? (plan?.at ?? null) : null,
    stated.length > 0 ? (text?.at ?? null) : null,
    isCut ? (prompt?.at ?? null) : null,
    told.length > 0 ? (summary?.at ?? null) : null,
  ].reduce((newest, one) => (one !== null && (newest === null || one > newest) ? one : newest), null)
  // A request that was cut off is no step that anybody planned: it takes no saved step's place.
  const saidAt = new Map<string, string>([
    ...told.map((one) => [one, summary?.at ?? ''] as const),
    ...stated.map((one) => [one, text?.at ?? ''] as const),
    ...steps.map((one) => [one, plan?.at ?? ''] as const),
    ...open.map((one) => [one.text, tasksAt ?? ''] as const),
  ])
  return { texts: [...texts, ...told], at, saidAt }
}

export const CUT_OFF = 'Go on where the last turn broke off'
