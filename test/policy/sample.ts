import { type Checkpoint, noChange } from '../../src/core/checkpoint.ts'
import { emptyWork, type Position } from '../../src/core/work.ts'
import { decodePlan } from '../../src/formats/plan/codec.ts'
import type { RunSituation } from '../../src/policy/snapshot.ts'
import { PLAN } from '../support/sandbox.ts'

export const T0 = Date.parse('2026-01-02T03:04:05.000Z')
const HEAD = 'cp_20260102T030405000Z_1-00000001'

export const samplePosition = (more: Partial<Position> = {}): Position => ({
  ...emptyWork().position,
  plan: decodePlan(PLAN, 'plan.md'),
  ...more,
})

export const sampleCheckpoint = (more: Partial<Checkpoint> = {}): Checkpoint => ({
  id: HEAD,
  stream: 'run_1',
  parent: null,
  at: new Date(T0).toISOString(),
  triggers: [{ kind: 'manual', at: new Date(T0).toISOString(), note: 'run started' }],
  progress: 'in_progress',
  work: { ...emptyWork(), position: samplePosition() },
  change: noChange(),
  health: { pressure: 'low', protected: [], dropped: 0, profile: 'default' },
  ...more,
})

export const sampleSituation = (more: Partial<RunSituation> = {}): RunSituation => ({
  run: 'r1',
  stream: 'run_1',
  head: { id: HEAD, sequence: 1 },
  base: sampleCheckpoint(),
  notes: 0,
  pending: [],
  pinned: [],
  session: null,
  profile: 'default',
  ...more,
})
