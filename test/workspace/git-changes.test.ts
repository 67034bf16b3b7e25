import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { listChangedSince } from '../../src/workspace/git-changes.ts'
import { locateWorkspace } from '../../src/workspace/locate.ts'
import { sandbox } from '../support/sandbox.ts'
import { commit, forked, put, type Repository, repository, stopped } from './repository.ts'

/** One line a change. */
async function changes(
  box: Repository,
  from: string | null,
  sinceMs = 0,
  place = box.place,
): Promise<string[]> {
  const found = await listChangedSince(place, from, sinceMs)
  expect(found.problem).toBe(null)
  return found.changes.map(({ path, action, description }) => `${path}: ${action}, ${description}`)
}

const YEAR_2001 = 978_307_200

describe('what changed since a commit', () => {
  test('is what was committed, staged, changed, added and removed', async () => {
    const box = repository()
    const lines = Array.from({ length: 20 }, (_, n) => `${n}\n`)
    const base = commit(box, {
      same: '1\n',
      changed: lines.join(''),
      gone: '1\n2\n',
      'removed-in-commit': '1\n',
      image: Buffer.from([0, 1]),
      '.gitignore': 'ignored\n',
    })
    rmSync(box.path('removed-in-commit'))
    commit(box, { 'made-in-commit': '1\n', same: '1\n' })
    put(box, 'changed', `${lines.slice(3).join('')}x\n`)
    put(box, 'image', Buffer.from([0, 2]))
    put(box, 'staged', '1\n')
    box.git('add', 'staged')
    put(box, 'new/file', '1\n')
    put(box, 'ignored', '1\n')
    rmSync(box.path('gone'))
    expect(await changes(box, base)).toEqual([
      'changed: modified, +1 -3',
      'gone: deleted, +0 -2',
      'image: modified, binary',
      'made-in-commit: created, new file',
      'new/file: created, new file',
      'removed-in-commit: deleted, +0 -1',
      'staged: created, new file',
    ])
    const uncommitted = ['changed', 'gone', 'image', 'new/file', 'staged']
    const names = (found: string[]) => found.map((line) => line.split(':')[0])
    expect(names(await changes(box, null))).toEqual(uncommitted)
    expect(names(await changes(box, 'f'.repeat(40)))).toEqual(uncommitted)
    expect(names(await changes(box, '--output=x'))).toEqual(uncommitted)
  })

  test('leaves out what was dirty before already', async () => {
    const box = repository()
    const base = commit(box, {
      dirty: '1\n',
      committed: '1\n',
      recent: '1\n',
      'd/gone': '1\n',
      'e/gone': '1\n',
    })
    for (const name of ['dirty', 'recent', 'untracked', 'untracked-recent']) put(box, name, '2\n')
    commit(box, {}, 'nothing')
    box.git('reset', '--quiet', base)
    box.git('add', 'dirty')
    put(box, 'committed', '2\n')
    box.git('commit', '--quiet', '-m', 'one', 'committed')
    for (const name of ['d/gone', 'e/gone']) rmSync(box.path(name))
    for (const name of ['dirty', 'committed', 'untracked', 'd'])
      utimesSync(box.path(name), YEAR_2001, YEAR_2001)
    expect(await changes(box, base, (YEAR_2001 + 1) * 1_000)).toEqual([
      'committed: modified, +1 -1',
      'e/gone: deleted, +0 -1',
      'recent: modified, +1 -1',
      'untracked-recent: created, new file',
    ])
    expect(await changes(box, base, YEAR_2001 * 1_000)).toHaveLength(7)
  })

  test('is nothing where a file only got new time stamps, or went back to what it was', async () => {
    const box = repository()
    const base = commit(box, { a: '1\n', image: Buffer.from([0, 1]) })
    commit(box, { a: '2\n' })
    put(box, 'a', '1\n')
    for (const name of ['a', 'image']) utimesSync(box.path(name), YEAR_2001, YEAR_2001)
    expect(await changes(box, base)).toEqual([])
  })

  test('knows files that are no longer tracked, of another mode or of another kind', async () => {
    const box = repository()
    const base = commit(box, { untracked: '1\n', mode: '1\n', kind: '1\n', 'folder/a': '1\n', file: '1\n' })
    box.git('rm', '--quiet', '--cached', 'untracked')
    chmodSync(box.path('mode'), 0o755)
    rmSync(box.path('kind'))
    symlinkSync('mode', box.path('kind'))
    rmSync(box.path('folder'), { recursive: true })
    put(box, 'folder', 'now a file\n')
    rmSync(box.path('file'))
    put(box, 'file/below', '1\n')
    expect(await changes(box, base)).toEqual([
      'file: deleted, +0 -1',
      'file/below: created, new file',
      'folder: created, new file',
      'folder/a: deleted, +0 -1',
      'kind: modified, +1 -1',
      'mode: modified, mode changed',
      'untracked: modified, no longer tracked',
    ])
  })

  test('in a repository without a commit is every file', async () => {
    const box = repository()
    put(box, 'a', '1\n')
    put(box, 'b', '1\n')
    box.git('add', 'a')
    expect(await changes(box, null)).toEqual(['a: created, new file', 'b: created, new file'])
    const base = commit(box, {})
    box.git('checkout', '--quiet', '--orphan', 'fresh')
    rmSync(box.path('b'))
    expect(await changes(box, base)).toEqual(['b: deleted, +0 -1'])
  })

  test('with a rename is the old path and the new one', async () => {
    const box = repository()
    const base = commit(box, { old: 'a long enough line to be alike\n' })
    box.git('mv', 'old', 'new')
    expect(await changes(box, base)).toEqual(['new: created, new file', 'old: deleted, +0 -1'])
    expect(await changes(box, base, 0)).toHaveLength(2)
  })

  test('does not see line endings that git would not commit', async () => {
    const box = repository()
    const base = commit(box, { a: 'one\ntwo\n' })
    box.git('config', 'core.autocrlf', 'true')
    put(box, 'a', 'one\r\ntwo\r\n')
    expect(await changes(box, base)).toEqual([])
  })

  test('does not look into repositories inside, nor at those of another worktree', async () => {
    const box = repository()
    const base = commit(box, { a: '1\n' })
    mkdirSync(box.path('inner'))
    box.git('-C', 'inner', 'init', '--quiet')
    put(box, 'inner/file', '1\n')
    box.git('worktree', 'add', '--quiet', '-b', 'other', '../linked')
    put(box, 'a', '2\n')
    expect(await changes(box, base)).toEqual(['a: modified, +1 -1'])
    expect(await changes(box, base, 0, locateWorkspace(join(box.root, 'linked')))).toEqual([])
  })

  test('during a conflict is the file as it stands', async () => {
    const box = repository()
    const { trunk } = forked(box)
    stopped(box, 'merge', 'side')
    expect(await changes(box, trunk)).toEqual(['f.txt: modified, +4 -0'])
    rmSync(box.path('f.txt'))
    expect((await changes(box, trunk)).map((line) => line.split(',')[0])).toEqual(['f.txt: deleted'])
  })

  test('says where it cannot be told', async () => {
    const found = await listChangedSince(locateWorkspace(sandbox({ git: false }).repo), null, 0)
    expect(found).toEqual({ changes: [], problem: 'not a git repository' })
  })

  test('names files by any name, committed, changed or new', async () => {
    const box = repository()
    const base = commit(box, { '.keep': '' })
    const name = fc
      .string({ unit: fc.constantFrom(...' -"\'\\\n\t:*?[]!#ü漢é a.'), minLength: 1, maxLength: 8 })
      .filter((text) => !/^\.{1,2}$/.test(text))
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(name, { minLength: 3, maxLength: 6 }), async (names) => {
        box.git('reset', '--quiet', '--hard', base)
        box.git('clean', '-ffdxq')
        const [first = '', second = '', ...rest] = names
        commit(box, { [first]: '1\n', [second]: '1\n' })
        put(box, second, '1\n2\n')
        for (const path of rest) put(box, path, '1\n')
        const { changes, problem } = await listChangedSince(box.place, base, 0)
        expect(problem).toBe(null)
        const expected = names.map((path) => ({ path, action: 'created', description: 'new file' }))
        expect(changes).toEqual(expected.sort((a, b) => (a.path < b.path ? -1 : 1)))
      }),
      { numRuns: 15 },
    )
  })

  test('follows a file that was moved away and back', async () => {
    const box = repository()
    const base = commit(box, { a: '1\n' })
    renameSync(box.path('a'), box.path('b'))
    commit(box, {})
    renameSync(box.path('b'), box.path('a'))
    expect(await changes(box, base)).toEqual(['a: modified, no longer tracked'])
    box.git('add', '--all')
    expect(await changes(box, base)).toEqual([])
  })
})
