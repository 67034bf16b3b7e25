import type { Stretch } from '../core/session.ts'
import { shortId } from '../core/session-name.ts'
import { formatCount } from '../core/text.ts'

// What agents are told besides the brief, whose words are in brief/brief-words.ts and digest/tell-words.ts.

const SAVE = '`savepoint save --decision "…" --next "…"`'
const CLEAR = `Save with ${SAVE}, then \`/clear\`: the next session is briefed automatically.`

/** Advice about the window, each once in a session. */
export const NUDGES = {
  full: (percent: number) => `Savepoint: the context window is ${percent} % full. ${CLEAR}`,
  compacted: (times: number) =>
    `Savepoint: this session was compacted ${times} times, and each compaction loses detail. ${CLEAR}`,
  filling: (percent: number) =>
    `Savepoint: the context window is ${percent} % full. A compaction loses unsaved decisions. Save them: ${SAVE}`,
} as const

/** What `savepoint sessions budget` tells of the window. */
export const BUDGET_WARNINGS = {
  usedUnknown: 'Context usage is unknown: nothing was reported since the start or the last compaction.',
  sizeUnknown: 'The size of the context window is unknown, so there is no percentage.',
  filling: (percent: number | null) =>
    `The context window is ${percent} % full: compaction is getting close.`,
  full: (percent: number | null) => `The context window is ${percent} % full: compaction is near.`,
  compacted: (times: number) => `This session was compacted ${times} times; each compaction loses detail.`,
} as const

export const BUDGET_ADVICE = {
  delegate: 'Delegate large reads and searches to a subagent: only its answer uses this window.',
  save: `Save decisions and the next step: ${SAVE}`,
  clear: 'Then `/clear`: the next session is briefed automatically.',
} as const

const SAVE_NOW = 'Save what was decided, why, and the next step before you continue:'

/** What to do, where the agent has the tools and where it has only a shell; /context:checkpoint says it in these words. */
export const SAVE_BY = {
  tool: `${SAVE_NOW} call \`savepoint_save\` with \`decision\` ("… because …") and \`next\`.`,
  command: `${SAVE_NOW} run \`savepoint save --decision "… because …" --next "…"\`.`,
} as const

/** The line that asks for a save. Why something was decided is known only to the agent, and only while it lives. */
export function askToSave(
  { requests, edits }: Stretch,
  { hasSaved, hasTools }: { hasSaved: boolean; hasTools: boolean },
): string {
  const done = [formatCount(requests, 'request'), ...(edits > 0 ? [formatCount(edits, 'edit')] : [])].join(
    ' and ',
  )
  const since = hasSaved ? 'since the last save' : 'in this session without a save'
  return `Savepoint: ${done} ${since}. ${SAVE_BY[hasTools ? 'tool' : 'command']} Skip it if nothing was decided.`
}

const labelOf = (session: string) => `Session ${shortId(session)}`

/** Where a session stands, in words that follow its name. */
export const SESSION_STATES = {
  live: (ago: string) => `may still be running (last active ${ago})`,
  broken: (ago: string) => `was cut off ${ago}`,
  ended: (ago: string) => `ended ${ago}`,
} as const

/** About other sessions of a workspace, at a start. */
export const SESSION_NOTES = {
  state: (session: string, state: string) => `${labelOf(session)} ${state}.`,
  pause: (session: string, reason: string, ago: string) =>
    `${labelOf(session)} was stopped by ${reason} ${ago}.`,
  byProvider: 'the provider',
  running: (session: string, what: string) =>
    `${labelOf(session)} left this running: ${what}. Check it before starting it again.`,
  runningCount: (session: string, count: number) =>
    `${labelOf(session)} left ${count} ${count === 1 ? 'subagent or command' : 'subagents or commands'} running. Check before starting anything again.`,
  run: (
    run: string,
    at: { step: string | null; stepsDone: number; steps: number; age: string; others: number },
  ) =>
    `Run ${run} is in progress${at.step === null ? '' : ` at ${at.step}`}, ${at.stepsDone}/${at.steps} steps done, last snapshot ${at.age} ago${at.others === 0 ? '' : ` (${at.others} more: savepoint run list)`}: savepoint run resume ${run}`,
  hooksSilent: (session: string) =>
    `${labelOf(session)} ran without any hook event. See why: savepoint doctor`,
  overheard:
    'An older version of Savepoint picked this up from a session; nobody saved it. Check it before relying on it.',
} as const

/** About work of other branches, in a brief. */
export const BRANCH_NOTES = {
  inherited: (stream: string) =>
    `Nothing is saved on this branch yet: this comes from ${stream}. State of ${stream} itself: savepoint resume ${stream}`,
  merged: (stream: string) => `From ${stream}, merged (the next save includes it)`,
  moreMerged: (count: number, command: string) => `${count} more: ${command}`,
  toldMerged: (stream: string) => `${stream} is merged into this branch: the next save includes it.`,
  gone: (stream: string) =>
    `${stream}: its branch was deleted without a merge. Continue it: savepoint resume ${stream}. Close it: savepoint archive ${stream} --outcome "…"`,
} as const

/** About work that a file here tells, and nobody saved. */
export const FOUND_NOTES = {
  subject: (path: string, age: string) => `Found in ${path}, written ${age} ago and not saved`,
  beside: (path: string, age: string) => `Found in ${path} (written ${age} ago, not saved)`,
  keep: (command: string) => `Save it: ${command}`,
  unreviewed: (count: number) =>
    count === 1
      ? 'A file here may describe earlier work. It is hidden until the user reviews it: savepoint status'
      : `${count} files here may describe earlier work. They are hidden until the user reviews them: savepoint status`,
} as const

/** What stands above lines that are told in the place of a brief. */
export const MESSAGE_TITLES = {
  start: 'Earlier work here',
  changes: 'Changes since this session was last active',
  dropped: 'Known before the compaction, missing from its summary',
} as const

/** Single lines of such a message. */
export const MESSAGE_LINES = {
  offered: (stream: string, age: string) =>
    `${stream} was saved ${age} ago. Continue it: savepoint resume ${stream}`,
  several: (work: ReadonlyArray<{ name: string; age: string }>) =>
    `Open work: ${work.map(({ name, age }) => `${name} (${age} ago)`).join(', ')}. Continue one by its name: savepoint resume NAME`,
  branch: (was: string, now: string) => `The branch changed from ${was} to ${now}.`,
  commits: (count: number) => `${formatCount(count, 'new commit')}.`,
  running: (what: string) => `Still running: ${what}`,
  unconfirmed: (text: string) => `UNCONFIRMED: ${text}`,
  decision: (text: string, why: string) => `Decided: ${text}${why === '' ? '' : ` (why: ${why})`}`,
  rejection: (text: string, why: string) => `Rejected: ${text}${why === '' ? '' : ` (why: ${why})`}`,
  rule: (text: string) => `Rule: ${text}`,
  constraint: (text: string) => `Constraint: ${text}`,
  fact: (text: string) => `Fact: ${text}`,
  learning: (text: string) => `Learned: ${text}`,
  now: (text: string) => `Now: ${text}`,
  next: (text: string) => `Next: ${text}`,
  blocker: (text: string) => `Blocked: ${text}`,
} as const
