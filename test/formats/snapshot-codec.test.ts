import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  COMMAND_KINDS,
  COMMAND_RESULTS,
  PRESSURES,
  PROGRESS,
  TRIGGERS,
  type TriggerKind,
} from '../../src/core/checkpoint.ts'
import {
  compressSnapshot,
  decodeSnapshot,
  encodeSnapshot,
  inflateHistory,
  snapshotOf,
} from '../../src/formats/snapshot/codec.ts'
import { snapshotOfName } from '../../src/formats/snapshot/layout.ts'
import { sampleCheckpoint, T0 } from '../policy/sample.ts'
import { sampleDocument } from './sample-document.ts'

const at = new Date(T0).toISOString()
const text = (maxLength: number) => fc.string({ unit: 'grapheme', maxLength })
const anyTrigger = fc.record({ kind: fc.constantFrom(...TRIGGERS), at: fc.constant(at), note: text(50) })
const anyCheckpoint = fc
  .record({
    progress: fc.constantFrom(...PROGRESS),
    triggers: fc.array(anyTrigger, { minLength: 1, maxLength: 3 }),
    commands: fc.array(
      fc.record(
        {
          kind: fc.constantFrom(...COMMAND_KINDS),
          name: text(40),
          result: fc.constantFrom(...COMMAND_RESULTS),
          duration_ms: fc.nat(),
          reason_code: text(20),
          summary: text(60),
        },
        { requiredKeys: ['kind', 'name', 'result', 'duration_ms', 'summary'] },
      ),
      { maxLength: 5 },
    ),
    pressure: fc.constantFrom(...PRESSURES),
    dropped: fc.nat(),
  })
  .map(({ commands, pressure, dropped, ...more }) =>
    sampleCheckpoint({
      ...more,
      change: { summary: '', artifacts: [], transitions: [], commands },
      health: { pressure, protected: ['cp_a_1'], dropped, profile: 'default' },
    }),
  )
const hints = { eligible: true, reason_code: 'run_in_progress', next_actions: ['start s1'] }

test('what is written is read back the same, plain and compressed [004.38]', () => {
  fc.assert(
    fc.property(anyCheckpoint, fc.array(anyTrigger, { maxLength: 3 }), (checkpoint, later) => {
      const document = snapshotOf(checkpoint, 'r1', hints, later)
      const plain = encodeSnapshot(document)
      expect(decodeSnapshot(plain, 'p')).toEqual(document)
      expect(decodeSnapshot(compressSnapshot(plain), 'p')).toEqual(document)
      expect(encodeSnapshot(decodeSnapshot(plain, 'p'))).toEqual(plain)
      expect(inflateHistory(compressSnapshot(plain), 'p')).toEqual(plain)
    }),
  )
})

test('the top-level fields are the contract’s, in its order, every time [004.01]', () => {
  const order = [
    ...['snapshot_id', 'created_at', 'run_id', 'source', 'source_details', 'status', 'step_state'],
    ...['context_digest', 'command_outcomes', 'integrity'],
  ]
  fc.assert(
    fc.property(anyCheckpoint, (checkpoint) => {
      const bytes = encodeSnapshot(snapshotOf(checkpoint, 'r1', hints))
      expect(Object.keys(JSON.parse(bytes.toString()))).toEqual(order)
    }),
  )
})

test('step_state, context_digest, outcomes and integrity have exactly their fields [004.07] [004.18] [004.19]', () => {
  const { step_state, context_digest, integrity, command_outcomes } = sampleDocument()
  expect(Object.keys(step_state)).toEqual([
    ...['plan_path', 'step_id', 'step_ordinal', 'step_status', 'todo_compliance', 'resume_hints'],
  ])
  expect(Object.keys(step_state.todo_compliance)).toEqual(['result', 'violations', 'checked_at'])
  expect(Object.keys(step_state.resume_hints)).toEqual(['eligible', 'reason_code', 'next_actions'])
  expect(Object.keys(context_digest)).toEqual([
    ...['window_pressure', 'protected_artifacts', 'dropped_items', 'policy_profile'],
  ])
  expect(Object.keys(command_outcomes[0] ?? {})).toEqual([
    ...['kind', 'name', 'result', 'duration_ms', 'reason_code', 'summary'],
  ])
  expect(integrity).toEqual({ checksum: expect.stringMatching(/^sha256:[0-9a-f]{64}$/), format_version: 1 })
})

const NEAREST: Record<TriggerKind, string> = {
  phase: 'step_boundary',
  step: 'step_boundary',
  decision: 'step_boundary',
  shift: 'step_boundary',
  'session-end': 'step_boundary',
  error: 'error_boundary',
  risk: 'error_boundary',
  timer: 'timer',
  pressure: 'timer',
  compaction: 'timer',
  manual: 'manual',
  adopted: 'manual',
}

test.each(TRIGGERS)(
  'the trigger %s is written as its nearest source, with the true one beside it [004.05]',
  (kind) => {
    const document = snapshotOf(sampleCheckpoint({ triggers: [{ kind, at, note: 'why' }] }), 'r1', hints)
    expect(document.source).toBe(NEAREST[kind])
    expect(document.source_details).toEqual([{ source: NEAREST[kind], trigger: kind, at, note: 'why' }])
  },
)

test('created_at is RFC 3339 in UTC [004.03]', () => {
  const { created_at } = sampleDocument()
  expect(created_at).toBe('2026-01-02T03:04:05.000Z')
  expect(new Date(created_at).toISOString()).toBe(created_at)
})

test('the file of a snapshot is readable text that ends with one newline', () => {
  const bytes = encodeSnapshot(sampleDocument()).toString()
  expect(bytes).toMatch(/^\{\n {2}"snapshot_id": "cp_/)
  expect(bytes).toMatch(/[^\n]\n$/)
})

test('violations that were cut are counted in dropped_items [004.12]', () => {
  const base = sampleCheckpoint()
  const plan = base.work.position.plan
  if (plan === null) throw new Error('the sample has a plan')
  const violations = Array.from({ length: 25 }, (_, index) => `step x${index} is not in the plan`)
  const position = { ...base.work.position, plan: { ...plan, violations } }
  const document = snapshotOf({ ...base, work: { ...base.work, position } }, 'r1', hints)
  expect(document.step_state.todo_compliance.violations).toHaveLength(20)
  expect(document.step_state.todo_compliance.result).toBe('FAIL')
  expect(document.context_digest.dropped_items).toBe(5)
})

test('compression is gzip that any tool reads [004.36]', () => {
  const plain = encodeSnapshot(sampleDocument())
  expect([...compressSnapshot(plain).subarray(0, 2)]).toEqual([0x1f, 0x8b])
  expect(decodeSnapshot(gzipSync(plain, { level: 1 }), 'p')).toEqual(sampleDocument())
})

const NAMES: Array<[string, { snapshot: string; compressed: boolean } | null]> = [
  ['cp_2026_1-ab.json', { snapshot: 'cp_2026_1-ab', compressed: false }],
  ['cp_2026_1-ab.json.gz', { snapshot: 'cp_2026_1-ab', compressed: true }],
  ['.cp_2026_1-ab.json.1.savepoint-tmp', null],
  ['cp_2026_1-ab.json.gz.gz', null],
  ['latest.json', null],
  ['cp_../x.json', null],
]

test.each(NAMES)('the history name %s stands for its snapshot, or for none', (name, found) => {
  expect(snapshotOfName(name)).toEqual(found)
})
