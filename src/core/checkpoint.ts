import { canonicalJson, clipText } from './canonical.ts'
import type { Artifact, WorkState } from './work.ts'

export const TRIGGERS = [
  'phase',
  'step',
  'error',
  'timer',
  'manual',
  'decision',
  'shift',
  'session-end',
  'pressure',
  'compaction',
  'risk',
  'adopted',
] as const
export type TriggerKind = (typeof TRIGGERS)[number]

/** Why a checkpoint was taken, and when that reason came up. */
export interface Trigger {
  kind: TriggerKind
  at: string
  note: string
}

/** How the trigger of a checkpoint says that somebody asked for it. */
export const BY_HAND = { saved: 'saved', delta: 'delta' } as const

/** The same where it is followed by what it is about: what a handoff is for, the item that was corrected. */
export const BY_HAND_ABOUT = {
  handedOff: 'handoff: ',
  confirm: 'confirm: ',
  reject: 'reject: ',
  remove: 'remove: ',
  reword: 'reword: ',
} as const

/** What a handoff or a correction is about; null where a trigger's note is of something else. */
export function subjectOf(note: string): string | null {
  const start = Object.values(BY_HAND_ABOUT).find((one) => note.startsWith(one))
  return start === undefined ? null : note.slice(start.length)
}

/** Whether a trigger's note says that somebody saved: by a save, a handoff or a correction. */
export const saysSaved = (note: string) => note === BY_HAND.saved || subjectOf(note) !== null

/** How the trigger of an adopted checkpoint names what it was taken from; without either it is a document. */
export const ADOPTED = { ledger: 'the ledger was edited by hand', imported: 'imported ' } as const

export const PROGRESS = ['in_progress', 'failed', 'completed', 'paused'] as const
export type Progress = (typeof PROGRESS)[number]

export const COMMAND_KINDS = ['shell', 'slash_command', 'tool_use'] as const
export const COMMAND_RESULTS = ['PASS', 'FAIL', 'WARN'] as const

/** What one command or tool call came to. The field names are the snapshot document's. */
export interface CommandOutcome {
  kind: (typeof COMMAND_KINDS)[number]
  name: string
  result: (typeof COMMAND_RESULTS)[number]
  duration_ms: number
  reason_code?: string
  summary: string
}

/** Why a value is not an outcome, or null where it is one. For doors whose callers have no compiler. */
export function outcomeProblem(value: CommandOutcome): string | null {
  if (typeof value !== 'object' || value === null)
    return 'an outcome needs a kind, a name, a result and a summary'
  const { kind, name, result, duration_ms, reason_code, summary } = value
  if (!COMMAND_KINDS.includes(kind)) return `kind takes ${COMMAND_KINDS.join(', ')}, not ${String(kind)}`
  if (!COMMAND_RESULTS.includes(result))
    return `result takes ${COMMAND_RESULTS.join(', ')}, not ${String(result)}`
  if (typeof name !== 'string' || name === '') return 'name is missing'
  if (typeof summary !== 'string') return 'summary must be a text'
  if (!Number.isFinite(duration_ms) || duration_ms < 0) return 'duration_ms must be a number from 0'
  if (reason_code !== undefined && typeof reason_code !== 'string') return 'reason_code must be a text'
  return null
}

export interface Transition {
  item: string
  before: string
  after: string
}

/** What happened since the parent checkpoint. */
export interface Change {
  summary: string
  artifacts: Artifact[]
  transitions: Transition[]
  commands: CommandOutcome[]
}

export const noChange = (): Change => ({ summary: '', artifacts: [], transitions: [], commands: [] })

export const PRESSURES = ['low', 'medium', 'high'] as const
export type Pressure = (typeof PRESSURES)[number]

/** How the agent's context window was doing. */
export interface ContextHealth {
  pressure: Pressure
  /** Ids that retention must keep. */
  protected: string[]
  /** How many items the caps cut from this checkpoint. */
  dropped: number
  profile: string
}

/** What a piece of work came to, where it is finished. */
export interface Completion {
  outcome: string
  date: string
  learnings: string[]
  /** It was closed because its branch was merged, and goes on where that branch does. */
  merged?: true
}

/** The document that a checkpoint shows: its exact bytes by their hash, and what lists tell of it. */
export interface DocumentRef {
  /** SHA-256 of the document's bytes. */
  hash: string
  created: string
  /** The stream that this one was forked from, by its name. */
  parent: string | null
  /** It says less than is known: it was away, or could not be written. */
  behind?: true
}

/** Where in git a checkpoint was taken, or who made the text that it was adopted from. */
export interface Provenance {
  branch: string | null
  commit: string | null
  author: string | null
}

/** One immutable point in a stream. */
export interface Checkpoint {
  id: string
  stream: string
  parent: string | null
  /** The session of an agent in which it was taken; absent without one. */
  session?: string
  at: string
  triggers: Trigger[]
  progress: Progress
  work: WorkState
  change: Change
  health: ContextHealth
  document?: DocumentRef
  completion?: Completion
  provenance?: Provenance
  /** Files that its sentences speak of and that were not there. */
  absent?: string[]
  /**
   * The checkpoint whose work stands again, after an undo, a redo or a restore; null where the work had not begun.
   * Absent in all others.
   */
  stands?: string | null
}

/** What a list tells of a checkpoint, without reading the whole of it. */
export interface Gist {
  step: string | null
  stepsDone: number
  steps: number
  document?: DocumentGist
}

/** What a list tells of a piece of work, whether it has a document or not. */
export interface DocumentGist {
  /** Empty where it never had a document. */
  created: string
  parent: string | null
  problem: string
  next: string
  /** Why the checkpoint was taken, or what it says was done. */
  why: string
  archived: boolean
  /** As in the completion. */
  merged?: true
  /** The branch that it was saved on; absent in what an older program wrote. */
  branch?: string | null
  /** The plan that it was saved under; absent without one. */
  plan?: string
  /** As in the checkpoint. */
  stands?: string | null
}

const GIST_LENGTH = 120

export function gistOf(checkpoint: Checkpoint): Gist {
  const { work, document, completion, change, triggers, provenance, stands } = checkpoint
  const steps = work.position.plan?.steps ?? []
  const done = steps.filter(({ state }) => state === 'done' || state === 'skipped')
  const gist = { step: work.position.step, stepsDone: done.length, steps: steps.length }
  if (document === undefined && provenance === undefined) return gist
  const about = [work.problem, work.intent, work.now].find((text) => text.trim() !== '') ?? ''
  const [problem = ''] = about.trim().split(/[\r\n]/, 1)
  const [trigger] = triggers
  const why = [trigger?.kind, trigger?.note, change.summary].filter(Boolean).join(': ')
  return {
    ...gist,
    document: {
      created: document?.created ?? '',
      parent: document?.parent ?? null,
      problem: clipText(problem, GIST_LENGTH),
      next: clipText(work.next[0]?.text ?? '', GIST_LENGTH),
      why: clipText(why.replace(/\s+/g, ' '), GIST_LENGTH),
      archived: completion !== undefined,
      ...(completion?.merged ? { merged: true } : {}),
      branch: provenance?.branch ?? null,
      ...(work.position.planName ? { plan: work.position.planName } : {}),
      ...(stands === undefined ? {} : { stands }),
    },
  }
}

const isEmpty = ({ summary, artifacts, transitions, commands }: Change) =>
  summary === '' && artifacts.length + transitions.length + commands.length === 0

/** Whether anything but time and source is different: that is what makes a change material. */
export function isMaterial(before: Checkpoint, after: Checkpoint): boolean {
  const materialOf = ({ progress, work, health }: Checkpoint) =>
    canonicalJson({ progress, work, health: { ...health, dropped: 0 } })
  return !isEmpty(after.change) || materialOf(before) !== materialOf(after)
}
