import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { MAX_DOCUMENT_BYTES } from '../../src/formats/checkpoint-md/layout.ts'
import { active, commit, history, listed, put, reasonFor, textOf, workBox } from './document-lab.ts'

const LEARNINGS = 'checkpoints/LEARNINGS.md'
const ARCHIVE = ['archive', 'a', '--outcome', 'done', '--learning', 'rotate tokens']

test('LEARNINGS.md that is no text, or has a conflict, is left as it is; the entry follows once it is mended', () => {
  for (const bytes of [
    Buffer.from('# Learnings\n\n- caf\xe9\n', 'latin1'),
    Buffer.from('# Learnings\n\n<<<<<<< a\n- one\n=======\n- two\n>>>>>>> b\n'),
  ]) {
    const box = workBox({ a: textOf('a'), b: textOf('b') })
    put(box, LEARNINGS, bytes)
    expect(reasonFor(box, ...ARCHIVE)).toMatch(/^document_(?:broken|conflicted)$/)
    expect(readFileSync(box.path(LEARNINGS))).toEqual(bytes)
    expect(box.json(['delta', 'b', '--what', 'goes on', '--artifact', 'x:modified']).sequence).toBe(2)
    put(box, LEARNINGS, '# Learnings\n')
    listed(box)
    expect(box.read(LEARNINGS)).toContain('— a\n- rotate tokens')
  }
})

test('a link, a folder or a pipe in the place of LEARNINGS.md blocks no other document', () => {
  const box = workBox({ a: textOf('a'), b: textOf('b') })
  mkdirSync(box.path(LEARNINGS))
  expect(reasonFor(box, ...ARCHIVE)).toBe('path_unsafe')
  expect(box.json(['delta', 'b', '--what', 'goes on', '--artifact', 'x:modified']).sequence).toBe(2)
})

test('a name that a link or a folder has is refused before anything is saved', () => {
  const box = workBox({ ok: textOf('ok') })
  symlinkSync('/etc/hostname', box.path(active('linked')))
  mkdirSync(box.path(active('folder')))
  for (const name of ['linked', 'folder']) expect(reasonFor(box, 'new', name)).toBe('document_taken')
  expect(listed(box, '--all').map(({ id }) => id)).toEqual(['ok'])
})

test('an archive goes beside a link that has its name', () => {
  const box = workBox({ a: textOf('a') })
  mkdirSync(box.path('checkpoints/archive'))
  symlinkSync('/etc/hostname', box.path('checkpoints/archive/a.md'))
  expect(box.json(ARCHIVE).path).toBe('checkpoints/archive/a-2.md')
  expect(existsSync(box.path(active('a')))).toBe(false)
})

test.skipIf(process.getuid?.() === 0)('a file that may not be read hides only itself', () => {
  const box = workBox({ a: textOf('a'), b: textOf('b') })
  writeFileSync(box.path(active('b')), textOf('b', { state: 'changed' }))
  chmodSync(box.path(active('b')), 0o000)
  expect(box.json(['delta', 'a', '--what', 'goes on', '--artifact', 'x:modified']).sequence).toBe(2)
  expect(box.run(['list']).stderr).toContain('cannot be read')
})

test('the sweep takes only what our writer leaves: no other name, no folder, nothing that git tracks', () => {
  const box = workBox({ a: textOf('a') })
  const tracked = 'checkpoints/active/.a.md.0123456789ab.savepoint-tmp'
  const left = 'checkpoints/active/.a.md.ba9876543210.savepoint-tmp'
  put(box, tracked, 'tracked')
  box.git('add', '--force', tracked)
  commit(box)
  put(box, 'checkpoints/.precious.savepoint-tmp', 'mine')
  mkdirSync(box.path('checkpoints/.d.0123456789ab.savepoint-tmp'))
  put(box, left, 'half')
  listed(box)
  expect(existsSync(box.path(left))).toBe(false)
  for (const path of [
    tracked,
    'checkpoints/.precious.savepoint-tmp',
    'checkpoints/.d.0123456789ab.savepoint-tmp',
  ])
    expect(existsSync(box.path(path)), path).toBe(true)
  expect(box.git('status', '--porcelain', '--', tracked)).toBe('')
})

test('a document at the limit is not pushed over it, and two are never current for that', () => {
  const box = workBox({ a: textOf('a') })
  const big = textOf('big')
  put(box, active('big'), big + 'x'.repeat(MAX_DOCUMENT_BYTES - Buffer.byteLength(big)))
  expect(reasonFor(box, 'focus', 'big')).toBe('file_too_large')
  expect(reasonFor(box, 'delta', 'big', '--what', 'more')).toBe('file_too_large')
  expect(box.json(['focus', 'a']).id).toBe('a')
  expect(history(box, 'big')).toHaveLength(1)
})

test('no control character of a document reaches the terminal, in no verb', () => {
  const evil =
    '---\ncheckpoint: esc\ncreated: "2026\\x1b[31m"\nparent: "p\\u202e"\n---\n\n## Problem\n\na\u001b[2Jb\u009b\n'
  const box = workBox({ esc: evil })
  for (const words of [
    ['list'],
    ['tree'],
    ['validate'],
    ['show', 'esc', '--history'],
    ['diff', 'esc', '1', '1'],
    ['doctor'],
  ]) {
    const { stdout, stderr } = box.run(words)
    expect((stdout + stderr).replace(/[\n\t]/g, ''), words.join(' ')).not.toMatch(/[\p{Cc}\u202a-\u202e]/u)
  }
})

test('an id under which a file would be no document is refused', () => {
  const box = workBox({ a: textOf('a') })
  for (const words of [
    ['new', 'INDEX'],
    ['fork', 'a', 'index'],
  ])
    expect(reasonFor(box, ...words)).toBe('id_invalid')
})
