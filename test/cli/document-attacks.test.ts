import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Sandbox } from '../support/sandbox.ts'
import {
  active,
  commit,
  edit,
  elsewhere,
  focused,
  history,
  identify,
  listed,
  put,
  stopped,
  textOf,
  workBox,
} from './document-lab.ts'

const EVIL = textOf('evil', { status: 'current', state: 'EVIL $Id: abc $' })

/** A trusted repository with documents, and a stranger's clone of it with a branch `pr`. */
function withStranger(documents: Record<string, string> = {}): { box: Sandbox; stranger: Sandbox } {
  const box = workBox({ a: textOf('a', { status: 'current' }), b: textOf('b'), ...documents })
  box.git('clone', '--quiet', box.repo, join(box.root, 'stranger'))
  const stranger = elsewhere(box, 'stranger')
  identify(stranger, 'Stan Stranger')
  stranger.git('checkout', '--quiet', '-b', 'pr')
  return { box, stranger }
}

function checkOut({ box, stranger }: { box: Sandbox; stranger: Sandbox }): void {
  box.git('fetch', '--quiet', stranger.repo, '+pr:pr')
  box.git('checkout', '--quiet', 'pr')
}

/** Commits bytes that git's own filters would not let through. */
function smuggle(box: Sandbox, path: string, text: string): void {
  put(box, path, text)
  const blob = box.git('hash-object', '-w', '--no-filters', path).trim()
  box.git('update-index', '--add', '--cacheinfo', `100644,${blob},${path}`)
  box.git('commit', '--quiet', '-m', 'smuggled')
}

const foreignOf = (box: Sandbox) => Object.fromEntries(listed(box).map(({ id, foreign }) => [id, foreign]))

test.each([
  ['ident', EVIL],
  ['text eol=crlf', EVIL.replace('## Problem\n', '## Problem\r\n')],
  ['working-tree-encoding=ISO-8859-1', EVIL.replace('EVIL', 'EVIL \u00c3\u00bc')],
])('a document that attributes make differ from its blob is foreign (%s)', (attributes, text) => {
  const both = withStranger()
  const { box, stranger } = both
  edit(stranger, active('a'), 'status: current', 'status: active')
  put(stranger, '.gitattributes', `checkpoints/active/evil.md ${attributes}\n`)
  stranger.git('add', '.gitattributes', 'checkpoints')
  smuggle(stranger, active('evil'), text)
  checkOut(both)
  expect(box.read(active('evil'))).not.toBe(text)
  expect(foreignOf(box)).toMatchObject({ evil: true, b: false })
  expect(focused(box)).toBe('a')
})

test('a document is foreign though the attributes that git wrote it by are gone', () => {
  const both = withStranger()
  const { box, stranger } = both
  put(stranger, '.gitattributes', 'checkpoints/active/evil.md ident\n')
  stranger.git('add', '.gitattributes')
  smuggle(stranger, active('evil'), EVIL)
  checkOut(both)
  rmSync(join(stranger.repo, '.gitattributes'))
  stranger.git('commit', '--quiet', '-m', 'gone', '.gitattributes')
  box.git('pull', '--quiet', '--ff-only', stranger.repo, 'pr')
  expect(foreignOf(box).evil).toBe(true)
  expect(focused(box)).toBe('a')
})

test('a hand edit under such attributes is the user’s own', () => {
  const { box } = withStranger()
  put(box, '.gitattributes', 'checkpoints/active/*.md text eol=crlf ident\n')
  commit(box)
  edit(box, active('b'), 'as it began', 'Our own words.')
  expect(foreignOf(box)).toEqual({ a: false, b: false })
})

test.each(['checkpoints', 'checkpoints/active'])('documents of a submodule at %s are foreign', (at) => {
  const { box, stranger } = withStranger()
  const inner = elsewhere(box, 'inner')
  put(inner, active('evil').slice(at.length + 1), textOf('evil', { status: 'current' }))
  inner.git('init', '--quiet', '--initial-branch=main')
  identify(inner, 'Stan Stranger')
  commit(inner)
  stranger.git('rm', '-r', '--quiet', at)
  stranger.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.repo, at)
  commit(stranger)
  box.git('fetch', '--quiet', stranger.repo, '+pr:pr')
  box.git('checkout', '--quiet', 'pr')
  box.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init')
  const { stderr } = box.run(['list'])
  expect(stderr).toContain(`${at} is another repository; its documents count as unreviewed.`)
  expect(foreignOf(box).evil).toBe(true)
  expect(focused(box)).not.toBe('evil')
  rmSync(box.path(at, '.git'))
  edit(box, active('evil'), 'as it began', 'EVIL again')
  expect(history(box, 'evil').map(({ foreign }) => foreign)).toEqual([true, true])
})

test('documents of a repository that lies in the folder are foreign, also where there is no other', () => {
  const { box } = withStranger()
  rmSync(box.path('.git'), { recursive: true })
  put(box, active('evil'), EVIL)
  box.git('init', '--quiet', box.path('checkpoints', 'active'))
  box.json(['trust'])
  expect(foreignOf(box).evil).toBe(true)
})

test('amending a stranger’s commit does not make its text one’s own', () => {
  const both = withStranger()
  const { box, stranger } = both
  put(stranger, active('evil'), EVIL)
  edit(stranger, active('a'), 'status: current', 'status: active')
  commit(stranger)
  checkOut(both)
  for (const message of ['better', 'best']) box.git('commit', '--quiet', '--amend', '-m', message)
  expect(foreignOf(box)).toEqual({ a: true, b: false, evil: true })
  expect(focused(box)).toBe('a')
  put(box, active('mine'), textOf('mine'))
  commit(box)
  box.git('commit', '--quiet', '--amend', '-m', 'mine')
  expect(foreignOf(box)).toMatchObject({ evil: true, mine: false })
})

test('a merge that was concluded by hand vouches for no text', () => {
  const { box, stranger } = withStranger()
  edit(stranger, active('b'), 'as it began', 'EVIL')
  commit(stranger)
  edit(box, active('b'), 'as it began', 'Our own words.')
  commit(box)
  box.git('fetch', '--quiet', stranger.repo, '+pr:pr')
  stopped(box, 'merge', 'pr')
  put(box, active('b'), textOf('b', { state: 'Our own words.\n\nEVIL' }))
  commit(box, 'merged')
  expect(foreignOf(box)).toEqual({ a: false, b: true })
})

test.each([
  ['emphasis', '- Use refresh tokens', '* Use refresh tokens'],
  ['status', 'created: 2026-01-01T00:00:00Z\n', 'created: 2026-01-01T00:00:00Z\nstatus: current\n'],
  ['space', 'Tokens expire too early.', 'Tokens  expire too early.'],
])('a stranger’s change is marked though it says the same (%s)', (_what, from, to) => {
  const both = withStranger()
  edit(both.stranger, active('b'), from, to)
  commit(both.stranger)
  checkOut(both)
  expect(foreignOf(both.box)).toEqual({ a: false, b: true })
  expect(focused(both.box)).toBe('a')
})

test('a stranger’s line endings alone make no checkpoint', () => {
  const both = withStranger()
  writeFileSync(both.stranger.path(active('b')), textOf('b').replaceAll('\n', ' \r\n'))
  commit(both.stranger)
  checkOut(both)
  expect(foreignOf(both.box)).toEqual({ a: false, b: false })
  expect(history(both.box, 'b')).toHaveLength(1)
})

test('a stranger who sets documents back moves no focus, and it is told', () => {
  const both = withStranger()
  const { box, stranger } = both
  const [before, other] = [box.read(active('a')), box.read(active('b'))]
  box.json(['focus', 'b'])
  box.json(['delta', 'b', '--what', 'Ours'])
  commit(box)
  stranger.git('pull', '--quiet', 'origin', 'main')
  put(stranger, active('a'), before)
  put(stranger, active('b'), other)
  const by = commit(stranger)
  checkOut(both)
  const { stderr } = box.run(['list'])
  expect(stderr).toContain(`${active('b')} went back to #1 with commit ${by.slice(0, 10)} by Stan Stranger.`)
  for (let turn = 0; turn < 2; turn += 1) expect(focused(box)).toBe('b')
  expect(box.run(['list']).stderr).not.toContain('was set')
  box.git('checkout', '--quiet', 'main')
  expect(focused(box)).toBe('b')
})

test('one’s own commits that a rebase moved are followed as before', () => {
  const { box } = withStranger()
  box.git('checkout', '--quiet', '-b', 'side')
  box.json(['focus', 'b'])
  commit(box)
  box.git('checkout', '--quiet', 'main')
  expect(focused(box)).toBe('a')
  put(box, 'readme.txt', 'two\n')
  commit(box)
  box.git('rebase', '--quiet', 'main', 'side')
  for (const [branch, id] of Object.entries({ side: 'b', main: 'a' })) {
    box.git('checkout', '--quiet', branch)
    const { stderr } = box.run(['list'])
    expect([branch, stderr, focused(box)]).toEqual([branch, '', id])
  }
})
