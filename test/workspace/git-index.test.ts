import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isTracked, moveInIndex } from '../../src/workspace/git-index.ts'
import { locateWorkspace } from '../../src/workspace/locate.ts'
import { sandbox } from '../support/sandbox.ts'
import { commit, forked, put, type Repository, repository, stopped } from './repository.ts'

const index = (box: Repository) => box.git('ls-files', '--stage', '-z').split('\0').slice(0, -1)

describe('a tracked file', () => {
  test('is one in the index, by its exact name', async () => {
    const box = repository()
    commit(box, { 'd/a.md': '1\n', '-x y"\n': '1\n' })
    put(box, 'new', '1\n')
    put(box, 'staged', '1\n')
    box.git('add', 'staged')
    const paths = ['d/a.md', '-x y"\n', 'staged', 'new', 'd', '*', 'd/a', 'nothing']
    const found = []
    for (const path of paths) if (await isTracked(box.place, path)) found.push(path)
    expect(found).toEqual(['d/a.md', '-x y"\n', 'staged'])
  })

  test('is one in conflict too, and none without git', async () => {
    const box = repository()
    forked(box)
    stopped(box, 'merge', 'side')
    expect(await isTracked(box.place, 'f.txt')).toBe(true)
    expect(await isTracked(locateWorkspace(sandbox({ git: false }).repo), 'f.txt')).toBe(false)
  })
})

describe('moving in the index', () => {
  test.each([
    ['active/a.md', 'archive/a.md'],
    ['-a b', '-c,"d"\n'],
    ['größe', ':(top)größe'],
  ])('%j to %j keeps mode and content, and the working tree', async (from, to) => {
    const box = repository()
    commit(box, { [from]: 'text\n', other: '1\n' })
    box.git('update-index', '--chmod=+x', '--', from)
    const entry = index(box).find((line) => line.endsWith(`\t${from}`)) ?? ''
    put(box, from, 'changed meanwhile\n')
    expect(await moveInIndex(box.place, from, to)).toBe('moved')
    expect(index(box)).toContain(entry.replace(`\t${from}`, () => `\t${to}`))
    expect(index(box)).toHaveLength(2)
    expect(box.read(from)).toBe('changed meanwhile\n')
    const before = index(box)
    expect(await moveInIndex(box.place, from, to)).toBe('moved')
    expect(index(box)).toEqual(before)
  })

  test('shows as a rename once the file has moved as well', async () => {
    const box = repository()
    commit(box, { 'a.md': 'text\n' })
    renameSync(box.path('a.md'), box.path('b.md'))
    expect(await moveInIndex(box.place, 'a.md', 'b.md')).toBe('moved')
    expect(box.git('status', '--porcelain')).toBe('R  a.md -> b.md\n')
  })

  test('of an untracked file changes nothing', async () => {
    const box = repository()
    put(box, 'a', '1\n')
    expect(await moveInIndex(box.place, 'a', 'b')).toBe('untracked')
    expect(await moveInIndex(locateWorkspace(sandbox({ git: false }).repo), 'a', 'b')).toBe('untracked')
    expect(index(box)).toEqual([])
  })

  test('says that a lock is held, and works once it is gone', async () => {
    const box = repository()
    commit(box, { a: '1\n' })
    put(box, '.git/index.lock', '')
    expect(await moveInIndex(box.place, 'a', 'b')).toEqual({
      problem: 'another git command is running (index.lock exists)',
    })
    rmSync(box.path('.git', 'index.lock'))
    expect(await moveInIndex(box.place, 'a', 'b')).toBe('moved')
  })

  test('refuses a conflict, an intent to add, and what another file stands in the way of', async () => {
    const box = repository()
    commit(box, { a: '1\n', taken: '2\n', 'folder/below': '3\n', empty: '', twin: '1\n' })
    put(box, 'intent', '1\n')
    box.git('add', '--intent-to-add', 'intent')
    const before = index(box)
    for (const [from, to] of [
      ['intent', 'b'],
      ['a', 'taken'],
      ['a', 'folder'],
      ['a', 'taken/below'],
    ] as const)
      expect(await moveInIndex(box.place, from, to)).toEqual({ problem: expect.stringMatching(/\w/) })
    expect(index(box)).toEqual(before)
    expect(await moveInIndex(box.place, 'empty', 'still-empty')).toBe('moved')
    expect(await moveInIndex(box.place, 'a', 'twin')).toBe('moved')
    expect(await isTracked(box.place, 'a')).toBe(false)
    forked(box)
    stopped(box, 'merge', 'side')
    expect(await moveInIndex(box.place, 'f.txt', 'g.txt')).toEqual({
      problem: expect.stringContaining('conflict'),
    })
  })

  test('in a linked worktree is for its index alone', async () => {
    const box = repository()
    commit(box, { a: '1\n' })
    box.git('worktree', 'add', '--quiet', '-b', 'other', '../linked')
    const linked = locateWorkspace(join(box.root, 'linked'))
    expect(await moveInIndex(linked, 'a', 'b')).toBe('moved')
    expect([await isTracked(linked, 'b'), await isTracked(box.place, 'b')]).toEqual([true, false])
  })
})
