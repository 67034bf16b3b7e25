import type { Digest } from './state.ts'
import { openQuestion } from './tell-words.ts'

/** What makes a session one that did something. */
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
