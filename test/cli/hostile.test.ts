import { readdirSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PLAN, type Sandbox, sandbox } from '../support/sandbox.ts'

const everything = (box: Sandbox) => readdirSync(box.root, { recursive: true, encoding: 'utf8' }).sort()

const HOSTILE = [
  ...['../x', 'a/b', '/etc/x', 'CON', 'com1.txt', 'x'.repeat(300), 'active', 'Archive', 'LEARNINGS.md'],
  ...['trailing.', '', 'ünï', '$(id)', 'new\nline'],
]

test.each(HOSTILE)('the run id %j is refused with exit 2 before anything is touched', (id) => {
  const box = sandbox()
  writeFileSync(box.path('plan.md'), PLAN)
  const before = everything(box)
  const { code, stdout } = box.run(['run', 'start', 'plan.md', `--run-id=${id}`, '--json'])
  expect(code).toBe(2)
  expect(JSON.parse(stdout)).toMatchObject({ ok: false, reason: 'id_invalid' })
  expect(everything(box)).toEqual(before)
})

const VERBS: string[][] = [
  ['run', 'step', '../x', 's1', 'done'],
  ['run', 'error', '../x', '--reason-code', 'c'],
  ['run', 'save', '../x'],
  ['run', 'exec', '../x', '--', 'touch', 'ran'],
  ['run', 'finish', '../x'],
  ['run', 'pause', '../x'],
  ['run', 'pin', '../x', 'latest'],
  ['run', 'show', '../x'],
  ['run', 'verify', '../x'],
  ['run', 'resume', '../x'],
]

test.each(VERBS)('%s %s %s is refused before anything is touched', (...words) => {
  const box = sandbox()
  const before = everything(box)
  const { code, stderr } = box.run(words)
  expect(code).toBe(2)
  expect(stderr).toContain('(id_invalid)')
  expect(everything(box)).toEqual(before)
})

test('a snapshot id is never used as a path', () => {
  const box = sandbox()
  box.start()
  for (const id of ['../../../etc/passwd', '../latest', '/etc/passwd'])
    expect(box.run(['run', 'show', 'r1', id]).code).toBe(3)
})

const COUNTS = ['abc', '-1', '1e3', '', '0']

test.each(COUNTS)('--max-per-run %j is a clear error with exit 2 and no stack', (value) => {
  const box = sandbox()
  const before = everything(box)
  const { code, stderr, stdout } = box.run(['run', 'prune', `--max-per-run=${value}`])
  expect(code).toBe(2)
  expect(stdout).toBe('')
  expect(stderr).toContain(
    `invalid --max-per-run ${JSON.stringify(value)}: use a whole number from 1 to 1000000`,
  )
  expect(stderr).not.toMatch(/^\s+at /m)
  expect(everything(box)).toEqual(before)
})

test('a negative count as a word of its own is a clear error as well', () => {
  const { code, stderr } = sandbox().run(['run', 'prune', '--max-per-run', '-1'])
  expect(code).toBe(2)
  expect(stderr).toContain('--max-per-run')
  expect(stderr).not.toMatch(/^\s+at /m)
})

const TYPOS: Array<[string[], string]> = [
  [['run', 'stpe', 'r1'], 'step'],
  [['run', 'strat', 'plan.md'], 'start'],
  [['runn', 'list'], 'run'],
  [['docter'], 'doctor'],
  [['run', 'prune', '--max-per-rnu', '5'], '--max-per-run'],
  [['run', 'prune', '--dryrun'], '--dry-run'],
]

test.each(TYPOS)('savepoint %j suggests %s', (words, meant) => {
  const { code, stderr } = sandbox().run(words)
  expect(code).toBe(2)
  expect(stderr).toContain(`Did you mean ${meant}?`)
  expect(stderr).toContain('(usage_invalid)')
})

test('an unknown option and a word too many are refused, and nothing is done', () => {
  const box = sandbox()
  const before = everything(box)
  expect(box.run(['run', 'list', '--frobnicate'])).toMatchObject({ code: 2, stdout: '' })
  expect(box.run(['run', 'list', 'more'])).toMatchObject({ code: 2, stdout: '' })
  expect(everything(box)).toEqual(before)
})
