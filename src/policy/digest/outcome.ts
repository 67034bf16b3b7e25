import { formatCount } from '../../core/text.ts'
import { isFailing } from './calls.ts'
import type { Digest } from './state.ts'
import { isTaskListStale } from './tell-parts.ts'
import { openQuestion } from './tell-words.ts'

/**
 * What a session came to, by what was run, committed and ticked off, never by what was said. What is left counts more:
 * with it nothing is called done.
 */
export function tellOutcome(digest: Digest, isLive: boolean, trusted: boolean): string {
  if (isLive) return 'may still be running'
  const left = listLeft(digest, trusted)
  if (left.length > 0) return `left: ${left.join(', ')}`
  const done = trusted ? listDone(digest) : []
  return done.length > 0 ? `done: ${done.join(', ')}` : ''
}

/** Whether the newest request was carried out, as far as structure can tell. */
export const isDone = (digest: Digest, trusted: boolean) =>
  trusted && listLeft(digest, trusted).length === 0 && listDone(digest).length > 0

const listLeft = (digest: Digest, trusted: boolean) => [
  ...cutShort(digest),
  ...(trusted ? listOpen(digest) : []),
]

function cutShort({ lastEvent, turn }: Digest): string[] {
  if (lastEvent === 'halt') return ['stopped by the provider']
  if (lastEvent === 'interrupt') return ['interrupted']
  const isInside = lastEvent === 'call' || lastEvent === 'request' || turn.at(-1)?.isFollowedByCall === true
  return isInside ? ['cut off'] : []
}

function listOpen(digest: Digest): string[] {
  const { checks, tasks } = digest
  const open = isTaskListStale(digest) ? [] : tasks.filter(({ state }) => state !== 'done')
  return [
    ...checks.filter(isFailing).map(({ family }) => `${family} failing`),
    ...(open.length > 0 ? [`${open.length} of ${formatCount(tasks.length, 'task')} open`] : []),
    ...(openQuestion(digest) === '' ? [] : ['open question to the user']),
  ]
}

/** What says that the newest request was carried out: it came after it. */
function listDone(digest: Digest): string[] {
  const { requests, commits, checks, tasks } = digest
  const since = requests.findLast(({ how }) => how !== 'answer')?.at ?? ''
  const isCommitted = commits.some(({ at }) => at > since)
  const passed = checks.filter(({ at, failed, kind }) => at > since && !failed && kind === 'test')
  const isListDone = !isTaskListStale(digest) && tasks.length > 0
  return [
    ...(isCommitted ? ['committed'] : []),
    ...passed.map(({ family }) => `${family} passed`),
    ...(isListDone ? [`all ${formatCount(tasks.length, 'task')} done`] : []),
  ]
}

const WEIGHTS: ReadonlyArray<{ weight: number; isTrue: (digest: Digest) => boolean }> = [
  { weight: 3, isTrue: ({ counts }) => counts.edits > 0 },
  // A session that was killed in its first edit: nobody knows whether the file was written.
  { weight: 3, isTrue: ({ calls }) => calls.some(({ does }) => does === 'edit' || does === 'write') },
  { weight: 3, isTrue: ({ commits }) => commits.length > 0 },
  { weight: 2, isTrue: ({ plan, tasks }) => plan !== null || tasks.length > 0 },
  { weight: 2, isTrue: ({ counts }) => counts.requests > 1 },
  { weight: 2, isTrue: (digest) => openQuestion(digest) !== '' },
  { weight: 1, isTrue: ({ counts }) => counts.calls >= 5 },
  {
    weight: 1,
    isTrue: ({ lastEvent }) => lastEvent === 'call' || lastEvent === 'halt' || lastEvent === 'request',
  },
]

const ENOUGH = 2

/** Whether a session did something: one question and its answer are not what the work is about. */
export const didSomething = (digest: Digest) =>
  WEIGHTS.reduce((sum, { weight, isTrue }) => sum + (isTrue(digest) ? weight : 0), 0) >= ENOUGH

/** Whether nothing was said that is worth keeping: a greeting, and no call of a tool. */
export const isEmptyTalk = ({ requests, counts, summary }: Digest) =>
  counts.calls === 0 &&
  summary === null &&
  requests.every(({ text, how }) => how === 'prompt' && text.length < GREETING)

const GREETING = 15
