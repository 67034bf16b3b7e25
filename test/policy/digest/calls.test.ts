import { describe, expect, test } from 'vitest'
import type { Untimed } from './sample.ts'
import { calls, digestOf, edits, request, returns, runs, says, told, toldOf } from './sample.ts'

const ASKED = request('Make the export of the invoices fast, for large customers as well.')
const FAILS = 'FAIL test/export.test.ts > streams the rows'
const failing = (entries: Untimed[]) =>
  toldOf(digestOf(ASKED, entries)).filter((line) => line.startsWith('Failing when last run'))
const passing = (entries: Untimed[]) =>
  /Passed when last run: ([^\n]*)/.exec(told(ASKED, entries))?.[1]?.split('. ')[0]

describe('checks', () => {
  test('a check that failed is told with its exit code and the line that says why', () => {
    expect(failing(runs('npx vitest run test/export.test.ts', FAILS, true))).toEqual([
      `Failing when last run: vitest run (exit 1): "${FAILS}"`,
    ])
  })

  test.each([
    ['npm test', 'npm test 2>&1 | tail -20'],
    ['npm test 2>&1 | tail -20', 'npm test | head -5'],
    ['npm test 2>&1', 'npm test > out.log'],
    ['npm test', 'cd api && npm test'],
    ['npm test', 'npm run build && npm test'],
    ['timeout 60 npx vitest run a.test.ts', 'CI=1 npx vitest run --bail 1'],
    ['go test ./...', 'go test ./export -run Stream'],
    ['python3 -m pytest -q', 'pytest tests/test_export.py; echo done'],
  ])('%s that failed is over when %s passes', (first, then) => {
    expect(failing(runs(first, FAILS, true))).toHaveLength(1)
    expect(failing([...runs(first, FAILS, true), ...runs(then, 'Tests  3 passed')])).toEqual([])
  })

  test('behind a pipe the sums in the output say whether it failed', () => {
    expect(failing(runs('npm test 2>&1 | tail -3', 'Tests  1 failed | 2 passed (3)'))).toHaveLength(1)
    expect(failing(runs('npm test 2>&1 | tail -3', 'Tests  3 passed (3)'))).toEqual([])
  })

  test('a failure behind tail is one; behind grep it may be that nothing was found', () => {
    const words = 'fatal: cannot allocate pages'
    expect(failing(runs('scripts/smoke.sh arm 2>&1 | tail -4', words, true))).toEqual([
      `Failing when last run: smoke.sh arm (exit 1): "${words}"`,
    ])
    expect(failing(runs('npm test 2>&1 | grep FAIL', '', true))).toEqual([])
    expect(failing(runs('npm test 2>&1 | grep FAIL', 'nothing', true))).toEqual([])
  })

  test.each([
    ['node scripts/check-links.js docs', 'check-links.js'],
    ['bash -e ./tools/run-tests.sh', 'run-tests.sh'],
    ['./build.sh --release', 'build.sh'],
  ])('%s is a check by the name of its script', (command, family) => {
    expect(failing(runs(command, 'it is red', true))).toEqual([`Failing when last run: ${family} (exit 1)`])
  })

  test.each(['cat scripts/test.sh', 'command -v modernize', 'grep -rn spec src'])(
    '%s says nothing of the work',
    (command) => {
      const run = runs(command, 'no', true, { description: 'Check the build' })
      expect(failing(run)).toEqual([])
      expect(told(ASKED, runs(command, '3 passed', false, { description: 'Check the tests' }))).not.toContain(
        'Passed',
      )
    },
  )

  test('a script is no check because a part of its name looks like one', () => {
    expect(failing(runs('node latest.js', 'no', true))).toEqual([])
  })

  test.each([
    [
      'a sum of the runner decides',
      runs('bun test 2>&1 | tail', 'error: logged\n12 pass\n0 fail'),
      'bun test ("12 pass")',
    ],
    ['a count of lines says nothing', runs('eslint . | grep unused | wc -l', '3'), null],
    [
      'a call that needs leave never ran',
      [
        calls('1', 'Bash', { command: 'npm test' }),
        returns('1', 'This command requires approval', { failed: true }),
      ],
      null,
    ],
    [
      'a call that was cancelled never ran',
      [
        calls('1', 'Bash', { command: 'npm test' }),
        returns('1', '<tool_use_error>Cancelled', { failed: true }),
      ],
      null,
    ],
    ['an unknown command is no check', runs('bun run tests', 'error: unrecognized subcommand', true), null],
    [
      'the largest sum is told',
      runs('cargo test', '93 passed\n0 passed; 35 filtered out'),
      'cargo test ("93 passed")',
    ],
  ])('%s', (_, entries, passed) => {
    expect(failing(entries)).toEqual([])
    expect(passing(entries) || null).toBe(passed)
  })

  test('a whole suite that passes ends the failure of a part of it', () => {
    const red = runs('cargo test auth::tests', FAILS, true)
    expect(failing(red)).toHaveLength(1)
    expect(failing([...red, ...runs('cargo test', '93 passed')])).toEqual([])
    expect(failing([...runs('npm run test:e2e', FAILS, true), ...runs('npm run test:unit')])).toHaveLength(1)
  })

  test('a change of folder before a check does not hide its exit code', () => {
    expect(failing(runs('cd api && npm test', 'it is red', true))).toEqual([
      'Failing when last run: npm test (exit 1)',
    ])
  })

  test('a chain that failed is over when each part of it has passed', () => {
    const chain = runs('npm run lint && npm test', 'a.ts: error TS2304: no x', true)
    const [lint, tests] = [runs('npm run lint'), runs('npm test')]
    const line = 'Failing when last run: npm run lint && npm test (exit 1): "a.ts: error TS2304: no x"'
    expect(failing(chain)).toEqual([line])
    expect(failing([...chain, ...lint])).toEqual([`${line} (passed since: npm run lint)`])
    expect(failing([...chain, ...lint, ...tests])).toEqual([])
  })

  test('in a chain of which a test failed, what stands before the test has passed', () => {
    const chain = runs('npm run lint && npm test', FAILS, true)
    expect(failing(chain)).toEqual([`Failing when last run: npm test (exit 1): "${FAILS}"`])
    expect(passing(chain)).toBe('npm run lint')
  })

  test.each([
    ['passed, then failed', [...runs('npm test', 'Tests  3 passed'), ...runs('npm test', FAILS, true)], 1],
    ['failed, then passed', [...runs('npm test', FAILS, true), ...runs('npm test', 'Tests  3 passed')], 0],
    [
      'passed, then failed in a chain',
      [...runs('npm test'), ...runs('npm test && make', 'error: x', true)],
      1,
    ],
  ])('nothing is told as passing and as failing: %s', (_, entries, red) => {
    expect(failing(entries)).toHaveLength(red)
    expect(passing(entries)).toBe(red === 1 ? undefined : 'npm test ("Tests 3 passed")')
  })

  test('a command that is not there says nothing of the work', () => {
    const missing = [
      calls('1', 'Bash', { command: 'npm test' }),
      returns('1', 'Exit code 127\nsh: npm: command not found', { failed: true }),
    ]
    expect(failing(missing)).toEqual([])
    expect(digestOf(missing).checks).toEqual([])
  })

  test('what the agent said of a failure goes when that is over', () => {
    const broken = [...runs('npm test', FAILS, true), says('The stream test is red.')]
    expect(told(ASKED, broken, runs('npm test'))).not.toContain('is red')
    expect(told(ASKED, broken, runs('npm run lint'))).toContain('is red')
  })
})

describe('commits', () => {
  const commit = (subject: string, hash: string, option = '') =>
    runs(`git commit${option} -m "${subject}"`, `[main ${hash}] ${subject}\n 1 file changed`)
  const made = (...entries: Untimed[][]) => digestOf(ASKED, ...entries).commits.map(({ subject }) => subject)

  test('are told newest first, as git named them', () => {
    const line = 'Committed (newest first): 2c77b2c "Test it", 1c77b2c "Stream rows"'
    expect(told(ASKED, commit('Stream rows', '1c77b2c'), commit('Test it', '2c77b2c'))).toContain(line)
  })

  test.each([
    ['amended', [commit('A', '1c77b2c'), commit('B', '2c77b2c', ' --amend')], ['B']],
    ['reset', [commit('A', '1c77b2c'), commit('B', '2c77b2c'), runs('git reset --hard HEAD~2')], []],
    ['reset by one', [commit('A', '1c77b2c'), commit('B', '2c77b2c'), runs('git reset HEAD^')], ['A']],
    ['refused by a hook', [runs('git commit -m "A"', 'pre-commit hook failed', true)], []],
    ['of nothing', [runs('git commit -m "A"; true', 'nothing to commit, working tree clean')], []],
  ])('a commit that was %s is not told', (_, entries, subjects) => {
    expect(made(...entries)).toEqual(subjects)
  })

  test('the subject of a quiet commit is the one that it was given', () => {
    const heredoc = "git add -A && git commit -q -F - <<'EOF'\nStream rows\n\nBody\nEOF"
    expect(made(runs(heredoc), runs("git commit -qm 'Test it'"))).toEqual(['Stream rows', 'Test it'])
  })

  test('what the agent said of a commit that is gone is not told any more', () => {
    const asked = request('Make the export stream its rows, so that nobody has to wait for minutes again.')
    const first = [asked, ...commit('A', '1c77b2c'), says('All rows are streamed since 1c77b2c of main.')]
    const next = request('Take that commit back, the customers do not want any of it.')
    const newest = request('And now think about another way to make the export faster.')
    expect(told(first, next, says('Fine with me.'), newest)).toContain('1c77b2c of main')
    const reset = [...runs('git reset --hard HEAD~1'), says('Fine with me.')]
    expect(told(first, next, reset, newest)).not.toContain('1c77b2c')
  })
})

describe('helpers and commands in the background', () => {
  const started: Untimed[] = [
    calls('h', 'Task', { helper: 'Explore', description: 'find', prompt: 'Find it', background: true }),
    returns('h', 'Async agent launched successfully.\nagentId: a1b2c3'),
    calls('b', 'Bash', { command: 'npm run dev', background: true }),
    returns('b', 'Command running in background with ID: bash_1'),
  ]
  const look = (name: string, text: string) => [calls('o', name, { task: 'a1b2c3' }), returns('o', text)]
  const running = (entries: Untimed[]) =>
    toldOf(digestOf(ASKED, entries)).filter((line) => /^(?:Was still running|Not finished)/.test(line))

  test('are told as running, a helper with what it was told', () => {
    expect(running([...started, says('They run.'), request('Good, tell me when they are done.')])).toEqual([
      'Was still running: subagent Explore: find, prompt: "Find it"',
      'Was still running: command `npm run dev`',
    ])
  })

  test.each([
    ['a notification that names the call', [{ kind: 'finished', id: 'h', failed: false }]],
    ['a notification that names the helper', [{ kind: 'finished', id: 'a1b2c3', failed: false }]],
    ['TaskOutput', look('TaskOutput', '<status>completed</status>\nFour callers')],
    ['TaskStop', look('TaskStop', 'Stopped')],
  ] satisfies Array<[string, Untimed[]]>)('a helper whose end came by %s is not running', (_, ended) => {
    expect(running([...started, ...ended])).toEqual(['Was still running: command `npm run dev`'])
  })

  test('a helper that TaskOutput finds at work is still running', () => {
    expect(running([...started, ...look('TaskOutput', '<status>running</status>')])).toHaveLength(2)
  })

  test('a helper in the foreground is over with its result, unless the provider stopped it', () => {
    const call = calls('h', 'Task', { helper: 'Explore', description: 'find callers', prompt: 'Find them' })
    expect(running([call])).toHaveLength(1)
    expect(running([call, returns('h', 'Four callers')])).toEqual([])
    expect(running([call, returns('h', 'API Error: 529 Overloaded')])).toEqual([
      'Not finished: subagent Explore: find callers ("API Error: 529 Overloaded"), prompt: "Find them"',
    ])
  })
})

describe('the end of a turn', () => {
  const deploy = calls('1', 'Bash', { command: 'npm run deploy' })
  const ends = (...entries: Untimed[]) => toldOf(digestOf(ASKED, ...entries)).slice(2)
  const dev = calls('2', 'Bash', { command: 'npm run dev', background: true })
  const LAST = 'Last tool call: Bash `npm run deploy`,'
  const LIMIT: Untimed = { kind: 'halt', error: 'rate_limit', words: 'You hit your limit, resets 3pm' }
  const CUT = 'Cut off during: `npm run deploy` (no result: check before running it again)'

  test.each<[string, Untimed[], string[]]>([
    ['by itself', [says('It is fast now.')], []],
    ['before any answer', [], ['The session ended before the agent answered.']],
    ['in a call', [deploy], [CUT]],
    ['in a call beside another', [dev, deploy], [CUT, 'Was still running: command `npm run dev`']],
    ['behind a call', [deploy, returns('1', 'ok')], [`${LAST} succeeded`]],
    [
      'behind a failed call',
      [deploy, returns('1', 'No host', { failed: true })],
      [`${LAST} failed: "No host"`],
    ],
    ['by the provider', [deploy, LIMIT], ['Stopped by the provider: "You hit your limit, resets 3pm"', CUT]],
  ])('that ended %s', (_, entries, lines) => {
    expect(ends(...entries)).toEqual(lines)
  })

  test('an interrupt is told with the request', () => {
    expect(told(ASKED, deploy, { kind: 'interrupt' })).toContain('as well." (then interrupted the agent)')
  })

  test.each<[string, Untimed]>([
    ['compaction', { kind: 'boundary', automatic: true }],
    ['summary', { kind: 'summary', text: '1. Primary Request and Intent:\nA fast export' }],
    ['interrupt', { kind: 'interrupt' }],
    ['next request', request('Leave the deployment, and go on with the tests of the export.')],
  ])('a call that has no result before a %s is not what the session was cut off in', (_, entry) => {
    expect(told(ASKED, deploy, entry, says('It is fast now.'))).not.toMatch(/Cut off|Last tool call/)
    expect(told(ASKED, deploy, entry)).not.toContain('Cut off during')
  })

  test('a halt is over when the agent speaks again', () => {
    expect(told(ASKED, LIMIT, says('It is fast now.'))).not.toContain('limit')
  })

  test('an error that only a summary tells of is told nowhere', () => {
    const text = '1. Primary Request and Intent:\nExport\n4. Errors and fixes:\n- it failed: EADDRINUSE'
    const digest = digestOf(ASKED, { kind: 'summary', text }, says('I go on.'))
    expect(JSON.stringify(digest)).not.toContain('EADDRINUSE')
    expect(digest.summary?.intent).toBe('Export')
  })

  test('a refused call changes no file, and a failed one neither', () => {
    const edit = calls('2', 'Edit', { path: '/home/ann/app/a.ts' })
    expect(digestOf(edit, returns('2', '', { refused: true })).files).toEqual([])
    expect(digestOf(edit, returns('2', 'no such text', { failed: true })).files).toEqual([])
    expect(digestOf(edits('a.ts')).counts.edits).toBe(1)
  })
})
