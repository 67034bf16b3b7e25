import { spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { asNobody, canBeNobody, NOBODY } from '../support/nobody.ts'
import { cliPath, PLAN, type Sandbox, sandbox } from '../support/sandbox.ts'

function homeOfNobody(box: Sandbox): void {
  mkdirSync(box.home, { mode: 0o700 })
  chownSync(box.home, NOBODY, NOBODY)
}

test.skipIf(!canBeNobody)('a workspace that cannot be written: a clear reason and exit 5 [004.43]', () => {
  const box = sandbox()
  writeFileSync(box.path('plan.md'), PLAN)
  homeOfNobody(box)
  const done = asNobody(box, ['run', 'start', 'plan.md', '--run-id', 'r1', '--json'])
  expect(done.code).toBe(5)
  expect(JSON.parse(done.stdout)).toMatchObject({ ok: false, reason: 'checkpoint_atomic_write_failed' })
  expect(done.stdout).toContain('EACCES')
  expect(existsSync(box.path('checkpoints'))).toBe(false)
})

test.skipIf(!canBeNobody)('a home that belongs to somebody else is refused', () => {
  const box = sandbox()
  homeOfNobody(box)
  writeFileSync(box.path('plan.md'), PLAN)
  const done = box.run(['run', 'start', 'plan.md'])
  expect(done.code).toBe(7)
  expect(done.stderr).toContain('(home_insecure)')
})

test('a home that cannot be made: a clear reason and exit 5', () => {
  const box = sandbox()
  writeFileSync(box.home, 'a file')
  writeFileSync(box.path('plan.md'), PLAN)
  const done = box.run(['run', 'start', 'plan.md'])
  expect(done.code).toBe(5)
  expect(done.stderr).toContain('(store_unavailable)')
  expect(existsSync(box.path('checkpoints'))).toBe(false)
})

test('a home inside the workspace is refused', () => {
  const box = sandbox()
  writeFileSync(box.path('plan.md'), PLAN)
  const done = box.run(['run', 'start', 'plan.md'], { env: { SAVEPOINT_HOME: box.path('.savepoint') } })
  expect(done.code).toBe(7)
  expect(done.stderr).toContain('(home_inside_workspace)')
  expect(existsSync(box.path('.savepoint'))).toBe(false)
})

test('the store is private to its user', () => {
  const box = sandbox()
  box.start()
  expect(statSync(box.home).mode & 0o777).toBe(0o700)
  for (const name of readdirSync(box.home)) {
    const found = statSync(join(box.home, name))
    expect([name, found.mode & 0o077]).toEqual([name, 0])
  }
})

test('output into a pipe that nobody reads is no failure', async () => {
  const box = sandbox()
  box.start()
  for (const words of [['run', 'list'], ['run', 'show', 'r1', '--json'], ['--help']]) {
    const child = spawn(process.execPath, [cliPath, ...words], { cwd: box.repo, env: box.env })
    child.stdout.destroy()
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    const code = await new Promise((resolve) => child.once('close', resolve))
    expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: '' })
  }
})

test('a save whose output nobody reads is saved all the same [004.25]', async () => {
  const box = sandbox()
  box.start()
  box.json(['run', 'step', 'r1', 's1', 'in_progress'])
  const child = spawn(process.execPath, [cliPath, 'run', 'step', 'r1', 's1', 'done'], {
    cwd: box.repo,
    env: box.env,
  })
  child.stdout.destroy()
  await new Promise((resolve) => child.once('close', resolve))
  expect(box.readJson('checkpoints', 'r1', 'latest.json').step_state.step_status).toBe('done')
})

test('a run is found from a folder below the workspace', () => {
  const box = sandbox()
  box.start()
  mkdirSync(box.path('deep', 'down'), { recursive: true })
  expect(box.json(['run', 'show', 'r1'], { cwd: box.path('deep', 'down') })).toMatchObject({ runId: 'r1' })
  expect(existsSync(box.path('deep', 'down', 'checkpoints'))).toBe(false)
})

test('a run of one repository is not seen from another', () => {
  const box = sandbox()
  box.start()
  const other = join(box.root, 'other')
  mkdirSync(other)
  spawnSync('git', ['init', '--quiet', other], { env: box.env })
  expect(box.json(['run', 'list'], { cwd: other })).toMatchObject({ runs: [] })
})

test('a settings file that cannot be read is named, with exit 2', () => {
  const box = sandbox()
  writeFileSync(box.path('.agents.yml'), 'session: { policy_profile: "../x" }\n')
  const done = box.run(['run', 'list'])
  expect(done.code).toBe(2)
  expect(done.stderr).toContain('.agents.yml')
  expect(done.stderr).toContain('(config_invalid)')
})

test('a repository cannot shorten the history of its user', () => {
  const box = sandbox()
  writeFileSync(box.path('.agents.yml'), 'session: { snapshots_per_run: 1, snapshot_days: 1 }\n')
  box.start()
  for (const state of ['in_progress', 'done']) box.json(['run', 'step', 'r1', 's1', state])
  box.json(['run', 'prune'])
  expect(readdirSync(box.path('checkpoints', 'r1', 'history'))).toHaveLength(3)
})

test('a secret in a plan is not copied into files and database', () => {
  const box = sandbox()
  const secret = ['gh', 'p_', 'Z9y8X7w6V5u4T3s2R1q0'].join('')
  writeFileSync(box.path('plan.md'), `- [ ] s1: log in with ${secret}\n`)
  box.json(['run', 'start', 'plan.md', '--run-id', 'r1'])
  expect(box.read('checkpoints', 'r1', 'latest.json')).not.toContain(secret)
  for (const name of ['savepoint.db', 'savepoint.db-wal']) {
    const file = join(box.home, name)
    if (existsSync(file)) expect(readFileSync(file, 'latin1').includes(secret), name).toBe(false)
  }
})
