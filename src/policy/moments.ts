import type { AgentEvent, AgentEventKind } from '../core/agent-event.ts'
import type { TriggerKind } from '../core/checkpoint.ts'
import type { SessionSource, Stretch } from '../core/session.ts'
import { isSaveDue, stretchAfter } from './ask-to-save.ts'
import { nudgesFor } from './window.ts'

/**
 * What an agent can be told: the brief at a start, or only what changed since it was told before; what its summary
 * dropped; advice about its window; that a save is due.
 */
export type MessageKind = 'start' | 'dropped' | 'nudge' | 'ask'

export interface Moment {
  /** Whether the store is opened; each event stands in the session's journal before that. */
  opens: 'always' | 'when-due' | 'never'
  /** Why a checkpoint is taken then, where one is. */
  trigger: TriggerKind | null
  /** The session's own checkpoint is taken whatever is told; else only together with advice. */
  savesAtOnce: boolean
  /** What it can tell the agent, the most important first; all of it only where there is something to tell. */
  tells: readonly MessageKind[]
  /** One sentence for the docs. */
  about: string
}

const REGISTER = { opens: 'never', trigger: null, savesAtOnce: false, tells: [] } as const
const LOOK = { ...REGISTER, opens: 'when-due' } as const
const ACT = { ...REGISTER, opens: 'always' } as const

/** The one table of what happens when. */
export const MOMENTS = {
  start: {
    ...{ ...ACT, trigger: 'session-end', tells: ['start'] },
    about:
      'Reads the new transcripts of other sessions and shows the brief, with stale sessions and drift first; after a resume, only what changed.',
  },
  prompt: {
    ...{ ...LOOK, tells: ['dropped', 'nudge', 'ask'] },
    about: "Repeats what a compaction's summary dropped; after much work without a save, asks for one, once.",
  },
  batch: {
    ...{ ...LOOK, trigger: 'pressure', tells: ['dropped', 'nudge'] },
    about:
      'Repeats what a summary dropped; at 70 % and 85 % of the window, and after the second compaction, saves a checkpoint and advises once.',
  },
  stop: {
    ...{ ...LOOK, trigger: 'pressure', tells: ['nudge'] },
    about: 'Checks the window as after a tool batch, unless a hook already kept the turn going.',
  },
  failure: {
    ...{ ...ACT, trigger: 'error', savesAtOnce: true },
    about: 'Marks the session as paused, with the reason, and saves a checkpoint.',
  },
  compacting: {
    ...{ ...ACT, trigger: 'compaction', savesAtOnce: true },
    about: 'Saves a checkpoint from the complete transcript.',
  },
  compacted: {
    ...ACT,
    about: 'Compares the summary with the checkpoint; the next prompt or tool batch repeats what it dropped.',
  },
  'helper-started': { ...REGISTER, about: 'Records that the subagent is running.' },
  'helper-stopped': { ...REGISTER, about: 'Records that the subagent has stopped.' },
  'task-created': { ...REGISTER, about: 'Records that the task is running.' },
  'task-completed': { ...REGISTER, about: 'Records that the task is done.' },
  end: { ...REGISTER, about: 'One small write; the next session start does the rest.' },
} as const satisfies Record<AgentEventKind, Moment>

export const momentOf = (kind: AgentEventKind): Moment => MOMENTS[kind]

/** What a start tells, by its source; a compaction's summary is not known yet when the session starts anew. */
const STARTS = {
  startup: 'brief',
  clear: 'brief',
  fork: 'brief',
  resume: 'changes',
  compact: null,
} as const satisfies Record<SessionSource, 'brief' | 'changes' | null>

export const messageAtStart = (source: SessionSource): 'brief' | 'changes' | null => STARTS[source]

/** What is remembered of a session between two events, without opening the store. */
export interface SessionMemory {
  nudged: readonly string[]
  compactions: number
  /** The summary of a compaction is not compared yet, or a message to the agent is pending. */
  owed: boolean
  handedOff: boolean
  /** What was done since the last save, up to this event; null where the agent is not to be asked for one. */
  stretch: Stretch | null
}

/** Whether it matters how full the window is: between tools and at the end of a turn, in the main conversation. */
export const asksForWindow = (event: AgentEvent): boolean =>
  event.helper === null && (event.kind === 'batch' || (event.kind === 'stop' && !event.again))

/** Whether the agent can be asked for a save: with a request, in the main conversation. */
export const mayAskToSave = (event: AgentEvent): boolean => event.helper === null && event.kind === 'prompt'

/**
 * Whether the store has to be opened for an event: the table of moments says which may, and what is remembered says
 * whether anything is due. A session of which nothing is remembered is looked up once.
 */
export function isDueNow(
  event: AgentEvent,
  known: SessionMemory | null,
  usedPercent: number | null,
): boolean {
  const { opens } = momentOf(event.kind)
  if (opens !== 'when-due') return opens === 'always'
  // A helper has a window of its own, and a turn that a hook keeps going has been advised.
  if (event.helper !== null || (event.kind === 'stop' && event.again)) return false
  if (known === null) return true
  const canTell = event.kind === 'prompt' || event.kind === 'batch'
  return (
    (known.owed && canTell) ||
    (asksForWindow(event) && nudgesFor({ usedPercent, ...known }).length > 0) ||
    (mayAskToSave(event) && known.stretch !== null && isSaveDue(stretchAfter(known.stretch, event)))
  )
}
