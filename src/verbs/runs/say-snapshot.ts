import type { Plan } from '../../core/plan.ts'
import type { Style } from '../../core/style.ts'
import { formatCount } from '../../core/text.ts'
import type { SnapshotDocument } from '../../formats/snapshot/document.ts'
import type { Screen } from '../define/screen.ts'
import { paintStatus } from './say-receipt.ts'

/** A plan's steps, a line each. */
export const sayPlan = (plan: Plan | null, { paint }: Screen): string[] =>
  plan?.steps.map((step) => {
    const line = `  [${MARK[step.state]}] ${step.id}: ${step.title}`
    const style = STYLES[step.state]
    return style === undefined ? line : paint(style, line)
  }) ?? []

const STYLES: { readonly [State in Plan['steps'][number]['state']]?: Style } = {
  in_progress: 'head',
  done: 'good',
  failed: 'bad',
  skipped: 'faint',
}

const MARK = { pending: ' ', in_progress: '>', done: 'x', failed: '!', skipped: '-' } as const

/** A command and what came of it. */
export const sayCommandOutcome = (
  { result, name, summary }: SnapshotDocument['command_outcomes'][number],
  { paint }: Screen,
) => `  ${paint(result === 'FAIL' ? 'bad' : 'good', result)}  ${name}  ${summary}`

export function saySnapshot(snapshot: SnapshotDocument, plan: Plan | null, screen: Screen): string[] {
  const { step_state: step, context_digest: digest } = snapshot
  const { result, violations } = step.todo_compliance
  return [
    `Run ${snapshot.run_id}: ${paintStatus(snapshot.status, screen)}`,
    `Snapshot ${snapshot.snapshot_id}, ${screen.time(snapshot.created_at)}`,
    `  Trigger: ${snapshot.source_details.map(({ trigger, note }) => (note ? `${trigger} (${note})` : trigger)).join(', ')}`,
    `Plan ${step.plan_path}, at ${step.step_id} (${step.step_status}), compliance ${result}`,
    ...violations.map((violation) => `  ${violation}`),
    ...sayPlan(plan, screen),
    `Context pressure ${digest.window_pressure}, profile ${digest.policy_profile}, ${formatCount(digest.dropped_items, 'item')} cut`,
    ...snapshot.command_outcomes.map(
      (outcome) => `${sayCommandOutcome(outcome, screen)}  (${outcome.duration_ms} ms)`,
    ),
  ]
}
