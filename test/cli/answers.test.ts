import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { decodeSnapshot } from '../../src/formats/snapshot/codec.ts'
import { cliPath, type Finished, PLAN, type Sandbox, sandbox } from '../support/sandbox.ts'

const LATEST = 'checkpoints/r1/latest.json'
const STACK = /^\s+at /m

const started = () => {
  const box = sandbox()
  box.start()
  return box
}

const withBrokenLatest = () => {
  const box = started()
  writeFileSync(box.path(LATEST), '{"half": ')
  return box
}

const withBrokenDocument = () => {
  const box = sandbox()
  mkdirSync(box.path('checkpoints/active'), { recursive: true })
  writeFileSync(box.path('checkpoints/active/a.md'), 'no front matter')
  return box
}

/** The last line of stdout, which is the answer. */
const answerOf = ({ stdout }: Finished) => JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')

/** The command line through a shell, which can redirect it or take its directory away. */
function shell(box: Sandbox, script: string, ...words: string[]): Finished {
  const args = ['-c', script, 'sh', process.execPath, cliPath, ...words]
  const done = spawnSync('sh', args, { cwd: box.repo, env: box.env, encoding: 'utf8', timeout: 60_000 })
  return { code: done.status, signal: done.signal, stdout: done.stdout, stderr: done.stderr }
}

const FAILING: Array<[string, number, string, () => Sandbox, string[]]> = [
  ['run verify', 4, 'checkpoint_schema_invalid', withBrokenLatest, ['run', 'verify', '--json']],
  ['run prune', 5, 'checkpoint_retention_prune_failed', withBrokenLatest, ['run', 'prune', '--json']],
  ['doctor', 1, 'problems_found', withBrokenLatest, ['doctor', '--json']],
  ['validate', 4, 'documents_invalid', withBrokenDocument, ['validate', '--json']],
  ['run exec', 1, 'command_failed', started, ['run', 'exec', 'r1', '--json', '--', 'false']],
  ['run exec', 127, 'command_not_started', started, ['run', 'exec', 'r1', '--json', '--', 'no-such-program']],
]

test.each(FAILING)('a failing %s that ends with %d answers with %s, a message and a hint', (...row) => {
  const [, code, reason, make, words] = row
  const done = make().run(words)
  expect(done.code).toBe(code)
  expect(answerOf(done)).toMatchObject({
    ok: false,
    reason,
    message: expect.stringMatching(/\S/),
    hint: expect.stringMatching(/\S/),
  })
})

test('the answer of run exec is a line of its own, also after output that ends without one', () => {
  const done = started().run(['run', 'exec', 'r1', '--json', '--', 'printf', 'hi'])
  expect(done.code).toBe(0)
  expect(done.stdout.split('\n')[0]).toBe('hi')
  expect(answerOf(done)).toMatchObject({ ok: true, runId: 'r1', exitCode: 0 })
})

const GONE = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'
const FROM_NOWHERE = ['run list', 'run show r1', 'run save r1', 'doctor', 'validate']

test.each(FROM_NOWHERE)('%s in a directory that was deleted gives a reason', (line) => {
  const words = line.split(' ')
  const box = started()
  const json = shell(box, GONE, ...words, '--json')
  expect(json.code).toBe(3)
  expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, reason: 'folder_unreadable' })
  const said = shell(box, GONE, ...words)
  expect(said).toMatchObject({ code: 3, stdout: '' })
  expect(said.stderr).toContain('(folder_unreadable)')
  expect(said.stderr).not.toMatch(STACK)
})

test('a recorder in a process whose directory was deleted is refused with a reason', () => {
  const box = sandbox()
  const library = pathToFileURL(join(dirname(cliPath), 'index.js')).href
  const script = join(box.root, 'harness.mjs')
  writeFileSync(
    script,
    `import { rmdirSync } from 'node:fs'
     import { RunRecorder } from ${JSON.stringify(library)}
     process.chdir('gone')
     rmdirSync('../gone')
     await RunRecorder.start({ plan: { text: '- [ ] s1: x' } }).catch(({ reason }) => console.log(reason))`,
  )
  mkdirSync(box.path('gone'))
  const done = spawnSync(process.execPath, [script], {
    cwd: box.repo,
    env: box.env,
    encoding: 'utf8',
    timeout: 60_000,
  })
  expect(done).toMatchObject({ status: 0, stderr: '', stdout: 'folder_unreadable\n' })
})

const ONTO_A_FULL_DISK = ['run list', 'run list --json', 'run save r1', '--version']

test.skipIf(!existsSync('/dev/full')).each(ONTO_A_FULL_DISK)(
  'the output of %s onto a full disk fails with 5 and no stack',
  (line) => {
    const done = shell(started(), 'exec "$@" >/dev/full', ...line.split(' '))
    expect(done.code).toBe(5)
    expect(done.stderr).toContain('ENOSPC')
    expect(done.stderr).not.toMatch(STACK)
  },
)

test.each([
  ['run', 'start', 'plan.md'],
  ['run', 'save', 'r1'],
  ['doctor', '--fix'],
])('%s %s with a home below a file gives store_unavailable', (...words) => {
  const box = started()
  const home = join(box.root, 'file', 'x')
  writeFileSync(join(box.root, 'file'), '')
  const done = box.run([...words, '--json'], { env: { SAVEPOINT_HOME: home } })
  expect(JSON.parse(done.stdout)).toMatchObject({ ok: false, reason: 'store_unavailable' })
  expect(done.code).toBe(5)
})

test.each(['', '/etc/passwd/x'])('run exec of %j ends by itself, and the outcome is recorded', (program) => {
  const box = started()
  const done = box.run(['run', 'exec', 'r1', '--json', '--', program])
  expect([126, 127]).toContain(done.code)
  expect(done.signal).toBeNull()
  expect(answerOf(done)).toMatchObject({ ok: false, reason: 'command_not_started', exitCode: done.code })
  expect(box.readJson(LATEST).command_outcomes).toMatchObject([
    { kind: 'shell', result: 'FAIL', reason_code: 'command_not_started' },
  ])
})

/** A run `gone` in a worktree that was removed, and then a run `r1` with three snapshots in the main one. */
function withRemovedWorktree(): Sandbox {
  const box = sandbox()
  const other = join(box.root, 'other')
  box.git('-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '--quiet', '--allow-empty', '-m', 'x')
  box.git('worktree', 'add', '--quiet', other)
  writeFileSync(join(other, 'plan.md'), PLAN)
  box.json(['run', 'start', 'plan.md', '--run-id', 'gone'], { cwd: other })
  box.start()
  for (const state of ['in_progress', 'done']) box.json(['run', 'step', 'r1', 's1', state])
  rmSync(other, { recursive: true })
  return box
}

test('a removed worktree does not stop the pruning of the others', () => {
  const report = withRemovedWorktree().json(['run', 'prune', '--max-per-run', '1'])
  expect(report).toMatchObject({ ok: true, removed: 2 })
  expect(report.runs).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ runId: 'gone', kept: 1, removed: [], problem: null }),
      expect.objectContaining({ runId: 'r1', kept: 1 }),
    ]),
  )
})

test('a removed worktree does not stop the check of the others', () => {
  const box = withRemovedWorktree()
  const sound = box.json(['run', 'verify'])
  expect(sound).toMatchObject({ ok: true, runs: 2, problems: [] })
  expect(JSON.stringify(sound.notices)).toContain('Folder not found')
  rmSync(box.path(LATEST))
  const done = box.run(['run', 'verify', '--json'])
  expect(done.code).toBe(4)
  expect(answerOf(done).problems).toMatchObject([{ runId: 'r1', path: LATEST }])
})

test('a save of a run whose worktree was removed is confirmed, and its files are pending', () => {
  const box = withRemovedWorktree()
  expect(box.json(['run', 'step', 'gone', 's1', 'in_progress'])).toMatchObject({
    ok: true,
    runId: 'gone',
    sequence: 2,
    files: 'pending',
  })
  expect(existsSync(join(box.root, 'other'))).toBe(false)
})

test('a title that grows when it is redacted still makes snapshots that are valid', () => {
  const box = sandbox()
  writeFileSync(box.path('plan.md'), `- [ ] s1: ${'a://b:c@ '.repeat(22)}\n- [ ] s2: Second\n`)
  box.json(['run', 'start', 'plan.md', '--run-id', 'r1'])
  const first = box.read(LATEST)
  expect(first).toMatch(/\[redacted:url-password:[0-9a-f]{8}\]/)
  expect(first).not.toContain('b:c@')
  for (const state of ['in_progress', 'done']) box.json(['run', 'step', 'r1', 's1', state])
  expect(box.json(['run', 'verify'])).toMatchObject({ ok: true, problems: [] })
  expect(decodeSnapshot(readFileSync(box.path(LATEST)), LATEST).step_state.step_id).toBe('s1')
})
