import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { asNobody, canBeNobody, NOBODY } from '../support/nobody.ts'
import { PLAN, type Sandbox, sandbox } from '../support/sandbox.ts'
import { committed, runsAt, startAt, tree } from './places.ts'

function refusal(box: Sandbox, env: NodeJS.ProcessEnv): unknown {
  writeFileSync(box.path('plan.md'), PLAN)
  const { code, stdout } = box.run(['run', 'start', 'plan.md', '--run-id', 'r1', '--json'], { env })
  return { code, ...JSON.parse(stdout) }
}

describe('the home', () => {
  test.each(['resume', 'status', 'list'])('that cannot be looked into is not an empty one: %s', (verb) => {
    const box = sandbox()
    symlinkSync(box.home, box.home)
    const done = box.run([verb])
    expect(done.code).toBe(5)
    expect(done.stderr).toContain('(store_unavailable)')
    expect(done.stdout).toBe('')
  })

  test.skipIf(!canBeNobody)('that its user may not read is not an empty one', () => {
    const box = sandbox()
    expect(box.run(['save', 'Login']).code).toBe(0)
    chownSync(box.home, NOBODY, NOBODY)
    chmodSync(box.home, 0)
    const done = asNobody(box, ['resume'])
    expect(done.code).not.toBe(0)
    expect(done.stderr).toContain('(store_unavailable)')
    expect(done.stdout).toBe('')
  })

  test.each(['nothing', 'a file'])('with %s in its place is an empty one to whoever reads', (there) => {
    const box = sandbox()
    if (there === 'a file') writeFileSync(box.home, '')
    expect(box.run(['resume'])).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing') })
  })

  test('inside the workspace is refused, and nothing is made there', () => {
    const box = sandbox()
    const home = box.path('deep', 'home')
    expect(refusal(box, { SAVEPOINT_HOME: home })).toMatchObject({
      code: 7,
      reason: 'home_inside_workspace',
    })
    expect(existsSync(box.path('deep'))).toBe(false)
  })

  test('that is the workspace itself is refused', () => {
    const box = sandbox()
    expect(refusal(box, { SAVEPOINT_HOME: box.repo })).toMatchObject({ reason: 'home_inside_workspace' })
  })

  test('inside the workspace by way of a link is refused', () => {
    const box = sandbox()
    const link = join(box.root, 'link')
    symlinkSync(box.repo, link)
    for (const home of [link, join(link, 'deep', 'home')])
      expect(refusal(box, { SAVEPOINT_HOME: home })).toMatchObject({ reason: 'home_inside_workspace' })
    expect(existsSync(box.path('deep'))).toBe(false)
  })

  test('whose name only begins like the workspace is not inside it', () => {
    const box = sandbox()
    expect(refusal(box, { SAVEPOINT_HOME: `${box.repo}-home` })).toMatchObject({ code: 0, ok: true })
  })

  test('that others may write to is refused', () => {
    const box = sandbox()
    for (const mode of [0o777, 0o720, 0o702]) {
      const home = join(box.root, `home-${mode}`)
      mkdirSync(home)
      chmodSync(home, mode)
      expect(refusal(box, { SAVEPOINT_HOME: home })).toMatchObject({ code: 7, reason: 'home_insecure' })
      expect(readdirSync(home)).toEqual([])
    }
  })

  test('is made private', () => {
    const box = sandbox()
    box.start()
    expect(statSync(box.home).mode & 0o777).toBe(0o700)
    for (const entry of tree(box.home)) expect(statSync(entry).mode & 0o077, entry).toBe(0)
  })
})

describe('reading', () => {
  test('creates nothing, in the home or in the repository', () => {
    const box = sandbox()
    const before = tree(box.root)
    expect(runsAt(box)).toEqual([])
    for (const args of [
      ['run', 'verify'],
      ['run', 'show', 'nobody'],
    ])
      box.run(args)
    expect(tree(box.root)).toEqual(before)
  })

  test('gives a repository no id, also where the store exists', () => {
    const box = sandbox()
    box.start()
    const other = join(box.root, 'other')
    mkdirSync(other)
    spawnSync('git', ['init', '--quiet'], { cwd: other, env: box.env })
    const before = tree(other)
    expect(runsAt(box, other)).toEqual([])
    expect(tree(other)).toEqual(before)
  })
})

describe('.git/info/exclude', () => {
  const lines = (box: Sandbox) => box.read('.git/info/exclude').split('\n')

  test('hides a run from git, once, and keeps what is there', () => {
    const box = sandbox()
    mkdirSync(box.path('.git/info'), { recursive: true })
    writeFileSync(box.path('.git/info/exclude'), '# mine\n*.log')
    box.start()
    box.json(['run', 'step', 'r1', 's1', 'in_progress'])
    box.start('r2')
    expect(lines(box)).toEqual(['# mine', '*.log', '/checkpoints/r1/', '/checkpoints/r2/', ''])
    rmSync(box.path('plan.md'))
    expect(box.git('status', '--porcelain')).toBe('')
  })

  test('is made where git made none', () => {
    const box = sandbox()
    rmSync(box.path('.git/info'), { recursive: true, force: true })
    box.start()
    expect(lines(box)).toEqual(['/checkpoints/r1/', ''])
  })

  test('of the repository serves its worktrees', () => {
    const box = committed()
    const linked = join(box.root, 'linked')
    box.git('worktree', 'add', '--quiet', linked)
    startAt(box, linked, 'r1')
    rmSync(join(linked, 'plan.md'))
    expect(box.git('-C', linked, 'status', '--porcelain')).toBe('')
  })

  test('is left alone where the settings say that runs are tracked', () => {
    const box = sandbox()
    const before = readFileSync(box.path('.git/info/exclude'), 'utf8')
    writeFileSync(box.path('.agents.yml'), 'session:\n  track_runs: true\n')
    box.start()
    expect(box.read('.git/info/exclude')).toBe(before)
    expect(box.git('status', '--porcelain', '-uall')).toContain('checkpoints/r1/latest.json')
  })
})
