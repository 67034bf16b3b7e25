import type { AgentEventKind } from '../core/agent-event.ts'
import type { TriggerKind } from '../core/checkpoint.ts'
import type { SessionSource } from '../core/session.ts'

/**
 * What an agent can be told: the brief at a start, or only what changed since it was told before; what its summary
 * dropped; advice about its window; that a save is due.
 */
export type MessageKind = 'start' | 'dropped' | 'nudge' | 'ask'

/** What an event of an agent leads to. */
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

/** The one table of what happens when. */
export const MOMENTS = {
  start: {
    opens: 'always',
    trigger: 'session-end',
    savesAtOnce: false,
    tells: ['start'],
    about:
      'Reads what other sessions wrote since they were last seen, and gives the brief, with stale sessions and drift on top; after a resume only what changed meanwhile.',
  },
  prompt: {
    opens: 'when-due',
    trigger: null,
    savesAtOnce: false,
    tells: ['dropped', 'nudge', 'ask'],
    about:
      'Gives back what the summary of a compaction dropped; after much work without a save, asks once for one.',
  },
  batch: {
    opens: 'when-due',
    trigger: 'pressure',
    savesAtOnce: false,
    tells: ['dropped', 'nudge'],
    about:
      'Gives back what a summary dropped; at 70 % and 85 % of the window, and after the second compaction, takes a checkpoint and advises once.',
  },
  stop: {
    opens: 'when-due',
    trigger: 'pressure',
    savesAtOnce: false,
    tells: ['nudge'],
    about: 'Looks at the window as between tool batches, unless a hook has kept the turn going already.',
  },
  failure: {
    opens: 'always',
    trigger: 'error',
    savesAtOnce: true,
    tells: [],
    about: 'Marks the session as paused, with the reason, and takes a checkpoint so that the brief is ready.',
  },
  compacting: {
    opens: 'always',
    trigger: 'compaction',
    savesAtOnce: true,
    tells: [],
    about: 'Takes a checkpoint from the complete transcript.',
  },
  compacted: {
    opens: 'always',
    trigger: null,
    savesAtOnce: false,
    tells: [],
    about:
      'Compares the summary with the checkpoint; the next prompt or tool batch gives back what it dropped.',
  },
  'helper-started': { ...REGISTER, about: 'Puts the helper into the register of what is in flight.' },
  'helper-stopped': { ...REGISTER, about: 'Takes the helper out of the register.' },
  'task-created': { ...REGISTER, about: 'Puts the task into the register of what is in flight.' },
  'task-completed': { ...REGISTER, about: 'Takes the task out of the register.' },
  end: {
    ...REGISTER,
    about: 'One small write; the next start of any session does the rest.',
  },
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

const OPENS: Record<Moment['opens'], string> = {
  always: 'yes',
  'when-due': 'when something is due',
  never: 'no',
}

const TELLS: Record<MessageKind, string> = {
  start: 'brief or changes',
  dropped: 'dropped',
  nudge: 'nudge',
  ask: 'ask',
}

export const sayTellings = (tells: readonly MessageKind[]) => tells.map((one) => TELLS[one]).join(', ') || '–'

/** The table in Markdown, for docs/sessions.md. */
export function momentsTable(): string {
  const rows = Object.entries<Moment>(MOMENTS).map(([kind, { opens, trigger, tells, about }]) => [
    `\`${kind}\``,
    about,
    OPENS[opens],
    trigger === null ? '–' : `\`${trigger}\``,
    sayTellings(tells),
  ])
  const head = ['event', 'what happens', 'opens the store', 'checkpoint', 'may tell']
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
