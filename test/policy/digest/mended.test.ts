import { expect, test } from 'vitest'
import { emptyWork, type WorkState } from '../../../src/core/work.ts'
import { droppedLines } from '../../../src/policy/brief/brief-quoted.ts'
import { tellTalks } from '../../../src/policy/brief/brief-talk.ts'
import { boundDigest } from '../../../src/policy/digest/fold.ts'
import { DIGEST_LIMIT } from '../../../src/policy/digest/state.ts'
import { isLasting } from '../../../src/policy/digest/tell-requests.ts'
import {
  type DigestWork,
  deriveWork,
  listCommandOutcomes,
  mergeSessionWork,
} from '../../../src/policy/digest/work.ts'
import type { Untimed } from './sample.ts'
import {
  around,
  calls,
  digestOf,
  edits,
  plan,
  queue,
  request,
  returns,
  runs,
  says,
  timeOf,
  told,
  toldOf,
} from './sample.ts'

// Each of these was wrong once.
const GO = request('Make the export of the invoices fast, for large customers as well.')
const NEWEST = request('And now write the release notes for all of that, in German and in English.')
const tells = (what: string, ...entries: Array<Untimed | Untimed[]>) => told(GO, ...entries).includes(what)

const NO = { failed: true, refused: true }
const OPTIONS = '1. Redis\n\n2. Postgres\n\n3. SQLite'
const ALWAYS = 'Always run the tests before you commit anything.'
const WAIT =
  'Before you go on, run the tests that you wrote again, but do not commit anything: always wait for me.'
const PASTE = request('The build says:\n[ERROR] a\n[ERROR] b\n[ERROR] c\nAlways run the linter.')
const TYPED = request('Goal: ship the parser\nStack: no Redis here\nDeadline: on Friday')
const refused = (name: string, command = ''): Untimed[] => [
  calls('1', name, { command }),
  returns('1', '', NO),
]
const helper = [calls('h', 'Task', { helper: 'E', description: 'd' }), returns('h', 'API Error: 529')]
const saved = [calls('s', 'mcp__savepoint__savepoint_save'), returns('s')]
const started = (command: string): Untimed[] => [
  calls('b', 'Bash', { command, background: true }),
  returns('b', 'Command running in background with ID: bash_1'),
]
const look = (name: string, text: string) => [calls('o', name, { task: 'bash_1' }), returns('o', text)]
const pushed = runs('git commit -m "A" && git push', '[main 1c77b2c] A\nerror: failed to push', true)
const chain = [runs('npm run lint && npm test', 'error: x', true), runs('npm run lint'), runs('npm test')]

const answered = (...texts: string[]) =>
  deriveWork(digestOf(texts.map((text) => request(text, 'answer', 'Which database?'))), around())
const standing = (...heard: DigestWork[]) =>
  heard
    .reduce((work, one) => mergeSessionWork(work, one, null), emptyWork())
    .decisions.filter(({ supersededBy }) => supersededBy === null).length

/** What is told of a request, in a workspace with these folders, the first of them its own. */
const toldWithout = (roots: string[], text: string) => {
  const main = {
    ...{ id: '', age: '', state: '', isLive: false, parent: null },
    digest: digestOf(request(text)),
  }
  const sections = tellTalks({ main, after: [], before: [], around: around({ roots }) })(1)
  return sections.flatMap(({ lines }) => lines.map((line) => line.text)).join('\n')
}

const dropped = (text: string, summary: string, work: WorkState | null = null) =>
  droppedLines(digestOf(request(text)), work, { summary, trusted: true, until: timeOf(9) }).length
const RULE: WorkState = {
  ...emptyWork(),
  rules: [{ text: 'Never push to main', origin: 'user', confirmed: true }],
}
const CHINESE = '请把登录页面的按钮改成红色并且在测试里检查它的颜色和大小好吗'

const long = (at: number) => `${at} ${'数据库'.repeat(1_500)}`
const large = () =>
  boundDigest(
    digestOf(
      [0, 1, 2, 3, 4].map((at) => request(long(at))),
      [5, 6, 7].map((at) => queue('added', long(at))),
      says(long(8)),
    ),
  )
const ship = (name: string, step: string): Untimed[] => [
  request('', 'command', name),
  { kind: 'expansion', text: `1. Run \`${step}\`\n2. Publish` },
]
const broken = [edits('src/a\n# b.ts'), [plan('# Plan: X', 'shown', '/p/a\nb')], ship('a\nb', 'x')]
const SECRET = ['gh', 'p_', 'A1b2C3d4E5f6G7h8I9j0K1l2'].join('')
const holdsSecret = (...entries: Untimed[]) => JSON.stringify(digestOf(...entries)).includes(SECRET)

test.each<[string, () => boolean]>([
  [
    'a second "yes" is told with the second question',
    () => tells('B?" user: "yes"', says('Drop A?'), request('yes'), says('Drop B?'), request('yes')),
  ],
  [
    'options with blank lines between them are all told with a reply',
    () => tells('1. Redis', says(`${OPTIONS}\n\nWhich one?`), request('1')),
  ],
  [
    'a question before such options is an open question',
    () => deriveWork(digestOf(GO, says(`Which one?\n\n${OPTIONS}`)), around()).heard.questions.length === 1,
  ],
  [
    'a call of our own tool does not break off a turn that has ended',
    () => !tells('broke off', says('Done.'), saved),
  ],
  [
    'a helper that the provider stopped stays unfinished when the agent speaks',
    () => tells('Not finished', helper, says('It stopped.')),
  ],
  [
    'make does not speak for make test',
    () => tells('Failing', runs('make test', 'FAIL x', true), runs('make')),
  ],
  [
    'a part of the tests does not speak for all of them',
    () => tells('Failing', runs('npm run test', 'FAIL x', true), runs('npm run test:unit')),
  ],
  [
    'a check that was stopped has not passed',
    () => !tells('Passed', started('npm test'), look('TaskStop', 'Stopped')),
  ],
  [
    'a check that TaskOutput tells as failed has not passed',
    () => !tells('Passed', started('npm test'), look('TaskOutput', '<status>failed</status>')),
  ],
  [
    'a check in the background that failed behind a pipe has not passed',
    () => !tells('Passed', started('npm test | tail'), { kind: 'finished', id: 'b', failed: true }),
  ],
  [
    'a chain that is over is no failed command of a checkpoint',
    () => listCommandOutcomes(digestOf(...chain), true).every(({ result }) => result !== 'FAIL'),
  ],
  ['a commit that could not be pushed is one', () => digestOf(pushed).commits.length === 1],
  [
    'HEAD~ is the commit before',
    () => digestOf(runs('git commit -m A'), runs('git reset HEAD~')).commits.length === 0,
  ],
  [
    'a plan that is refused after a call was is what is refused',
    () =>
      tells(
        'refusing the plan',
        refused('Bash', 'rm x'),
        plan('# X', 'refused'),
        request('Smaller, please.', 'refusal'),
      ),
  ],
  [
    'a refused call without a command is told by its name',
    () => tells('refusing mcp__x__deploy', refused('mcp__x__deploy'), request('Not today.', 'refusal', '1')),
  ],
  ['words that hold for good are known in Italian', () => isLasting('non farlo mai più')],
  [
    'what holds for good is not over because a later request has its words',
    () => tells(ALWAYS, request(ALWAYS), request(WAIT), NEWEST),
  ],
  ['words behind a paste are told', () => tells('Always run the linter.', PASTE, NEWEST)],
  ['typed lines with a colon are no paste', () => tells('no Redis', TYPED, NEWEST)],
  [
    'an answer that was changed and changed back stands',
    () => standing(answered('A', 'B'), answered('A', 'B', 'A')) === 1,
  ],
  [
    'an answer in a later session supersedes the one before',
    () => standing(answered('A'), answered('B')) === 1,
  ],
  ['a Chinese request is held where the summary quotes it', () => dropped(CHINESE, `用户说${CHINESE}`) === 0],
  [
    'a Chinese request is not held by one that begins alike',
    () => dropped(CHINESE, '请把登录页面的标题删除') === 1,
  ],
  ['a short Chinese request is given back', () => dropped('不要用 Redis，改用 Postgres', '更快的测试') === 1],
  [
    'a rule is held where a full stop stands behind it',
    () => dropped('x', 'Never push to main.', RULE) === 0,
  ],
  [
    'a digest of long Chinese texts is within its limit',
    () => Buffer.byteLength(JSON.stringify(large())) <= DIGEST_LIMIT,
  ],
  [
    'a line break in a path or a name breaks no line',
    () => toldOf(digestOf(...broken)).every((line) => !line.includes('\n')),
  ],
  [
    'no secret of an open command is in a digest',
    () => !holdsSecret(calls('1', 'Bash', { command: `push ${SECRET}` })),
  ],
  ['no secret of a path is in a digest', () => !holdsSecret(...edits(SECRET))],
  ['no secret of a step is in a digest', () => !holdsSecret(...ship('a', `npm login ${SECRET}`))],
  [
    'a folder that ends like the workspace stays in what is told',
    () => toldWithout(['/app'], 'See packages/app/a.ts').includes('"See packages/app/a.ts'),
  ],
  [
    'a file is told without the folder that the session worked in on another machine',
    () => toldWithout(['/app', '/old/app'], 'See /old/app/a.ts').includes('"See a.ts'),
  ],
  [
    'a session that says no folder takes no slash from what is told',
    () =>
      toldWithout(['/app', '', '/'], 'See /etc/hosts, https://a.test').includes(
        '"See /etc/hosts, https://a.test',
      ),
  ],
  [
    'in a line with ; what stands before a test may have failed',
    () => !tells('Passed', runs('npm run lint; npm test', '3 problems\nFAIL x', true)),
  ],
])('%s', (_, holds) => {
  expect(holds()).toBe(true)
})
