import type { Progress } from '../core/checkpoint.ts'
import { openSteps, type PlanStep } from '../core/plan.ts'
import type { Position } from '../core/work.ts'

export const RUN_EVENTS = [
  ...(['step_in_progress', 'step_done', 'step_failed', 'step_skipped', 'error', 'fatal_error'] as const),
  ...(['pause', 'finish', 'finish_failed', 'save', 'command', 'heartbeat'] as const),
] as const
export type RunEventKind = (typeof RUN_EVENTS)[number]

type Row = Record<RunEventKind, Progress | 'refused'>

// `as`: every key of the row is filled from the list of keys.
const staysAs = (progress: Progress) =>
  Object.fromEntries(RUN_EVENTS.map((event) => [event, progress])) as Row

/** A run's progress after each event. A failed run stays failed until a step starts again. */
const RUN_LIFECYCLE = {
  in_progress: {
    ...staysAs('in_progress'),
    step_failed: 'failed',
    fatal_error: 'failed',
    pause: 'paused',
    finish: 'completed',
    finish_failed: 'failed',
  },
  failed: { ...staysAs('failed'), step_in_progress: 'in_progress', pause: 'refused', finish: 'completed' },
  paused: {
    ...staysAs('paused'),
    step_in_progress: 'in_progress',
    step_done: 'in_progress',
    step_failed: 'failed',
    step_skipped: 'in_progress',
    fatal_error: 'failed',
    finish: 'completed',
    finish_failed: 'failed',
  },
  completed: {
    ...staysAs('completed'),
    step_in_progress: 'refused',
    step_done: 'refused',
    step_failed: 'refused',
    step_skipped: 'refused',
    error: 'refused',
    fatal_error: 'refused',
    pause: 'refused',
    finish_failed: 'refused',
    command: 'refused',
  },
} as const satisfies Record<Progress, Row>

export const nextProgress = (progress: Progress, event: RunEventKind): Progress | 'refused' =>
  RUN_LIFECYCLE[progress][event]

export interface ResumeHints {
  eligible: boolean
  reason_code: string
  next_actions: string[]
}

const NEXT_ACTIONS = 10
const stepName = (step: PlanStep) => (step.title === step.id ? step.id : `${step.id}: ${step.title}`)

/** What a resuming agent may do. It reads the run and never marks anything done. */
export function resumeHints(position: Position, progress: Progress): ResumeHints & { cut: number } {
  const plan = position.plan
  const failed = plan?.steps.filter((step) => step.state === 'failed') ?? []
  const open = plan ? openSteps(plan) : []
  const running = open.filter((step) => step.state === 'in_progress')
  const waiting = open.filter((step) => step.state === 'pending')
  const actions = [
    ...(position.fault && !position.fault.recoverable ? [`resolve ${position.fault.reasonCode} first`] : []),
    ...(progress === 'failed' ? failed.map((step) => `retry ${stepName(step)}`) : []),
    ...running.map((step) => `continue ${stepName(step)}`),
    ...waiting.map((step) => `start ${stepName(step)}`),
  ]
  if (actions.length === 0) actions.push('finish the run')
  return {
    ...verdict(position, progress),
    next_actions: progress === 'completed' ? [] : actions.slice(0, NEXT_ACTIONS),
    cut: progress === 'completed' ? 0 : Math.max(0, actions.length - NEXT_ACTIONS),
  }
}

function verdict({ fault }: Position, progress: Progress): { eligible: boolean; reason_code: string } {
  if (progress === 'completed') return { eligible: false, reason_code: 'run_completed' }
  if (fault && !fault.recoverable) return { eligible: false, reason_code: fault.reasonCode }
  if (progress === 'failed') return { eligible: true, reason_code: fault?.reasonCode ?? 'step_failed' }
  if (progress === 'paused') return { eligible: true, reason_code: 'run_paused' }
  return { eligible: true, reason_code: fault?.reasonCode ?? 'run_in_progress' }
}
