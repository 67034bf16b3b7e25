import { nameKey } from './id.ts'

export const STEP_STATES = ['pending', 'in_progress', 'done', 'failed', 'skipped'] as const
export type StepState = (typeof STEP_STATES)[number]
/** The states that a step can be put into; `pending` is where it starts. */
export const STEP_MOVES = ['in_progress', 'done', 'failed', 'skipped'] as const
export type StepMove = (typeof STEP_MOVES)[number]

export interface PlanStep {
  id: string
  ordinal: number
  title: string
  state: StepState
  /** False for a step that the run reported and the plan does not know. */
  planned: boolean
}

export interface Plan {
  path: string
  steps: PlanStep[]
  /** What was done against the plan, oldest first, each once. */
  violations: string[]
}

const isOver = (state: StepState) => state === 'done' || state === 'failed' || state === 'skipped'

export const openSteps = (plan: Plan) => plan.steps.filter((step) => !isOver(step.state))

/** A step's id as the plan writes it: ids are the same whatever their case. */
export const stepId = (plan: Plan, wanted: string) =>
  plan.steps.find(({ id }) => nameKey(id) === nameKey(wanted))?.id ?? wanted

/** The plan after one step moved, with every violation that the move made. */
export function moveStep(plan: Plan, wanted: string, state: StepMove): Plan {
  const id = stepId(plan, wanted)
  const known = plan.steps.some((step) => step.id === id)
  const before = known
    ? plan.steps
    : [
        ...plan.steps,
        { id, ordinal: plan.steps.length + 1, title: id, state: 'pending' as const, planned: false },
      ]
  const steps = before.map((step) => (step.id === id ? { ...step, state } : step))
  const violations = new Set(plan.violations)
  if (!known) violations.add(`step ${id} is not in the plan`)
  for (const violation of orderViolations(steps, id, state)) violations.add(violation)
  return { ...plan, steps, violations: [...violations] }
}

function orderViolations(steps: PlanStep[], id: string, state: StepMove): string[] {
  if (state === 'in_progress') {
    const running = steps.filter((step) => step.state === 'in_progress').map((step) => step.id)
    return running.length > 1 ? [`steps ${running.join(', ')} were in progress at once`] : []
  }
  const ordinal = steps.find((step) => step.id === id)?.ordinal ?? 0
  const skippedOver = steps.find((step) => step.planned && step.ordinal < ordinal && !isOver(step.state))
  return state === 'done' && skippedOver ? [`step ${id} was done before ${skippedOver.id}`] : []
}
