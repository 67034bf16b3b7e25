import { describe, expect, test } from 'vitest'
import { wellFormed } from '../../src/core/canonical.ts'
import { type Checkpoint, gistOf, noChange } from '../../src/core/checkpoint.ts'
import { emptyWork, type WorkState } from '../../src/core/work.ts'

const AT = '2026-01-02T03:04:05.000Z'

function checkpoint({
  work = {},
  ...more
}: Partial<Omit<Checkpoint, 'work'>> & { work?: Partial<WorkState> } = {}): Checkpoint {
  return {
    id: 'cp_1',
    stream: 'work_1',
    parent: null,
    at: AT,
    triggers: [{ kind: 'phase', at: AT, note: 'two is done' }],
    progress: 'in_progress',
    work: { ...emptyWork(), ...work },
    change: noChange(),
    health: { pressure: 'low', protected: [], dropped: 0, profile: 'default' },
    ...more,
  }
}

const document = { hash: 'h', created: '2026-01-01', parent: 'auth-system' }
const told = (more: Parameters<typeof checkpoint>[0]) => gistOf(checkpoint({ document, ...more })).document

describe('the gist of a checkpoint', () => {
  test('of a run tells the step and how far the plan is, and of no document', () => {
    const steps = (['done', 'skipped', 'in_progress', 'pending'] as const).map((state, index) => ({
      id: `s${index}`,
      ordinal: index + 1,
      title: '',
      state,
      planned: true,
    }))
    const { position } = emptyWork()
    const work = { position: { ...position, step: 's2', plan: { path: 'plan.md', steps, violations: [] } } }
    expect(gistOf(checkpoint({ work }))).toEqual({ step: 's2', stepsDone: 2, steps: 4 })
  })

  test('of a document tells when it began, from what, what it is for, and what comes next', () => {
    expect(
      told({ work: { problem: 'Login is slow', next: [{ text: 'Measure' }, { text: 'Mend' }] } }),
    ).toEqual({
      created: '2026-01-01',
      parent: 'auth-system',
      problem: 'Login is slow',
      next: 'Measure',
      why: 'phase: two is done',
      archived: false,
      branch: null,
    })
  })

  test.each(['\n', '\r\n', '\r'])('takes the first line of the problem: %j', (end) => {
    expect(told({ work: { problem: `First${end}second` } })?.problem).toBe('First')
  })

  test('says why with the summary of what was done, on one line', () => {
    const change = { ...noChange(), summary: 'Login\n  works\tnow' }
    expect(told({ change })?.why).toBe('phase: two is done: Login works now')
    expect(told({ change, triggers: [{ kind: 'manual', at: AT, note: '' }] })?.why).toBe(
      'manual: Login works now',
    )
    expect(told({ triggers: [] })?.why).toBe('')
  })

  test('is archived where the work has a completion', () => {
    expect(told({ completion: { outcome: 'Done', date: AT, learnings: [] } })?.archived).toBe(true)
  })

  test('stays short, and cuts no character in two', () => {
    const long = '👩‍🚀'.repeat(500)
    const gist = told({
      work: { problem: long, next: [{ text: long }] },
      change: { ...noChange(), summary: long },
    })
    for (const text of [gist?.problem, gist?.next, gist?.why]) {
      expect(text?.length).toBeLessThanOrEqual(130)
      expect(text?.length).toBeGreaterThan(60)
      expect(wellFormed(text ?? '')).toBe(text)
      expect(text).not.toContain('\uFFFD')
    }
  })
})
