import type { Progress } from '../core/checkpoint.ts'

/** What can happen to a run. */
export const RUN_EVENTS = [
  'step_in_progress',
  'step_done',
  'step_failed',
  'step_skipped',
  'error',
  'fatal_error',
  'pause',
  'finish',
  'finish_failed',
  'save',
  'command',
  'heartbeat',
] as const
export type RunEventKind = (typeof RUN_EVENTS)[number]

type Row = Record<RunEventKind, Progress | 'refused'>

const staysAs = (progress: Progress): Row => {
  // `as`: every key of the row is filled from the list of keys.
  return Object.fromEntries(RUN_EVENTS.map((event) => [event, progress])) as Row
}

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
