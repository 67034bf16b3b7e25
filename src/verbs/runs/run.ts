import { requireRunName } from '../../core/id.ts'
import type { Plan } from '../../core/plan.ts'
import type { Style } from '../../core/style.ts'
import { formatCount } from '../../core/text.ts'
import type { ListedRun } from '../../engine/runs/find-run.ts'
import type { Receipt } from '../../engine/runs/take-snapshot.ts'
import type { SnapshotDocument } from '../../formats/snapshot/document.ts'
import type { Screen } from '../define/screen.ts'

/** The field that names a run; a bad name is refused before anything is opened. */
export const RUN = {
  kind: 'text',
  at: 0,
  needed: true,
  mayBeLeftOut: true,
  names: 'run',
  check: requireRunName,
  about: 'run id (default: the only run in progress, else the only run)',
} as const

/** A run that failed or waits is seen at once. */
export const paintStatus = (status: string, { paint }: Screen) =>
  status === 'failed' ? paint('bad', status) : status === 'paused' ? paint('warn', status) : status

export function sayRunReceipt(receipt: Receipt, screen: Screen): string {
  const { runId, status, sequence, snapshotId, coalesced, files, latest } = receipt
  return [
    `Run ${runId}: ${paintStatus(status, screen)} (${coalesced ? 'unchanged since ' : ''}snapshot ${sequence}, ${receipt.source})`,
    `  ${files === 'published' ? latest : `${snapshotId}; files not written yet`}`,
  ].join('\n')
}

/** How runs that are only on disk come into the store. */
export function sayTakeIn(runs: ReadonlyArray<Pick<ListedRun, 'runId' | 'place'>>): string[] {
  const onDisk = runs.filter(({ place }) => place === 'disk').map(({ runId }) => runId)
  if (onDisk.length === 0) return []
  const command = `savepoint import checkpoints/${onDisk.length === 1 ? onDisk[0] : '<run>'}`
  const are = onDisk.length === 1 ? `${onDisk[0]} is` : `${onDisk.length} runs are`
  return [`${are} only on disk. Import: ${command}`]
}

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
