import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fingerprintOf } from '../../src/workspace/fingerprint.ts'
import { sandbox } from '../support/sandbox.ts'
import { put } from './repository.ts'

const MIB = 1024 * 1024
const OTHER = { state: 'other' }
const ABSENT = { state: 'absent' }
const HELLO = { state: 'file', mark: '6-5891b5b522d5df08' }

function box() {
  const made = sandbox({ git: false })
  return Object.assign(made, { at: (path: string) => fingerprintOf(made.repo, path) })
}

describe('how a file looks', () => {
  test('is its size and the beginning of its digest, whatever its times', () => {
    const here = box()
    put(here, 'src/a.ts', 'hello\n')
    expect(here.at('src/a.ts')).toEqual(HELLO)
    utimesSync(here.path('src/a.ts'), 1, 1)
    expect(here.at('src/a.ts')).toEqual(HELLO)
    put(here, 'src/a.ts', 'hallo\n')
    expect(here.at('src/a.ts')).toMatchObject({ state: 'file', mark: expect.stringMatching(/^6-(?!5891)/) })
    put(here, 'empty', '')
    expect(here.at('empty')).toEqual({ state: 'file', mark: '0-e3b0c44298fc1c14' })
  })

  test('is its size and time beyond a mebibyte', () => {
    const here = box()
    put(here, 'large', Buffer.alloc(MIB))
    expect(here.at('large')).toEqual({ state: 'file', mark: '1048576-30e14955ebf13522' })
    truncateSync(here.path('large'), MIB + 1)
    utimesSync(here.path('large'), 1_700_000_000, 1_700_000_000.25)
    expect(here.at('large')).toEqual({ state: 'file', mark: '1048577-1700000000250' })
    truncateSync(here.path('large'), 5 * 1024 * MIB)
    utimesSync(here.path('large'), 2, 2)
    expect(here.at('large')).toEqual({ state: 'file', mark: '5368709120-2000' })
  })

  test('is the same by every spelling of a path, and any name will do', () => {
    const here = box()
    put(here, 'a b/ü "漢"\n.ts', 'hello\n')
    for (const path of ['a b/ü "漢"\n.ts', './a b/ü "漢"\n.ts', 'a b//./ü "漢"\n.ts'])
      expect(here.at(path)).toEqual(HELLO)
    put(here, '..a/b..', 'hello\n')
    expect(here.at('..a/b..')).toEqual(HELLO)
  })

  test('tells what is absent and what is a folder', () => {
    const here = box()
    put(here, 'folder/file', '1')
    for (const path of ['none', 'none/below', 'folder/none', 'folder/file/below'])
      expect(here.at(path), path).toEqual(ABSENT)
    for (const path of ['folder', 'folder/', './folder']) expect(here.at(path)).toEqual({ state: 'folder' })
  })

  test('is nothing where the path does not name something below the root', () => {
    const here = box()
    put(here, 'a', 'hello\n')
    put(here, '../outside', 'hello\n')
    const paths = ['', '.', './', '/', '..', '../outside', 'a/../../outside', 'x/..', `${here.repo}/a`]
    const tricks = ['a\0', 'a\0/b', '..\\outside', 'C:\\a', 'C:a', 'c:/a', '\\\\host\\share', '//host/share']
    for (const path of [...paths, ...tricks]) expect(here.at(path), path).toEqual(OTHER)
  })

  test('follows no link, in whatever part of the path', () => {
    const here = box()
    put(here, 'folder/file', 'hello\n')
    put(here, '../outside/file', 'hello\n')
    symlinkSync('folder/file', here.path('inner'))
    symlinkSync('folder', here.path('inner-folder'))
    symlinkSync('../outside', here.path('outer-folder'))
    symlinkSync(join(here.root, 'outside', 'file'), here.path('outer'))
    symlinkSync('nowhere', here.path('dangling'))
    symlinkSync('loop', here.path('loop'))
    const links = ['inner', 'inner-folder', 'outer', 'outer-folder', 'dangling', 'loop']
    for (const path of [...links, 'inner-folder/file', 'outer-folder/file', 'outer-folder/none', 'loop/a'])
      expect(here.at(path), path).toEqual(OTHER)
    linkSync(here.path('folder/file'), here.path('second-name'))
    expect(here.at('second-name')).toEqual(HELLO)
  })

  test('does not wait for a pipe', () => {
    const here = box()
    execFileSync('mkfifo', [here.path('pipe')])
    expect(here.at('pipe')).toEqual(OTHER)
    expect(here.at('pipe/below')).toEqual(OTHER)
  })

  test.skipIf(process.getuid?.() === 0)('is nothing where the file or its folder is closed to us', () => {
    const here = box()
    put(here, 'closed', 'hello\n')
    put(here, 'folder/file', 'hello\n')
    for (const name of ['closed', 'folder']) chmodSync(here.path(name), 0)
    expect([here.at('closed'), here.at('folder/file'), here.at('folder')]).toEqual([
      OTHER,
      OTHER,
      { state: 'folder' },
    ])
    chmodSync(here.path('folder'), 0o700)
  })

  test('is nothing where the root is gone, or a name is too long for the disk', () => {
    const here = box()
    expect(here.at('x'.repeat(5_000))).toEqual(OTHER)
    expect(here.at(`${'x'.repeat(5_000)}/a`)).toEqual(OTHER)
    rmSync(here.repo, { recursive: true })
    expect(here.at('a')).toEqual(OTHER)
  })

  test.skipIf(process.platform !== 'linux')('leaves no file open', () => {
    const here = box()
    put(here, 'a/b/c', 'hello\n')
    symlinkSync('a', here.path('link'))
    put(here, 'large', Buffer.alloc(MIB + 1))
    const paths = ['a/b/c', 'a/b', 'a/b/none', 'a/none/c', 'link/b', 'a/b/c/d', 'large', 'x'.repeat(300)]
    const open = () => readdirSync('/proc/self/fd').length
    const before = open()
    for (let round = 0; round < 5; round++) for (const path of paths) here.at(path)
    expect(open()).toBe(before)
    // The count does see an open file.
    const fd = openSync(here.repo, 'r')
    expect(open()).toBe(before + 1)
    closeSync(fd)
  })

  test('never throws nor leaves the root, for any path', () => {
    const here = box()
    put(here, 'a/b', 'hello\n')
    put(here, '../a/b', 'outside\n')
    mkdirSync(here.path('b'))
    const part = fc.constantFrom('a', 'b', '..', '.', '', '/', '\\', '\0', 'C:', '\ud800', '%2e%2e')
    const path = fc.array(part, { maxLength: 8 }).map((parts) => parts.join('/'))
    fc.assert(
      fc.property(fc.oneof(path, fc.string({ unit: 'binary' })), (text) => {
        const found = here.at(text)
        if (found.state === 'file') expect(found).toEqual(HELLO)
        if (text.split('/').includes('..')) expect(found).toEqual(OTHER)
      }),
    )
  })
})

test('of a file that is a secret by its name no hash of its content is kept', () => {
  const here = box()
  for (const name of ['.env', 'notes.txt']) put(here, name, 'hello\n')
  expect(here.at('notes.txt')).toEqual(HELLO)
  expect(here.at('.env')).toEqual({ state: 'file', mark: expect.stringMatching(/^6-\d{13}$/) })
})
