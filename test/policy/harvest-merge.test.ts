import { expect, test } from 'vitest'
import type { Entry } from '../../src/core/transcript.ts'
import { type Decision, emptyWork, type WorkState } from '../../src/core/work.ts'
import { noHarvest, takeIn, withHarvest, yieldOf } from '../../src/policy/harvest.ts'
import { keyOf } from '../../src/policy/harvest-matter.ts'

const T = (minute: number) => `2026-01-02T10:${String(minute).padStart(2, '0')}:00.000Z`

function yielded(...entries: Entry[]) {
  const harvest = noHarvest()
  for (const entry of entries) takeIn(harvest, entry)
  return yieldOf(harvest, { root: '/app', trusted: true })
}

const known = (more: Partial<WorkState>): WorkState => ({ ...emptyWork(), ...more })
const decision = (text: string, more: Partial<Decision> = {}): Decision => ({
  ...{ text, why: '', origin: 'agent', confirmed: true, supersededBy: null },
  ...more,
})
const prompt = (at: string, text: string): Entry => ({ at, kind: 'prompt', text })

test('what is known already is not told again, in other letters or order of blanks', () => {
  const work = withHarvest(
    known({
      decisions: [decision('Use Redis for the queue', { confirmed: false })],
      rules: [{ text: 'never push to main', origin: 'file', confirmed: false }],
    }),
    yielded(prompt(T(1), "Build it. Let's use Redis for the queue. Never push to main!")),
    { savedAt: T(0) },
  )
  expect(work.decisions).toEqual([decision('Use Redis for the queue', { origin: 'user' })])
  expect(work.rules).toEqual([{ text: 'never push to main', origin: 'user', confirmed: true }])
})

test('what was superseded does not come back', () => {
  const before = known({
    decisions: [
      decision('Use Redis for the queue', { supersededBy: 'Use Postgres for the queue' }),
      decision('Use Postgres for the queue'),
    ],
  })
  const harvest = yielded(prompt(T(1), "Build it. Let's use Redis for the queue."))
  expect(withHarvest(before, harvest, { savedAt: T(2) }).decisions).toEqual(before.decisions)
})

test('a new decision takes the place of a known one, unless it is older than the save or only the agent’s', () => {
  const before = known({ decisions: [decision('Use Redis for the queue')] })
  const users = yielded(prompt(T(3), 'Build it. Use Postgres for the queue instead.'))
  const successor = 'Use Postgres for the queue instead'
  expect(withHarvest(before, users, { savedAt: T(2) }).decisions[0]?.supersededBy).toBe(successor)
  expect(withHarvest(before, users, { savedAt: T(4) }).decisions[0]?.supersededBy).toBeNull()
  const agents = yielded({ at: T(3), kind: 'text', text: "I'll use Kafka for the queue because it scales." })
  expect(withHarvest(before, agents, { savedAt: T(2) }).decisions[0]?.supersededBy).toBeNull()
})

test('how things stand is replaced only by what came after the save', () => {
  const before = known({
    ...{ intent: 'The saved goal', state: 'Saved state', now: 'Saved now' },
    next: [{ text: 'Saved next' }],
    blockers: [{ text: 'No key yet' }, { text: 'Failing: npm test' }],
    questions: [
      { text: 'Which region?', origin: 'agent', confirmed: true },
      { text: 'Overheard?', origin: 'agent', confirmed: false },
    ],
  })
  const harvest = yielded(
    prompt(T(3), 'Build the queue for the billing service.'),
    { at: T(3), kind: 'tool', id: '1', name: 'Bash', input: { command: 'npm run lint' } },
    { at: T(4), kind: 'result', id: '1', failed: true, rejected: false, text: 'boom' },
    { at: T(5), kind: 'text', text: 'The lint fails. Next step: fix it. Which linter do you want?' },
  )
  expect(withHarvest(before, harvest, { savedAt: T(9) })).toEqual(before)
  const after = withHarvest(before, harvest, { savedAt: T(2) })
  expect(after).toMatchObject({ intent: 'The saved goal', state: 'The lint fails.', now: 'Saved now' })
  expect(after.next).toEqual([{ text: 'fix it.' }])
  expect(after.blockers).toEqual([{ text: 'No key yet' }, { text: 'Failing: npm run lint' }])
  expect(after.questions.map(({ text }) => text)).toEqual(['Which region?', 'Which linter do you want?'])
  expect(withHarvest(before, harvest, { savedAt: null }).intent).toBe(
    'Build the queue for the billing service.',
  )
})

test('a known file keeps what was said of it, and moves to the end when it was touched', () => {
  const before = known({
    artifacts: [
      { path: 'a.ts', action: 'created', description: 'the form', seen: 'x' },
      { path: 'b.ts', action: 'modified', description: '' },
    ],
  })
  const harvest = yielded(
    { at: T(3), kind: 'tool', id: '1', name: 'Edit', input: { path: '/app/a.ts' } },
    { at: T(4), kind: 'result', id: '1', failed: false, rejected: false, text: 'ok' },
  )
  expect(withHarvest(before, harvest, { savedAt: null }).artifacts).toEqual([
    { path: 'b.ts', action: 'modified', description: '' },
    { path: 'a.ts', action: 'created', description: 'the form', seen: 'x' },
  ])
})

test('an empty harvest changes nothing', () => {
  const before = known({ intent: 'x', next: [{ text: 'y' }], decisions: [decision('z')] })
  expect(withHarvest(before, yielded(), { savedAt: null })).toEqual(before)
})

test('the same choice in other words is one, and a choice is not its refusal', () => {
  expect(keyOf('I decided to use JWT instead of cookies')).toBe(keyOf('JWT instead of cookies'))
  expect(keyOf('Use Redis')).not.toBe(keyOf('Do not use Redis'))
})

const standing = (work: WorkState) =>
  work.decisions.filter(({ supersededBy }) => supersededBy === null).map(({ text }) => text)

test.each([
  ['use Jest instead', 'use Jest instead'],
  ['Switch to Jest.', 'Switch to Jest'],
  ["Let's use Jest after all.", "Let's use Jest after all"],
  ['No, use Jest.', 'use Jest'],
  ['Actually use Jest.', 'use Jest'],
  ['On second thought, use Jest.', 'use Jest'],
  ['I changed my mind, use Jest.', 'use Jest'],
  ['Changed my mind. Use Jest.', 'Use Jest'],
])('of what another session chose, %s takes the place of the last alone', (said, text) => {
  const before = known({ decisions: [decision('Use pnpm'), decision('Use Vitest')] })
  const once = withHarvest(before, yielded(prompt(T(3), said)), { savedAt: T(2) })
  expect(once.decisions).toMatchObject([
    { text: 'Use pnpm', supersededBy: null },
    { text: 'Use Vitest', supersededBy: text },
    { text, supersededBy: null },
  ])
  expect(withHarvest(once, yielded(prompt(T(3), said)), { savedAt: T(2) })).toEqual(once)
  expect(standing(withHarvest(before, yielded(prompt(T(1), said)), { savedAt: T(2) }))).toContain(
    'Use Vitest',
  )
})

test('what the user chooses again since the save stands again, in the place of its successor', () => {
  const before = known({
    decisions: [
      decision('Use Redis for the queue', { supersededBy: 'Use Postgres for the queue' }),
      decision('Use Postgres for the queue'),
    ],
  })
  const again = yielded(prompt(T(3), 'Build it. Use Redis for the queue.'))
  expect(standing(withHarvest(before, again, { savedAt: T(2) }))).toEqual(['Use Redis for the queue'])
  const back = yielded(prompt(T(3), 'Build it. Back to Redis.'))
  const once = withHarvest(before, back, { savedAt: T(2) })
  expect(once.decisions).toMatchObject([
    { text: 'Use Redis for the queue', supersededBy: null },
    { text: 'Use Postgres for the queue', supersededBy: 'Use Redis for the queue' },
  ])
  expect(once.decisions).toHaveLength(2)
  expect(withHarvest(once, back, { savedAt: T(2) })).toEqual(once)
})

test('a checkpoint between a choice and the way back from it does not lose either', () => {
  const first = [prompt(T(1), 'Build it. Use Postgres for the queue.'), prompt(T(2), 'Switch to Redis.')]
  const before = withHarvest(known({}), yielded(...first), { savedAt: null })
  expect(standing(before)).toEqual(['Switch to Redis'])
  const after = withHarvest(before, yielded(...first, prompt(T(3), 'Back to Postgres.')), { savedAt: null })
  expect(standing(after)).toEqual(['Use Postgres for the queue'])
})

test('the agent’s words for what is decided already are no decision of their own', () => {
  const before = known({ decisions: [decision('Use RS256 for the tokens')] })
  const harvest = yielded({ at: T(3), kind: 'text', text: 'Going with RS256. I went with zod over joi.' })
  expect(standing(withHarvest(before, harvest, { savedAt: T(2) }))).toEqual([
    'Use RS256 for the tokens',
    'I went with zod over joi',
  ])
})

test('a test that was red before a save is told after it, unless the save named what is in the way', () => {
  const red: Entry[] = [
    prompt(T(1), 'Build the queue for the billing service.'),
    { at: T(1), kind: 'tool', id: '1', name: 'Bash', input: { command: 'npm test' } },
    { at: T(2), kind: 'result', id: '1', failed: true, rejected: false, text: 'boom' },
  ]
  const later: Entry = { at: T(5), kind: 'text', text: 'Saved.' }
  const silent = known({ state: 'Saved state' })
  expect(withHarvest(silent, yielded(...red, later), { savedAt: T(4) }).blockers).toEqual([
    { text: 'Failing: npm test' },
  ])
  // A session that was over by then knows nothing of what became of it.
  expect(withHarvest(silent, yielded(...red), { savedAt: T(4) }).blockers).toEqual([])
  const named = known({ blockers: [{ text: 'No key yet' }] })
  expect(withHarvest(named, yielded(...red, later), { savedAt: T(4) }).blockers).toEqual(named.blockers)
  const fixed: Entry[] = [
    { at: T(3), kind: 'tool', id: '2', name: 'Bash', input: { command: 'npm test' } },
    { at: T(3), kind: 'result', id: '2', failed: false, rejected: false, text: 'ok' },
  ]
  expect(withHarvest(silent, yielded(...red, ...fixed, later), { savedAt: T(4) }).blockers).toEqual([])
})

test('a session of small talk changes nothing', () => {
  const before = known({
    ...{ intent: 'Link the pages', state: '3 of 5 pages are linked', now: 'Link the fourth' },
    next: [{ text: 'Link the fifth' }],
    questions: [{ text: 'Which color?', origin: 'agent', confirmed: false }],
  })
  const hello: Entry = { at: T(4), kind: 'text', text: 'Hello! What can I do for you?' }
  for (const said of ['hi there', 'Hi! How are you?', 'go on', '/help']) {
    expect(withHarvest(before, yielded(prompt(T(3), said), hello), { savedAt: T(2) })).toEqual(before)
    expect(withHarvest(before, yielded(prompt(T(3), said)), { savedAt: T(2) })).toEqual(before)
    expect(withHarvest(before, yielded(prompt(T(3), said), hello), { savedAt: null })).toEqual(before)
  }
  const worked = yielded(
    prompt(T(3), 'go on'),
    { at: T(3), kind: 'tool', id: '1', name: 'Read', input: { path: '/app/a.ts' } },
    { at: T(3), kind: 'result', id: '1', failed: false, rejected: false, text: 'x' },
    { at: T(4), kind: 'text', text: 'All 5 pages are linked.' },
  )
  expect(withHarvest(before, worked, { savedAt: T(2) }).state).toBe('All 5 pages are linked.')
})

test('a step that was announced after a save brings the request along that was cut off, once and again', () => {
  const harvest = yielded(
    prompt(T(1), 'Build the queue for the billing service.'),
    { at: T(3), kind: 'text', text: 'The worker stands. Next step: write docs.' },
    prompt(T(4), 'Rename the worker first.'),
  )
  const expected = [{ text: 'Rename the worker first.' }, { text: 'write docs.' }]
  for (const next of [[], [{ text: 'Saved next' }]]) {
    const once = withHarvest(known({ next }), harvest, { savedAt: T(2) })
    expect(once.next).toEqual(expected)
    expect(withHarvest(once, harvest, { savedAt: T(2) })).toEqual(once)
  }
})

test('a request that was cut off after a save is what is being done, and the saved steps stay', () => {
  const known = { ...emptyWork(), now: 'Saving', next: [{ text: 'Ship it' }] }
  const asked = yielded(
    { kind: 'prompt', at: T(1), text: 'Build the login.' },
    { kind: 'text', at: T(2), text: 'The form works.' },
    { kind: 'prompt', at: T(9), text: 'Fix the crash of the checkout first.' },
    { kind: 'tool', at: T(10), id: 't1', name: 'Bash', input: { command: 'ls' } },
  )
  const merged = withHarvest(known, asked, { savedAt: T(5) })
  expect(merged).toMatchObject({ now: 'Fix the crash of the checkout first.', next: [{ text: 'Ship it' }] })
  expect(withHarvest(merged, asked, { savedAt: T(5) })).toEqual(merged)
})
