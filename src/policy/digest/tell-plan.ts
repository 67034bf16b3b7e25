import { shorten } from './quote.ts'
import type { Digest, Task } from './state.ts'
import type { Size } from './tell.ts'

/** After so many requests without a look at the list, the talk has moved on. */
const MOVED_ON = 2

export const isListOld = ({ tasksSince }: Pick<Digest, 'tasksSince'>) => tasksSince >= MOVED_ON

/** A list of tasks takes so many characters. */
const LISTED = 420

/** The tasks with their states; a list that the talk has left behind is not told as current. */
export function taskLines(digest: Digest): string[] {
  const { tasks } = digest
  if (tasks.length === 0 || isListOld(digest)) return []
  const named = (state: Task['state']) => tasks.filter((one) => one.state === state).map(({ text }) => text)
  const [done, doing, open] = [named('done'), named('doing'), named('open')]
  if (done.length === tasks.length)
    return [`All ${done.length} tasks of the list are done: ${shorten(done.join(' · '), LISTED)}`]
  const parts = [
    `Tasks: ${done.length} of ${tasks.length} done`,
    doing.length > 0 ? `doing: ${shorten(doing.join(' · '), LISTED)}` : '',
    open.length > 0 ? `open: ${shorten(open.join(' · '), LISTED)}` : '',
  ]
  return [parts.filter((part) => part !== '').join('; ')]
}

const VERDICTS = {
  shown: 'was shown',
  approved: 'was approved',
  refused: 'was refused by the user',
} as const

export function planState({ plan, requests }: Digest): string[] {
  if (plan === null) return []
  const isOpen = plan.verdict === 'shown' && (requests.at(-1)?.at ?? '') < plan.at
  const verdict = isOpen ? 'was shown and not answered' : VERDICTS[plan.verdict]
  const often = plan.shown > 1 ? ` (shown ${plan.shown} times)` : ''
  return [`The plan "${plan.title}" ${verdict}${often}${plan.path === '' ? '' : `; it is in ${plan.path}`}`]
}

/** A plan's own opening and headings. */
export function planLines({ plan }: Digest, size: Size): string[] {
  if (plan === null) return []
  const [opening, outline] = [size('opening'), size('outline')]
  // One word ("Context", "Files") is no part of this plan in particular.
  const headings = plan.outline.filter((one) => one.length >= 12)
  return [
    ...(plan.opening === '' || opening < 120 ? [] : [shorten(plan.opening, opening)]),
    ...(headings.length === 0 || outline < 80
      ? []
      : [`Its headings: ${shorten(headings.join(' · '), outline)}`]),
  ]
}

/** So many requests later a command is history. */
const COMMAND_RUNS = 4

/** What is left of a slash command's own steps, and its rules. */
export function commandLines({ command }: Digest, size: Size): string[] {
  if (command === null || command.since > COMMAND_RUNS || size('steps') < 80) return []
  const left = command.steps.filter(({ reached }) => !reached).map(({ text }) => text)
  const reached = command.steps.length - left.length
  const lead =
    reached > 0 ? `Steps not reached yet (${reached} of ${command.steps.length} were)` : 'Its steps'
  return [
    ...(left.length === 0 ? [] : [`${lead}: ${shorten(left.join(' · '), size('steps'))}`]),
    ...command.rules.slice(0, size('rules')).map((rule) => `Its rule: ${rule}`),
  ]
}
