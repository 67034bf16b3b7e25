import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodePlan } from '../../src/formats/plan/codec.ts'

const stepsOf = (text: string) => decodePlan(text, 'plan.md').steps.map(({ id, title }) => [id, title])
const refused = (text: string) => {
  try {
    decodePlan(text, 'plan.md')
  } catch (error) {
    if (error instanceof Error && 'reason' in error) return `${error.reason}: ${error.message}`
  }
  return 'accepted'
}

test('a step is a line with its id before the colon [004.07]', () => {
  expect(decodePlan('# Plan\n\n- [ ] s1: First step\n', 'plan.md')).toEqual({
    path: 'plan.md',
    steps: [{ id: 's1', ordinal: 1, title: 'First step', state: 'pending', planned: true }],
    violations: [],
  })
})

test('a step without an id takes one from its ordinal [004.07]', () => {
  expect(stepsOf('- [ ] a: A\n- [ ] Write the docs\n- [ ] Ship')).toEqual([
    ['a', 'A'],
    ['step-2', 'Write the docs'],
    ['step-3', 'Ship'],
  ])
})

const LINES: Array<[string, string, string]> = [
  ['- [ ] Note: see http://x', 'Note', 'see http://x'],
  ['- [ ] see http://x: it is there', 'step-1', 'see http://x: it is there'],
  ['- [ ] http://x', 'step-1', 'http://x'],
  ['- [ ] a b: c', 'step-1', 'a b: c'],
  ['- [ ] s1:no space', 'step-1', 's1:no space'],
  ['- [ ] ../x: hostile id', 'step-1', '../x: hostile id'],
  ['- [ ] CON: device', 'step-1', 'CON: device'],
  ['* [ ] s1: star', 's1', 'star'],
  ['+ [ ] s1: plus', 's1', 'plus'],
  ['1. [ ] s1: number', 's1', 'number'],
  ['2) [ ] s1: bracket', 's1', 'bracket'],
  ['  - [ ] s1: nested', 's1', 'nested'],
  ['- [ ] s1:   spaces   ', 's1', 'spaces'],
]

test.each(LINES)('the line %j is the step %s', (line, id, title) => {
  expect(stepsOf(line)).toEqual([[id, title]])
})

test('a ticked box is done, an open one is pending', () => {
  const states = decodePlan('- [x] a: A\n- [X] b: B\n- [ ] c: C', 'p').steps.map(({ state }) => state)
  expect(states).toEqual(['done', 'done', 'pending'])
})

test('a byte order mark and Windows line ends change nothing', () => {
  expect(stepsOf('\uFEFF- [ ] s1: First\r\n- [ ] s2: Second\r\n')).toEqual([
    ['s1', 'First'],
    ['s2', 'Second'],
  ])
})

test('lines in code fences are not steps', () => {
  const text = '```md\n- [ ] no: No\n```\n~~~~\n- [ ] no: No\n~~~\n- [ ] no: No\n~~~~\n- [ ] yes: Yes'
  expect(stepsOf(text)).toEqual([['yes', 'Yes']])
})

test.each(['', 'just text', '- no box', '- [] empty', '- [ ]', '```\n- [ ] a: A\n```'])(
  'a plan without a step is refused: %j',
  (text) => {
    expect(refused(text)).toMatch(/^plan_invalid: .*no step/)
  },
)

test('a step id that is used twice is refused with both lines, ignoring case', () => {
  expect(refused('# P\n- [ ] s1: A\n\n- [ ] S1: B')).toContain('lines 2 and 4 have the same step id, S1')
  expect(refused('- [ ] step-2: A\n- [ ] B')).toMatch(/^plan_invalid: .*lines 1 and 2/)
})

test('a plan of more than 1000 steps is refused', () => {
  expect(refused('- [ ] x\n'.repeat(1_001))).toMatch(/^plan_invalid: .*1000 steps/)
  expect(refused('- [ ] x\n'.repeat(1_000))).toBe('accepted')
})

test('a long title is cut', () => {
  expect(stepsOf(`- [ ] s1: ${'x'.repeat(5_000)}`)[0]?.[1]).toHaveLength(200)
})

test('any text is a plan or plan_invalid, and ids are unique', () => {
  const line = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.stringMatching(/^[-*] \[[ xX]\] [a-z]{1,2}: ?[a-z]{1,4}$/),
    fc.constantFrom('```', '~~~', '````', ''),
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      const text = lines.join('\n')
      const verdict = refused(text)
      if (verdict !== 'accepted') {
        expect(verdict).toMatch(/^plan_invalid: /)
        return
      }
      const ids = stepsOf(text).map(([id]) => id?.toLowerCase())
      expect(new Set(ids).size).toBe(ids.length)
    }),
  )
})
