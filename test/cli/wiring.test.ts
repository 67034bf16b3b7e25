import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { loadVerbs } from '../../src/verbs/table.ts'
import { type Finished, PLAN, type Sandbox, sandbox } from '../support/sandbox.ts'
import { hook, idOf, payload } from './hook-lab.ts'

/** Every verb once or twice, each after what it needs. */
const STORY = `
init --dry-run
save First --decision One --next Two
save Second --done One
save
resume
resume nobody
status
search First
confirm Tokens
reject Tokens --why slow
remove Tokens
reword nothing --to something
trust
new auth --current
new auth
delta --what Half
delta auth --what More --artifact a.ts:created:x
fork auth side
focus side
list
list --json
list --tree
show auth
show auth --history
diff auth 1
compress auth --dry-run
validate
archive side --outcome Live --learning Small
rename side aside
learnings
restore side
undo
sessions
sessions show
sessions stats
sessions info
sessions budget
compact
outcome focus Login
reconcile
statusline
ledger
ledger write Here
ledger history
note
import --dry-run
convert ledger.md --to note
export all.savepoint
handoff Finish
pickup --list
run start plan.md --run-id r1
run step r1 s1 done
run error r1 --reason-code tests_failed
run save r1 --note x
run exec r1 -- true
run pin r1 latest
run pause r1
run list
run show r1
run verify
run resume r1
run finish r1
run finish r1 --incomplete
run finish r2
run prune --dry-run
config explain
backup copy.db
doctor
uninstall --dry-run
trust --off
help save
completion fish
nonsense
`
  .trim()
  .split('\n')
  .map((line) => line.split(' '))

/** What differs between two sandboxes that did the same: paths, times, ages, ids, sums, sizes. */
function withoutChance({ code, signal, stdout, stderr }: Finished, box: Sandbox): Finished {
  const plain = (text: string) =>
    text
      .replaceAll(box.root, '<root>')
      .replace(/\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z| UTC)?/g, '<time>')
      .replace(/\d{4}-\d\d-\d\d/g, '<day>')
      .replace(/\b(?:just now|\d+ (?:ms|s|seconds?|min|minutes?)(?: ago)?)/g, '<age>')
      .replace(/\b(?:[a-z]+_)?\d{8}T?\d{6}[\w-]*/g, '<id>')
      .replace(/\b[a-z]+_[\w-]*\d[\w-]*/g, '<id>')
      .replace(/\b[0-9a-f]{7,64}\b/g, '<sum>')
      .replace(/\b[\d.,]+ (?:bytes|kB|KB|MB)/g, '<size>')
  return { code, signal, stdout: plain(stdout), stderr: plain(stderr) }
}

function ready(): Sandbox {
  const box = sandbox()
  writeFileSync(box.path('plan.md'), PLAN)
  return box
}

test('every verb says the same in a process of its own as through the door of the tests', {
  timeout: 120_000,
}, () => {
  const [alone, together] = [ready(), ready()]
  for (const words of STORY) {
    const expected = withoutChance(together.run(words), together)
    expect([words, withoutChance(alone.runProcess(words), alone)]).toEqual([words, expected])
  }
})

test('the story has every verb', async () => {
  const lines = STORY.map((words) => `${words.join(' ')} `)
  const names = (await loadVerbs()).map(({ name }) => name)
  expect(names.filter((name) => !lines.some((line) => line.startsWith(`${name} `)))).toEqual([])
})

test('a hook says the same in a process of its own as through the door of the tests', () => {
  const [alone, together] = [ready(), ready()]
  for (const box of [alone, together]) box.run(['save', 'First', '--decision', 'One'])
  const told = (box: Sandbox, isProcess: boolean) =>
    ['SessionStart', 'UserPromptSubmit', 'SessionEnd'].map((name) => {
      const input = payload(box, idOf('aaaa'), name, { source: 'startup', prompt: 'Go', reason: 'logout' })
      const env = isProcess ? { NODE_OPTIONS: '--no-deprecation' } : {}
      return withoutChance(hook(box, input, { env }), box)
    })
  const expected = told(together, false)
  expect(told(alone, true)).toEqual(expected)
  expect(expected[0]?.stdout).toContain('First')
})

test('calls through the door share nothing: each has its own folder, variables and clock', () => {
  const [one, two] = [ready(), ready()]
  const ahead = { NODE_OPTIONS: '--require=unused', TURN_CLOCK_BY: String(3 * 86_400_000) }
  one.json(['save', 'Mine'])
  expect(one.run(['status'], { env: ahead }).stdout).toContain('3 d')
  expect(two.run(['status']).stdout).not.toContain('Mine')
  expect(one.run(['status']).stdout).not.toContain('3 d')
  expect(one.run(['status'], { cwd: two.repo }).stdout).not.toContain('Mine')
})
