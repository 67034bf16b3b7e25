import { expect, test } from 'vitest'
import { emptyWork, type WorkState } from '../../src/core/work.ts'
import {
  applySaying,
  capWork,
  inheritWork,
  NOTHING_SAID,
  type Saying,
  unheardReplacements,
} from '../../src/policy/save.ts'

const AT = '2026-01-02T03:04:05.000Z'
const save = (before: WorkState, saying: Partial<Saying>) =>
  applySaying(before, { ...NOTHING_SAID, ...saying }, AT)
const first = save(emptyWork(), {
  summary: 'Moving login to tokens',
  decisions: ['JWT over cookies because the app has no session'],
  next: ['Write the test'],
  questions: ['Which expiry?'],
  constraints: ['No new service'],
  done: ['Read the code'],
  files: [{ path: 'src/login.ts', description: 'the form' }],
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
  expect(() => save(both, { resolve: ['which'] })).toThrow('several match')
  expect(() => save(both, { resolve: ['colour'] })).toThrow('no question matches')
})

test('what an agent says unconfirmed stays so until the user confirms it', () => {
  const claimed = save(first, { constraints: ['Only Node 20'], unconfirmed: true, by: 'agent' })
  expect(claimed.constraints.at(-1)).toEqual({ text: 'Only Node 20', origin: 'agent', confirmed: false })
  expect(save(claimed, { confirm: ['node 20'] }).constraints.at(-1)).toEqual({
    ...{ text: 'Only Node 20', origin: 'user', confirmed: true },
  })
})

test('an agent’s decisions, constraints and rules are unconfirmed; what it saw and asks is as good as seen [003.29] [003.30]', () => {
  const work = save(emptyWork(), {
    ...{ by: 'agent', decisions: ['D'], constraints: ['C'], rules: ['R'], facts: ['F'], questions: ['Q'] },
  })
  const sure = ({ origin, confirmed }: { origin: string; confirmed: boolean }) => [origin, confirmed]
  expect([work.decisions, work.constraints, work.rules].map(([one]) => one && sure(one))).toEqual([
    ...[
      ['agent', false],
      ['agent', false],
      ['agent', false],
    ],
  ])
  expect([work.facts, work.questions].map(([one]) => one && sure(one))).toEqual([
    ['agent', true],
    ['agent', true],
  ])
})

test('a statement says for itself whether it is sure', () => {
  const decisions = [
    { text: 'Sure', confirmed: true },
    { text: 'Doubtful', why: 'a guess', confirmed: false },
  ]
  const { facts } = save(emptyWork(), { by: 'agent', facts: decisions })
  expect(facts.map(({ confirmed }) => confirmed)).toEqual([true, false])
  expect(save(emptyWork(), { unconfirmed: true, decisions }).decisions).toMatchObject([
    { text: 'Sure', confirmed: true },
    { text: 'Doubtful', why: 'a guess', confirmed: false },
  ])
})

test('said again by an agent, a decision of the user stays confirmed and theirs', () => {
  const again = save(first, { by: 'agent', decisions: ['JWT over cookies'] })
  expect(again.decisions).toEqual(first.decisions)
  const more = save(first, { by: 'agent', decisions: [{ text: 'JWT over cookies', why: 'it is quicker' }] })
  expect(more.decisions).toEqual(first.decisions)
})

test('said again by the user, an agent’s decision is confirmed', () => {
  const guess = save(emptyWork(), { by: 'agent', decisions: ['JWT over cookies'] })
  expect(save(guess, { decisions: ['JWT over cookies'] }).decisions).toMatchObject([
    { origin: 'user', confirmed: true, supersededBy: null },
  ])
})

test('what was superseded comes back by the user’s word, and not by an agent’s', () => {
  const replaced = save(first, { decisions: ['Passkeys'], supersedes: ['JWT'] })
  const standing = (work: WorkState) => work.decisions.map(({ supersededBy }) => supersededBy)
  expect(standing(save(replaced, { by: 'agent', decisions: ['JWT over cookies'] }))).toEqual([
    'Passkeys',
    null,
  ])
  expect(standing(save(replaced, { decisions: ['JWT over cookies'] }))).toEqual([null, null])
  expect(() => save(replaced, { decisions: ['X'], supersedes: ['jwt over'] })).toThrow('no decision matches')
})

test('a text that fits several is refused with those, one that is the same is meant', () => {
  const two = save(first, { decisions: ['JWT'] })
  expect(save(two, { decisions: ['X'], supersedes: ['jwt'] }).decisions).toMatchObject([
    ...[{ supersededBy: null }, { text: 'JWT', supersededBy: 'X' }, { text: 'X' }],
  ])
  expect(() => save(two, { decisions: ['X'], supersedes: ['jw'] })).toThrow(
    'several match "jw": "JWT over cookies", "JWT". Give more of the text',
  )
})

test('work that begins takes what holds beyond the one before, and nothing of how far that has come', () => {
  const old = save(
    save(first, {
      decisions: ['Passkeys'],
      supersedes: ['JWT'],
      rules: ['R'],
      facts: ['F'],
      learnings: ['L'],
    }),
    { goal: 'G', problem: 'P', blockers: ['B'] },
  )
  const work = inheritWork(old)
  expect(work).toEqual({
    ...emptyWork(),
    decisions: old.decisions.filter(({ text }) => text === 'Passkeys'),
    constraints: old.constraints,
    rules: old.rules,
    facts: old.facts,
    references: [{ kind: 'learning', text: 'L' }],
  })
  expect(work.decisions).toHaveLength(1)
})

test('caps keep the newest of a list and the first of what is next, and count what they cut', () => {
  const many = (length: number) => Array.from({ length }, (_, at) => `item ${at}`)
  const work = save(emptyWork(), { done: many(103), next: many(102), blockers: many(101), facts: many(201) })
  const { work: fits, dropped } = capWork(work)
  expect(dropped).toBe(3 + 2 + 1 + 1)
  expect([fits.done.length, fits.done[0]?.text, fits.done.at(-1)?.text]).toEqual([100, 'item 3', 'item 102'])
  expect([fits.next.length, fits.next[0]?.text, fits.next.at(-1)?.text]).toEqual([100, 'item 0', 'item 99'])
  expect([fits.blockers[0]?.text, fits.facts[0]?.text]).toEqual(['item 0', 'item 1'])
  expect(capWork(fits)).toEqual({ work: fits, dropped: 0 })
  expect(capWork(first)).toEqual({ work: first, dropped: 0 })
})

test('of the decisions, those that were superseded go first, and the order stays', () => {
  const decision = (text: string, supersededBy: string | null) => ({
    ...{ text, why: '', origin: 'user' as const, confirmed: true, supersededBy },
  })
  const spent = Array.from({ length: 50 }, (_, at) => decision(`spent ${at}`, 'x'))
  const standing = Array.from({ length: 290 }, (_, at) => decision(`stands ${at}`, null))
  const work = { ...emptyWork(), decisions: [...spent.slice(0, 45), ...standing, ...spent.slice(45)] }
  const { work: fits, dropped } = capWork(work)
  expect(dropped).toBe(40)
  expect(fits.decisions).toEqual([...spent.slice(40, 45), ...standing, ...spent.slice(45)])
  const all = { ...work, decisions: [...spent, ...standing, ...standing.map((one) => ({ ...one }))] }
  expect(capWork(all).work.decisions.every(({ supersededBy }) => supersededBy === null)).toBe(true)
  expect(capWork(all).dropped).toBe(50 + 280)
})

test('an agent replaces its own decision, and one of the user only where the user said the new one', () => {
  const said: Saying = { ...NOTHING_SAID, by: 'agent', decisions: ['Cookies'], supersedes: ['jwt'] }
  const users = save(emptyWork(), { decisions: ['JWT over cookies'] })
  expect(applySaying(users, said, AT).decisions).toMatchObject([
    { text: 'JWT over cookies', supersededBy: null },
    { text: 'Cookies', confirmed: false },
  ])
  expect(unheardReplacements(users, said)).toEqual(['JWT over cookies'])
  const heard = { ...said, requests: ['Cookies.'] }
  expect(applySaying(users, heard, AT).decisions[0]).toMatchObject({ supersededBy: 'Cookies' })
  expect(unheardReplacements(users, heard)).toEqual([])
  const own = applySaying(emptyWork(), { ...said, decisions: ['JWT over cookies'], supersedes: [] }, AT)
  expect(applySaying(own, said, AT).decisions[0]).toMatchObject({ supersededBy: 'Cookies' })
})

test('nor does an agent supersede a decision of the user by saying it again', () => {
  const users = save(emptyWork(), { decisions: ['JWT over cookies'] })
  const again: Saying = {
    ...NOTHING_SAID,
    by: 'agent',
    decisions: [{ text: 'JWT over cookies', supersededBy: 'Cookies' }],
  }
  expect(applySaying(users, again, AT).decisions).toMatchObject([
    { text: 'JWT over cookies', origin: 'user', supersededBy: null },
  ])
})
