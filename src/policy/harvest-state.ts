import type { Claim, Decision } from '../core/work.ts'
import type { CommandKind, Notable } from './harvest-commands.ts'
import type { Sentence } from './harvest-sentences.ts'
import type { Summary } from './harvest-summary.ts'

export interface Heard extends Claim {
  at: string
}

export interface HeardDecision extends Decision {
  at: string
  /** It was said to correct what was said before, in words that its text leaves out. */
  corrects: boolean
}

/** A tool call whose result is not there yet. */
export interface Call {
  id: string
  /** What the client calls it once it runs in the background; empty before. */
  alias: string
  at: string
  name: string
  kind: 'subagent' | 'background' | 'call'
  /** Its result only says that it was started. */
  isBehind: boolean
  /** In a few words. */
  what: string
  path: string
  command: string
  notable: Notable | null
}

/** The last outcome of a command. */
export interface Run {
  name: string
  kind: CommandKind
  failed: boolean
  /** It failed, and a later run says that this is over. */
  cleared: boolean
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

export interface Touched {
  path: string
  action: 'created' | 'modified' | 'deleted'
  at: string
}

/** What a transcript has told so far: plain JSON of bounded size, so that it can be kept and folded on. */
export interface Harvest {
  intent: Heard | null
  problem: Heard | null
  decisions: HeardDecision[]
  rules: Heard[]
  constraints: Heard[]
  facts: Heard[]
  done: Array<{ text: string; at: string }>
  files: Touched[]
  runs: Run[]
  tasks: Task[]
  tasksAt: string | null
  plan: { steps: string[]; at: string } | null
  calls: Call[]
  summary: Summary | null
  prompts: number
  /** A tool was called. */
  worked: boolean
  /** The last prompt; what it said may stem from one before, where it only said to go on. */
  prompt: { said: Sentence[]; saidAt: string; at: string } | null
  text: { said: Sentence[]; at: string; goesOn: boolean } | null
  /** The last question that was asked in words, and when it was answered. */
  asked: { at: string; answeredAt: string | null } | null
  /** Who or what spoke last; `text` ends a turn unless it announces more. */
  last: 'prompt' | 'text' | 'tool' | 'none'
  /** Why the turn broke off; empty where it did not. */
  broke: string
  lastAt: string | null
}

/** So many items are kept, the newest; with the lengths of their texts this bounds the whole. */
export const KEEP = {
  decisions: 40,
  rules: 30,
  constraints: 16,
  facts: 24,
  done: 50,
  files: 100,
  runs: 30,
  tasks: 50,
  steps: 15,
  calls: 24,
} as const

/** A harvest is never more characters of JSON than this. */
export const HARVEST_LIMIT = 200_000

export const noHarvest = (): Harvest => ({
  ...{ intent: null, problem: null, decisions: [], rules: [], constraints: [], facts: [], done: [] },
  ...{ files: [], runs: [], tasks: [], tasksAt: null, plan: null, calls: [], summary: null },
  ...{
    prompts: 0,
    worked: false,
    prompt: null,
    text: null,
    asked: null,
    last: 'none',
    broke: '',
    lastAt: null,
  },
})

/** Keeps the newest of a list. */
export function keep<T>(list: T[], most: number): void {
  if (list.length > most) list.splice(0, list.length - most)
}
