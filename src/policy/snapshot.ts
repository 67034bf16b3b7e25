import { clipText } from '../core/canonical.ts'
import {
  type Checkpoint,
  type CommandOutcome,
  isMaterial,
  noChange,
  type Trigger,
  type TriggerKind,
} from '../core/checkpoint.ts'
import { checkpointId, nameKey } from '../core/id.ts'
import { moveStep, type StepMove, stepId } from '../core/plan.ts'
import { instant } from '../core/ports.ts'
import { ReasonError, usageError } from '../core/reason.ts'
import { nearestName } from '../core/text.ts'
import type { Fault, Position } from '../core/work.ts'
import { redact } from './redact.ts'
import { nextProgress, type RunEventKind, resumeHints } from './run-lifecycle.ts'
import { windowPressure } from './window.ts'

/** Something that happened to a run, in one shape for every door. */
export interface RunEvent {
  kind: RunEventKind
  /** A step that the plan does not have is refused, unless it is to be added. */
  step?: { id: string; state: StepMove; add?: boolean }
  /** The run may be finished with steps that are not done. */
  incomplete?: boolean
  fault?: Fault | undefined
  /** A path or an id that must be kept from now on, or no longer. */
  protect?: { artifact: string; remove: boolean }
  contextUsedPercent?: number | undefined
  note?: string | undefined
}

/** What the store knows of a run at one instant. */
export interface RunSituation {
  run: string
  stream: string
  head: { id: string; sequence: number }
  /** The newest checkpoint that reads well: the head, unless the head is damaged. */
  base: Checkpoint
  /** Triggers that the head took in after it was written. */
  notes: number
  pending: Array<{ event: number; outcome: CommandOutcome }>
  pinned: string[]
  profile: string
  /** The session of an agent in which the event happens; null outside of one. */
  session: string | null
}

export type SnapshotDecision =
  | { act: 'nothing' }
  | { act: 'coalesce'; trigger: Trigger }
  | { act: 'append'; checkpoint: Checkpoint; takes: number[] }

export const HEARTBEAT_MS = 120_000
const OUTCOMES_PER_SNAPSHOT = 50
/** So many names a reader takes; artifacts never give way, of the pinned snapshots the oldest do. */
const MOST_PROTECTED = 200
const MOST_ARTIFACTS = 100

const TRIGGER_OF = {
  step_in_progress: 'step',
  step_done: 'step',
  step_failed: 'step',
  step_skipped: 'step',
  error: 'error',
  fatal_error: 'error',
  pause: 'manual',
  finish: 'manual',
  finish_failed: 'manual',
  save: 'manual',
  command: null,
  heartbeat: 'timer',
} as const satisfies Record<RunEventKind, TriggerKind | null>

/** Decides what one event does to a run: a snapshot, a note on the newest one, or nothing. */
export function decideSnapshot(
  situation: RunSituation,
  event: RunEvent,
  { nowMs, random }: { nowMs: number; random: (n: number) => Uint8Array },
): SnapshotDecision {
  const { base } = situation
  const progress = nextProgress(base.progress, event.kind)
  if (progress === 'refused')
    throw new ReasonError('run_transition_refused', {
      ...{ run: situation.run, progress: base.progress, event: event.kind },
    })
  refuseUnknownStep(situation, event)
  refuseOpenSteps(situation, event)

  const triggers = triggersOf(event, base, nowMs)
  const [first] = triggers
  if (!first) return { act: 'nothing' }

  const position = movePosition(base.work.position, event)
  const artifacts = protectArtifact(base.health.protected, event)
  const { pinned, pending } = situation
  const pins = pinned.slice(Math.max(0, pinned.length + artifacts.length - MOST_PROTECTED))
  const session = situation.session ?? base.session
  const outcomes = pending.slice(-OUTCOMES_PER_SNAPSHOT).map(({ outcome }) => outcome)
  const { contextUsedPercent: used } = event
  const candidate: Checkpoint = {
    id: checkpointId(nowMs, situation.head.sequence + 1, random),
    stream: situation.stream,
    parent: situation.head.id,
    ...(session === undefined ? {} : { session }),
    at: instant(nowMs),
    triggers,
    progress,
    work: { ...base.work, position },
    change: { ...noChange(), commands: outcomes },
    health: {
      pressure: used === undefined ? base.health.pressure : windowPressure(used),
      protected: [...artifacts, ...pins],
      dropped:
        pending.length -
        outcomes.length +
        (pinned.length - pins.length) +
        resumeHints(position, progress).cut,
      profile: situation.profile,
    },
  }
  const isWhole = base.id === situation.head.id
  if (isWhole && shouldCoalesce(base, candidate, situation.notes)) return { act: 'coalesce', trigger: first }
  return { act: 'append', checkpoint: candidate, takes: pending.map(({ event: seq }) => seq) }
}

/** The paths and ids that a run protects besides its own snapshots, which are named by their pins. */
function protectArtifact(names: readonly string[], { protect }: RunEvent): string[] {
  const artifacts = names.filter((name) => !isSnapshotName(name) && name !== protect?.artifact)
  if (protect === undefined || protect.remove) return artifacts
  if (artifacts.length >= MOST_ARTIFACTS)
    throw usageError(`a run can pin at most ${MOST_ARTIFACTS} paths and ids: remove one with --remove`)
  return [...artifacts, protect.artifact]
}

export const isSnapshotName = (name: string) => name.startsWith('cp_') && !name.includes('/')

const MOST_NAMED = 10

const sayNames = (names: readonly string[]) =>
  `${names.slice(0, MOST_NAMED).join(', ')}${names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : ''}`

/** A slip of the pen must not become a step of its own. */
function refuseUnknownStep({ run, base }: RunSituation, { step }: RunEvent): void {
  const ids = base.work.position.plan?.steps.map(({ id }) => id) ?? []
  if (!step || step.add || ids.length === 0 || ids.some((id) => nameKey(id) === nameKey(step.id))) return
  const near = nearestName(step.id, ids)
  const suggestion = near === null ? `it has ${sayNames(ids)}.` : `did you mean ${near}?`
  throw new ReasonError('step_unknown', { run, step: step.id, suggestion })
}

/** What is not done is not completed. */
function refuseOpenSteps({ run, base }: RunSituation, { kind, incomplete = false }: RunEvent): void {
  if (kind !== 'finish' || incomplete || base.progress === 'completed') return
  const left = (base.work.position.plan?.steps ?? []).filter(
    ({ state }) => state !== 'done' && state !== 'skipped',
  )
  if (left.length === 0) return
  const steps = sayNames(left.map(({ id, state }) => `${id} (${state.replace('_', ' ')})`))
  throw new ReasonError('run_incomplete', { run, steps })
}

/** The event's own trigger, and the heartbeat's where it is overdue; the event's comes first. */
function triggersOf(event: RunEvent, base: Checkpoint, nowMs: number): Trigger[] {
  const own = TRIGGER_OF[event.kind]
  const sinceMs = nowMs - Date.parse(base.at)
  const overdue = base.progress === 'in_progress' && sinceMs >= HEARTBEAT_MS && event.kind !== 'heartbeat'
  const kinds: Array<[TriggerKind, string]> = []
  if (own !== null && !(event.kind === 'heartbeat' && base.progress !== 'in_progress'))
    kinds.push([own, event.note ?? ''])
  if (overdue) kinds.push(['timer', 'heartbeat was overdue'])
  return kinds.map(([kind, note]) => ({ kind, at: instant(nowMs), note: clipText(redact(note), 200) }))
}

function movePosition(position: Position, event: RunEvent): Position {
  const { step, fault } = event
  const plan = step && position.plan ? moveStep(position.plan, step.id, step.state) : position.plan
  const cleared =
    event.kind === 'step_in_progress' ||
    event.kind === 'finish' ||
    (event.kind === 'step_done' && position.fault?.recoverable === true)
  // An unrecoverable fault stays recorded even if a recoverable one follows.
  const isHeavier = fault === undefined || position.fault?.recoverable === false
  return {
    ...position,
    plan,
    step: step && position.plan ? stepId(position.plan, step.id) : position.step,
    fault: cleared ? null : isHeavier ? position.fault : fault,
  }
}

/** An outcome within its bounds: names and summaries are short, and hold no secret. */
export function boundedOutcome(outcome: CommandOutcome): CommandOutcome {
  return {
    kind: outcome.kind,
    name: clipText(redact(outcome.name), 200),
    result: outcome.result,
    duration_ms: Math.max(0, Math.round(outcome.duration_ms)),
    ...(outcome.reason_code === undefined ? {} : { reason_code: clipText(redact(outcome.reason_code), 100) }),
    summary: clipText(redact(outcome.summary), 500),
  }
}

/** How many further triggers one snapshot may carry before the next makes a snapshot of its own. */
const NOTES_PER_SNAPSHOT = 100
const COALESCE_MS = 3_000

/**
 * Whether a trigger is kept as a note on the newest snapshot instead of making another.
 * A clock that went backwards never coalesces: the window is then unknown.
 */
function shouldCoalesce(head: Checkpoint, candidate: Checkpoint, notes: number): boolean {
  const apart = Date.parse(candidate.at) - Date.parse(head.at)
  return apart >= 0 && apart < COALESCE_MS && notes < NOTES_PER_SNAPSHOT && !isMaterial(head, candidate)
}
