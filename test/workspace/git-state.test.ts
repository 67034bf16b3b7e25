import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commitOrigins } from '../../src/workspace/branch-log.ts'
import { runsPrograms } from '../../src/workspace/git-config.ts'
import { gitOperation, headOf, repositoryAround } from '../../src/workspace/git-state.ts'
import { locateWorkspace, type Place } from '../../src/workspace/locate.ts'
import { sandbox } from '../support/sandbox.ts'
import { commit, forked, put, repository, stopped, tellTale } from './repository.ts'

const madeHere = (place: Place, hash: string) => commitOrigins(place)(hash) === 'made'

describe('the operation under way', () => {
  test.each([
    ['merge', ['merge', 'side'], ['merge', '--abort']],
    ['rebase', ['rebase', 'side'], ['rebase', '--abort']],
    ['rebase', ['rebase', '--apply', 'side'], ['rebase', '--abort']],
    ['cherry-pick', ['cherry-pick', 'side'], ['cherry-pick', '--abort']],
  ] as const)('%s: git %j stopped by a conflict, until %j', (operation, begin, abort) => {
    const box = repository()
    forked(box)
    expect(gitOperation(box.place)).toBe(null)
    stopped(box, ...begin)
    expect(gitOperation(box.place)).toBe(operation)
    box.git(...abort)
    expect(gitOperation(box.place)).toBe(null)
  })

  test('revert', () => {
    const box = repository()
    forked(box)
    commit(box, { 'f.txt': 'later\n' })
    stopped(box, 'revert', 'HEAD~1')
    expect(gitOperation(box.place)).toBe('revert')
  })

  test('am', () => {
    const box = repository()
    forked(box)
    writeFileSync(join(box.root, 'patch'), box.git('format-patch', '-1', '--stdout', 'side'))
    stopped(box, 'am', join(box.root, 'patch'))
    expect(gitOperation(box.place)).toBe('am')
  })

  test('bisect', () => {
    const box = repository()
    forked(box)
    box.git('bisect', 'start', 'HEAD', 'HEAD~1')
    expect(gitOperation(box.place)).toBe('bisect')
  })

  test.each(['cherry-pick', 'revert'] as const)('a series of %s between two commits', (operation) => {
    const box = repository()
    commit(box, { a: '1\n' })
    for (const text of ['2\n', '3\n', '4\n']) commit(box, { a: text })
    const range = operation === 'revert' ? ['HEAD~2', 'HEAD~1'] : ['HEAD~3', 'HEAD~2']
    stopped(box, operation, ...range)
    put(box, 'a', 'settled\n')
    box.git('add', 'a')
    box.git('commit', '--quiet', '-m', 'settled')
    expect(existsSync(join(box.repo, '.git', 'CHERRY_PICK_HEAD'))).toBe(false)
    expect(gitOperation(box.place)).toBe(operation)
  })

  test('in a linked worktree is its own', () => {
    const box = repository()
    forked(box)
    box.git('worktree', 'add', '--quiet', '../linked', 'side')
    const linked = locateWorkspace(join(box.root, 'linked'))
    stopped(box, '-C', linked.root, 'merge', 'trunk')
    expect([gitOperation(linked), gitOperation(box.place)]).toEqual(['merge', null])
  })

  test('without git there is none', () => {
    const place = locateWorkspace(sandbox({ git: false }).repo)
    expect([gitOperation(place), headOf(place), madeHere(place, 'a'.repeat(40))]).toEqual([
      null,
      { branch: null, commit: null },
      false,
    ])
  })
})

describe('HEAD', () => {
  test('of a branch, loose and packed', () => {
    const box = repository()
    const first = commit(box, { a: '1\n' })
    box.git('branch', 'trunk-2')
    box.git('checkout', '--quiet', '-b', 'feature/größe')
    expect(headOf(box.place)).toEqual({ branch: 'feature/größe', commit: first })
    box.git('pack-refs', '--all')
    expect(existsSync(box.path('.git', 'refs', 'heads', 'feature'))).toBe(false)
    expect(headOf(box.place)).toEqual({ branch: 'feature/größe', commit: first })
    const second = commit(box, { a: '2\n' })
    expect(headOf(box.place)).toEqual({ branch: 'feature/größe', commit: second })
    box.git('checkout', '--quiet', 'trunk')
    expect(headOf(box.place)).toEqual({ branch: 'trunk', commit: first })
  })

  test('detached, and unborn', () => {
    const box = repository()
    expect(headOf(box.place)).toEqual({ branch: 'trunk', commit: null })
    const first = commit(box, { a: '1\n' })
    box.git('checkout', '--quiet', '--detach')
    expect(headOf(box.place)).toEqual({ branch: null, commit: first })
    box.git('checkout', '--quiet', '--orphan', 'fresh')
    expect(headOf(box.place)).toEqual({ branch: 'fresh', commit: null })
  })

  test('of a repository with longer hashes', () => {
    const box = repository('--object-format=sha256')
    const first = commit(box, { a: '1\n' })
    box.git('pack-refs', '--all')
    expect([first.length, headOf(box.place)]).toEqual([64, { branch: 'trunk', commit: first }])
    expect(madeHere(box.place, first)).toBe(true)
  })

  test('of a linked worktree: its own branch, from the refs of all', () => {
    const box = repository()
    const first = commit(box, { a: '1\n' })
    box.git('worktree', 'add', '--quiet', '-b', 'other', '../linked')
    commit(box, { a: '2\n' })
    expect(headOf(locateWorkspace(join(box.root, 'linked')))).toEqual({ branch: 'other', commit: first })
  })

  test('of a branch that is a symbolic ref, and of a circle of them', () => {
    const box = repository()
    const first = commit(box, { a: '1\n' })
    box.git('symbolic-ref', 'refs/heads/alias', 'refs/heads/trunk')
    box.git('symbolic-ref', 'HEAD', 'refs/heads/alias')
    expect(headOf(box.place)).toEqual({ branch: 'alias', commit: first })
    writeFileSync(box.path('.git', 'refs', 'heads', 'alias'), 'ref: refs/heads/alias\n')
    expect(headOf(box.place)).toEqual({ branch: 'alias', commit: null })
  })

  test.each([
    'ref: refs/heads/../../../secret',
    'ref: refs//x',
    'ref: ../secret',
    'ref: refs/heads/.invalid',
    'nonsense',
    '',
  ])('that says %j is nobody’s', (text) => {
    const box = repository()
    writeFileSync(join(box.root, 'secret'), `${'a'.repeat(40)}\n`)
    writeFileSync(box.path('.git', 'HEAD'), `${text}\n`)
    expect(headOf(box.place)).toEqual({ branch: null, commit: null })
  })

  test('with a pipe or a folder in the place of a ref is not waited for', () => {
    const box = repository()
    commit(box, { a: '1\n' })
    const ref = box.path('.git', 'refs', 'heads', 'trunk')
    rmSync(ref)
    spawnSync('mkfifo', [ref])
    expect(headOf(box.place)).toEqual({ branch: 'trunk', commit: null })
    rmSync(ref)
    mkdirSync(ref)
    expect(headOf(box.place)).toEqual({ branch: 'trunk', commit: null })
  })
})

describe('a commit made here', () => {
  test('is one of git commit, whichever way', () => {
    const box = repository()
    const initial = commit(box, { a: '1\n' })
    box.git('commit', '--quiet', '--amend', '-m', 'better')
    const amended = box.git('rev-parse', 'HEAD').trim()
    const next = commit(box, { a: '2\n' })
    const { trunk } = forked(box)
    expect([initial, amended, next, trunk].map((hash) => madeHere(box.place, hash))).toEqual(
      Array(4).fill(true),
    )
  })

  test('is none that was pulled, picked, rebased or applied', () => {
    const box = repository()
    commit(box, { a: '1\n' })
    box.git('clone', '--quiet', '.', '../clone')
    const theirs = commit(box, { b: 'theirs\n' }, 'commit: pretends\n\ncommit: again')
    const clone = locateWorkspace(join(box.root, 'clone'))
    box.git('-C', clone.root, 'pull', '--quiet')
    expect(headOf(clone).commit).toBe(theirs)
    expect(madeHere(clone, theirs)).toBe(false)

    const { trunk } = forked(box)
    for (const act of ['cherry-pick', 'rebase']) {
      box.git('reset', '--quiet', '--hard', trunk)
      stopped(box, act, 'side')
      put(box, 'f.txt', `${act}\n`)
      box.git('add', '--all')
      box.git('-c', 'core.editor=true', act, '--continue')
      expect([act, madeHere(box.place, headOf(box.place).commit ?? '')]).toEqual([act, false])
    }
  })

  test('is no merge, though it was concluded by hand, nor one that replaced it', () => {
    const box = repository()
    forked(box)
    stopped(box, 'merge', 'side')
    const merged = commit(box, { 'f.txt': 'both\n' })
    box.git('commit', '--quiet', '--amend', '-m', 'better')
    const amended = box.git('rev-parse', 'HEAD').trim()
    const next = commit(box, { 'f.txt': 'ours\n' })
    expect([merged, amended, next].map(commitOrigins(box.place))).toEqual(['arrived', 'arrived', 'made'])
  })

  test('stays one’s own however often it is amended, and another’s does too', () => {
    const box = repository()
    commit(box, { a: '1\n' })
    box.git('clone', '--quiet', '.', '../clone')
    const clone = locateWorkspace(join(box.root, 'clone'))
    commit(box, { b: 'theirs\n' })
    const there = (...args: string[]) =>
      box.git('-C', clone.root, '-c', 'user.name=C', '-c', 'user.email=c@example.org', ...args).trim()
    const amendedTwice = () => {
      for (const message of ['better', 'best'])
        there('commit', '--quiet', '--amend', '--allow-empty', '-m', message)
      return commitOrigins(clone)(there('rev-parse', 'HEAD'))
    }
    there('pull', '--quiet')
    expect(amendedTwice()).toBe('arrived')
    there('commit', '--quiet', '--allow-empty', '-m', 'mine')
    expect(amendedTwice()).toBe('made')
  })

  test('is not one that a rebase or a revert made, of which that is said', () => {
    const box = repository()
    const { side } = forked(box)
    box.git('checkout', '--quiet', 'side')
    commit(box, { other: '1\n' })
    box.git('rebase', '--quiet', '--onto', 'trunk', side)
    expect(commitOrigins(box.place)(headOf(box.place).commit ?? '')).toBe('replayed')
    box.git('revert', '--no-edit', 'HEAD')
    expect(commitOrigins(box.place)(headOf(box.place).commit ?? '')).toBe('replayed')
  })

  test('counts in every worktree, and a commit only named as the old one in none', () => {
    const box = repository()
    const first = commit(box, { a: '1\n' })
    box.git('worktree', 'add', '--quiet', '--detach', '../linked')
    expect(madeHere(locateWorkspace(join(box.root, 'linked')), first)).toBe(true)
    const old = 'a'.repeat(40)
    const log = box.path('.git', 'logs', 'HEAD')
    appendFileSync(log, `${old} ${'b'.repeat(40)} A <a@b> 1 +0000\tcommit: x ${old} y\tcommit: z\n`)
    expect([madeHere(box.place, old), madeHere(box.place, 'b'.repeat(40))]).toEqual([false, true])
  })

  test('is found in the last 4 MB of the reflog, and not read for beyond', () => {
    const box = repository()
    const first = commit(box, { a: '1\n' })
    const line = `${'c'.repeat(40)} ${'d'.repeat(40)} A <a@b> 1 +0000\tcheckout: ${'x'.repeat(900)}\n`
    appendFileSync(box.path('.git', 'logs', 'HEAD'), line.repeat(Math.ceil((4 * 1024 * 1024) / line.length)))
    const last = commit(box, { a: '2\n' })
    expect([madeHere(box.place, first), madeHere(box.place, last)]).toEqual([false, true])
  })

  test('is none without a reflog', () => {
    const box = repository()
    const first = commit(box, { a: '1\n' })
    rmSync(box.path('.git', 'logs'), { recursive: true })
    expect(madeHere(box.place, first)).toBe(false)
  })
})

test('a repository inside is found by its `.git`, be it a folder or a file', () => {
  const box = repository()
  put(box, 'a/b/c.md', '1\n')
  put(box, '.gitignore', '')
  expect(repositoryAround(box.place, 'a/b/c.md')).toBe(null)
  put(box, 'a/b/.git', 'gitdir: elsewhere\n')
  expect(['c.md', 'a/c.md', 'a/b/c.md'].map((path) => repositoryAround(box.place, path))).toEqual([
    null,
    null,
    'a/b',
  ])
  mkdirSync(box.path('a', '.git'))
  expect(repositoryAround(box.place, 'a/b/c.md')).toBe('a')
})

test('nothing of a hostile repository runs while its state is read', () => {
  const box = repository()
  const { program, trace } = tellTale(box, 'program')
  commit(box, { a: '1\n', '.gitattributes': '* filter=evil\n' })
  box.git('config', 'filter.evil.clean', program)
  box.git('config', 'core.fsmonitor', program)
  put(box, 'a', '2\n')
  const { commit: head } = headOf(box.place)
  expect(madeHere(box.place, head ?? '')).toBe(true)
  expect([gitOperation(box.place), runsPrograms(box.place), existsSync(trace)]).toEqual([null, true, false])
  box.git('status')
  expect(existsSync(trace)).toBe(true)
})
