import type { CommandOutcome, Pressure, Progress } from '../../core/checkpoint.ts'
import type { StepState } from '../../core/plan.ts'

export const SNAPSHOT_SOURCES = ['step_boundary', 'error_boundary', 'timer', 'manual'] as const
export type SnapshotSource = (typeof SNAPSHOT_SOURCES)[number]
export const FORMAT_VERSION = 1

/** One reason for a snapshot: the contract's source, and our finer word for it. */
export interface SourceDetail {
  source: SnapshotSource
  trigger: string
  at: string
  note?: string
}

/** The snapshot document, field by field as we write it. */
export interface SnapshotDocument {
  snapshot_id: string
  created_at: string
  run_id: string
  source: SnapshotSource
  source_details: SourceDetail[]
  status: Progress
  step_state: {
    plan_path: string
    step_id: string
    step_ordinal: number
    step_status: StepState
    todo_compliance: { result: CommandOutcome['result']; violations: string[]; checked_at: string }
    resume_hints: { eligible: boolean; reason_code: string; next_actions: string[] }
  }
  context_digest: {
    window_pressure: Pressure
    protected_artifacts: string[]
    dropped_items: number
    policy_profile: string
  }
  command_outcomes: CommandOutcome[]
  integrity: { checksum: string; format_version: typeof FORMAT_VERSION }
}

/** As another harness may have written it: the contract knows triggers by their source alone, and only coalesced ones. */
export type WrittenSnapshot = Omit<SnapshotDocument, 'source_details'> & {
  source_details?: Array<SourceDetail | SnapshotSource>
}
