import { expect, test } from 'vitest'
import type { Entry } from '../../src/core/transcript.ts'
import { noHarvest, takeIn, yieldOf } from '../../src/policy/harvest.ts'

type Untimed = Entry extends infer One ? (One extends Entry ? Omit<One, 'at'> : never) : never

const ROOT = '/home/ann/app'
const at = (index: number) => new Date(Date.UTC(2026, 0, 2, 10, 0, index)).toISOString()

function harvested(entries: Untimed[], { trusted = true, root = ROOT } = {}) {
  const harvest = noHarvest()
  // `as`: an entry without its time gets it here.
  for (const [index, entry] of entries.entries()) takeIn(harvest, { ...entry, at: at(index) } as Entry)
  return yieldOf(harvest, { root, trusted })
}

const prompt = (text: string): Untimed => ({ kind: 'prompt', text })
const text = (said: string): Untimed => ({ kind: 'text', text: said })
const call = (id: string, name: string, input: Extract<Entry, { kind: 'tool' }>['input']): Untimed => ({
  kind: 'tool',
  id,
  name,
  input,
})
const result = (id: string, printed = '', failed = false, rejected = false): Untimed => ({
  kind: 'result',
  id,
  failed,
  rejected,
  text: printed,
})
const shell = (id: string, command: string, printed = '', failed = false): Untimed[] => [
  call(id, 'Bash', { command }),
  result(id, printed, failed),
]
const texts = (items: ReadonlyArray<{ text: string }>) => items.map((item) => item.text)

test('a session that decides, writes, fails a test and stops gives all of it', () => {
  const { work, commands, finished } = harvested([
    prompt('Add a job queue to the billing service. Never push to main. It must work offline.'),
    text("I'll use SQLite for the queue because it needs no server."),
    call('w1', 'Write', { path: `${ROOT}/src/queue.ts` }),
    result('w1', 'File created successfully at: src/queue.ts'),
    ...shell(
      'b1',
      'npm test 2>&1 | tail -20',
      'FAIL test/queue.test.ts > drains the queue\nTests  1 failed',
      false,
    ),
    text('One test fails.\n\nNext step: make the drain wait for open jobs.'),
  ])
  expect(work.intent).toBe('Add a job queue to the billing service.')
  expect(work.decisions).toEqual([
    {
      text: "I'll use SQLite for the queue",
      why: 'it needs no server',
      origin: 'agent',
      confirmed: false,
      supersededBy: null,
    },
  ])
  expect(work.rules).toEqual([{ text: 'Never push to main.', origin: 'user', confirmed: true }])
  expect(work.constraints).toEqual([{ text: 'It must work offline.', origin: 'user', confirmed: true }])
  expect(work.artifacts).toEqual([{ path: 'src/queue.ts', action: 'created', description: '' }])
  expect(texts(work.blockers)).toEqual(['Failing: npm test: FAIL test/queue.test.ts > drains the queue'])
  expect(texts(work.next)).toEqual(['make the drain wait for open jobs.'])
  expect(work.state).toBe('One test fails.')
  expect(commands).toMatchObject([{ kind: 'shell', name: 'npm test', result: 'FAIL' }])
  expect(finished).toBe(true)
})

test('the goal is the first prompt that asks for something, until other work begins', () => {
  const first = [
    prompt('hi'),
    text('Hello!'),
    prompt('/help'),
    prompt('Fix the login form of the shop.'),
    text('Fixed.'),
  ]
  expect(harvested(first).work.intent).toBe('Fix the login form of the shop.')
  const followed = harvested([
    ...first,
    prompt('also make the button of the login form blue, and a bit larger than now'),
  ])
  expect(followed.work.intent).toBe('Fix the login form of the shop.')
  const changed = harvested([
    ...first,
    prompt('Write a script that exports all invoices of 2025 as CSV files.'),
  ])
  expect(changed.work.intent).toBe('Write a script that exports all invoices of 2025 as CSV files.')
  expect(texts(changed.work.facts)).toEqual(['Earlier goal: Fix the login form of the shop.'])
})

test('the problem is what the user says it is', () => {
  const { work } = harvested([
    prompt('The problem is that sessions expire after a minute. Please find out why.'),
  ])
  expect(work.problem).toBe('The problem is that sessions expire after a minute.')
})

test('a later decision supersedes an earlier one on the same matter', () => {
  const { work } = harvested([
    prompt("Build the mailer. Let's use Redis for the queue."),
    text('Done.'),
    prompt('Use Postgres for the queue instead, because we run it already.'),
    text("I'll use Kafka for the queue because it scales."),
  ])
  expect(work.decisions.map(({ text: said, supersededBy }) => [said, supersededBy])).toEqual([
    ["Let's use Redis for the queue", 'Use Postgres for the queue instead'],
    // What the agent says alone takes no decision of the user away.
    ['Use Postgres for the queue instead', null],
    ["I'll use Kafka for the queue", null],
  ])
})

test('what the user agrees to is confirmed, what they refuse is a dead end', () => {
  const offer = text('I suggest using Redis for the queue because it is fast. Shall I proceed?')
  expect(harvested([offer, prompt('yes, go ahead')]).work.decisions).toMatchObject([
    { text: 'I suggest using Redis for the queue', why: 'it is fast', origin: 'agent', confirmed: true },
  ])
  const refused = harvested([offer, prompt('No, use Postgres.')]).work
  expect(refused.decisions).toMatchObject([{ text: 'use Postgres', origin: 'user', confirmed: true }])
  expect(texts(refused.facts)).toEqual([
    'Dead end: I suggest using Redis for the queue (the user refused it)',
  ])
  const stated = text("I'll use Redis because it is fast. OK?")
  expect(harvested([stated, prompt('nope')]).work.decisions).toEqual([])
  expect(harvested([stated, prompt('ok')]).work.decisions).toMatchObject([{ confirmed: true }])
  expect(harvested([stated, prompt('what else?')]).work.decisions).toMatchObject([{ confirmed: false }])
})

test('a yes to something else confirms nothing', () => {
  const { work } = harvested([
    text("I'll use Redis because it is fast. The docs are done. Should I commit them?"),
    prompt('yes'),
  ])
  expect(work.decisions).toMatchObject([{ confirmed: false }])
})

test('answers and approved plans are agreed, a refused plan is not', () => {
  const { work } = harvested([
    { kind: 'answers', answers: [{ question: 'Which store for the queue?', answer: 'Redis' }] },
    {
      kind: 'plan',
      approved: true,
      text: '# Move the queue\n\nUse streams rather than lists because they can be replayed.\n\n## Steps\n1. Add the client\n2. Move the producers\n',
    },
    { kind: 'plan', approved: false, text: '# Rewrite it all in Rust' },
  ])
  expect(work.decisions).toMatchObject([
    { text: 'Which store for the queue? → Redis', origin: 'user', confirmed: true },
    { text: 'Approved plan: Move the queue', confirmed: true },
    { text: 'Use streams rather than lists', why: 'they can be replayed', origin: 'agent', confirmed: true },
  ])
  expect(texts(work.next)).toEqual(['Add the client', 'Move the producers'])
  expect(texts(work.facts)).toEqual(['Dead end: the plan "Rewrite it all in Rust" (the user refused it)'])
})

test('a question between two things is decided by the one that is named', () => {
  const { work } = harvested([text('Should we use Redis or Postgres for the queue?'), prompt('postgres')])
  expect(work.decisions).toMatchObject([
    { text: 'Should we use Redis or Postgres for the queue? → postgres', origin: 'user', confirmed: true },
  ])
})

test('files: what failed, was refused or lies outside does not count, what was removed says so', () => {
  const edit = (id: string, path: string, failed = false, rejected = false) => [
    call(id, 'Edit', { path }),
    result(id, failed ? 'String not found' : 'updated', failed, rejected),
  ]
  const { work, outside } = harvested([
    ...edit('1', `${ROOT}/a.ts`),
    ...edit('2', `${ROOT}/b.ts`, true),
    ...edit('3', `${ROOT}/c.ts`, true, true),
    ...edit('4', '/etc/hosts'),
    call('5', 'Write', { path: `${ROOT}/d.ts` }),
    result('5', 'The file has been updated'),
    ...edit('6', `${ROOT}/a.ts`),
    ...shell('7', `cd ${ROOT} && git rm -q old.ts && rm -rf node_modules "$X"`),
    ...shell('8', 'rm e.ts', 'no such file', true),
  ])
  expect(work.artifacts.map(({ path, action }) => [path, action])).toEqual([
    ['d.ts', 'modified'],
    ['a.ts', 'modified'],
    ['old.ts', 'deleted'],
  ])
  expect(outside).toBe(1)
  expect(texts(work.facts)).toEqual([`Dead end: the user refused Edit: ${ROOT}/c.ts`])
})

test('our own tools are no work: neither what runs nor what was refused', () => {
  const own = 'mcp__plugin_savepoint_savepoint__savepoint_search'
  const { work } = harvested([
    prompt('Sign the tokens.'),
    call('1', own, {}),
    result('1', 'not granted', true, true),
    call('2', 'mcp__savepoint__savepoint_status', {}),
  ])
  expect(texts(work.facts)).toEqual([])
  expect(work.now).not.toContain('savepoint')
})

test('a failing command blocks until it passes; what it printed is only for the trusted', () => {
  const red = shell('1', 'npm test', 'Exit code 1\nok 1\nnot ok 2 - drains the queue', true)
  expect(texts(harvested(red).work.blockers)).toEqual([
    'Failing: npm test (exit 1): not ok 2 - drains the queue',
  ])
  const untrusted = harvested(red, { trusted: false })
  expect(texts(untrusted.work.blockers)).toEqual(['Failing: npm test (exit 1)'])
  expect(untrusted.commands).toMatchObject([{ summary: '' }])
  const green = harvested([...red, ...shell('2', 'cd app && npm test 2>&1', 'ok')])
  expect(green.work.blockers).toEqual([])
  expect(texts(green.work.done)).toEqual(['Passing again: npm test'])
  expect(green.commands).toMatchObject([{ name: 'npm test', result: 'PASS' }])
  expect(
    harvested([...shell('1', 'npm test -- queue', '', true), ...shell('2', 'npm test')]).work.blockers,
  ).toEqual([])
  expect(harvested(shell('1', 'cat vitest.config.ts && ls', '', true)).work.blockers).toEqual([])
})

test.each([
  ['npx vitest run test/a.test.ts', 'npx vitest run test/a.test.ts'],
  ['CI=1 timeout 60 npm run -s lint 2>&1 | head', 'CI=1 timeout 60 npm run -s lint'],
  ['cargo test', 'cargo test'],
  ['python -m pytest -q tests', 'python -m pytest -q tests'],
  ['npm run build && npm test', 'npm run build && npm test'],
  ['npx tsc --noEmit', 'npx tsc --noEmit'],
  ['make', 'make'],
])('%s is worth telling', (command, name) => {
  expect(harvested(shell('1', command)).commands).toMatchObject([{ name, result: 'PASS' }])
})

test('a commit is done when it was one', () => {
  const commit = `git add -A && git commit -m "$(cat <<'EOF'\nqueue: drain before exit\n\nWhy it is so.\nEOF\n)"`
  expect(texts(harvested(shell('1', commit, '[main 1a2b3c] x')).work.done)).toEqual([
    'Committed: queue: drain before exit',
  ])
  expect(texts(harvested(shell('1', 'git commit -am "fix: a"')).work.done)).toEqual(['Committed: fix: a'])
  expect(texts(harvested(shell('1', "git commit -m 'fix: a'"), { trusted: false }).work.done)).toEqual([
    'Committed',
  ])
  expect(
    harvested(shell('1', 'git commit -m "x"', 'nothing to commit, working tree clean')).work.done,
  ).toEqual([])
  expect(harvested(shell('1', 'git commit -m "x"', 'hook failed', true)).work.done).toEqual([])
})

test('tasks say what is done, what is being done and what lies ahead', () => {
  const { work } = harvested([
    prompt('Build the queue.'),
    {
      kind: 'todos',
      items: [
        { text: 'Add the table', state: 'done' },
        { text: 'Write the worker', state: 'doing' },
        { text: 'Document it', state: 'open' },
      ],
    },
    { kind: 'todo', id: '7', text: 'Ask about retries', state: 'open' },
    { kind: 'todo', id: '8', text: 'Gone', state: 'open' },
    { kind: 'todo', id: '8', text: '', state: 'deleted' },
    text('On it.'),
  ])
  expect(texts(work.done)).toEqual(['Add the table'])
  expect(work.now).toBe('Write the worker')
  expect(texts(work.next)).toEqual(['Document it', 'Ask about retries'])
})

test('next steps come from the agent’s last words, and its question stays open', () => {
  const { work } = harvested([
    prompt('Build the queue.'),
    text(
      'The worker is **done**.\n\n## Next steps\n1. Add retries. They matter.\n2. Write docs\n\nWhich region should it run in?',
    ),
  ])
  expect(texts(work.next)).toEqual(['Add retries.', 'Write docs'])
  expect(work.questions).toEqual([
    { text: 'Which region should it run in?', origin: 'agent', confirmed: false },
  ])
  expect(work.state).toBe('The worker is done.')
})

test('a turn that was cut off leaves its request open, and what was running', () => {
  const { work, finished, inFlight } = harvested([
    prompt('Build the queue.'),
    text('Done.'),
    prompt('Now rename the worker module.'),
    call('t1', 'Task', { helper: 'Explore', description: 'find the callers' }),
    call('b1', 'Bash', { command: 'npm run dev', background: true }),
    result('b1', 'Command running in background with ID: b_1'),
    call('b2', 'Bash', { command: 'npm run watch', background: true }),
    result('b2', 'Command running in background with ID: bash_2'),
    { kind: 'finished', id: 'bash_2', failed: false },
    call('e1', 'Bash', { command: 'git mv a.ts b.ts' }),
  ])
  expect(finished).toBe(false)
  expect(texts(work.next)).toEqual(['Now rename the worker module.'])
  expect(work.state).toBe('Interrupted while running: git mv a.ts b.ts')
  expect(inFlight).toEqual([
    { id: 't1', kind: 'subagent', what: 'Explore: find the callers', since: at(3) },
    { id: 'b1', kind: 'background', what: 'npm run dev', since: at(4) },
  ])
})

test('who only greets, agrees or says to go on asks for nothing new, and a nod says nothing new', () => {
  const said = [prompt('Rename the worker module.'), text('The callers are renamed, the tests are left.')]
  const before = harvested(said)
  for (const small of ['go on please', 'hello again', 'continue', 'yes'])
    expect(harvested([...said, prompt(small), text('ok')]).work).toMatchObject({
      now: before.work.now,
      state: before.work.state,
    })
  expect(harvested([prompt('go on'), text('Done.')]).work).toMatchObject({ intent: '', now: '', state: '' })
})

test('a command that no list knows is a test by what it is for, or by how it fails', () => {
  const failed = 'Exit code 1\nnot ok 1 login refuses an empty password'
  const run = (description: string, output: string) =>
    harvested([
      prompt('Build the login.'),
      call('b1', 'Bash', { command: 'node check.js', description }),
      result('b1', output, true),
    ]).work.blockers.map((one) => one.text)
  const told = 'Failing: node check.js (exit 1): not ok 1 login refuses an empty password'
  expect(run('Run the tests', failed)).toEqual([told])
  expect(run('', failed)).toEqual([told])
  expect(run('', 'Exit code 1\nno such word')).toEqual([])
  const passed = harvested([
    call('b1', 'Bash', { command: 'node check.js' }),
    result('b1', failed, true),
    call('b2', 'Bash', { command: 'node check.js' }),
    result('b2', 'ok 1'),
  ])
  expect(passed.work.blockers).toEqual([])
})

test('a helper that answered, or that the user broke off, is not running', () => {
  const start = call('t1', 'Agent', { helper: 'Explore', description: 'look' })
  expect(harvested([start, result('t1', 'found it')]).inFlight).toEqual([])
  const broken = harvested([prompt('Look at it closely.'), start, { kind: 'interrupt' }])
  expect(broken.inFlight).toEqual([])
  expect(broken.work.state).toBe('Interrupted by the user while running: Explore: look')
  const halted = harvested([prompt('Look at it closely.'), { kind: 'halt', error: 'rate_limit' }])
  expect(halted.work.state).toBe('Stopped by the provider: rate_limit')
})

test('nothing is told in two places', () => {
  const { work } = harvested([
    prompt('Never push to main. Rename the worker module to runner.'),
    text("I'll use git mv because history matters.\n\nNext, I'll update the imports. Is that fine with you?"),
  ])
  const told = [
    ...[work.intent, work.now, ...work.state.split('\n')],
    ...texts([...work.decisions, ...work.rules, ...work.next, ...work.questions]),
  ].filter((line) => line !== '')
  expect(new Set(told).size).toBe(told.length)
  expect(texts(work.next)).toEqual(["Next, I'll update the imports."])
  expect(work.now).toBe('')
})

test('now is what the user last wished, and neither a yes nor the goal again', () => {
  const start = [prompt('Build the queue. It has three parts. Start with the first.'), text('Done.')]
  expect(harvested(start).work).toMatchObject({ now: '', next: [] })
  expect(harvested([...start, prompt('yes, go ahead'), text('Done too.')]).work.now).toBe('')
  const later = harvested([...start, prompt('Rename the worker.'), text('Done too.')])
  expect(later.work).toMatchObject({ now: 'Rename the worker.', next: [] })
  const cut = harvested([...start, prompt('continue')])
  expect(texts(cut.work.next)).toEqual(['Go on where the last turn broke off'])
  expect(harvested([prompt('Never push to main.')]).work.intent).toBe('')
  expect(harvested([prompt('replace moment with date-fns')]).work.intent).toBe('replace moment with date-fns')
})

const SUMMARY = `1. Primary Request and Intent:
   The user wants the billing queue moved to Postgres.

2. Key Technical Concepts:
   - Always use streams

3. Files and Code Sections:
   - src/queue.ts
      - Never edit this
   - \`docs/queue.md\`: the page

4. Errors and fixes:
   - The drain test timed out: fixed by waiting.

6. All user messages:
   - "Never push to main."
   - "Use Postgres for the queue because we run it already."

7. Pending Tasks:
   - Add retries

8. Current Work:
   The worker was being renamed.

9. Optional Next Step:
   Update the imports of the worker.
`

test('a summary stands in for what came before it, unconfirmed', () => {
  const { work } = harvested([{ kind: 'summary', text: SUMMARY }])
  expect(work.intent).toBe('The user wants the billing queue moved to Postgres.')
  expect(work.rules).toEqual([{ text: 'Never push to main.', origin: 'agent', confirmed: false }])
  expect(work.decisions).toEqual([
    {
      text: 'Use Postgres for the queue',
      why: 'we run it already',
      origin: 'agent',
      confirmed: false,
      supersededBy: null,
    },
  ])
  expect(work.artifacts.map(({ path }) => path)).toEqual(['src/queue.ts', 'docs/queue.md'])
  expect(texts(work.facts)).toEqual(['Dead end: The drain test timed out: fixed by waiting.'])
  expect(texts(work.next)).toEqual(['Update the imports of the worker.', 'Add retries'])
  expect(work.state).toBe('The worker was being renamed.')
})

test('where the transcript itself was heard, a summary adds nothing to it', () => {
  const { work } = harvested([
    prompt('Fix the login.'),
    text('Fixed it.'),
    { kind: 'summary', text: SUMMARY },
  ])
  expect(work).toMatchObject({ intent: 'Fix the login.', rules: [], decisions: [], artifacts: [], facts: [] })
  expect(work.state).toBe('Fixed it.')
})

const standing = (entries: Untimed[]) =>
  harvested(entries)
    .work.decisions.filter(({ supersededBy }) => supersededBy === null)
    .map((one) => one.text)

test.each([
  ['use Jest instead', 'use Jest instead'],
  ['Switch to Jest.', 'Switch to Jest'],
  ["Let's use Jest after all.", "Let's use Jest after all"],
  ['No, use Jest.', 'use Jest'],
  ['No. Use Jest.', 'Use Jest'],
  ['Actually use Jest.', 'use Jest'],
  ['On second thought, use Jest.', 'use Jest'],
  ['I changed my mind, use Jest.', 'use Jest'],
  ['Hm, wait. Use Jest.', 'Use Jest'],
])('%s takes the place of the last choice alone', (said, text) => {
  const chosen = [prompt('Set up the shop.'), prompt('Use pnpm.'), prompt('Use Vitest.')]
  expect(standing([...chosen, prompt(said)])).toEqual(['Use pnpm', text])
})

test('a no that refuses what the agent chose leaves what the user chose before', () => {
  const said = [
    prompt('Use Postgres.'),
    { kind: 'text' as const, text: "I'll use Vitest because it is fast." },
  ]
  expect(standing([...said, prompt('No, use Jest instead.')])).toEqual(['Use Postgres', 'use Jest instead'])
})

test.each([
  "Don't show more than 20 per page.",
  "I don't like the color of the header",
  'Rather than a spinner show a skeleton',
  'no emojis in the header please',
])('%s refuses nothing of what the agent said', (said) => {
  const { work } = harvested([
    prompt('Build the search page.'),
    text("I'll use pagination because it can be linked."),
    prompt(said),
  ])
  expect(texts(work.decisions)).toEqual(["I'll use pagination"])
  expect(work.facts).toEqual([])
})

test.each(["don't", "don't do that", "I'd rather not", 'no', 'nope, no way'])('%s refuses it', (said) => {
  const { work } = harvested([text("I'll use pagination because it can be linked."), prompt(said)])
  expect(work.decisions).toEqual([])
  expect(texts(work.facts)).toEqual(["Dead end: I'll use pagination (the user refused it)"])
})

test('a yes stays one, whatever the next sentence says', () => {
  const { work } = harvested([
    text("I'd suggest to use RS256 because the gateway has the public key. Shall I go ahead?"),
    prompt('yes. And the cookies are not needed any more.'),
  ])
  expect(work.decisions).toMatchObject([{ text: "I'd suggest to use RS256", confirmed: true }])
})

test('a request that is newer than the tasks is now, and the task that was in progress comes next', () => {
  const listed: Untimed[] = [
    prompt('Build the search page of the shop.'),
    {
      kind: 'todos',
      items: [
        { text: 'Build the page', state: 'doing' },
        { text: 'Write docs', state: 'open' },
      ],
    },
    text('The page stands.'),
  ]
  const asked = prompt('The checkout is down, rename price_cents back to amount')
  for (const more of [
    [asked],
    [asked, call('b1', 'Bash', { command: 'psql' })],
    [asked, text('Renamed it.')],
  ]) {
    const { work } = harvested([...listed, ...more])
    expect(work.now).toBe('The checkout is down, rename price_cents back to amount')
    expect(texts(work.next)).toEqual(['Build the page', 'Write docs'])
  }
  const list = listed[1] ?? prompt('')
  const back = [...listed, asked, text('Renamed it.'), list, text('Going on.'), prompt('go on')]
  expect(harvested(back).work).toMatchObject({ now: 'Build the page', next: [{ text: 'Write docs' }] })
  // A question is answered with its turn, and changes nothing about what is being done.
  const question = [...listed, prompt('What is the latency now?'), text('140 ms.')]
  expect(harvested(question).work.now).toBe('Build the page')
})

test('the agent’s words for what the user just chose add at most a reason', () => {
  const { work } = harvested([
    text('Should I go with HS256 or RS256?'),
    prompt('RS256, because the gateway only has the public key'),
    text('Going with RS256 then. Writing the signer.'),
    prompt('Use Redis for the sessions.'),
    text("I'll use Redis because it expires keys by itself."),
  ])
  expect(work.decisions).toMatchObject([
    { text: 'Should I go with HS256 or RS256? → RS256', why: 'the gateway only has the public key' },
    { text: 'Use Redis for the sessions', why: 'it expires keys by itself', origin: 'user', confirmed: true },
  ])
  expect(work.decisions).toHaveLength(2)
})

test.each([
  ["we can't add dependencies without an ADR. write it by hand", ['write it by hand']],
  ["We don't want papaparse here.", []],
  ["We can't use papaparse", []],
])('what the agent chose alone does not stand against: %s', (said, left) => {
  const { work } = harvested([
    prompt('Export the invoices as CSV.'),
    text("I've written it. I decided to use papaparse because it handles quoting."),
    prompt(said),
  ])
  expect(texts(work.decisions)).toEqual(left)
  expect(texts(work.facts)).toEqual(['Dead end: I decided to use papaparse (the user refused it)'])
})

test('what speaks of something else leaves what the agent chose', () => {
  for (const said of ["I don't know papaparse.", "We can't ship on Friday.", "Why can't we use papaparse?"])
    expect(standing([text('I decided to use papaparse because it quotes.'), prompt(said)])).toEqual([
      'I decided to use papaparse',
    ])
})

test('going back to what was chosen before undoes what came in its place', () => {
  const entries = [
    prompt('Build the search. Use Postgres for the search.'),
    text('Done.'),
    prompt('Use the simple dictionary.'),
    text('Done.'),
    prompt("Actually, let's go with Meilisearch after all."),
    text('Switched.'),
  ]
  expect(standing(entries)).toEqual(['Use the simple dictionary', "let's go with Meilisearch after all"])
  expect(standing([...entries, prompt('hm wait. Back to Postgres.')])).toEqual([
    'Use Postgres for the search',
    'Use the simple dictionary',
  ])
  expect(standing([prompt('Back to Redis.')])).toEqual(['Back to Redis'])
})

test('a rule at the end of a request is told as a rule alone', () => {
  const { work } = harvested([
    prompt('Build the search page.'),
    text('Done.'),
    prompt("Rename the worker module, but don't touch the fixtures."),
  ])
  expect(texts(work.rules)).toEqual(["don't touch the fixtures."])
  expect(texts(work.next)).toEqual(['Rename the worker module'])
})
