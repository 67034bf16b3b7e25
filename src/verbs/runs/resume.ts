import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Plan } from '../../core/plan.ts'
import { ReasonError } from '../../core/reason.ts'
import { visible } from '../../core/visible.ts'
import { type Context, workspaceRoot } from '../../engine/context/context.ts'
import { renderSnapshot } from '../../engine/publish/publish-snapshot.ts'
import { findAnyRun, type ListedRun, newestOnDisk } from '../../engine/runs/find-run.ts'
import { readPlan } from '../../engine/runs/start-run.ts'
import { mendLatest, readNewestWhole } from '../../engine/runs/verify-run.ts'
import type { SnapshotDocument } from '../../formats/snapshot/document.ts'
import { defineVerb } from '../define/verb.ts'
import { paintStatus, RUN, sayCommandOutcome, sayPlan, sayTakeIn } from './run.ts'

/** How the plan file differs from the plan that the run goes by. */
function planDrift(context: Context, root: string, plan: Plan | null): string[] {
  if (plan === null || plan.path === '') return []
  const file = resolve(root, plan.path)
  if (!existsSync(file)) return [`plan file not found: ${plan.path}`]
  try {
    const now = new Map(readPlan(context, file, root).steps.map((step) => [step.id, step]))
    const then = new Map(plan.steps.filter(({ planned }) => planned).map((step) => [step.id, step]))
    return [
      ...[...now.keys()].filter((id) => !then.has(id)).map((id) => `the plan has a new step ${id}`),
      ...[...then.keys()].filter((id) => !now.has(id)).map((id) => `the plan no longer has step ${id}`),
    ]
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
    return [error.message]
  }
}

export const runResume = defineVerb({
  name: 'run resume',
  summary: 'Show the state of a run and its next step',
  detail:
    'What it shows is verified. Resuming never marks a step as done. A damaged latest.json is repaired.',
  fields: { run: RUN },
  examples: ['savepoint run resume release-2', 'savepoint run resume release-2 --json'],
  access: 'read',
  async perform(context, { run }) {
    const found = await findAnyRun(context, run)
    if ('newest' in found) return resumeFromDisk(newestOnDisk(context, found))
    const recovered = await mendLatest(context, found)
    const { base, damagedHead, pending } = await readNewestWhole(context, found)
    const { plan } = base.checkpoint.work.position
    const snapshot = renderSnapshot(base.checkpoint, found.name, base.notes)
    return {
      ...{ ...tellSnapshot(snapshot), place: 'store' as ListedRun['place'], plan },
      drift: planDrift(context, await workspaceRoot(context, found.workspace), plan),
      commandOutcomes: [...snapshot.command_outcomes, ...pending.map(({ outcome }) => outcome)],
      ...{ damagedHead, recovered },
    }
  },
  say: (result, screen) =>
    [
      `Run ${result.runId}: ${paintStatus(result.status, screen)}, ${result.eligible ? 'can continue' : screen.paint('bad', 'cannot continue')} (${result.reasonCode})`,
      `Snapshot ${result.snapshotId}, ${screen.time(result.createdAt)}`,
      ...(result.plan === null
        ? [`Plan ${result.planPath}, at ${result.stepId} (${result.stepStatus})`]
        : sayPlan(result.plan, screen)),
      ...result.drift.map((line) => screen.paint('warn', `! ${line}`)),
      ...result.commandOutcomes.slice(-5).map((outcome) => sayCommandOutcome(outcome, screen)),
      ...(result.nextActions.length > 0
        ? ['Next:', ...result.nextActions.map((action) => `  - ${action}`)]
        : []),
      ...sayTakeIn([result]),
    ]
      .map(visible)
      .join('\n'),
})

function tellSnapshot({ run_id, status, snapshot_id, created_at, step_state }: SnapshotDocument) {
  const { eligible, reason_code: reasonCode, next_actions: nextActions } = step_state.resume_hints
  const { plan_path: planPath, step_id: stepId, step_status: stepStatus } = step_state
  return {
    ...{ runId: run_id, status, snapshotId: snapshot_id, createdAt: created_at },
    ...{ eligible, reasonCode, nextActions, planPath, stepId, stepStatus },
  }
}

/** What its own file says, and no more: the plan is not read for a run that is not ours. */
const resumeFromDisk = (snapshot: SnapshotDocument) => ({
  ...{ ...tellSnapshot(snapshot), place: 'disk' as ListedRun['place'], plan: null, drift: [] },
  ...{ commandOutcomes: snapshot.command_outcomes, damagedHead: null, recovered: null },
})
