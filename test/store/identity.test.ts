import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { identifyWorkspace, readIdentity } from '../../src/workspace/identity.ts'
import { locateWorkspace } from '../../src/workspace/locate.ts'
import { testPorts } from '../support/ports.ts'
import { cliPath, PLAN, type Sandbox, sandbox } from '../support/sandbox.ts'
import { committed, runsAt, startAt, tree } from './places.ts'

const idsAt = (path: string) => readIdentity(locateWorkspace(path))

describe('moving and copying', () => {
  test('a moved directory keeps its runs, and publishes where it is now', () => {
    const box = sandbox()
    box.start()
    const moved = join(box.root, 'moved')
    renameSync(box.repo, moved)
    expect(runsAt(box, moved)).toEqual(['r1'])
    const saved = box.json(['run', 'step', 'r1', 's1', 'in_progress'], { cwd: moved })
    expect(saved).toMatchObject({ sequence: 2, files: 'published' })
    expect(existsSync(join(moved, String(saved.history)))).toBe(true)
    expect(existsSync(box.repo)).toBe(false)
  })

  test('a copy has runs of its own, and the original keeps its runs', () => {
    const box = sandbox()
    box.start()
    const copy = join(box.root, 'copy')
    cpSync(box.repo, copy, { recursive: true })
    startAt(box, copy, 'theirs')
    expect(runsAt(box, copy)).toEqual(['theirs'])
    expect(runsAt(box)).toEqual(['r1'])
    expect(idsAt(copy)?.repository).not.toBe(idsAt(box.repo)?.repository)
    expect(idsAt(copy)?.workspace).not.toBe(idsAt(box.repo)?.workspace)
  })

  test('a copy knows its original’s runs by their folders alone, before anything is written in it', () => {
    const box = sandbox()
    box.start()
    const copy = join(box.root, 'copy')
    cpSync(box.repo, copy, { recursive: true })
    expect(runsAt(box, copy)).toEqual([])
    expect(runsAt(box, copy, 'disk')).toEqual(['r1'])
    expect(runsAt(box)).toEqual(['r1'])
  })

  test('a save in a copy never reaches the run of the original', () => {
    const box = sandbox()
    box.start()
    const copy = join(box.root, 'copy')
    cpSync(box.repo, copy, { recursive: true })
    const before = tree(box.path('checkpoints'))
    const { code, stdout } = box.run(['run', 'save', 'r1', '--json'], { cwd: copy })
    expect(code).toBe(6)
    expect(JSON.parse(stdout)).toMatchObject({ reason: 'run_not_taken_in' })
    expect(tree(box.path('checkpoints'))).toEqual(before)
  })

  test('a copy whose original is gone is the original that moved', () => {
    const box = sandbox()
    box.start()
    const copy = join(box.root, 'copy')
    cpSync(box.repo, copy, { recursive: true })
    rmSync(box.repo, { recursive: true })
    expect(box.json(['run', 'step', 'r1', 's1', 'done'], { cwd: copy })).toMatchObject({ sequence: 2 })
    expect(runsAt(box, copy)).toEqual(['r1'])
  })
})

describe('worktrees', () => {
  test('share the repository and its runs, and are workspaces of their own', () => {
    const box = committed()
    box.start('main-run')
    const linked = join(box.root, 'linked')
    box.git('worktree', 'add', '--quiet', linked)
    startAt(box, linked, 'linked-run')
    expect(idsAt(linked)?.repository).toBe(idsAt(box.repo)?.repository)
    expect(idsAt(linked)?.workspace).not.toBe(idsAt(box.repo)?.workspace)
    for (const cwd of [box.repo, linked]) expect(runsAt(box, cwd)).toEqual(['linked-run', 'main-run'])
  })

  test('a run writes its files where it was started, whoever saves', () => {
    const box = committed()
    const linked = join(box.root, 'linked')
    box.git('worktree', 'add', '--quiet', linked)
    startAt(box, linked, 'r1')
    const saved = box.json(['run', 'step', 'r1', 's1', 'in_progress'])
    expect(existsSync(join(linked, String(saved.history)))).toBe(true)
    expect(existsSync(box.path('checkpoints'))).toBe(false)
  })

  test('a moved worktree keeps its workspace', () => {
    const box = committed()
    const linked = join(box.root, 'linked')
    const moved = join(box.root, 'moved')
    box.git('worktree', 'add', '--quiet', linked)
    startAt(box, linked, 'r1')
    const before = idsAt(linked)
    box.git('worktree', 'move', linked, moved)
    expect(idsAt(moved)).toEqual(before)
    const saved = box.json(['run', 'step', 'r1', 's1', 'in_progress'], { cwd: moved })
    expect(existsSync(join(moved, String(saved.history)))).toBe(true)
  })

  test('of a bare repository share it', () => {
    const box = committed()
    const bare = join(box.root, 'bare.git')
    box.git('clone', '--quiet', '--bare', box.repo, bare)
    const [one, two] = [join(box.root, 'one'), join(box.root, 'two')]
    box.git('-C', bare, 'worktree', 'add', '--quiet', '-b', 'one', one)
    box.git('-C', bare, 'worktree', 'add', '--quiet', '-b', 'two', two)
    startAt(box, one, 'r1')
    startAt(box, two, 'r2')
    expect(idsAt(one)?.repository).toBe(idsAt(two)?.repository)
    expect(idsAt(one)?.workspace).not.toBe(idsAt(two)?.workspace)
    expect(runsAt(box, two)).toEqual(['r1', 'r2'])
    expect(existsSync(join(bare, 'savepoint-id'))).toBe(true)
  })

  test('a submodule is a repository of its own', () => {
    const box = committed()
    const library = join(box.root, 'library')
    box.git('clone', '--quiet', box.repo, library)
    box.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib')
    box.start()
    startAt(box, box.path('lib'), 'inner')
    expect(runsAt(box)).toEqual(['r1'])
    expect(runsAt(box, box.path('lib'))).toEqual(['inner'])
    expect(existsSync(box.path('.git/modules/lib/savepoint-id'))).toBe(true)
  })
})

describe('without git', () => {
  test('a plain directory is known by its path, and nothing is put into it but the run', () => {
    const box = sandbox({ git: false })
    box.start()
    expect(runsAt(box)).toEqual(['r1'])
    expect(readdirSync(box.repo).toSorted()).toEqual(['checkpoints', 'plan.md'])
    expect(idsAt(box.repo)?.repository).toMatch(/^repo_path-/)
  })

  test('another path to the same directory is the same directory', () => {
    const box = sandbox({ git: false })
    box.start()
    const other = join(box.root, 'other-name')
    symlinkSync(box.repo, other)
    expect(runsAt(box, other)).toEqual(['r1'])
  })
})

describe('minting', () => {
  test('two processes at once agree on one id', { timeout: 60_000 }, async () => {
    const box = sandbox()
    writeFileSync(box.path('plan.md'), PLAN)
    const both = ['a', 'b', 'c', 'd'].map(
      (run) => box.spawn(['run', 'start', 'plan.md', '--run-id', run, '--json']).done,
    )
    for (const { code, stdout, stderr } of await Promise.all(both)) expect(code, stdout + stderr).toBe(0)
    expect(runsAt(box)).toEqual(['a', 'b', 'c', 'd'])
  })

  test('who comes second takes the id of the first', () => {
    const box = sandbox()
    const place = locateWorkspace(box.repo)
    const first = identifyWorkspace(place, [], testPorts())
    const ports = testPorts()
    ports.random(1)
    expect(identifyWorkspace(place, [], ports)).toEqual(first)
    rmSync(box.path('.git/savepoint-id-workspace'))
    const again = identifyWorkspace(place, [], ports)
    expect(again.repository).toBe(first.repository)
    expect(again.workspace).not.toBe(first.workspace)
  })

  test('an id file that holds nonsense is not an id', () => {
    const box = sandbox()
    for (const name of ['savepoint-id', 'savepoint-id-workspace'])
      writeFileSync(box.path('.git', name), '../../evil\n')
    expect(idsAt(box.repo)).toBeNull()
    box.start()
    expect(runsAt(box)).toEqual(['r1'])
  })

  test('a git folder that cannot be written falls back to the path', ({ skip }) => {
    const box = sandbox()
    writeFileSync(box.path('plan.md'), PLAN)
    mkdirSync(box.home, { mode: 0o700 })
    const user = giveAway(box)
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [cliPath, ...args, '--json'], {
        ...{ cwd: box.repo, env: box.env, encoding: 'utf8', ...user },
      })
    if (run('--version').status !== 0) skip('that user cannot run the program here')
    const started = run('run', 'start', 'plan.md', '--run-id', 'r1')
    expect(started.status, started.stdout + started.stderr).toBe(0)
    expect(existsSync(box.path('.git/savepoint-id'))).toBe(false)
    const saved = run('run', 'save', 'r1')
    expect(saved.status, saved.stdout).toBe(0)
    expect(JSON.parse(run('run', 'list').stdout).runs).toMatchObject([{ runId: 'r1' }])
  })
})

/** A user who may write everywhere but into `.git`; root may write anywhere, so another one is taken then. */
function giveAway(box: Sandbox): { uid?: number; gid?: number } {
  chmodSync(box.root, 0o755)
  if (process.getuid?.() !== 0) {
    chmodSync(box.path('.git'), 0o555)
    onTestFinished(() => chmodSync(box.path('.git'), 0o755))
    return {}
  }
  for (const path of [box.home, box.repo]) chownSync(path, 65534, 65534)
  return { uid: 65534, gid: 65534 }
}
