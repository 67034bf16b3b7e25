import { mkdirSync, rmSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dirtyFiles, isOurs } from '../../src/workspace/git-changes.ts'
import { locateWorkspace } from '../../src/workspace/locate.ts'
import { sandbox } from '../support/sandbox.ts'
import { commit, forked, put, type Repository, repository, stopped } from './repository.ts'

const LEDGER = '.agents/session_ledger.md'

/** One line a file. */
async function dirty(box: Repository, place = box.place): Promise<string[]> {
  const { files, total, problem } = await dirtyFiles(place, LEDGER)
  expect([problem, total]).toEqual([null, files.length])
  return files.map(({ path, action }) => `${path}: ${action}`)
}

describe('the uncommitted files', () => {
  test('are those changed, staged, added and removed, but not the ignored ones', async () => {
    const box = repository()
    const files = ['same', 'touched', 'changed', 'staged', 'both', 'gone', 'unstaged', 'kind', 'old']
    commit(box, Object.fromEntries(files.map((name) => [name, `${name}, a line long enough to be alike\n`])))
    commit(box, { '.gitignore': 'ignored\n' })
    for (const name of ['changed', 'staged', 'both']) put(box, name, '2\n')
    put(box, 'staged-new', '1\n')
    box.git('add', 'staged', 'both', 'staged-new')
    put(box, 'both', '3\n')
    box.git('mv', 'old', 'new')
    for (const name of ['gone', 'kind']) rmSync(box.path(name))
    symlinkSync('same', box.path('kind'))
    put(box, 'unstaged', '2\n')
    put(box, 'folder/untracked', '1\n')
    put(box, 'ignored', '1\n')
    utimesSync(box.path('touched'), 1, 1)
    expect(await dirty(box)).toEqual([
      'both: modified',
      'changed: modified',
      'folder/untracked: created',
      'gone: deleted',
      'kind: modified',
      'new: created',
      'old: deleted',
      'staged: modified',
      'staged-new: created',
      'unstaged: modified',
    ])
    expect(await dirty(box, locateWorkspace(box.path('folder')))).toHaveLength(10)
  })

  test('that left the index are modified while they are still there', async () => {
    const box = repository()
    commit(box, { kept: '1\n', hidden: '1\n', gone: '1\n', file: '1\n', '.gitignore': '' })
    commit(box, { '.gitignore': 'hidden\n' })
    box.git('rm', '--quiet', '--cached', 'kept', 'hidden', 'gone', 'file')
    for (const name of ['gone', 'file']) rmSync(box.path(name))
    put(box, 'file/below', '1\n')
    put(box, 'brief', '1\n')
    put(box, 'intent', '1\n')
    box.git('add', 'brief')
    box.git('add', '--intent-to-add', 'intent')
    rmSync(box.path('brief'))
    expect(await dirty(box)).toEqual([
      'brief: deleted',
      'file: deleted',
      'file/below: created',
      'gone: deleted',
      'hidden: modified',
      'intent: created',
      'kept: modified',
    ])
  })

  test('during a conflict are what they are on the disk', async () => {
    const box = repository()
    forked(box)
    stopped(box, 'merge', 'side')
    expect(await dirty(box)).toEqual(['f.txt: modified'])
    rmSync(box.path('f.txt'))
    expect(await dirty(box)).toEqual(['f.txt: deleted'])
  })

  test('are those of this worktree: none of a repository inside, a submodule or another worktree', async () => {
    const box = repository()
    commit(box, { a: '1\n' })
    box.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', box.repo, 'module')
    commit(box, {})
    put(box, 'module/a', '2\n')
    mkdirSync(box.path('inner'))
    box.git('-C', 'inner', 'init', '--quiet')
    put(box, 'inner/file', '1\n')
    box.git('worktree', 'add', '--quiet', '-b', 'feature/other', '../a linked one')
    put(box, 'a', '2\n')
    expect(await dirty(box)).toEqual(['a: modified'])
    expect(await dirty(box, locateWorkspace(join(box.root, 'a linked one')))).toEqual([])
    expect(await dirty(box, locateWorkspace(box.path('module')))).toEqual(['a: modified'])
  })

  test('are every file before the first commit, and the same with HEAD detached', async () => {
    const box = repository()
    put(box, 'a', '1\n')
    put(box, 'b', '1\n')
    box.git('add', 'a')
    expect(await dirty(box)).toEqual(['a: created', 'b: created'])
    commit(box, {})
    box.git('checkout', '--quiet', '--detach')
    expect(await dirty(box)).toEqual([])
    put(box, 'b', '2\n')
    expect(await dirty(box)).toEqual(['b: modified'])
  })

  test('are listed up to 200, and all counted', async () => {
    const box = repository()
    const names = Array.from({ length: 203 }, (_, n) => `f${String(n).padStart(3, '0')}`)
    for (const name of names.toReversed()) put(box, name, '')
    put(box, LEDGER, '')
    const { files, total, problem } = await dirtyFiles(box.place, LEDGER)
    expect([problem, total]).toEqual([null, 203])
    expect(files.map(({ path }) => path)).toEqual(names.slice(0, 200))
  })

  test('are never our own', async () => {
    const box = repository()
    commit(box, { 'checkpoints/active/old.md': '1\n', '.claude/state-index.json': '{}\n' })
    put(box, '.claude/state-index.json', '{"a": 1}\n')
    put(box, 'checkpoints/active/new.md', '1\n')
    rmSync(box.path('checkpoints/active/old.md'))
    put(box, 'checkpoints/notes.md', '1\n')
    put(box, 'docs/ledger.md', '1\n')
    put(box, LEDGER, '1\n')
    expect(await dirty(box)).toEqual(['checkpoints/notes.md: created', 'docs/ledger.md: created'])
    const other = await dirtyFiles(box.place, 'docs/ledger.md')
    expect(other.files.map(({ path }) => path)).toEqual([LEDGER, 'checkpoints/notes.md'])
  })

  test('have any name', async () => {
    const box = repository()
    const base = commit(box, { '.keep': '' })
    const name = fc
      .string({ unit: fc.constantFrom(...' -"\'\\\n\t:*?[]!#ü漢é a.\u{1f600}'), minLength: 1, maxLength: 8 })
      .filter((text) => !/^\.{1,2}$/.test(text))
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(name, { minLength: 3, maxLength: 6 }), async (names) => {
        box.git('reset', '--quiet', '--hard', base)
        box.git('clean', '-ffdxq')
        const [first = '', second = '', ...rest] = names
        commit(box, { [first]: '1\n', [second]: '1\n' })
        rmSync(box.path(first))
        for (const path of [second, ...rest]) put(box, path, '2\n')
        const expected = [
          `${first}: deleted`,
          `${second}: modified`,
          ...rest.map((path) => `${path}: created`),
        ]
        expect((await dirty(box)).sort()).toEqual(expected.sort())
      }),
      { numRuns: 15 },
    )
  })

  test('come with the problem where git does not answer', async () => {
    expect(await dirtyFiles(locateWorkspace(sandbox({ git: false }).repo), LEDGER)).toEqual({
      files: [],
      total: 0,
      problem: 'not a git repository',
    })
  })
})

describe('a file', () => {
  test.each([
    'checkpoints/active/auth.md',
    'checkpoints/active/deep/er.md',
    'checkpoints/archive/auth.md',
    'checkpoints/LEARNINGS.md',
    'checkpoints/run-1/latest.json',
    'checkpoints/run-1/history/cp_20260131T120000Z_abc.json',
    'checkpoints/run-1/history/cp_20260131T120000Z_abc.json.gz',
    'checkpoints/run-1/set-aside/latest.json.0a1b2c',
    '.claude/checkpoints/20260131T120000Z.json',
    '.claude/plans/auth/checkpoints/20260131T120000Z.json',
    '.claude/state-index.json',
    '.agents/handoffs/2026-01-31-main-auth.md',
    'src/.a.ts.0a1b2c.savepoint-tmp',
    LEDGER,
  ])('%s is ours', (path) => {
    expect(isOurs(path, LEDGER)).toBe(true)
  })

  test.each([
    'checkpoints/readme.md',
    'checkpoints/active.md',
    'checkpoints/resnet/weights.pt',
    'checkpoints/resnet/history/loss.csv',
    'checkpoints/resnet/history/2026/a.json',
    'src/checkpoints/active/auth.md',
    'src/checkpoints/run-1/latest.json',
    '.claude/settings.json',
    '.claude/plans/auth/plan.md',
    '.claude/plans/a/b/checkpoints/x.json',
    'x/.claude/state-index.json',
    '.claude/state-index.json.bak',
    '.agents.yml',
    '.agents/handoffs.md',
    '.agents/session_ledger.md.bak',
    'a.savepoint-tmp/b',
  ])('%s is the user’s', (path) => {
    expect(isOurs(path, LEDGER)).toBe(false)
  })
})
