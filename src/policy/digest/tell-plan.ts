import { shorten } from './quote.ts'
import type { Digest, Task } from './state.ts'
import type { Size } from './tell-size.ts'

/** After so many requests without a look at the list, the talk has moved on. */
const MOVED_ON = 2

export const isTaskListStale = ({ requestsSinceTasks }: Pick<Digest, 'requestsSinceTasks'>) =>
  requestsSinceTasks >= MOVED_ON

/** A list of tasks takes so many characters. */
const LISTED = 420

/** The tasks with their states; a list that the talk has left behind is not told as current. */
export function taskLines(digest: Digest): string[] {
  const { tasks } = digest
  if (tasks.length === 0 || isTaskListStale(digest)) return []
  const textsIn = (state: Task['state']) => tasks.filter((one) => one.state === state).map(({ text }) => text)
  const [done, doing, open] = [textsIn('done'), textsIn('doing'), textsIn('open')]
  if (done.length === tasks.length)
    return [`All ${done.length} tasks are done: ${shorten(done.join(' · '), LISTED)}`]
  const parts = [
    `Tasks: ${done.length} of ${tasks.length} done`,
    doing.length > 0 ? `in progress: ${shorten(doing.join(' · '), LISTED)}` : '',
    open.length > 0 ? `open: ${shorten(open.join(' · '), LISTED)}` : '',
  ]
  return [parts.filter((part) => part !== '').join('; ')]
}

const VERDICTS = {
  shown: 'was shown',
  approved: 'was approved',
  refused: 'was refused by the user',
} as const

/** So many requests later, what a plan says may have been overtaken. */
const PLAN_HOLDS = 3

/** How many requests came since a plan was shown. */
const requestsSincePlan = ({ plan, requests }: Digest) =>
  requests.filter(({ at, how }) => how !== 'answer' && at > (plan?.at ?? '')).length

/** The plan's title and what became of it, with how long ago that is. */
export function planVerdictLines(digest: Digest): string[] {
  const { plan, requests } = digest
  if (plan === null) return []
  const isLast = (requests.at(-1)?.at ?? '') < plan.at
  const open = { shown: 'was shown and not answered', approved: '', refused: STOPPED }[plan.verdict]
  const verdict = isLast && open !== '' ? open : VERDICTS[plan.verdict]
  const since = requestsSincePlan(digest)
  const often = plan.timesShown > 1 ? ` (shown ${plan.timesShown} times)` : ''
  const ago = since >= PLAN_HOLDS ? ` ${since} requests ago` : ''
  return [
    `The plan "${plan.title}" ${verdict}${ago}${often}${plan.path === '' ? '' : `; file: ${plan.path}`}`,
  ]
}

/** Without a word nobody can tell: the client writes the same where its user approves a plan and clears the context. */
const STOPPED = 'was shown; then the user stopped (refused it, or approved it and cleared the context)'

/** A plan's own opening, and its headings while it holds. */
export function planLines(digest: Digest, size: Size): string[] {
  const { plan } = digest
  if (plan === null) return []
  const [opening, outline] = [size('opening'), requestsSincePlan(digest) >= PLAN_HOLDS ? 0 : size('outline')]
  // One word ("Context", "Files") is no part of this plan in particular.
  const headings = plan.outline.filter((one) => one.length >= 12)
  return [
    ...(plan.opening === '' || opening < 120 ? [] : [shorten(plan.opening, opening)]),
    ...(headings.length === 0 || outline < 80 ? [] : [`Headings: ${shorten(headings.join(' · '), outline)}`]),
  ]
}

/** So many requests later a command is history. */
const COMMAND_RUNS = 4

/** What is left of a slash command's own steps, and its rules. */
export function commandLines({ command }: Digest, size: Size): string[] {
  if (command === null || command.requestsSince > COMMAND_RUNS || size('steps') < 80) return []
  const left = command.steps.filter(({ reached }) => !reached).map(({ text }) => text)
  const reached = command.steps.length - left.length
  const lead = reached > 0 ? `Steps left (${reached} of ${command.steps.length} reached)` : 'Steps'
  return [
    ...(left.length === 0 ? [] : [`${lead}: ${shorten(left.join(' · '), size('steps'))}`]),
    ...command.rules.slice(0, size('rules')).map((rule) => `Rule: ${rule}`),
  ]
}
