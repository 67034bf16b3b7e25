import { expect, test } from 'vitest'
import { moveStep, openSteps, type Plan, type StepMove } from '../../src/core/plan.ts'
import { decodePlan } from '../../src/formats/plan/codec.ts'
import { PLAN } from '../support/sandbox.ts'

const after = (...moves: Array<[string, StepMove]>): Plan =>
  moves.reduce((plan, [id, state]) => moveStep(plan, id, state), decodePlan(PLAN, 'plan.md'))

test('a plan that is followed has no violations [004.08]', () => {
  const plan = after(
    ['s1', 'in_progress'],
    ['s1', 'done'],
    ['s2', 'in_progress'],
    ['s2', 'skipped'],
    ['s3', 'done'],
  )
  expect(plan.violations).toEqual([])
  expect(openSteps(plan)).toEqual([])
})

test('two steps in progress at once are a violation that names both [004.08]', () => {
  expect(after(['s1', 'in_progress'], ['s2', 'in_progress']).violations).toEqual([
    'steps s1, s2 were in progress at once',
  ])
})

test('a step done before its predecessor is a violation that names both [004.08]', () => {
  expect(after(['s2', 'done']).violations).toEqual(['step s2 was done before s1'])
  expect(after(['s1', 'in_progress'], ['s3', 'done']).violations).toEqual(['step s3 was done before s1'])
})

test('a predecessor that failed or was skipped is over, so it is not passed over', () => {
  expect(after(['s1', 'failed'], ['s2', 'done']).violations).toEqual([])
  expect(after(['s1', 'skipped'], ['s2', 'done']).violations).toEqual([])
})

test('a step that the plan does not know is a violation, and is kept [004.08]', () => {
  const plan = after(['extra', 'in_progress'])
  expect(plan.violations).toEqual(['step extra is not in the plan'])
  expect(plan.steps.at(-1)).toEqual({
    id: 'extra',
    ordinal: 4,
    title: 'extra',
    state: 'in_progress',
    planned: false,
  })
})

test('a violation is told once and stays after it was mended [004.08]', () => {
  const plan = after(['s2', 'done'], ['s2', 'in_progress'], ['s2', 'done'], ['s1', 'done'])
  expect(plan.violations).toEqual(['step s2 was done before s1'])
})

test('moving a step leaves the plan that was given alone', () => {
  const plan = decodePlan(PLAN, 'plan.md')
  const before = JSON.stringify(plan)
  moveStep(plan, 's1', 'done')
  expect(JSON.stringify(plan)).toBe(before)
})
