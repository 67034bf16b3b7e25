import type { Stretch } from '../core/session.ts'
import { shortId } from '../core/session-name.ts'
import { formatCount } from '../core/text.ts'

// What agents are told besides the brief, whose words are in brief/brief-words.ts and digest/tell-words.ts.

const SAVE = '`savepoint save --decision "…" --next "…"`'
const CLEAR = `Saved with ${SAVE}, the work goes on after a \`/clear\` in a fresh window: the next session gets the brief by itself.`

/** Advice about the window, each once in a session. */
export const NUDGES = {
  full: (percent: number) => `Savepoint: the context window is ${percent} % full. ${CLEAR}`,
  compacted: (times: number) =>
    `Savepoint: this session was compacted ${times} times, and each time loses detail. ${CLEAR}`,
  filling: (percent: number) =>
    `Savepoint: the context window is ${percent} % full. Decisions that are not saved are lost at a compaction; ${SAVE} keeps them.`,
} as const

/** What `savepoint sessions budget` tells of the window. */
export const BUDGET_WARNINGS = {
  usedUnknown:
    'How full the context window is, is not known: no call has told it since the start or the last compaction.',
  sizeUnknown: 'The size of the context window is not known, so there is no percentage.',
  filling: (percent: number | null) =>
    `The context window is ${percent} % full: a compaction is getting near.`,
  full: (percent: number | null) => `The context window is ${percent} % full: a compaction is close.`,
  compacted: (times: number) => `This session was compacted ${times} times; each time loses detail.`,
} as const

export const BUDGET_ADVICE = {
  delegate: 'Give large reads and searches to a helper: only its answer comes into this window.',
  save: `Save decisions and the next step: ${SAVE}.`,
  clear: 'After that, `/clear`: the next session gets the brief by itself.',
} as const

const SAVE_NOW = 'Save what was decided, why, and the next step before you go on:'

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
  live: (ago: string) => `may still be live: last heard of ${ago}`,
  broken: (ago: string) => `broke off without an end ${ago}`,
  ended: (ago: string) => `ended ${ago}`,
} as const

/** About other sessions of a workspace, at a start. */
export const SESSION_NOTES = {
  state: (session: string, state: string) => `${labelOf(session)} ${state}.`,
  pause: (session: string, reason: string, ago: string) =>
    `${labelOf(session)} was stopped by ${reason} ${ago}.`,
  byProvider: 'the provider',
  running: (session: string, what: string) =>
    `${labelOf(session)} left this running: ${what}. Look at it before starting it again.`,
  runningCount: (session: string, count: number) =>
    `${labelOf(session)} left ${count} ${count === 1 ? 'helper or command' : 'helpers or commands'} running. Look before starting anything again.`,
  run: (
    run: string,
    at: { step: string | null; stepsDone: number; steps: number; age: string; others: number },
  ) =>
    `Run ${run} is in progress${at.step === null ? '' : ` at ${at.step}`}, ${at.stepsDone}/${at.steps} steps done, last snapshot ${at.age} ago${at.others === 0 ? '' : ` (${at.others} more: savepoint run list)`}: savepoint run resume ${run}`,
  hooksSilent: (session: string) =>
    `${labelOf(session)} went on without its hooks being heard: savepoint doctor tells why.`,
  overheard:
    'An older version of Savepoint overheard this in a session, and nobody saved it: check it before you build on it.',
} as const

/** About work of other branches, in a brief. */
export const BRANCH_NOTES = {
  inherited: (stream: string) =>
    `This branch has no saved work yet: this is what ${stream} knows. Where ${stream} itself stands: savepoint resume ${stream}`,
  merged: (stream: string) => `From ${stream}, merged (the next save takes it over)`,
  moreMerged: (count: number, command: string) => `${count} more: ${command}`,
  toldMerged: (stream: string) => `${stream} is merged into this branch: the next save here takes it over.`,
  gone: (stream: string) =>
    `${stream}: its branch is gone, and no merge of it was found. Keep working on it: savepoint resume ${stream}. Close it: savepoint archive ${stream} --outcome "…"`,
} as const

/** About work that a file here tells, and nobody saved. */
export const FOUND_NOTES = {
  subject: (path: string, age: string) => `Found in ${path}, written ${age} ago; nothing of it is saved yet`,
  beside: (path: string, age: string) => `Found in ${path} (written ${age} ago, not saved)`,
  keep: (command: string) => `To keep it: ${command}`,
  unreviewed: (count: number) =>
    count === 1
      ? 'A file here may tell of earlier work. Nobody has reviewed it, so it is not told. The user can look: savepoint status'
      : `${count} files here may tell of earlier work. Nobody has reviewed them, so they are not told. The user can look: savepoint status`,
} as const

/** What stands above lines that are told in the place of a brief. */
export const MESSAGE_TITLES = {
  start: 'About earlier work here',
  changes: 'What changed since this session last spoke',
  dropped: 'Known before the compaction, and not in its summary',
} as const

/** Single lines of such a message. */
export const MESSAGE_LINES = {
  offered: (stream: string, age: string) =>
    `${stream} was saved ${age} ago. To go on with it: savepoint resume ${stream}`,
  several: (work: ReadonlyArray<{ name: string; age: string }>) =>
    `Several pieces of work are open: ${work.map(({ name, age }) => `${name} (${age} ago)`).join(', ')}. savepoint resume, with a name, tells one.`,
  branch: (was: string, now: string) => `The branch was ${was}, now it is ${now}.`,
  commits: (count: number) => `${formatCount(count, 'commit')} came since.`,
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
