import { expect, test } from 'vitest'
import type { Entry } from '../../src/core/transcript.ts'
import { noHarvest, takeIn, type Yield, yieldOf } from '../../src/policy/harvest.ts'

type Untimed = Entry extends infer One ? (One extends Entry ? Omit<One, 'at'> : never) : never
type Step = string | Untimed[]

const ROOT = '/home/ann/shop'
let calls = 0

/** A turn: what the user said, then what the agent said and did. */
const turn = (prompt: string, ...steps: Step[]): Untimed[] => [
  { kind: 'prompt', text: prompt },
  ...steps.flatMap((step): Untimed[] => (typeof step === 'string' ? [{ kind: 'text', text: step }] : step)),
]
const called = (
  name: string,
  input: Extract<Entry, { kind: 'tool' }>['input'],
  text: string,
  failed = false,
): Untimed[] => {
  calls += 1
  return [
    { kind: 'tool', id: `c${calls}`, name, input },
    { kind: 'result', id: `c${calls}`, failed, rejected: false, text },
  ]
}
const write = (path: string) =>
  called('Write', { path: `${ROOT}/${path}` }, `File created successfully at: ${path}`)
const edit = (path: string) => called('Edit', { path: `${ROOT}/${path}` }, 'updated')
const bash = (command: string, text = '') => called('Bash', { command }, text)
const red = (command: string, line: string) => called('Bash', { command }, `Exit code 1\n${line}`, true)
const running = (command: string): Untimed[] => [
  { kind: 'tool', id: `r-${command}`, name: 'Bash', input: { command } },
]
const todos = (list: Record<string, 'open' | 'doing' | 'done'>): Untimed[] => [
  { kind: 'todos', items: Object.entries(list).map(([text, state]) => ({ text, state })) },
]
const answer = (question: string, said: string): Untimed[] => [
  { kind: 'answers', answers: [{ question, answer: said }] },
]
const plan = (text: string): Untimed[] => [{ kind: 'plan', approved: true, text }]

function told(turns: Untimed[][]): Yield {
  const harvest = noHarvest()
  // `as`: an entry without its time gets it here.
  for (const [index, entry] of turns.flat().entries())
    takeIn(harvest, { ...entry, at: new Date(Date.UTC(2026, 0, 2, 10, 0, index)).toISOString() } as Entry)
  return yieldOf(harvest, { root: ROOT, trusted: true })
}

/** Everything that a brief could tell, a line each. */
function linesOf({ work }: Yield): string[] {
  const sure = (one: { confirmed: boolean }) => (one.confirmed ? '' : '? ')
  return [
    `goal: ${work.intent}`,
    ...work.decisions.map(({ text, why, supersededBy, confirmed }) =>
      supersededBy === null
        ? `decided: ${sure({ confirmed })}${text}${why === '' ? '' : ` (${why})`}`
        : `was: ${text} / now: ${supersededBy}`,
    ),
    ...work.rules.map((one) => `rule: ${sure(one)}${one.text}`),
    ...work.constraints.map((one) => `bound: ${sure(one)}${one.text}`),
    ...work.facts.map((one) => `fact: ${sure(one)}${one.text}`),
    ...work.done.map(({ text }) => `done: ${text}`),
    `now: ${work.now}`,
    ...work.next.map(({ text }) => `next: ${text}`),
    ...work.state.split('\n').map((line) => `state: ${line}`),
    ...work.blockers.map(({ text }) => `blocked: ${text}`),
    ...work.questions.map(({ text }) => `asked: ${text}`),
  ]
}

const PLAN = `# Plan: import the orders of the old shop

## Approach
Stream the dump row by row instead of loading it.

## Steps
1. Write the reader
2. Map the columns
3. Write the rows in batches
`

const IMPORTER = [
  turn('hi', 'Hello! What can I do for you?'),
  turn(
    'We have to import the orders of the old shop: a 4 GB MySQL dump goes into our Postgres. Make a plan first.',
    'I will read the schema first.',
    bash('head -c 2000 dump.sql', 'CREATE TABLE orders'),
    answer('What should happen to orders without a customer?', 'Keep them, with the customer "unknown"'),
    plan(PLAN),
    todos({ 'Write the reader': 'doing', 'Map the columns': 'open', 'Write the rows in batches': 'open' }),
    write('src/reader.ts'),
    'The reader stands.',
  ),
  turn(
    'Amounts must be integers in cents. Never log customer names.',
    edit('src/reader.ts'),
    'Both hold now.',
  ),
  turn(
    'good, go on',
    todos({ 'Write the reader': 'done', 'Map the columns': 'doing', 'Write the rows in batches': 'open' }),
    write('src/columns.ts'),
    "I've mapped the columns. I decided to use dayjs because the dump has three date formats.",
  ),
  turn(
    "We don't want dayjs, the bundle is big enough already. Write it by hand.",
    edit('src/columns.ts'),
    'The three formats are parsed by hand now.',
  ),
  turn('why do we need three formats?', 'The old shop changed its format twice.'),
  turn(
    'ok. run the tests',
    red('npm test', 'FAIL test/columns.test.ts > reads the date of 2009'),
    'One test fails.',
  ),
  turn(
    'which one?',
    '`reads the date of 2009` fails: the day and the month are swapped. I could guess by the value, or take the year of the row.',
  ),
  turn(
    'take the year of the row then',
    edit('src/columns.ts'),
    bash('npm test', 'Tests 9 passed'),
    todos({ 'Write the reader': 'done', 'Map the columns': 'done', 'Write the rows in batches': 'doing' }),
    'All 9 tests pass.',
  ),
  turn(
    'commit',
    bash("git commit -am 'Map the columns of the old shop'", '[import 1a2b3c4] Map'),
    'Committed.',
  ),
  turn(
    'Use COPY for the rows.',
    write('src/rows.ts'),
    "The rows go in with COPY. I'll use batches of 5000 because larger ones time out.",
  ),
  turn(
    "Actually, use plain inserts: COPY can't skip the duplicates.",
    edit('src/rows.ts'),
    'Plain inserts with ON CONFLICT DO NOTHING.',
  ),
  turn('is it much slower?', bash('npm run bench', '41 s'), 'About 40 seconds for a million rows.'),
  turn(
    "fine. But don't touch the orders table itself, import into orders_import.",
    edit('src/rows.ts'),
    'Done.',
  ),
  turn(
    'Regular users must not see imported orders before I have checked them.',
    edit('src/api.ts'),
    'They are hidden.',
  ),
  turn('thanks!', 'You are welcome.'),
  turn(
    'now the command line: one command, with --dry-run',
    write('src/cli.ts'),
    red('npm test', 'FAIL test/cli.test.ts > writes nothing in a dry run'),
    'The dry run still opens a transaction. Next step: roll it back at the end.',
  ),
]

test('an importer: planned, corrected twice, with one test fixed and one that fails', () => {
  expect(linesOf(told(IMPORTER))).toEqual([
    'goal: We have to import the orders of the old shop: a 4 GB MySQL dump goes into our Postgres. Make a plan first.',
    'decided: What should happen to orders without a customer? → Keep them, with the customer "unknown"',
    'decided: Approved plan: import the orders of the old shop',
    'decided: Stream the dump row by row instead of loading it',
    'decided: Write it by hand',
    'decided: take the year of the row',
    "was: Use COPY for the rows / now: use plain inserts: COPY can't skip the duplicates",
    "decided: ? I'll use batches of 5000 (larger ones time out)",
    "decided: use plain inserts: COPY can't skip the duplicates",
    'rule: Never log customer names.',
    "rule: don't touch the orders table itself, import into orders_import.",
    'rule: Regular users must not see imported orders before I have checked them.',
    'bound: Amounts must be integers in cents.',
    'fact: Dead end: I decided to use dayjs (the user refused it)',
    'done: Write the reader',
    'done: Passing again: npm test',
    'done: Map the columns',
    'done: Committed: Map the columns of the old shop',
    'now: now the command line: one command, with --dry-run',
    'next: Write the rows in batches',
    'next: roll it back at the end.',
    'state: The dry run still opens a transaction.',
    'blocked: Failing: npm test (exit 1): FAIL test/cli.test.ts > writes nothing in a dry run',
  ])
})

const SEARCH = [
  turn(
    'The product search is slow: 3 seconds with 50k products. I want it under 200 ms.',
    bash('grep -rn search src', 'src/search.ts: LIKE'),
    'It uses LIKE without an index. Should I use Postgres full text search or Meilisearch?',
  ),
  turn(
    'Postgres, because ops does not want another service',
    write('migrations/004.sql'),
    'Going with Postgres then. The migration is written.',
  ),
  turn('Use the simple dictionary, not english.', edit('migrations/004.sql'), 'Changed.'),
  turn(
    "We're stuck on Postgres 12. And the migration has to run without locking the table.",
    edit('migrations/004.sql'),
    'It uses CREATE INDEX CONCURRENTLY now.',
  ),
  turn(
    "Hm, let's go with Meilisearch after all. Sales wants typo tolerance.",
    write('src/meili.ts'),
    'Switched to Meilisearch.',
  ),
  turn(
    'wait. ops said no again. Back to Postgres.',
    bash('git checkout migrations/004.sql'),
    'Back on Postgres full text search.',
  ),
  turn(
    'for typos use pg_trgm',
    red('npm test', 'FAIL test/query.test.ts > finds typos'),
    'pg_trgm is not enabled.',
  ),
  turn(
    'enable it in the test setup',
    edit('test/setup.ts'),
    bash('npm test', 'Tests 4 passed'),
    'All 4 pass.',
  ),
  turn(
    'you keep adding comments everywhere. Stop adding comments, unless something is surprising.',
    edit('src/query.ts'),
    'Removed them.',
  ),
  turn("what's the latency now?", bash('npm run bench', 'p95 140ms'), 'p95 is 140 ms.'),
  turn(
    'nice. never commit to main directly',
    bash("git commit -am 'Full text search'", '[search 1a2b3c4] Full text search'),
    'Committed on a branch.',
  ),
  turn(
    'build the result page',
    write('src/page.tsx'),
    "The page renders results. I'd recommend pagination instead of infinite scroll because it can be linked. OK?",
  ),
  turn('yes. And 20 per page are not enough, make it 50.', edit('src/page.tsx'), '50 per page.'),
  turn(
    'The page flickers when typing',
    edit('src/page.tsx'),
    "I'll debounce the input by 300 ms because each key renders.",
  ),
  turn('150', edit('src/page.tsx'), 'It is 150 ms now.'),
  turn("Don't show more than 3 suggestions.", edit('src/page.tsx'), 'Three at most.'),
  turn(
    'is the empty state done?',
    'Not yet. Next I will write the empty state.\n\n## Next steps\n- Write the empty state\n- Add the keyboard navigation',
  ),
  turn(
    'do the keyboard navigation first',
    edit('src/page.tsx'),
    red('npm run typecheck', "src/page.tsx(12,3): error TS2322: Type 'string' is not assignable"),
    'There is a type error in page.tsx.',
  ),
]

test('a search: chosen, left, and gone back to, while the rules grow', () => {
  expect(linesOf(told(SEARCH))).toEqual([
    'goal: The product search is slow: 3 seconds with 50k products. I want it under 200 ms.',
    'decided: Should I use Postgres full text search or Meilisearch? → Postgres (ops does not want another service)',
    'decided: Use the simple dictionary, not english',
    "was: let's go with Meilisearch after all / now: Should I use Postgres full text search or Meilisearch? → Postgres",
    'decided: for typos use pg_trgm',
    "decided: I'd recommend pagination instead of infinite scroll (it can be linked)",
    "was: I'll debounce the input by 300 ms / now: I'll debounce the input by 150 ms",
    "decided: I'll debounce the input by 150 ms (each key renders)",
    'rule: Stop adding comments, unless something is surprising.',
    'rule: never commit to main directly',
    "rule: Don't show more than 3 suggestions.",
    "bound: We're stuck on Postgres 12.",
    'bound: the migration has to run without locking the table.',
    'done: Passing again: npm test',
    'done: Committed: Full text search',
    'now: do the keyboard navigation first',
    'state: There is a type error in page.tsx.',
    "blocked: Failing: npm run typecheck (exit 1): src/page.tsx(12,3): error TS2322: Type 'string' is not assignable",
  ])
})

const LOGIN = [
  turn('pick up where you left off', 'Sure. There is nothing in this folder yet, what shall I do?'),
  turn(
    'Set up a login service in TypeScript: sign up, log in, log out. Sessions must survive a restart.',
    'I suggest using Fastify because it is small. Shall I proceed?',
  ),
  turn(
    'yes',
    bash('npm init -y'),
    todos({ 'Sign up': 'doing', 'Log in': 'open', 'Log out': 'open' }),
    write('src/server.ts'),
    'The server starts.',
  ),
  turn('Use pnpm.', bash('pnpm import'), 'pnpm it is.'),
  turn('Use Jest.', bash('pnpm add -D jest'), 'Jest is set up.'),
  turn('No wait. Use Vitest.', bash('pnpm add -D vitest'), 'Vitest is set up.'),
  turn('Passwords must never be logged. Use argon2 for the hashes.', write('src/hash.ts'), 'argon2 is in.'),
  turn(
    'next',
    todos({ 'Sign up': 'done', 'Log in': 'doing', 'Log out': 'open' }),
    write('src/login.ts'),
    "I'll use Redis for the sessions because it expires keys by itself.",
  ),
  turn(
    "no leave them in Postgres, we don't have Redis in production",
    edit('src/login.ts'),
    'They are in Postgres.',
  ),
  turn('what about brute force?', 'Nothing is done about it yet. I could add a limiter per IP.'),
  turn('Yes, add one. 5 tries per minute.', write('src/limit.ts'), 'I keyed the limiter by the IP.'),
  turn(
    "per IP is bad behind a proxy. Let's do it per account instead.",
    edit('src/limit.ts'),
    'By account now.',
  ),
  turn(
    'run everything',
    red('pnpm test', 'FAIL test/limit.test.ts > resets after a minute'),
    'One is red: the clock.',
  ),
  turn(
    'mock the clock in the store, not in the test',
    edit('src/limit.ts'),
    red('pnpm test', 'FAIL test/limit.test.ts > resets after a minute'),
    'I tried fake timers but the driver has its own clock.',
  ),
  turn('then pass the clock in', edit('src/limit.ts'), bash('pnpm test', 'Tests 12 passed'), 'All 12 pass.'),
  turn("The tests take ages in CI, but don't fix it now.", 'Understood.'),
  turn(
    'Always write the test first from now on.',
    todos({ 'Sign up': 'done', 'Log in': 'done', 'Log out': 'doing' }),
    write('test/logout.test.ts'),
    'The test for log out is red, as it should be.',
  ),
  turn(
    'stop. production is down: the cookie name must be sid again, rename it in src/login.ts',
    edit('src/login.ts'),
    running('pnpm test'),
  ),
]

test('a login: small choices, a refusal, and an urgent request in the middle of a list', () => {
  expect(linesOf(told(LOGIN))).toEqual([
    'goal: Set up a login service in TypeScript: sign up, log in, log out.',
    'decided: I suggest using Fastify (it is small)',
    'decided: Use pnpm',
    'was: Use Jest / now: Use Vitest',
    'decided: Use Vitest',
    'decided: Use argon2 for the hashes',
    "decided: leave them in Postgres, we don't have Redis in production",
    "decided: Let's do it per account instead",
    'decided: mock the clock in the store, not in the test',
    'rule: Passwords must never be logged.',
    'rule: Always write the test first from now on.',
    'bound: Sessions must survive a restart.',
    "fact: Dead end: I'll use Redis for the sessions (the user refused it)",
    'fact: ? Dead end: I tried fake timers but the driver has its own clock.',
    'done: Sign up',
    'done: Passing again: pnpm test',
    'done: Log in',
    'now: production is down: the cookie name must be sid again, rename it in src/login.ts',
    'next: Log out',
    'state: Interrupted while running: pnpm test',
    'state: The test for log out is red, as it should be.',
  ])
})

test('each of them in the middle, where what was left had not been gone back to', () => {
  const standing = (turns: Untimed[][]) =>
    told(turns)
      .work.decisions.filter(({ supersededBy }) => supersededBy === null)
      .map(({ text }) => text)
  expect(standing(SEARCH.slice(0, 5))).toEqual([
    'Use the simple dictionary, not english',
    "let's go with Meilisearch after all",
  ])
  expect(told(SEARCH.slice(0, 7)).work.blockers).toEqual([
    { text: 'Failing: npm test (exit 1): FAIL test/query.test.ts > finds typos' },
  ])
  expect(told(SEARCH.slice(0, 17)).work).toMatchObject({
    now: '',
    next: [{ text: 'Write the empty state' }, { text: 'Add the keyboard navigation' }],
    state: 'Not yet.',
  })
  expect(standing(LOGIN.slice(0, 5))).toEqual(['I suggest using Fastify', 'Use pnpm', 'Use Jest'])
  expect(told(LOGIN.slice(0, 1)).work).toMatchObject({
    intent: '',
    state: '',
    now: '',
    next: [],
    questions: [],
  })
  expect(told(IMPORTER.slice(0, 4)).work).toMatchObject({
    now: 'Map the columns',
    next: [{ text: 'Write the rows in batches' }],
  })
  expect(standing(IMPORTER.slice(0, 4)).at(-1)).toBe('I decided to use dayjs')
})
