import { linkSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { authorsOf, isOnRemoteDefault } from '../../src/workspace/git-history.ts'
import { locateWorkspace } from '../../src/workspace/locate.ts'
import { authorOf, commit, forked, put, repository, stopped } from './repository.ts'

const ODD = [
  'with space',
  '-dash',
  'quo"te',
  'back\\slash',
  'new\nline',
  'tab\t',
  'größe/ü.md',
  ':(top)a',
  '*.md',
]

describe('the author of a file', () => {
  test('is of the last commit that touched it', async () => {
    const box = repository()
    const first = commit(box, { a: '1\n', b: '1\n' })
    box.git('config', 'user.name', 'Bøb "B" <x>\tO’Neil')
    box.git('config', 'user.email', 'bob@example.org')
    const second = commit(box, { b: '2\n' })
    commit(box, { c: '3\n' })
    expect(await authorOf(box.place, 'a')).toEqual({
      commit: first,
      author: 'Ann Author',
      email: 'ann@example.org',
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)$/),
    })
    expect(await authorOf(box.place, 'b')).toMatchObject({ commit: second, email: 'bob@example.org' })
    expect((await authorOf(box.place, 'b'))?.author).toContain('Bøb')
  })

  test('is nobody where it is changed, staged, untracked, removed, a link or unborn', async () => {
    const box = repository()
    put(box, 'a', '1\n')
    expect(await authorOf(box.place, 'a')).toBe(null)
    commit(box, { a: '1\n', staged: '1\n', gone: '1\n', d: '1\n' })
    put(box, 'a', '2\n')
    put(box, 'new', '1\n')
    put(box, 'staged', '2\n')
    box.git('add', 'staged')
    for (const name of ['gone', 'd']) rmSync(box.path(name))
    put(box, 'd/below', '1\n')
    symlinkSync('a', box.path('link'))
    box.git('add', 'link')
    box.git('commit', '--quiet', '-m', 'link', 'link')
    for (const path of ['a', 'new', 'staged', 'gone', 'd', 'd/below', 'a/below', 'link', '', '..'])
      expect([path, await authorOf(box.place, path)]).toEqual([path, null])
    expect((await authorsOf(box.place, ['a', 'gone'])).problem).toBe(null)
  })

  test('does not depend on what the index believes', async () => {
    const box = repository()
    commit(box, { a: '1\n' })
    box.git('update-index', '--assume-unchanged', 'a')
    put(box, 'a', '2\n')
    expect(await authorOf(box.place, 'a')).toBe(null)
  })

  test('is known where only line endings or filters differ', async () => {
    const box = repository()
    const first = commit(box, { a: 'one\ntwo\n', 'odd\n"name': 'x\n', crlf: 'x\r\n' })
    box.git('config', 'core.autocrlf', 'true')
    put(box, 'a', 'one\r\ntwo\r\n')
    put(box, 'odd\n"name', 'x\r\n')
    const { authors, problem } = await authorsOf(box.place, ['a', 'odd\n"name', 'crlf'])
    expect([problem, [...authors.keys()].toSorted()]).toEqual([null, ['a', 'crlf', 'odd\n"name']])
    put(box, 'a', 'one\r\nTWO\r\n')
    expect(await authorOf(box.place, 'a')).toBe(null)
    box.git('config', 'core.autocrlf', 'false')
    put(box, 'a', 'one\r\ntwo\r\n')
    expect(await authorOf(box.place, 'a')).toMatchObject({ commit: first })
    put(box, 'a', 'one\ntwo\n')
    expect(await authorOf(box.place, 'a')).toMatchObject({ commit: first })
  })

  test.each([
    ['ident', 'x $Id: abc $\n'],
    ['text eol=crlf', 'x\r\ny\n'],
    ['working-tree-encoding=ISO-8859-1', 'gr\u00c3\u00bc\u00df\n'],
  ])('is known of a blob that git would not have committed so (%s)', async (attributes, text) => {
    const box = repository()
    put(box, 'f', text)
    const blob = box.git('hash-object', '-w', '--no-filters', 'f').trim()
    put(box, '.gitattributes', `f ${attributes}\n`)
    box.git('add', '.gitattributes')
    box.git('update-index', '--add', '--cacheinfo', `100644,${blob},f`)
    box.git('commit', '--quiet', '-m', 'odd')
    const odd = box.git('rev-parse', 'HEAD').trim()
    rmSync(box.path('f'))
    box.git('checkout', '--quiet', '--', 'f')
    const found = readFileSync(box.path('f'))
    expect(found.toString('utf8')).not.toBe(text)
    expect(await authorOf(box.place, 'f')).toMatchObject({ commit: odd })
    put(box, 'f', Buffer.concat([found, Buffer.from('mine\n')]))
    expect(await authorOf(box.place, 'f')).toBe(null)
  })

  test('is known of a file that git wrote by attributes that are gone since', async () => {
    const box = repository()
    put(box, 'f', 'x $Id: abc $\n')
    const blob = box.git('hash-object', '-w', '--no-filters', 'f').trim()
    put(box, '.gitattributes', 'f ident\n')
    box.git('add', '.gitattributes')
    box.git('update-index', '--add', '--cacheinfo', `100644,${blob},f`)
    box.git('commit', '--quiet', '-m', 'odd')
    const odd = box.git('rev-parse', 'HEAD').trim()
    rmSync(box.path('f'))
    box.git('checkout', '--quiet', '--', 'f')
    box.git('rm', '--quiet', '.gitattributes')
    box.git('commit', '--quiet', '-m', 'gone')
    expect(await authorOf(box.place, 'f')).toMatchObject({ commit: odd })
    put(box, 'f', 'x $Id: abc $ y $\n')
    expect(await authorOf(box.place, 'f')).toBe(null)
  })

  test('is known where the tree spells the name another way and the disk takes no notice', async () => {
    const box = repository()
    const first = commit(box, { 'Docs/A.md': 'one\n', 'Docs/b.md': 'one\n' })
    mkdirSync(box.path('docs'))
    // One file by two names, as a disk has it that takes no notice of case.
    linkSync(box.path('Docs', 'A.md'), box.path('docs', 'a.md'))
    put(box, 'docs/b.md', 'one\n')
    const { authors } = await authorsOf(box.place, ['docs/a.md', 'docs/b.md'])
    expect([...authors].map(([path, { commit }]) => [path, commit])).toEqual([['docs/a.md', first]])
  })

  test('is not looked for in a folder that is another repository', async () => {
    const box = repository()
    const first = commit(box, { 'd/a': '1\n' })
    box.git('update-index', '--add', '--cacheinfo', `160000,${first},sub`)
    box.git('commit', '--quiet', '-m', 'sub')
    put(box, 'sub/x/a', '1\n')
    const { authors, inside, problem } = await authorsOf(box.place, ['d/a', 'sub/x/a', 'subway'])
    expect([problem, [...authors.keys()], [...inside]]).toEqual([null, ['d/a'], [['sub/x/a', 'sub']]])
  })

  test('of many large files that were changed', { timeout: 60_000 }, async () => {
    const box = repository()
    const names = Array.from({ length: 12 }, (_, n) => `${n}.md`)
    commit(box, Object.fromEntries(names.map((name) => [name, `${name}\n`.repeat(400_000)])))
    for (const name of names) put(box, name, `${name}!\n`.repeat(300_000))
    expect(await authorsOf(box.place, names)).toMatchObject({ authors: new Map(), problem: null })
  })

  test('of a file with any name', async () => {
    const box = repository()
    const hashes = new Map(ODD.map((name) => [name, commit(box, { [name]: `${name}\n` })]))
    const { authors, problem } = await authorsOf(box.place, ODD)
    expect(problem).toBe(null)
    expect(new Map([...authors].map(([path, { commit }]) => [path, commit]))).toEqual(hashes)
  })

  test('of hundreds of files, each by its own commit', async () => {
    const box = repository()
    const all = Object.fromEntries(Array.from({ length: 450 }, (_, n) => [`d/${n}.md`, `${n}\n`]))
    const first = commit(box, all)
    const later = commit(box, { 'd/7.md': 'seven\n', 'd/440.md': 'x\n' })
    const last = commit(box, { 'd/440.md': 'y\n' })
    put(box, 'd/9.md', 'changed\n')
    const { authors } = await authorsOf(box.place, Object.keys(all))
    const found = ['d/0.md', 'd/7.md', 'd/9.md', 'd/440.md', 'd/449.md'].map(
      (path) => authors.get(path)?.commit,
    )
    expect([authors.size, ...found]).toEqual([449, first, later, undefined, last, first])
  })

  test('follows a merge to the side that it took, and to itself where it took neither', async () => {
    const box = repository()
    const { trunk } = forked(box)
    box.git('merge', '--quiet', '-s', 'ours', '-m', 'ours', 'side')
    commit(box, { other: '1\n' })
    const { authors } = await authorsOf(box.place, ['f.txt', 'other'])
    expect(authors.get('f.txt')?.commit).toBe(trunk)
    box.git('reset', '--quiet', '--hard', trunk)
    stopped(box, 'merge', 'side')
    const merged = commit(box, { 'f.txt': 'both\n' })
    expect(await authorOf(box.place, 'f.txt')).toMatchObject({ commit: merged })
  })

  test('is not of a newer change that a merge left behind, while it took another of the same commit', async () => {
    const box = repository()
    const { trunk } = forked(box)
    box.git('checkout', '--quiet', 'side')
    box.env.GIT_COMMITTER_DATE = '2099-01-01T00:00:00Z'
    const side = commit(box, { 'f.txt': 'newer\n', 'h.txt': 'h\n' })
    box.git('checkout', '--quiet', 'trunk')
    stopped(box, 'merge', 'side')
    commit(box, { 'f.txt': 'trunk\n' })
    const { authors } = await authorsOf(box.place, ['f.txt', 'h.txt'])
    expect([authors.get('f.txt')?.commit, authors.get('h.txt')?.commit]).toEqual([trunk, side])
  })

  test('is unknown where a shallow clone ends', async () => {
    const box = repository()
    commit(box, { a: '1\n' })
    const edge = commit(box, { b: '1\n' })
    const last = commit(box, { c: '1\n' })
    box.git('clone', '--quiet', '--depth=2', `file://${box.repo}`, '../shallow')
    const shallow = locateWorkspace(join(box.root, 'shallow'))
    expect(await authorOf(shallow, 'a')).toMatchObject({ commit: edge, author: 'unknown', email: '' })
    expect(await authorOf(shallow, 'c')).toMatchObject({ commit: last, author: 'Ann Author' })
  })

  test('in a linked worktree, in a repository with longer hashes', async () => {
    const box = repository('--object-format=sha256')
    const first = commit(box, { a: '1\n', crlf: '1\r\n' })
    box.git('worktree', 'add', '--quiet', '-b', 'other', '../linked')
    commit(box, { a: '2\n' })
    box.git('config', 'core.autocrlf', 'true')
    const linked = locateWorkspace(join(box.root, 'linked'))
    expect(await authorOf(linked, 'a')).toMatchObject({ commit: first })
    expect(await authorOf(linked, 'crlf')).toMatchObject({ commit: first })
  })
})

describe('a commit on the remote’s default branch', () => {
  function cloned(...options: string[]) {
    const box = repository()
    const first = commit(box, { a: '1\n' })
    box.git('clone', '--quiet', ...options, '.', '../clone')
    const clone = locateWorkspace(join(box.root, 'clone'))
    box.git('-C', clone.root, 'config', 'user.name', 'Cle')
    box.git('-C', clone.root, 'config', 'user.email', 'c@example.org')
    box.git('-C', clone.root, 'commit', '--quiet', '--allow-empty', '-m', 'mine')
    return { box, first, clone, mine: box.git('-C', clone.root, 'rev-parse', 'HEAD').trim() }
  }

  test.each([[[]], [['--origin=gh']]])(
    'is one that was fetched, not one of one’s own (%j)',
    async (options) => {
      const { first, clone, mine } = cloned(...options)
      expect(await isOnRemoteDefault(clone, first)).toBe(true)
      expect(await isOnRemoteDefault(clone, mine)).toBe(false)
    },
  )

  test('is none of a contributor’s remote, though the branch follows it', async () => {
    const { box, clone, first } = cloned()
    const theirs = commit(box, { evil: '1\n' })
    const there = (...args: string[]) => box.git('-C', clone.root, ...args)
    there('remote', 'add', '-f', 'contributor', box.repo)
    there('remote', 'set-head', 'contributor', 'trunk')
    there('checkout', '--quiet', '-b', 'look', 'contributor/trunk')
    expect(await isOnRemoteDefault(clone, theirs)).toBe(false)
    expect(await isOnRemoteDefault(clone, first)).toBe(true)
    there('remote', 'rename', 'contributor', 'upstream')
    there('remote', 'set-head', 'upstream', 'trunk')
    expect(await isOnRemoteDefault(clone, theirs)).toBe(true)
  })

  test('is none without a remote, without its HEAD, or that is no commit', async () => {
    const { box, first, clone } = cloned()
    expect(await isOnRemoteDefault(box.place, first)).toBe(false)
    for (const odd of ['HEAD', '--all', 'f'.repeat(40), ''])
      expect(await isOnRemoteDefault(clone, odd)).toBe(false)
    box.git('-C', clone.root, 'remote', 'set-head', 'origin', '--delete')
    expect(await isOnRemoteDefault(clone, first)).toBe(false)
  })
})
