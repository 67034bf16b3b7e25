import type { Plan } from '../../core/plan.ts'
import type { SnapshotDocument } from '../../formats/snapshot/document.ts'

/** A plan's steps, a line each. */
export const sayPlan = (plan: Plan | null): string[] =>
  plan?.steps.map((step) => `  [${MARK[step.state]}] ${step.id}: ${step.title}`) ?? []

const MARK = { pending: ' ', in_progress: '>', done: 'x', failed: '!', skipped: '-' } as const

export function saySnapshot(snapshot: SnapshotDocument, plan: Plan | null): string[] {
  const { step_state: step, context_digest: digest } = snapshot
  const { result, violations } = step.todo_compliance
  return [
    `Run ${snapshot.run_id} is ${snapshot.status}.`,
    `Snapshot ${snapshot.snapshot_id} of ${snapshot.created_at}`,
    `  because of ${snapshot.source_details.map(({ trigger, note }) => (note ? `${trigger} (${note})` : trigger)).join(', ')}`,
    `Plan ${step.plan_path}, at ${step.step_id} (${step.step_status}); followed: ${result}`,
    ...violations.map((violation) => `  ${violation}`),
    ...sayPlan(plan),
    `Context pressure ${digest.window_pressure}, profile ${digest.policy_profile}, ${digest.dropped_items} items cut`,
    ...snapshot.command_outcomes.map(
      ({ result, name, summary, duration_ms }) => `  ${result}  ${name}  (${duration_ms} ms)  ${summary}`,
    ),
  ]
}
