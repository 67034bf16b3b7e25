import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Entry } from '../../src/core/transcript.ts'
import { emptyWork, type WorkState } from '../../src/core/work.ts'
import { type Harvest, noHarvest, takeIn, withHarvest, yieldOf } from '../../src/policy/harvest.ts'
import { keyOf } from '../../src/policy/harvest-matter.ts'
import { HARVEST_LIMIT } from '../../src/policy/harvest-state.ts'

const PHRASES = [
  ...["Let's use Redis for the queue.", 'Use Postgres for the queue instead.', 'No, do it with Kafka.'],
  ...[
    "I'll use SQLite because it is small.",
    'Decision: one table',
    'Never push to main.',
    'yes',
    'no',
    'ok do it',
  ],
  ...['I suggest using zod for validation. Shall I proceed?', 'Should we use Redis or Postgres?', 'postgres'],
  ...['It must work offline.', 'The mutex approach failed because it deadlocks.', 'Next step: write docs.'],
  ...[
    'Write a script that exports all invoices of 2025 as CSV files.',
    "Don't use Redis.",
    'switch from jest to vitest',
    'Actually use zod.',
    'Back to Redis.',
    'Use Redis.',
    'I changed my mind. Use Redis.',
    'write it by hand',
    'Users must not see it.',
    '150',
    'hi there',
  ],
]
const words = fc.oneof(
  fc.array(fc.constantFrom(...PHRASES), { maxLength: 4 }).map((all) => all.join(' ')),
  fc.constantFrom(...PHRASES),
  fc.string({ unit: 'binary', maxLength: 60 }),
)
const id = fc.constantFrom('1', '2', '3')
const state = fc.constantFrom('open' as const, 'doing' as const, 'done' as const)
const command = fc.constantFrom(
  'npm test',
  'npm run lint',
  'git commit -m "x"',
  'rm a.ts',
  'git restore a.ts',
  'ls',
)
const flag = fc.boolean()

const kinds = fc.oneof(
  fc.record({ kind: fc.constant('prompt' as const), text: words }),
  fc.record({ kind: fc.constant('text' as const), text: words }),
  fc.record({
    kind: fc.constant('tool' as const),
    id,
    name: fc.constantFrom('Bash', 'Write', 'Edit', 'Task', '\u0000'),
    input: fc.record(
      {
        path: fc.constantFrom('/app/a.ts', '/app/b/c.ts', '../x', '/etc/y'),
        command,
        description: words,
        helper: fc.constant('Explore'),
        background: fc.constant(true as const),
      },
      { requiredKeys: [] },
    ),
  }),
  fc.record({ kind: fc.constant('result' as const), id, failed: flag, rejected: flag, text: words }),
  fc.record({
    kind: fc.constant('answers' as const),
    answers: fc.array(fc.record({ question: words, answer: words }), { maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant('plan' as const), text: words, approved: flag }),
  fc.record({
    kind: fc.constant('todos' as const),
    items: fc.array(fc.record({ text: words, state }), { maxLength: 4 }),
  }),
  fc.record({
    kind: fc.constant('todo' as const),
    id,
    text: words,
    state: fc.oneof(state, fc.constant('deleted' as const)),
  }),
  fc.record({ kind: fc.constant('finished' as const), id, failed: flag }),
  fc.record({ kind: fc.constant('boundary' as const), automatic: flag }),
  fc.record({
    kind: fc.constant('summary' as const),
    text: words.map((said) => `1. Primary Request and Intent:\n${said}\n2. All user messages:\n- ${said}`),
  }),
  fc.record({ kind: fc.constant('interrupt' as const) }),
  fc.record({ kind: fc.constant('halt' as const), error: words }),
)

const session = fc
  .array(kinds, { maxLength: 30 })
  .map((all): Entry[] =>
    all.map((one, index) => ({ ...one, at: new Date(Date.UTC(2026, 0, 2, 10, index)).toISOString() })),
  )
const OPTIONS = { root: '/app', trusted: true }

function harvestOf(entries: readonly Entry[]): Harvest {
  const harvest = noHarvest()
  for (const entry of entries) takeIn(harvest, entry)
  return harvest
}
const workOf = (entries: readonly Entry[]) => yieldOf(harvestOf(entries), OPTIONS).work

test('no entries make it throw, and every text is one line of at most 400 characters', () => {
  fc.assert(
    fc.property(session, (entries) => {
      const { decisions, rules, constraints, facts, done, next, blockers, questions } = workOf(entries)
      const items = [decisions, rules, constraints, facts, done, next, blockers, questions].flat()
      for (const { text } of items) {
        expect(text.length).toBeLessThanOrEqual(400)
        expect(text).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
        expect(text.trim()).not.toBe('')
      }
    }),
  )
})

test('a harvest that was written down and read again goes on as if it had not been', () => {
  fc.assert(
    fc.property(session, session, (first, second) => {
      const stored: Harvest = JSON.parse(JSON.stringify(harvestOf(first)))
      for (const entry of second) takeIn(stored, entry)
      expect(stored).toEqual(harvestOf([...first, ...second]))
    }),
  )
})

test('what a tool printed becomes no decision, no rule, no constraint and no goal', () => {
  fc.assert(
    fc.property(session, fc.constantFrom(...PHRASES), (entries, printed) => {
      const claims = (all: readonly Entry[]) => {
        const { decisions, rules, constraints, facts, intent, problem, next } = workOf(all)
        return { decisions, rules, constraints, facts, intent, problem, next }
      }
      const other = (one: Entry): Entry => (one.kind === 'result' ? { ...one, text: printed } : one)
      const silent = (one: Entry): Entry => (one.kind === 'result' ? { ...one, text: '' } : one)
      expect(claims(entries.map(other))).toEqual(claims(entries.map(silent)))
    }),
  )
})

test('doing it again changes nothing, and nothing known goes', () => {
  const saved = fc.constantFrom(null, '2026-01-02T10:05:00.000Z', '2026-01-03T00:00:00.000Z')
  fc.assert(
    fc.property(session, session, saved, (before, after, savedAt) => {
      const known: WorkState = withHarvest(emptyWork(), yieldOf(harvestOf(before), OPTIONS), {
        savedAt: null,
      })
      const harvest = yieldOf(harvestOf(after), OPTIONS)
      const once = withHarvest(known, harvest, { savedAt })
      expect(withHarvest(once, harvest, { savedAt })).toEqual(once)
      const texts = (work: WorkState) =>
        [...work.decisions, ...work.rules, ...work.constraints, ...work.facts, ...work.done].map(
          ({ text }) => text,
        )
      expect(texts(once)).toEqual(expect.arrayContaining(texts(known)))
      const spent = (work: WorkState) => work.decisions.filter(({ supersededBy }) => supersededBy !== null)
      // Only what the user chose again since the save stands again.
      const chosen = harvest.work.decisions.filter(
        ({ supersededBy, confirmed }, at) =>
          supersededBy === null && confirmed && (harvest.decidedAt[at] ?? '') > (savedAt ?? ''),
      )
      const keys = new Set(chosen.map(({ text }) => keyOf(text)))
      expect(spent(once).map(({ text }) => text)).toEqual(
        expect.arrayContaining(
          spent(known)
            .map(({ text }) => text)
            .filter((text) => !keys.has(keyOf(text))),
        ),
      )
      // Two decisions never name each other as their successors, so that none is lost.
      for (const { text, supersededBy } of spent(once))
        expect(spent(once)).not.toContainEqual(
          expect.objectContaining({ text: supersededBy, supersededBy: text }),
        )
    }),
  )
})

test('only the user’s word, or their yes, confirms', () => {
  fc.assert(
    fc.property(session, (entries) => {
      const told = entries.filter(({ kind }) => !['prompt', 'answers', 'plan'].includes(kind))
      const { decisions, rules, constraints } = workOf(told)
      expect([...decisions, ...rules, ...constraints].filter(({ confirmed }) => confirmed)).toEqual([])
    }),
  )
})

test.each(['"', '字', '\n'])('a harvest stays within its bounds when all is full of %j', (letter) => {
  const harvest = noHarvest()
  const full = letter.repeat(1_000)
  const at = `2026${full}`
  const numbers = Array.from({ length: 120 }, (_, index) => index)
  for (const n of numbers) {
    const claim = `topic${n} ${letter.repeat(380)}`
    const id = `${n}${full}`
    const more: Entry[] = [
      {
        at,
        kind: 'prompt',
        text: `Never ${claim}\n\nIt must work ${claim}\n\nDecision: ${claim} because ${full}`,
      },
      {
        at,
        kind: 'prompt',
        text: `Decision: topic${n} ${letter.repeat(200)} because ${letter.repeat(200)}`,
      },
      {
        at,
        kind: 'text',
        text: `Decision: a${claim} because ${claim}\n\nThe approach ${claim} failed.`.repeat(3),
      },
      { at, kind: 'answers', answers: [{ question: `q${n}${full}`, answer: `a${n}${full}` }] },
      { at, kind: 'todo', id, text: `${n}${full}`, state: 'open' },
      {
        at,
        kind: 'todos',
        items: numbers.map((i) => ({ text: `t${i}${full}`, state: i % 2 ? 'open' : 'done' })),
      },
      { at, kind: 'tool', id: `w${id}`, name: 'Write', input: { path: `/${n}${full}` } },
      { at, kind: 'result', id: `w${id}`, failed: false, rejected: false, text: full },
      {
        at,
        kind: 'tool',
        id: `b${id}`,
        name: 'Bash',
        input: { command: `npm test ${n}${letter.repeat(900)}` },
      },
      {
        at,
        kind: 'result',
        id: `b${id}`,
        failed: true,
        rejected: false,
        text: `Error: ${letter.repeat(900)}`,
      },
      {
        at,
        kind: 'tool',
        id,
        name: full,
        input: { command: full, background: true, path: full, helper: full },
      },
      { at, kind: 'plan', approved: true, text: numbers.map((i) => `${i}. ${full}`).join('\n') },
    ]
    if (n % 20 === 0) for (const entry of more) takeIn(harvest, entry)
    else
      for (const entry of more.filter(({ kind }) => kind !== 'todos' && kind !== 'plan'))
        takeIn(harvest, entry)
  }
  const lists = numbers.map((n) => `- src/${n}.ts never ${n} ${letter.repeat(380)}`).join('\n')
  const heads = [
    'Primary Request',
    'Files',
    'Errors',
    'All user messages',
    'Pending Tasks',
    'Current Work',
    'Decisions',
  ]
  takeIn(harvest, { at, kind: 'summary', text: heads.map((head) => `## ${head}\n${lists}`).join('\n') })
  expect(JSON.stringify(harvest).length).toBeLessThanOrEqual(HARVEST_LIMIT)
  expect(harvest.rules.length).toBeLessThanOrEqual(30)
  yieldOf(harvest, OPTIONS)
})
