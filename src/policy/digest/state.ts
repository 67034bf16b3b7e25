import type { CallKind, RequestKind } from '../../core/transcript.ts'
import type { CheckKind } from './commands.ts'

export interface Request {
  at: string
  how: RequestKind
  text: string
  /** Of a command its name, of a refusal the call, of an answer the question. */
  about: string
  /** The agent's question that a short reply answers; empty where there is none. */
  answeredQuestion: string
  /** What the agent said at the end of the turn that it led to, in two sentences at most; none while that is open. */
  outcome: string[]
  /** What it led to: calls of tools, changed files or commits. */
  effect: 'nothing' | 'calls' | 'changes'
  /** Nothing but its words says that a user typed it. */
  isUnsure?: true
}

/** Whether the user's own words are in it: an answer may be an agent's option, and without trust only words count that the client marks. */
export const isTyped = ({ how, isUnsure }: Request, trusted: boolean) =>
  how !== 'answer' && (trusted || !isUnsure)

/** What the agent said, with its line breaks. */
export interface Utterance {
  at: string
  text: string
}

/** A call of a tool whose result is not there yet. */
export interface OpenCall {
  id: string
  /** What the client calls it once it runs in the background; empty before. */
  handle: string
  at: string
  name: string
  /** Missing in digests that an older version left, too. */
  does?: CallKind
  kind: 'subagent' | 'background' | 'call'
  /** Its result only says that it was started. */
  isInBackground: boolean
  /** Of a helper that was stopped: by what words. */
  stoppedBy: string
  what: string
  /** What a helper was told to do; empty for any other call. */
  prompt: string
  path: string
  command: string
}

/** A call that came to its end, or never did: the last one says where a turn was cut off. */
export interface LastCall {
  at: string
  name: string
  what: string
  outcome: 'none' | 'succeeded' | 'failed' | 'refused'
  /** A line of its output: a program's text. */
  detail: string
}

/** The last outcome of a family of commands: the same command whatever stands around it. */
export interface Check {
  family: string
  kind: CheckKind
  failed: boolean
  /** Of a failed one: families that ran with it and have not passed since. It is over when none is left. */
  notPassedSince: string[]
  code: number | null
  /** A line of its output: a program's text. */
  detail: string
  ms: number
  at: string
}

export interface Task {
  /** Empty in a list that is told as a whole. */
  id: string
  text: string
  state: 'open' | 'doing' | 'done'
}

export interface TouchedFile {
  path: string
  action: 'created' | 'modified'
}

export interface Commit {
  at: string
  /** As git printed it; empty where it did not. */
  hash: string
  subject: string
}

/** A plan in its own headings, and what became of it. */
export interface ShownPlan {
  at: string
  title: string
  outline: string[]
  opening: string
  verdict: 'shown' | 'approved' | 'refused'
  timesShown: number
  path: string
}

/** A slash command that the user gave, in the words of its own file. */
export interface RunningCommand {
  name: string
  steps: Array<{ text: string; commands: string[]; reached: boolean }>
  rules: string[]
  requestsSince: number
}

/** What the client's own summary of a compaction says, in its parts. */
export interface SummaryParts {
  at: string
  /** How many requests came before it in the same transcript, and since. */
  requestsBefore: number
  requestsSince: number
  intent: string
  userSaid: string
  pending: string
  currentWork: string
}

/** What a transcript comes to: quoted and counted, never paraphrased. Plain JSON of bounded size. */
export interface Digest {
  requests: Request[]
  /** How many of them had no room. */
  droppedRequests: number
  /** Prompts that wait for the agent; of those that were sent, the request is still to come. */
  queue: Array<Utterance & { answeredQuestion: string; isSent: boolean }>
  /** The agent's words since the last request, each with what it led to; the last one ends the turn if nothing came of it. */
  turn: Array<Utterance & { isFollowedByCall: boolean }>
  /** The end of the turn before; empty where there was none. */
  previousAnswer: string
  openQuestions: { at: string; questions: Array<{ question: string; options: string[] }> } | null
  command: RunningCommand | null
  plan: ShownPlan | null
  tasks: Task[]
  tasksAt: string | null
  /** How many requests came since the tasks were last touched. */
  requestsSinceTasks: number
  finishedTasks: Utterance[]
  checks: Check[]
  commits: Commit[]
  links: string[]
  files: TouchedFile[]
  calls: OpenCall[]
  lastCall: LastCall | null
  summary: SummaryParts | null
  counts: { requests: number; calls: number; edits: number }
  lastEvent: 'nothing' | 'request' | 'text' | 'call' | 'interrupt' | 'halt'
  /** What the provider said when it stopped the session; empty where it did not. */
  haltWords: string
  lastAt: string | null
}

/** So many are kept of each, the newest; with the lengths of their texts this bounds the whole. */
export const KEEP = {
  ...{ requests: 90, queue: 10, turn: 5, finishedTasks: 40, checks: 24, commits: 30, links: 6 },
  ...{ files: 100, calls: 16, tasks: 40, steps: 30, rules: 8, outline: 40 },
} as const

export const DIGEST_LIMIT = 65_536

export const emptyDigest = (): Digest => ({
  ...{ requests: [], droppedRequests: 0, queue: [], turn: [], previousAnswer: '', openQuestions: null },
  ...{ command: null, plan: null, tasks: [], tasksAt: null, requestsSinceTasks: 0, finishedTasks: [] },
  ...{ checks: [], commits: [], links: [], files: [], calls: [], lastCall: null, summary: null },
  ...{ counts: { requests: 0, calls: 0, edits: 0 }, lastEvent: 'nothing', haltWords: '', lastAt: null },
})

export function keepNewest<T>(list: T[], most: number): void {
  if (list.length > most) list.splice(0, list.length - most)
}
