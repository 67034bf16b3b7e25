import { expect, test } from 'vitest'
import { emptyWork, type WorkState } from '../../src/core/work.ts'
import { type Saying, said } from '../../src/policy/save.ts'

const AT = '2026-01-02T03:04:05.000Z'
const NOTHING: Saying = {
  ...{ summary: null, now: null, state: null, problem: null, goal: null, next: null, blockers: null },
  ...{ decisions: [], questions: [], constraints: [], rules: [], facts: [], done: [], files: [] },
  ...{ commands: [], ids: [], learnings: [], supersedes: [], resolve: [], confirm: [] },
  ...{ unconfirmed: false, by: 'user' },
}
const save = (before: WorkState, saying: Partial<Saying>) => said(before, { ...NOTHING, ...saying }, AT)
const first = save(emptyWork(), {
  summary: 'Moving login to tokens',
  decisions: ['JWT over cookies because the app has no session'],
  next: ['Write the test'],
  questions: ['Which expiry?'],
  constraints: ['No new service'],
  done: ['Read the code'],
  files: ['src/login.ts: the form'],
  commands: ['npm test'],
})

test('a summary says what is worked on, and a decision keeps its reason apart', () => {
  expect(first.now).toBe('Moving login to tokens')
  expect(first.decisions).toEqual([
    {
      text: 'JWT over cookies',
      why: 'the app has no session',
      origin: 'user',
      confirmed: true,
      supersededBy: null,
    },
  ])
  expect(first.artifacts).toEqual([{ path: 'src/login.ts', action: 'modified', description: 'the form' }])
  expect(first.references).toEqual([{ kind: 'command', text: 'npm test' }])
  expect(first.done).toEqual([{ text: 'Read the code', at: AT }])
})

test('a save that says nothing keeps everything', () => {
  expect(save(first, {})).toEqual(first)
})

test('beside an explicit now, the summary says how things stand; next and blockers are replaced', () => {
  const work = save(first, { summary: 'Login works', now: 'Refresh', next: ['Ship'], blockers: ['Review'] })
  expect([work.now, work.state]).toEqual(['Refresh', 'Login works'])
  expect([work.next, work.blockers]).toEqual([[{ text: 'Ship' }], [{ text: 'Review' }]])
})

test('a decision that is replaced names its successor and stays', () => {
  const work = save(first, { decisions: ['Passkeys'], supersedes: ['jwt'] })
  expect(work.decisions.map(({ text, supersededBy }) => [text, supersededBy])).toEqual([
    ['JWT over cookies', 'Passkeys'],
    ['Passkeys', null],
  ])
  expect(() => save(first, { supersedes: ['jwt'] })).toThrow('exactly one --decision')
})

test('a question goes when it is answered, and only the one that was meant', () => {
  const both = save(first, { questions: ['Which algorithm?'] })
  expect(save(both, { resolve: ['expiry'] }).questions.map(({ text }) => text)).toEqual(['Which algorithm?'])
  expect(() => save(both, { resolve: ['which'] })).toThrow('more than one question')
  expect(() => save(both, { resolve: ['colour'] })).toThrow('no question is like')
})

test('what an agent says unconfirmed stays so until the user confirms it', () => {
  const claimed = save(first, { constraints: ['Only Node 20'], unconfirmed: true, by: 'agent' })
  expect(claimed.constraints.at(-1)).toEqual({ text: 'Only Node 20', origin: 'agent', confirmed: false })
  expect(save(claimed, { confirm: ['node 20'] }).constraints.at(-1)).toEqual({
    ...{ text: 'Only Node 20', origin: 'user', confirmed: true },
  })
})
