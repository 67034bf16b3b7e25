import { expect, test } from 'vitest'
import type { Checkpoint, CommandOutcome } from '../../src/core/checkpoint.ts'
import { sequenceOf } from '../../src/core/id.ts'
import type { RunEventKind } from '../../src/policy/run-lifecycle.ts'
import {
  boundedOutcome,
  decideSnapshot,
  type RunEvent,
  type RunSituation,
} from '../../src/policy/snapshot.ts'
import { testPorts } from '../support/ports.ts'
import { sampleCheckpoint, samplePosition, sampleSituation, T0 } from './sample.ts'

const { random } = testPorts()
const decide = (event: RunEvent, afterMs: number, more: Partial<RunSituation> = {}) =>
  decideSnapshot(sampleSituation(more), event, { nowMs: T0 + afterMs, random })

function appended(event: RunEvent, afterMs: number, more: Partial<RunSituation> = {}): Checkpoint {
  const decision = decide(event, afterMs, more)
  if (decision.act !== 'append') throw new Error(`it was ${decision.act}`)
  return decision.checkpoint
}

const outcome = (index: number): CommandOutcome => ({
  kind: 'shell',
  name: `command ${index}`,
  result: 'PASS',
  duration_ms: index,
  summary: '',
})
const pendingOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ event: index + 1, outcome: outcome(index) }))

const kindsOf = (checkpoint: Checkpoint) => checkpoint.triggers.map(({ kind }) => kind)

const TRIGGERS: Array<[RunEventKind, string]> = [
  ['step_in_progress', 'step'],
  ['step_done', 'step'],
  ['step_failed', 'step'],
  ['step_skipped', 'step'],
  ['error', 'error'],
  ['fatal_error', 'error'],
  ['heartbeat', 'timer'],
  ['save', 'manual'],
]

test.each(TRIGGERS)('the event %s makes a snapshot with the trigger %s [004.05]', (kind, trigger) => {
  expect(kindsOf(appended({ kind }, 5_000))).toEqual([trigger])
})

test('a command alone makes no snapshot', () => {
  expect(decide({ kind: 'command' }, 5_000)).toEqual({ act: 'nothing' })
})

test('an event that comes when the heartbeat is overdue carries it, after its own trigger [004.24]', () => {
  expect(kindsOf(appended({ kind: 'save' }, 119_999))).toEqual(['manual'])
  expect(kindsOf(appended({ kind: 'save' }, 120_000))).toEqual(['manual', 'timer'])
  expect(kindsOf(appended({ kind: 'command' }, 120_000))).toEqual(['timer'])
})

test('no heartbeat in a run that is not in progress [004.24]', () => {
  for (const progress of ['paused', 'failed', 'completed'] as const) {
    const more = { base: sampleCheckpoint({ progress }) }
    expect(decide({ kind: 'heartbeat' }, 500_000, more)).toEqual({ act: 'nothing' })
  }
})

const WINDOW: Array<[number, string]> = [
  [0, 'coalesce'],
  [2_999, 'coalesce'],
  [3_000, 'append'],
  [-1, 'append'],
]

test.each(WINDOW)('a save %d ms after the snapshot, with nothing changed: %s [004.26]', (afterMs, act) => {
  expect(decide({ kind: 'save' }, afterMs).act).toBe(act)
})

test('anything but time and source is a material change [004.26]', () => {
  expect(decide({ kind: 'step_done', step: { id: 's1', state: 'done' } }, 1).act).toBe('append')
  expect(decide({ kind: 'pause' }, 1).act).toBe('append')
  expect(decide({ kind: 'save', contextUsedPercent: 90 }, 1).act).toBe('append')
  expect(decide({ kind: 'save' }, 1, { pending: pendingOf(1) }).act).toBe('append')
  expect(decide({ kind: 'save' }, 1, { pinned: ['cp_1'] }).act).toBe('append')
  expect(decide({ kind: 'save' }, 1, { profile: 'strict' }).act).toBe('append')
})

test('a snapshot takes at most 100 further triggers', () => {
  expect(decide({ kind: 'save' }, 1, { notes: 99 }).act).toBe('coalesce')
  expect(decide({ kind: 'save' }, 1, { notes: 100 }).act).toBe('append')
})

test('a trigger is never noted on a damaged snapshot', () => {
  expect(decide({ kind: 'save' }, 1, { head: { id: 'cp_other', sequence: 7 } }).act).toBe('append')
})

test('the id carries the sequence after the head, whatever the clock says [004.02]', () => {
  const head = { id: 'cp_x', sequence: 41 }
  expect(sequenceOf(appended({ kind: 'save' }, -9_999_999, { head }).id)).toBe(42)
})

test('the newest 50 outcomes are kept and the rest is counted [004.15]', () => {
  const decision = decide({ kind: 'save' }, 1, { pending: pendingOf(57) })
  if (decision.act !== 'append') throw new Error(decision.act)
  expect(decision.checkpoint.change.commands.map(({ duration_ms }) => duration_ms)).toEqual(
    Array.from({ length: 50 }, (_, index) => index + 7),
  )
  expect(decision.checkpoint.health.dropped).toBe(7)
  expect(decision.takes).toHaveLength(57)
})

test('pinned snapshots are named as protected, the newest 200 of them [004.11]', () => {
  const pinned = Array.from({ length: 203 }, (_, index) => `cp_${index}`)
  const { health } = appended({ kind: 'save' }, 1, { pinned })
  expect(health.protected).toEqual(pinned.slice(3))
  expect(health.dropped).toBe(3)
})

test('paths and ids that are protected never give way to pinned snapshots [004.11]', () => {
  const artifacts = Array.from({ length: 200 }, (_, index) => `src/${index}.ts`)
  const base = sampleCheckpoint()
  const { health } = appended({ kind: 'save' }, 1, {
    base: { ...base, health: { ...base.health, protected: [...artifacts, 'cp_old'] } },
    pinned: ['cp_1'],
  })
  expect(health.protected).toEqual(artifacts)
  expect(health.dropped).toBe(1)
})

test('the profile in force stands in the snapshot [004.13]', () => {
  expect(appended({ kind: 'save' }, 1, { profile: 'strict' }).health.profile).toBe('strict')
})

test('the pressure is that of the last report until there is another [004.10]', () => {
  const high = appended({ kind: 'save', contextUsedPercent: 85 }, 1)
  expect(high.health.pressure).toBe('high')
  expect(appended({ kind: 'save' }, 9_000, { base: high }).health.pressure).toBe('high')
})

test('a step that starts again clears the fault, a later error does not soften it [004.09]', () => {
  const fatal = { reasonCode: 'disk_full', recoverable: false, message: '' }
  const mild = { reasonCode: 'flaky', recoverable: true, message: '' }
  const work = { ...sampleCheckpoint().work, position: samplePosition({ fault: fatal }) }
  const base = sampleCheckpoint({ progress: 'failed', work })
  const faultAfter = (event: RunEvent) => appended(event, 5_000, { base }).work.position.fault
  expect(faultAfter({ kind: 'step_in_progress', step: { id: 's1', state: 'in_progress' } })).toBeNull()
  expect(faultAfter({ kind: 'error', fault: mild })).toEqual(fatal)
  expect(faultAfter({ kind: 'finish_failed', fault: mild })).toEqual(fatal)
})

test('a completed run refuses to go on, with a reason', () => {
  const base = sampleCheckpoint({ progress: 'completed' })
  expect(() => decide({ kind: 'step_done' }, 1, { base })).toThrow(
    expect.objectContaining({ reason: 'run_transition_refused' }),
  )
})

test('an outcome is cut to its bounds, and holds no secret [004.15]', () => {
  const secret = ['gh', 'p_', 'A1b2C3d4E5f6G7h8I9j0K1l2'].join('')
  const bounded = boundedOutcome({
    kind: 'tool_use',
    name: `${secret} ${'n'.repeat(900)}`,
    result: 'WARN',
    duration_ms: -12.4,
    reason_code: 'c'.repeat(900),
    summary: `${'s'.repeat(900)}`,
  })
  expect(bounded.name).toHaveLength(200)
  expect(bounded.name).not.toContain(secret)
  expect(bounded.reason_code).toHaveLength(100)
  expect(bounded.summary).toHaveLength(500)
  expect(Object.is(bounded.duration_ms, 0)).toBe(true)
})

test('a note is cut and holds no secret', () => {
  const secret = ['gh', 'p_', 'A1b2C3d4E5f6G7h8I9j0K1l2'].join('')
  const [trigger] = appended({ kind: 'save', note: `${secret} ${'x'.repeat(900)}` }, 5_000).triggers
  expect(trigger?.note).toHaveLength(200)
  expect(trigger?.note).not.toContain(secret)
})

test('an outcome holds no secret, neither in its name nor in its summary nor in its code [004.15]', () => {
  const secret = 'ghp_Z9y8X7w6V5u4T3s2R1q0AbCd'
  const bounded = boundedOutcome({
    kind: 'shell',
    name: `push ${secret}`,
    result: 'FAIL',
    duration_ms: 1,
    reason_code: secret,
    summary: `remote refused ${secret}`,
  })
  expect(JSON.stringify(bounded)).not.toContain(secret)
  expect(bounded.summary).toBe('remote refused [redacted:github-token]')
})
