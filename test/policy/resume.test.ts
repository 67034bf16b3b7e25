import { expect, test } from 'vitest'
import { moveStep } from '../../src/core/plan.ts'
import { decodePlan } from '../../src/formats/plan/codec.ts'
import { resumeHints } from '../../src/policy/run-lifecycle.ts'
import { windowPressure } from '../../src/policy/window.ts'
import { PLAN } from '../support/sandbox.ts'
import { samplePosition } from './sample.ts'

const planned = decodePlan(PLAN, 'plan.md')
const fault = (recoverable: boolean) => ({ reasonCode: 'disk_full', recoverable, message: '' })

test('a run in progress goes on with its running step, then the waiting ones [004.09]', () => {
  const plan = moveStep(moveStep(planned, 's1', 'done'), 's2', 'in_progress')
  expect(resumeHints(samplePosition({ plan }), 'in_progress')).toEqual({
    eligible: true,
    reason_code: 'run_in_progress',
    next_actions: ['continue s2: Second step', 'start s3: Third step'],
    cut: 0,
  })
})

test('a failed run retries the failed step first and says why it failed [004.09]', () => {
  const plan = moveStep(planned, 's1', 'failed')
  const hints = resumeHints(samplePosition({ plan, fault: fault(true) }), 'failed')
  expect(hints).toMatchObject({ eligible: true, reason_code: 'disk_full' })
  expect(hints.next_actions[0]).toBe('retry s1: First step')
})

test('an unrecoverable error makes a run not eligible, and what must be resolved comes first [004.09]', () => {
  const hints = resumeHints(samplePosition({ fault: fault(false) }), 'failed')
  expect(hints).toMatchObject({ eligible: false, reason_code: 'disk_full' })
  expect(hints.next_actions[0]).toBe('resolve disk_full first')
})

test('a completed run is not eligible and has nothing to do [004.09]', () => {
  expect(resumeHints(samplePosition(), 'completed')).toEqual({
    eligible: false,
    reason_code: 'run_completed',
    next_actions: [],
    cut: 0,
  })
})

test('a paused run may go on [004.09]', () => {
  expect(resumeHints(samplePosition(), 'paused')).toMatchObject({ eligible: true, reason_code: 'run_paused' })
})

test('a run with every step over is told to be finished [004.09]', () => {
  const plan = ['s1', 's2', 's3'].reduce((now, id) => moveStep(now, id, 'done'), planned)
  expect(resumeHints(samplePosition({ plan }), 'in_progress').next_actions).toEqual(['finish the run'])
})

test('ten next actions are told and the rest is counted [004.12]', () => {
  const text = Array.from({ length: 14 }, (_, index) => `- [ ] step ${index}`).join('\n')
  const hints = resumeHints(samplePosition({ plan: decodePlan(text, 'p.md') }), 'in_progress')
  expect(hints.next_actions).toHaveLength(10)
  expect(hints.cut).toBe(4)
})

const PRESSURES: Array<[number, string]> = [
  [0, 'low'],
  [69, 'low'],
  [69.999, 'low'],
  [70, 'medium'],
  [84, 'medium'],
  [85, 'high'],
  [100, 'high'],
]

test.each(PRESSURES)(
  'a context window that is %d percent full has %s pressure [004.10]',
  (used, pressure) => {
    expect(windowPressure(used)).toBe(pressure)
  },
)
