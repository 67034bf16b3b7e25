import { expect, test } from 'vitest'
import { choiceIn } from '../../src/policy/harvest-decisions.ts'
import { isSmallTalk } from '../../src/policy/harvest-goal.ts'
import { keyOf, meantBy, replacing, restates } from '../../src/policy/harvest-matter.ts'
import { answerOf, chosenOf, offerOf, takenUp, withNumber } from '../../src/policy/harvest-proposals.ts'
import { constraintIn, deadEndIn, problemIn, ruleIn, withoutRule } from '../../src/policy/harvest-rules.ts'
import { sentencesOf, tidy, typedOf } from '../../src/policy/harvest-sentences.ts'

const one = (text: string) => ({ text, under: '', item: null, first: true })

test.each([
  ["Let's use Redis for the queue.", "Let's use Redis for the queue", ''],
  ['use Postgres for the queue instead', 'use Postgres for the queue instead', ''],
  [
    'ok, use vitest instead of jest because it starts faster',
    'use vitest instead of jest',
    'it starts faster',
  ],
  ['We go with SQLite, since it needs no server.', 'We go with SQLite', 'it needs no server'],
  ["We'll go with plain CSS.", "We'll go with plain CSS", ''],
  ['No, do it in a worker thread.', 'do it in a worker thread', ''],
  ['I decided to keep the old API until v3.', 'I decided to keep the old API until v3', ''],
  [
    "We've decided on Fastify because of its schema support",
    "We've decided on Fastify",
    'of its schema support',
  ],
  ['Tabs, not spaces.', 'Tabs, not spaces', ''],
  ['Put it in src/core, not in src/lib.', 'Put it in src/core, not in src/lib', ''],
  ['Go with the second option because it is simpler.', 'Go with the second option', 'it is simpler'],
  [
    'Switch from npm to pnpm so that the lockfile stays small',
    'Switch from npm to pnpm',
    'the lockfile stays small',
  ],
  ['replace moment with date-fns', 'replace moment with date-fns', ''],
  ["I'd rather use a plain loop here.", "I'd rather use a plain loop here", ''],
  ['Decision: tokens are signed with RS256', 'tokens are signed with RS256', ''],
  ['The cache should use Redis.', 'The cache should use Redis', ''],
  ["Actually, let's stick with Express.", "let's stick with Express", ''],
  ['Templates should use {{ }}, not <% %>.', 'Templates should use {{ }}, not <% %>', ''],
  ['Please keep it small and use cobra for commands.', 'use cobra for commands', ''],
  ['Doch lieber Express.', 'Doch lieber Express', ''],
  ["Let's do it per account instead.", "Let's do it per account instead", ''],
  ["let's do pagination, not infinite scroll", "let's do pagination, not infinite scroll", ''],
  ['Back to Postgres.', 'Back to Postgres', ''],
  ['back to the old layout', 'back to the old layout', ''],
  ['for typos use pg_trgm', 'for typos use pg_trgm', ''],
  ['In the tests use fixtures because mocks lie', 'In the tests use fixtures', 'mocks lie'],
  ['no leave it in UTC', 'leave it in UTC', ''],
  ['no put it in utils', 'put it in utils', ''],
  ['No, per account.', 'per account', ''],
  ['No, in the store.', 'in the store', ''],
  ['write it by hand', 'write it by hand', ''],
  ['Build the parser from scratch.', 'Build the parser from scratch', ''],
  ['do it without a library', 'do it without a library', ''],
  ['I changed my mind, use Jest.', 'use Jest', ''],
  ['On second thought, use Jest.', 'use Jest', ''],
  ["Hm, let's go with Meilisearch after all.", "let's go with Meilisearch after all", ''],
  ['mock the clock in the store, not in the test', 'mock the clock in the store, not in the test', ''],
  ['switch to pnpm', 'switch to pnpm', ''],
  ['Wir nehmen Postgres, weil es schon läuft.', 'Wir nehmen Postgres', 'es schon läuft'],
  ['Utilisons Postgres car il tourne déjà.', 'Utilisons Postgres', 'il tourne déjà'],
  ['Usemos Postgres porque ya está instalado.', 'Usemos Postgres', 'ya está instalado'],
])('the user decides: %s', (sentence, text, why) => {
  expect(choiceIn(one(sentence), 'user')).toEqual({ text, why })
})

test.each([
  'Should we use Redis or Postgres?',
  'What if we use Redis?',
  'Maybe use Redis for the queue.',
  'Use the Read tool to look at it.',
  'use grep to find the callers',
  'Use a subagent for the search.',
  'The login form is broken: it says 500.',
  'It fails in CI, not locally.',
  "I'm not sure, not yet.",
  'Can you use a shorter name?',
  'Keep going.',
  'Run the tests again.',
  'Please fix the failing test.',
  'He said we use too many mocks.',
  '"Use Redis for the queue" is what the README says.',
  'use it',
  'I used to work on this.',
  'No, that is wrong.',
  'Find the bug and use grep for it.',
  'The API and the docs use different names.',
  'It should use less memory.',
  'use case: a customer downloads an invoice',
  'Use of the API is limited.',
  'Use your judgement.',
  'Use your best judgement here.',
  'just use whatever you like',
  'Use the screenshot I sent you.',
  'use the same password as yesterday',
  'drop the database and run the tests again',
  'Drop the test tables.',
  'Drop me a note when you are done.',
  'switch to the main branch and run the tests',
  'Switch to the other terminal.',
  'replace foo with bar in config.ts',
  'stick with me here',
  'We decided yesterday.',
  'pick up where you left off',
  'move to the next task',
  'Back to work.',
  'Back to the invoice export.',
  'for example use Redis',
  "Let's do the docs instead.",
  "Let's do it tomorrow instead.",
  'The bug is in the parser, not in the lexer.',
  "don't fix it now",
])('the user decides nothing: %s', (sentence) => {
  expect(choiceIn(one(sentence), 'user')).toBeNull()
})

test.each([
  ["I'll use SQLite because it needs no server.", "I'll use SQLite", 'it needs no server'],
  [
    'Decision: keep the parser hand-written because the grammar is tiny.',
    'keep the parser hand-written',
    'the grammar is tiny',
  ],
  ['We decided to drop Node 16.', 'We decided to drop Node 16', ''],
  ['I chose zod over joi because it infers types.', 'I chose zod over joi', 'it infers types'],
  ['Going with a single table.', 'Going with a single table', ''],
  [
    'Using WAL mode for the store since readers must not wait.',
    'Using WAL mode for the store',
    'readers must not wait',
  ],
  [
    "I'm going with RS256 as it lets others verify tokens.",
    "I'm going with RS256",
    'it lets others verify tokens',
  ],
  ['I opted for a queue rather than cron.', 'I opted for a queue rather than cron', ''],
  ["We'll use cursor pagination instead of offsets.", "We'll use cursor pagination instead of offsets", ''],
  ['I kept the old column to avoid a migration.', 'I kept the old column', 'to avoid a migration'],
  ['Ich habe mich für Postgres entschieden.', 'Ich habe mich für Postgres entschieden', ''],
  [
    "For refresh tokens I'll use Redis because it expires keys by itself.",
    "For refresh tokens I'll use Redis",
    'it expires keys by itself',
  ],
  [
    'I made the column nullable because old rows have none.',
    'I made the column nullable',
    'old rows have none',
  ],
  [
    "I've decided against caching because it hides errors.",
    "I've decided against caching",
    'it hides errors',
  ],
])('the agent decides: %s', (sentence, text, why) => {
  expect(choiceIn(one(sentence), 'agent')).toEqual({ text, why })
})

test.each([
  "I'll use the Read tool to look at the file.",
  'Let me use grep to find it.',
  "I'll run the tests now.",
  "I'll use grep because it is faster.",
  "I'll use the Task tool since the search is broad.",
  "I'm using a subagent because the repository is large.",
  "I'll start by reading the config because everything depends on it.",
  'Now I will update the imports.',
  'The tests use Redis because the app does.',
  'You could use Redis instead of Postgres.',
  'If we use Redis, we need another server.',
  "I'll use it.",
  'I have used this since 2019.',
  'Done! All tests pass because the mock is gone.',
  'Would you like me to use Redis?',
  "I'll use the following approach:",
  'Perfect! The build works now.',
  "I'll make the change in src/app.ts.",
  'I made a mistake because I misread the log.',
  'I used the wrong path because the folder was renamed.',
  'I decided to look at the tests first.',
  'I chose to read the file first.',
  'Decided to run the tests first.',
  'I put a console.log there so that we can see the value.',
])('the agent only tells of its work: %s', (sentence) => {
  expect(choiceIn(one(sentence), 'agent')).toBeNull()
})

test('a list under a heading of decisions holds decisions, with their reasons', () => {
  const text =
    '## Key decisions\n\n- **Storage**: one table because joins are slow\n- no ORM\n\n## Files\n- src/a.ts'
  expect(sentencesOf(text).flatMap((each) => choiceIn(each, 'agent') ?? [])).toEqual([
    { text: 'Storage: one table', why: 'joins are slow' },
    { text: 'no ORM', why: '' },
  ])
})

test.each([
  'Never push to main.',
  'Always run the linter before you commit.',
  "Don't touch the generated files.",
  'Please do not add comments.',
  'You must not change the public API.',
  'From now on, write tests first.',
  'Please only use the standard library.',
  'Make sure to always run prettier.',
  'No default exports in src.',
  'no emojis please',
  'Prefer composition over inheritance.',
  'ok, never use any in TypeScript',
  'Ask me before you install anything.',
  'Niemals auf main pushen.',
  "N'utilise pas lodash dans ce projet.",
  'Nunca subas a main.',
  "Now don't merge until I say so.",
  'Regular users must not see the button.',
  'Passwords must never be logged.',
  'Users must not be able to delete their own account.',
  'The public API must never change without a major version.',
  "Don't show more than 20 per page.",
  'stop adding comments',
  'Stop doing that, comments only where something is surprising.',
  'It is important that you never log passwords.',
  'Before committing always run the linter.',
  'remember: no emojis',
])('the user lays down a rule: %s', (sentence) => {
  expect(ruleIn(one(sentence))).toBe(sentence)
})

test('a rule at the end of a wish is taken alone', () => {
  expect(ruleIn(one('Fix the login bug, and never commit to main.'))).toBe('never commit to main.')
  expect(ruleIn(one("Add a cache but don't touch the schema."))).toBe("don't touch the schema.")
})

test.each([
  "I don't know why it fails.",
  'It never works on Windows.',
  'Never mind.',
  "Don't worry about it.",
  'This always fails.',
  'Always been like that.',
  "Why don't we use Redis?",
  "Don't commit yet.",
  "don't do that",
  'No problem with that in general.',
  'No idea on that.',
  '"Never push to main", says the guide.',
  "Don't forget to look at the log.",
  'Fix the bug in the parser.',
  "don't fix it now",
  'no leave it in Postgres',
  'If users must not see it, hide it.',
  'Why must admins never see it?',
  'The server must not be running.',
  'They must not have seen it.',
  'Always green on my machine, red on CI.',
  'no tests in CI passed',
  'stop the server',
  'stop running the server',
])('no rule: %s', (sentence) => {
  expect(ruleIn(one(sentence))).toBeNull()
})

test.each([
  'We have to support Node 18.',
  'It must work offline.',
  'must work offline',
  'We cannot add new dependencies.',
  'The output has to stay under 8 KB.',
  'We use pnpm here.',
  'Dates must be ISO 8601.',
  'All amounts must be integers.',
  'The endpoint must return 404 for unknown users.',
  "We're stuck on Postgres 12.",
  "We're on Node 18 here.",
])('a constraint: %s', (sentence) => {
  expect(constraintIn(one(sentence))).toBe(sentence)
})

test.each([
  ...['It should be easy.', 'Must we support Node 18?', 'The test must be wrong.', 'We have to talk.'],
  'It must be a bug.',
  'It must be a bug in the parser.',
  'The token must be expired.',
  'Something must be wrong.',
  'There must be another way.',
  'Queries must be faster.',
  'If dates must be ISO 8601, say so.',
  "We're on it.",
])('no constraint: %s', (sentence) => {
  expect(constraintIn(one(sentence))).toBeNull()
})

test.each([
  ['The polling approach failed because the API is rate limited.', true],
  ['Mocking fetch did not work with undici.', true],
  ['I tried a mutex but it deadlocks.', true],
  ['I reverted the cache change because it broke login.', true],
  ['That did not work.', false],
  ['The login does not work.', false],
  ['Did it work?', false],
  ['All tests work.', false],
])('a dead end: %s %s', (sentence, isDead) => {
  expect(deadEndIn(one(sentence)) !== null).toBe(isDead)
})

test('a problem is told where the user says one', () => {
  expect(problemIn(one('The problem is that sessions expire too early.'))).not.toBeNull()
  expect(problemIn(one('The login page is broken: it shows a blank screen.'))).not.toBeNull()
  expect(problemIn(one('Add a login page.'))).toBeNull()
})

test('code, quotes, logs and what a log is introduced by give no sentences', () => {
  const text = [
    'Fix the parser.',
    '```\nNever use the parser.\n```',
    '> Always quote.',
    '2026-01-02 10:00:00 ERROR never start',
    '    never indent',
    'The CI log says:',
    'Always use the cache.',
    '',
    '| never | table |',
    '{"rule": "never"}',
    'Keep the API.',
  ].join('\n')
  expect(sentencesOf(text).map((each) => each.text)).toEqual(['Fix the parser.', 'Keep the API.'])
})

test('sentences end where they should, also with shortenings, wrapped lines and bold', () => {
  const text =
    '**Never** use e.g. lodash. Always\nwrap lines; keep Node.js 20.\n\n1. First item. More.\n2) [ ] Second'
  expect(sentencesOf(text).map(({ text: said, item }) => [said, item])).toEqual([
    ['Never use e.g. lodash.', null],
    ['Always wrap lines', null],
    ['keep Node.js 20.', null],
    ['First item.', 1],
    ['More.', 1],
    ['Second', 2],
  ])
})

test('of a long prompt only its ends are the user’s own words', () => {
  const pasted = 'Never trust this line.\n\n'.repeat(400)
  const typed = typedOf(`Fix this.\n\n${'x '.repeat(800)}\n${pasted}\n\nAlways answer in English.`)
  expect(typed).not.toContain('Never')
  expect(typed).toContain('Fix this.')
  expect(typed).toContain('Always answer in English.')
})

test.each([
  ['yes', 'yes'],
  ['ok do it', 'yes'],
  ['Sounds good, thanks!', 'yes'],
  ['go ahead', 'yes'],
  ['approved', 'yes'],
  ['ja, mach das', 'yes'],
  ['yes, but use Postgres', null],
  ['ok so what is the plan?', null],
  ['great, now fix the linter', null],
  ['No, use Postgres', 'no'],
  ["don't", 'no'],
  ["I'd rather not", 'no'],
  ['no problem, go on', null],
  ['Add a button', null],
  ['yes. And the cookies are not needed any more.', 'yes'],
  ['Yes, go ahead. The README is not up to date though, fix it too.', 'yes'],
  ['yes, but not now', null],
  ["don't do that", 'no'],
  ['no thanks', 'no'],
  ['no that is wrong', 'no'],
  ["Don't show more than 20 per page.", null],
  ["I don't like the color of the header", null],
  ['Rather than a spinner show a skeleton', null],
  ["I'd rather use a plain loop here", null],
  ['no comments in code please', null],
  ['No tests for now, go ahead', null],
  ['no tests yet?', null],
  ['do it without a library', null],
])('%s answers an offer with %s', (prompt, answer) => {
  expect(answerOf(prompt)).toBe(answer)
})

test.each([
  [
    'I suggest using Redis for the queue because it is fast. Shall I proceed?',
    ['I suggest using Redis for the queue'],
  ],
  ['Should I use Redis for the queue?', ['Use Redis for the queue']],
  ['I will go with Redis. OK?', ['I will go with Redis']],
  ['I suggest using Redis.\n\nShould I commit the docs?', []],
  ['Should I run the tests?', []],
  ['All done. Want me to push?', []],
  ['Should we use Redis or Postgres?', []],
  [
    "I'd recommend pagination instead of infinite scroll. OK?",
    ["I'd recommend pagination instead of infinite scroll"],
  ],
])('what an agent offers: %s', (text, proposals) => {
  expect(offerOf(sentencesOf(text)).proposals.map((each) => each.text)).toEqual(proposals)
})

test('one of two that were asked about', () => {
  expect(chosenOf('Should we use Redis or Postgres?', 'Postgres')).toBe('Postgres')
  expect(chosenOf('Should we use Redis or Postgres?', 'postgres, we run it already')).toBe(
    'postgres, we run it already',
  )
  expect(chosenOf('Relative or absolute links?', 'relative please. And add a test.')).toBe('relative please.')
  expect(chosenOf('Should we use Redis or Postgres?', 'what is the difference?')).toBeNull()
  expect(chosenOf('Shall I go on?', 'on')).toBeNull()
})

test.each([
  ['Use Postgres for the queue instead', "Let's use Redis for the queue", true],
  ['use postgres for the queue', 'use redis for the queue', true],
  ['Use Postgres instead of Redis', "Let's use Redis for the queue", true],
  ["Don't use Redis", "Let's use Redis for the queue", true],
  ['switch from jest to vitest', 'use jest for the unit tests', true],
  ['Use vitest, not jest', "We'll go with jest", true],
  ['use fixtures for tests', 'use vitest for tests', false],
  ['Use Redis for the cache instead', 'Use Postgres for the queue', false],
  ["Don't use Redis for the cache", 'use Redis for the queue', false],
  ['Use zod for validation', "Let's use Redis for the queue", false],
  ['Use Postgres', 'Use Redis', false],
  ['Use Postgres for the queue instead', 'Which store for the queue? → Redis', true],
  ['for the sessions use Postgres', 'for the sessions use Redis', true],
  ['for the sessions use Postgres', 'for the queue use Redis', false],
  ['Use Postgres for the tokens', "For the tokens I'll use Redis", true],
])('%s / %s: replaces %s', (fresh, earlier, does) => {
  expect(replacing(fresh)(earlier, false)).toBe(does)
})

test('"instead" alone is about what was said last', () => {
  expect(replacing("let's use Postgres instead")("let's use Redis for the queue", true)).toBe(true)
  expect(replacing("let's use Postgres instead")("let's use Redis for the queue", false)).toBe(false)
})

test('"do it … instead" is about what was said last to be done in that manner', () => {
  const replaces = replacing("Let's do it per account instead")
  expect(replaces('limit the tries per IP', true)).toBe(true)
  expect(replaces('limit the tries per IP', false)).toBe(false)
  expect(replaces("I'll use a sliding window in Postgres", true)).toBe(false)
})

test.each([
  ['Actually use Jest', ['Use pnpm', 'Use Vitest'], ['Use Vitest']],
  ["Let's use Jest after all", ['Use pnpm', 'Use Vitest'], ['Use Vitest']],
  ['No, use Jest', ['Use Vitest', 'Approved plan: test it all'], ['Use Vitest']],
  ["let's go with Meilisearch after all", ['Use Postgres', 'Use the simple dictionary'], ['Use Postgres']],
  ['Actually use papaparse', ['Use pnpm', 'Use the built-in parser'], ['Use the built-in parser']],
  ["Actually use inserts: COPY can't skip", ['Use COPY', 'Use batches of 50'], ['Use COPY']],
])('%s means, of %j, %j', (fresh, standing, meant) => {
  expect(standing.filter(meantBy(fresh, standing))).toEqual(meant)
})

test.each([
  ['Going with RS256 then', 'HS256 or RS256? → RS256', true],
  ['Going with HS256 then', 'HS256 or RS256? → RS256', false],
  ["I'll use Redis", 'use Redis for the queue', true],
  ["I'll use Redis with a table per tenant", 'use Redis for the queue', false],
  ['I decided against Redis', 'use Redis for the queue', false],
  ["I'll use Kafka", 'use Redis for the queue', false],
])('%s only says %s again: %s', (fresh, decision, does) => {
  expect(restates(fresh, decision)).toBe(does)
})

test('a number ends a sentence, unless it begins one or the sentence goes on', () => {
  const texts = (text: string) => sentencesOf(text).map((each) => each.text)
  expect(texts('We are on Postgres 12. And it stays.')).toEqual(['We are on Postgres 12.', 'And it stays.'])
  expect(texts('The 3. attempt failed.')).toEqual(['The 3. attempt failed.'])
})

test.each([
  ...[
    'hi',
    'hi there',
    'Hi there! How are you?',
    'good morning',
    'thanks, bye',
    'pick up where you left off',
  ],
  ...['move to the next task', 'next', '/help', 'go on', 'are you there?', 'thank you so much!'],
])('small talk: %s', (prompt) => {
  expect(isSmallTalk(prompt)).toBe(true)
})

test.each([
  ...['hi, fix the login', 'hey rename the worker', 'next: add the limiter', 'thanks, now fix the linter'],
  ...['hello world is missing a test', 'test the importer', 'Back to Postgres.'],
])('no small talk: %s', (prompt) => {
  expect(isSmallTalk(prompt)).toBe(false)
})

test('another way that was named is taken up by "then", and a bare number changes the one that was chosen', () => {
  const offer = sentencesOf('Alternatively we could flush after each chunk. Disabling is simpler.')
  expect(takenUp(offer, 'flush after each chunk then')).toEqual({ text: 'flush after each chunk', why: '' })
  expect(takenUp(offer, 'then flush after each chunk')).toEqual({ text: 'flush after each chunk', why: '' })
  for (const other of ['commit it then', 'write the docs then', 'flush after each chunk', 'ok then'])
    expect(takenUp(offer, other)).toBeNull()
  expect(withNumber("I'll debounce it by 300 ms", '150')).toBe("I'll debounce it by 150 ms")
  expect(withNumber("I'll debounce it by 300 ms", 'make it 150 ms')).toBe("I'll debounce it by 150 ms")
  expect(withNumber('Retry 3 times in 10 s', '5')).toBeNull()
  expect(withNumber("I'll use Redis", '5')).toBeNull()
})

test('the same words are the same claim, and no claim has an empty key', () => {
  expect(keyOf("Let's use  Redis!")).toBe(keyOf('we use redis'))
  expect(keyOf('to be')).toBe('to be')
})

test('what is kept is one clean line without secrets', () => {
  expect(tidy('a\u001B[31m b\nc\u0007 \u202Etoken=abcdefghijkl')).toBe(
    'a[31m b c token=[redacted:assigned-secret]',
  )
  expect(JSON.stringify(tidy('"'.repeat(9_000))).length).toBeLessThanOrEqual(410)
})

const LETTERS = [
  'a',
  '"',
  'because ',
  "don't use ",
  'never ',
  '> ',
  'use ',
  '- ',
  '[',
  '**',
  ', not ',
  'a. ',
  '\n',
  '`',
  'for a use ',
  'back to ',
  'no ',
  'hm, ',
  'must not ',
  'x must be ',
  'stop adding ',
  'hi ',
  'a, not in ',
  'do it per ',
  '9. ',
  'replace a with b in c.',
  'flush then ',
]
test.each(LETTERS)(
  'a megabyte of %j is read in no time',
  (letter) => {
    const text = letter.repeat(1_000_000 / letter.length)
    for (const each of sentencesOf(typedOf(text)).concat(sentencesOf(text), one(text.slice(0, 400)))) {
      for (const who of ['user', 'agent'] as const) choiceIn(each, who)
      ruleIn(each)
      constraintIn(each)
      deadEndIn(each)
      replacing(each.text)(each.text, true)
      meantBy(each.text, [each.text])(each.text)
      restates(each.text, each.text)
      withoutRule(each.text, ruleIn(each))
    }
    for (const said of [text, text.slice(0, 119), text.slice(0, 399)]) {
      answerOf(said)
      isSmallTalk(said)
      takenUp([one(said.slice(0, 300))], said)
      withNumber(said, said)
      chosenOf('this or that?', said)
    }
    offerOf(sentencesOf(text))
    expect(tidy(text).length).toBeLessThanOrEqual(400)
  },
  5_000,
)
