import { formatCount } from '../../core/text.ts'
import { describeFailure, isFailing } from './calls.ts'
import { firstOf, quoteOutput, shorten } from './quote.ts'
import type { Check, Digest, OpenCall, Task } from './state.ts'

/**
 * How much of each part is told at full size, in characters or lines. Everything shrinks by one scale, so that what a
 * small budget tells a larger one tells, too; no part shrinks below its least.
 */
const SHARES = {
  newest: { most: 1_400, least: 160 },
  answer: { most: 2_200, least: 240 },
  recent: { most: 520, least: 110 },
  older: { most: 300, least: 90 },
  first: { most: 520, least: 110 },
  requests: { most: 40, least: 3 },
  answeredQuestion: { most: 260, least: 80 },
  outcome: { most: 240, least: 0 },
  outline: { most: 700, least: 0 },
  opening: { most: 500, least: 0 },
  steps: { most: 900, least: 0 },
  rules: { most: 4, least: 0 },
  told: { most: 400, least: 80 },
  open: { most: 8, least: 2 },
  summary: { most: 500, least: 0 },
  files: { most: 10, least: 2 },
  commits: { most: 420, least: 80 },
} as const satisfies Record<string, { most: number; least: number }>

export type Size = (part: keyof typeof SHARES) => number

export const sizeAt =
  (scale: number): Size =>
  (part) =>
    Math.max(SHARES[part].least, Math.round(SHARES[part].most * scale))

/** Where the session stands: how it ended, what waits, the tasks and the plan. */
export const stateLines = (digest: Digest, trusted: boolean, size: Size): string[] => [
  ...endLines(digest, trusted),
  ...(trusted ? [...openLines(digest, size), ...taskLines(digest), ...planVerdictLines(digest)] : []),
]

/** How the turn ended, where it did not end by itself. */
function endLines(digest: Digest, trusted: boolean): string[] {
  const { lastEvent, haltWords, turn } = digest
  const cut = trusted ? cutOffLines(digest) : []
  if (lastEvent === 'halt')
    return [trusted ? `Stopped by the provider: "${haltWords}"` : 'Stopped by the provider.', ...cut]
  if (lastEvent === 'interrupt') return cut
  if (lastEvent === 'request' && turn.length === 0) return ['The session ended before the agent answered.']
  const isInside = lastEvent === 'call' || turn.at(-1)?.isFollowedByCall === true
  if (!isInside) return []
  return cut.length > 0 ? cut : ['Cut off in the middle of a turn.']
}

function cutOffLines({ lastCall, calls }: Digest): string[] {
  const open = calls.filter((call) => !isInFlight(call)).map(({ what }) => `\`${what}\``)
  if (open.length > 0)
    return [`Cut off during: ${open.join(', ')} (no result: check before running it again)`]
  if (lastCall === null || lastCall.outcome === 'none') return []
  const { name, what, outcome, detail } = lastCall
  const call = what === name ? name : `${name} \`${what}\``
  const ended = outcome === 'refused' ? 'refused by the user' : outcome
  return [`Last tool call: ${call}, ${ended}${detail === '' ? '' : `: ${quoteOutput(detail)}`}`]
}

export const isInFlight = ({ isInBackground, kind }: OpenCall) => isInBackground || kind !== 'call'

/** What waits: questions to the user, helpers and commands that were running, checks that fail. */
function openLines({ openQuestions, calls, checks }: Digest, size: Size): string[] {
  const asked = openQuestions?.questions.map(
    ({ question, options }) =>
      `Open question to the user: ${question}${options.length === 0 ? '' : ` Options: ${options.join(' · ')}`}`,
  )
  const running = calls.filter(isInFlight).map((call) => flightLine(call, size('told')))
  const failing = checks.filter(isFailing).map((check) => failingLine(check, checks))
  const most = size('open')
  return [
    ...(asked ?? []),
    ...newestOf(running, most, 'more running'),
    ...newestOf(failing, most, 'more failing'),
  ]
}

/** The newest lines, and how many others there are. */
const newestOf = (lines: readonly string[], most: number, others: string): string[] =>
  lines.length > most ? [...lines.slice(-most), `${lines.length - most} ${others}`] : [...lines]

function failingLine(check: Check, checks: readonly Check[]): string {
  const since = checks.filter((one) => !one.failed && one.kind === check.kind && one.at > check.at)
  const passed = since.length === 0 ? '' : ` (passed since: ${since.map(({ family }) => family).join(', ')})`
  return `Failing when last run: ${describeFailure(check)}${passed}`
}

function flightLine({ kind, what, prompt, stoppedBy }: OpenCall, most: number): string {
  const name = kind === 'subagent' ? `subagent ${what}` : `command \`${what}\``
  const state = stoppedBy === '' ? `Was still running: ${name}` : `Not finished: ${name} ("${stoppedBy}")`
  return prompt === '' ? state : `${state}, prompt: "${shorten(prompt, most)}"`
}

/** After so many requests without a look at the list, the talk has moved on. */
const MOVED_ON = 2

export const isTaskListStale = ({ requestsSinceTasks }: Pick<Digest, 'requestsSinceTasks'>) =>
  requestsSinceTasks >= MOVED_ON

const LISTED = 420

/** The tasks with their states; a list that the talk has left behind is not told as current. */
function taskLines(digest: Digest): string[] {
  const { tasks } = digest
  if (tasks.length === 0 || isTaskListStale(digest)) return []
  const textsIn = (state: Task['state']) => tasks.filter((one) => one.state === state).map(({ text }) => text)
  const [done, doing, open] = [textsIn('done'), textsIn('doing'), textsIn('open')]
  if (done.length === tasks.length)
    return [`All ${done.length} tasks are done: ${shorten(done.join(' · '), LISTED)}`]
  const parts = [
    `Tasks: ${done.length} of ${tasks.length} done`,
    doing.length > 0 && `in progress: ${shorten(doing.join(' · '), LISTED)}`,
    open.length > 0 && `open: ${shorten(open.join(' · '), LISTED)}`,
  ]
  return [parts.filter(Boolean).join('; ')]
}

const VERDICTS = { shown: 'was shown', approved: 'was approved', refused: 'was refused by the user' }

/** So many requests later, what a plan says may have been overtaken. */
const PLAN_HOLDS = 3

const requestsSincePlan = ({ plan, requests }: Digest) =>
  requests.filter(({ at, how }) => how !== 'answer' && at > (plan?.at ?? '')).length

/** The plan's title and what became of it, with how long ago that is. */
function planVerdictLines(digest: Digest): string[] {
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

/** What the digest alone does not know. */
export interface DigestSurroundings {
  trusted: boolean
  /** The workspace's folder, here and where the session worked: what is said of files in it is told without it. */
  roots: readonly string[]
  /** A path as the workspace names it; null outside of it. */
  nameFile: (path: string) => string | null
  /** Files with changes that are not committed; null where git was not asked. */
  uncommitted: ReadonlySet<string> | null
  isGone: (path: string) => boolean
}

/** What passed and was committed, and the files that were changed. */
export const changeLines = (digest: Digest, around: DigestSurroundings, size: Size): string[] => [
  ...(around.trusted ? gitLine(digest, size('commits')) : []),
  ...fileLines(digest, around, size('files')),
]

/** What passed, what was committed and where it is reviewed. */
function gitLine({ commits, links, checks }: Digest, most: number): string[] {
  const passed = checks
    .filter((one) => !one.failed)
    .slice(-4)
    .map(({ family, detail }) => (detail === '' ? family : `${family} (${quoteOutput(detail)})`))
  const made = commits
    .toReversed()
    .map(({ hash, subject }) => (hash === '' ? `"${subject}"` : `${hash} "${subject}"`))
  const parts = [
    passed.length === 0 ? '' : `Passed when last run: ${passed.join(', ')}`,
    made.length === 0 ? '' : `Committed (newest first): ${shorten(made.join(', '), most)}`,
    links.length === 0 ? '' : `Pull requests: ${links.join(', ')}`,
  ].filter((part) => part !== '')
  return parts.length === 0 ? [] : [parts.join('. ')]
}

const MOST_NAMES = 12
const MOST_OUTSIDE = 3

/** Files by their folder, the newest first, with what git says of them. */
function fileLines({ files }: Digest, around: DigestSurroundings, most: number): string[] {
  // A stranger may have chosen the names.
  if (!around.trusted)
    return files.length === 0 ? [] : [`${formatCount(files.length, 'file was', 'files were')} changed`]
  const folders = new Map<string, string[]>()
  const outside: string[] = []
  for (const { path, action } of files.toReversed()) {
    const name = around.nameFile(path)?.replace(/\s+/g, ' ') ?? null
    if (name === null) {
      outside.push(path.replace(/\s+/g, ' '))
      continue
    }
    const cut = name.lastIndexOf('/') + 1
    const key = `${name.slice(0, cut)}\n${stateOf(name, action, around)}`
    folders.set(key, [...(folders.get(key) ?? []), name.slice(cut)])
  }
  const lines = [...folders].map(([key, names]) => {
    const [folder = '', state = ''] = key.split('\n')
    const shown = firstOf(names, MOST_NAMES)
    const listed =
      folder === '' || shown.length === 1 ? `${folder}${shown.join(', ')}` : `${folder}{${shown.join(', ')}}`
    return state === '' ? listed : `${listed} (${state})`
  })
  return [
    ...firstOf(lines, most, lines.length - most === 1 ? 'more line of files' : 'more lines of files'),
    ...(outside.length > 0 ? [`Outside the workspace: ${firstOf(outside, MOST_OUTSIDE).join(', ')}`] : []),
  ]
}

function stateOf(name: string, action: string, { uncommitted, isGone }: DigestSurroundings): string {
  if (isGone(name)) return 'missing'
  const parts = [action === 'created' ? 'new' : '', uncommitted?.has(name) ? 'uncommitted' : '']
  return parts.filter((part) => part !== '').join(', ')
}

const LEAST = 80

/**
 * What the client's own summary of a compaction says, in its words, where the talk that it sums up stands in another
 * transcript: else that itself is quoted, and knows better. What was pending holds until anybody speaks again.
 */
export function summaryLines({ summary, turn }: Digest, size: Size): string[] {
  const most = size('summary')
  if (summary === null || summary.requestsBefore > 0 || most < LEAST) return []
  const { intent, userSaid, pending, currentWork, requestsSince, at: writtenAt } = summary
  const isOvertaken = requestsSince > 0 || turn.some(({ at }) => at > writtenAt)
  const open = { 'In progress then': currentWork, 'Pending then': pending }
  return Object.entries({
    'The request': intent,
    'The user had said': userSaid,
    ...(isOvertaken ? {} : open),
  })
    .filter(([, text]) => text !== '' && !NOTHING.test(text))
    .map(([title, text]) => `${title}: "${shorten(text, most)}"`)
}

/** So a summary says that a part has nothing to tell. */
const NOTHING = /^(?:- )?(?:none|n\/a|no (?:explicit )?pending tasks)\b/i
