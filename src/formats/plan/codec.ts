import { clipText } from '../../core/canonical.ts'
import { nameKey, nameProblem } from '../../core/id.ts'
import type { Plan, PlanStep } from '../../core/plan.ts'
import { ReasonError } from '../../core/reason.ts'

const STEP_LINE = /^\s*(?:[-*+]|\d+[.)])\s+\[([ xX])\]\s+(\S.*)$/
const FENCE = /^\s*(`{3,}|~{3,})/
const NAMED = /^([^\s:]+):\s+(\S.*)$/
const MAX_STEPS = 1_000

/**
 * Reads a plan: a Markdown checklist, a step a line, `- [ ] s1: First step`.
 * A ticked box is a step that its author calls done. Lines in code fences are not steps.
 */
export function decodePlan(text: string, path: string): Plan {
  const steps: PlanStep[] = []
  const lineOf = new Map<string, number>()
  let fence = ''
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const mark = FENCE.exec(line)?.[1]
    if (fence) {
      if (mark?.startsWith(fence)) fence = ''
      continue
    }
    if (mark) fence = mark
    const found = STEP_LINE.exec(line)
    if (!found) continue
    const step = decodeStep(found[2] ?? '', found[1] !== ' ', steps.length + 1)
    const earlier = lineOf.get(nameKey(step.id))
    if (earlier !== undefined)
      throw invalid(path, `lines ${earlier} and ${index + 1} have the same step id, ${step.id}`)
    lineOf.set(nameKey(step.id), index + 1)
    steps.push(step)
    if (steps.length > MAX_STEPS) throw invalid(path, `it has more than ${MAX_STEPS} steps`)
  }
  if (steps.length === 0) throw invalid(path, 'it has no steps')
  return { path, steps, violations: [] }
}

function decodeStep(text: string, ticked: boolean, ordinal: number): PlanStep {
  const named = NAMED.exec(text.trim())
  const id = named?.[1] !== undefined && nameProblem(named[1]) === null ? named[1] : null
  return {
    id: id ?? `step-${ordinal}`,
    ordinal,
    title: clipText(id === null ? text.trim() : (named?.[2] ?? ''), 200),
    state: ticked ? 'done' : 'pending',
    planned: true,
  }
}

const invalid = (path: string, problem: string) => new ReasonError('plan_invalid', { path, problem })
