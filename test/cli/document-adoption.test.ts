import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Sandbox } from '../support/sandbox.ts'
import { sandbox } from '../support/sandbox.ts'
import {
  active,
  bodyOf,
  checkpoints,
  commit,
  edit,
  elsewhere,
  focused,
  history,
  isKept,
  listed,
  put,
  reasonFor,
  refusal,
  standings,
  textOf,
  workBox,
} from './document-lab.ts'

const READING = [['list'], ['list', '--all'], ['tree'], ['show', 'a'], ['show', 'a', '--history'], ['focus']]

const newest = (box: Sandbox, id: string) => {
  const last = history(box, id).at(-1)
  return { ...last, body: bodyOf(box, last?.checkpoint ?? '') }
}

test('a hand edit is one checkpoint, with where in git it was made', () => {
  const box = workBox({ a: textOf('a') })
  const text = edit(box, active('a'), 'as it began', 'Login works.')
  for (const words of READING) expect(box.run(words).code, words.join(' ')).toBe(0)
  const { sequence, why, foreign, body } = newest(box, 'a')
  expect({ sequence, foreign }).toEqual({ sequence: 2, foreign: false })
  expect(why).toMatch(/^adopted/)
  expect(body.provenance).toEqual({
    branch: 'main',
    commit: box.git('rev-parse', 'HEAD').trim(),
    author: null,
  })
  expect(body).toMatchObject({ work: { state: 'Login works.' }, triggers: [{ kind: 'adopted' }] })
  expect(box.read(active('a'))).toBe(text)
  expect(box.run(['show', 'a']).stdout).toBe(text)
})

test('an edit that was committed before anybody looked has its author and its commit', () => {
  const box = workBox({ a: textOf('a') })
  edit(box, active('a'), 'as it began', 'Login works.')
  box.git('config', 'user.name', 'Bea Builder')
  const made = commit(box, 'progress')
  put(box, 'readme.txt', 'later\n')
  commit(box, 'not about documents')
  const { why, foreign, body } = newest(box, 'a')
  expect(body.provenance).toEqual({ branch: 'main', commit: made, author: 'Bea Builder' })
  expect(why).toContain(made.slice(0, 10))
  expect(foreign).toBe(false)
})

test('an edit and a delta in one go are two checkpoints, and both are in the file', () => {
  const box = workBox({ a: textOf('a') })
  edit(box, active('a'), 'as it began', 'Login works.')
  expect(box.json(['delta', 'a', '--what', 'Tokens rotate'])).toMatchObject({
    sequence: 3,
    files: 'published',
  })
  expect(box.read(active('a'))).toContain('Login works.')
  expect(box.read(active('a'))).toContain('Tokens rotate')
  expect(history(box, 'a').map(({ why }) => why.split(':')[0])).toEqual(['adopted', 'adopted', 'manual'])
})

test('a delta that was written by hand is read as what changed [000.71]', () => {
  const box = workBox({ a: textOf('a') })
  const at = '2026-02-01T00:00:00Z'
  const delta = `\n---\n\n## Delta: ${at}\n\n### What Changed\n\nBy hand.\n\n### Artifacts\n\n| File | Action | Description |\n|---|---|---|\n| \`x.ts\` | created | new |\n`
  writeFileSync(box.path(active('a')), textOf('a', { more: `last_delta: ${at}\n` }) + delta)
  expect(newest(box, 'a').body.change).toMatchObject({ summary: 'By hand.', artifacts: [{ path: 'x.ts' }] })
})

test('line endings and a formatter make no checkpoint, and their bytes stay', () => {
  const box = workBox({ a: textOf('a') })
  const rewrites = [
    textOf('a').replace(/\n/g, '\r\n'),
    `\uFEFF${textOf('a')}`,
    textOf('a')
      .replace(/^- /gm, '* ')
      .replace('|---|---|---|', '| --- | --- | --- |')
      .replace(/\n\n## /g, '\n\n\n## '),
    textOf('a').trimEnd(),
  ]
  for (const text of rewrites) {
    writeFileSync(box.path(active('a')), text)
    expect(box.run(['show', 'a']).stdout.trimEnd()).toBe(text.trimEnd())
    expect(box.read(active('a'))).toBe(text)
    expect(history(box, 'a')).toHaveLength(1)
  }
  box.json(['delta', 'a', '--what', 'x'])
  expect(box.read(active('a')).startsWith('---\ncheckpoint: a\n')).toBe(true)
  expect(history(box, 'a')).toHaveLength(2)
})

test('`status` by hand moves focus, and is no checkpoint [000.10] [000.11]', () => {
  const box = workBox({ a: textOf('a', { status: 'current' }), b: textOf('b') })
  expect(focused(box)).toBe('a')
  edit(box, active('a'), 'status: current', 'status: active')
  edit(box, active('b'), 'checkpoint: b\n', 'checkpoint: b\nstatus: current\n')
  expect(focused(box)).toBe('b')
  edit(box, active('b'), 'status: current\n', '')
  expect(focused(box)).toBeNull()
  expect(checkpoints(box)).toBe(2)
})

test('an edit within the same second and of the same length is seen', () => {
  const box = workBox({ a: textOf('a') })
  for (let turn = 0; turn < 5; turn += 1) {
    put(box, active('a'), textOf('a', { state: `turn number ${turn}` }))
    expect(history(box, 'a')).toHaveLength(2 + turn)
  }
})

const BROKEN = textOf('a', { more: 'anchor: "open\n', state: 'an evening of work' })

test('a document that no longer parses is told with its line by every verb, and its last good state is used', {
  timeout: 120_000,
}, () => {
  const box = workBox({ a: textOf('a'), b: textOf('b') })
  put(box, active('a'), BROKEN)
  for (const words of [
    ...READING,
    ['delta', 'b', '--what', 'x', '--artifact', 'x:created:y'],
    ['focus', 'b'],
  ]) {
    const done = box.run(words)
    expect(done.code, words.join(' ')).toBe(0)
    expect(done.stderr, words.join(' ')).toMatch(/checkpoints\/active\/a\.md:[4-9]: invalid front matter/)
  }
  expect(box.run(['show', 'a']).stdout).toBe(textOf('a'))
  expect(standings(box)).toMatchObject({ a: 'open' })
  expect(box.run(['doctor']).stdout).toContain('checkpoints/active/a.md:')
  for (const words of [
    ['delta', 'a', '--what', 'x'],
    ['focus', 'a'],
    ['archive', 'a', '--outcome', 'x'],
    ['compress', 'a'],
  ])
    expect(refusal(box, ...words), words.join(' ')).toMatchObject({ reason: 'document_broken' })
  expect(box.read(active('a'))).toBe(BROKEN)
  expect(isKept(box, BROKEN)).toBe(true)
  expect(history(box, 'a')).toHaveLength(1)
})

test('a mended document is taken in', () => {
  const box = workBox({ a: textOf('a') })
  put(box, active('a'), BROKEN)
  box.json(['list'])
  const mended = edit(box, active('a'), 'anchor: "open', 'anchor: "closed"')
  expect(box.run(['show', 'a'])).toMatchObject({ code: 0, stdout: mended, stderr: '' })
  expect(history(box, 'a')).toHaveLength(2)
})

test('a broken document that goes back to what it was is no checkpoint', () => {
  const box = workBox({ a: textOf('a') })
  put(box, active('a'), BROKEN)
  box.json(['list'])
  box.git('checkout', '--', '.')
  expect(box.run(['list']).stderr).toBe('')
  expect(history(box, 'a')).toHaveLength(1)
})

const UNREADABLE: Record<string, string | Uint8Array> = {
  'invalid front matter': BROKEN,
  'lost its front matter': 'An evening of work, without front matter.\n',
  'lost the end of its front matter': '---\ncheckpoint: a\n\nAn evening of work.\n',
  'is no UTF-8': Buffer.concat([Buffer.from(textOf('a')), Buffer.from([0xe9, 0x0a])]),
}

test.each(Object.keys(UNREADABLE))('a restore loses nothing of a document that %s', (name) => {
  const bytes = UNREADABLE[name] ?? ''
  const box = workBox({ a: textOf('a') })
  put(box, active('a'), bytes)
  const done = box.run(['restore', 'a'])
  const isThere = readFileSync(box.path(active('a'))).equals(Buffer.from(bytes))
  expect(isThere || isKept(box, bytes), done.stderr).toBe(true)
  if (typeof bytes === 'string') expect(isKept(box, bytes)).toBe(true)
  expect(done.code).toBe(typeof bytes === 'string' ? 0 : 4)
})

test('a restore in a workspace that is not trusted loses nothing either', () => {
  const box = workBox({ a: textOf('a') })
  box.json(['untrust'])
  put(box, active('a'), BROKEN)
  box.run(['restore', 'a'])
  expect(box.read(active('a')) === BROKEN || isKept(box, BROKEN)).toBe(true)
})

test('a file that is no document of ours is left alone', () => {
  const box = workBox({ a: textOf('a') })
  put(box, 'checkpoints/active/notes.md', '# My notes\n')
  put(box, 'checkpoints/active/picture.png', Buffer.from([1, 2, 3]))
  expect(box.run(['list'])).toMatchObject({ code: 0, stderr: '' })
  expect(standings(box)).toEqual({ a: 'open' })
  expect(refusal(box, 'new', 'notes')).toMatchObject({ reason: 'document_taken' })
  expect(box.read('checkpoints/active/notes.md')).toBe('# My notes\n')
})

test('a removed document comes back by `restore` alone', { timeout: 120_000 }, () => {
  const box = workBox({ a: textOf('a', { status: 'current' }), b: textOf('b') })
  rmSync(box.path(active('a')))
  for (const words of [
    ...READING,
    ['delta', 'b', '--what', 'x', '--artifact', 'x:created:y'],
    ['focus', 'b'],
    ['focus', '--clear'],
    ['new', 'c', '--current'],
    ['validate'],
    ['doctor'],
    ['doctor', '--fix'],
    ['archive', 'b', '--outcome', 'x'],
    ['trust'],
    ['trust', '--review'],
  ]) {
    box.run(words)
    expect(
      listed(box).map(({ id }) => id),
      words.join(' '),
    ).not.toContain('a')
  }
  for (const words of [
    ['delta', 'a', '--what', 'x'],
    ['focus', 'a'],
    ['archive', 'a', '--outcome', 'x'],
    ['compress', 'a'],
  ])
    expect(reasonFor(box, ...words), words.join(' ')).toBe('document_absent')
  expect(reasonFor(box, 'new', 'a')).toBe('stream_exists')
  expect(box.run(['show', 'a']).stdout).toBe(textOf('a', { status: 'current' }))
  box.json(['restore', 'a'])
  expect(box.read(active('a'))).toBe(textOf('a', { status: 'active' }))
})

test('a document that git renamed is the same stream', () => {
  const box = workBox({ a: textOf('a', { status: 'current' }) })
  box.git('mv', active('a'), active('login'))
  expect(listed(box)).toMatchObject([{ id: 'a', path: active('login'), standing: 'focused' }])
  expect(box.run(['list']).stderr).toBe('')
  box.json(['delta', 'a', '--what', 'Tokens rotate'])
  expect(box.read(active('login'))).toContain('Tokens rotate')
  expect(history(box, 'a')).toHaveLength(2)
})

test('documents that swap their file names, or move up one by one, are told apart by their ids', () => {
  const box = workBox({ a: textOf('a'), b: textOf('b') })
  box.git('mv', active('a'), active('x'))
  box.git('mv', active('b'), active('a'))
  box.git('mv', active('x'), active('b'))
  expect(box.run(['list'])).toMatchObject({ code: 0, stderr: '' })
  const paths = () => Object.fromEntries(listed(box).map(({ id, path }) => [id, path]))
  expect(paths()).toEqual({ a: active('b'), b: active('a') })
  box.git('mv', active('a'), active('c'))
  box.git('mv', active('b'), active('a'))
  expect(box.run(['list'])).toMatchObject({ code: 0, stderr: '' })
  expect(paths()).toEqual({ a: active('a'), b: active('c') })
  expect(checkpoints(box)).toBe(2)
  box.json(['delta', 'b', '--what', 'Only in b'])
  expect(box.read(active('c'))).toContain('Only in b')
  expect(box.read(active('a'))).toBe(textOf('a'))
})

test('a document that gets another id is another stream, and takes focus along [000.08]', () => {
  const box = workBox({ a: textOf('a', { status: 'current' }) })
  expect(focused(box)).toBe('a')
  edit(box, active('a'), 'checkpoint: a', 'checkpoint: login')
  expect(listed(box)).toMatchObject([{ id: 'login', path: active('a'), standing: 'focused' }])
  expect(focused(box)).toBe('login')
  expect(standings(box, '--all')).toMatchObject({ login: 'focused', a: 'open' })
  box.json(['delta', 'login', '--what', 'x'])
  expect(history(box, 'a')).toHaveLength(1)
  expect(box.run(['show', 'a']).stdout).toBe(textOf('a', { status: 'current' }))
})

test('of two files with one id the known one counts, and the other is named [000.08]', () => {
  const box = workBox({ a: textOf('a') })
  const copy = textOf('a', { state: 'a copy that went its own way' })
  put(box, active('a-copy'), copy)
  for (const words of READING)
    expect(box.run(words).stderr, words.join(' ')).toContain(
      'checkpoints/active/a-copy.md:2: checkpoints/active/a.md has the same id, a',
    )
  expect(history(box, 'a')).toHaveLength(1)
  box.json(['delta', 'a', '--what', 'Tokens rotate'])
  expect(box.read(active('a-copy'))).toBe(copy)
  edit(box, active('a-copy'), 'checkpoint: a', 'checkpoint: a-copy')
  expect(box.run(['list']).stderr).toBe('')
  expect(standings(box)).toEqual({ a: 'open', 'a-copy': 'open' })
})

test('two new files with one id: one is taken in, and neither is changed', () => {
  const box = workBox()
  put(box, active('one'), textOf('x', { state: 'one' }))
  put(box, active('two'), textOf('x', { state: 'two' }))
  expect(box.run(['list']).stderr).toMatch(/has the same id, x/)
  expect(box.run(['list']).stderr).toMatch(/has the same id, x/)
  expect(checkpoints(box)).toBe(1)
  expect([box.read(active('one')), box.read(active('two'))].map((text) => /one|two/.exec(text)?.[0])).toEqual(
    ['one', 'two'],
  )
})

test('a document that was moved to the archive by hand is archived, and not in focus [000.13] [000.84]', () => {
  const box = workBox({ a: textOf('a', { status: 'current' }), b: textOf('b') })
  expect(focused(box)).toBe('a')
  mkdirSync(box.path('checkpoints/archive'))
  renameSync(box.path(active('a')), box.path('checkpoints/archive/a.md'))
  expect(standings(box, '--all')).toEqual({ a: 'archived', b: 'open' })
  expect(focused(box)).toBeNull()
  expect(reasonFor(box, 'delta', 'a', '--what', 'x')).toBe('stream_archived')
  expect(checkpoints(box)).toBe(2)
  renameSync(box.path('checkpoints/archive/a.md'), box.path(active('a')))
  expect(standings(box)).toEqual({ a: 'focused', b: 'open' })
  expect(checkpoints(box)).toBe(2)
})

test('several current documents are reported by every verb; focus stays one [000.15] [000.16]', {
  timeout: 120_000,
}, () => {
  const box = workBox({ a: textOf('a', { status: 'current' }), b: textOf('b'), c: textOf('c') })
  expect(focused(box)).toBe('a')
  edit(
    box,
    active('b'),
    'checkpoint: b\n',
    'checkpoint: b\nstatus: current\nlast_delta: 2026-03-01T00:00:00Z\n',
  )
  for (const words of [
    ...READING,
    ['delta', 'c', '--what', 'x', '--artifact', 'x:created:y'],
    ['new', 'd'],
    ['trust'],
    ['archive', 'd', '--outcome', 'x'],
  ])
    expect(box.run(words).stderr, words.join(' ')).toContain('Several documents are marked current: a, b')
  expect(focused(box)).toBe('a')
  expect(box.run(['validate']).stdout).toContain('is also marked current')
  expect(Object.values(standings(box)).filter((standing) => standing === 'focused')).toHaveLength(1)
  expect(box.run(['doctor']).stdout).toContain('Several documents are marked current: a, b')
  expect(box.read(active('a'))).toContain('status: current')
  expect(box.run(['doctor', '--fix']).stdout).toContain('focused b')
  expect(focused(box)).toBe('b')
  expect(box.read(active('a'))).toContain('status: active')
  expect(box.read(active('b'))).toContain('status: current')
  expect(box.run(['list']).stderr).toBe('')
})

test('choosing one of several current documents ends it, and is not asked for again [000.17]', () => {
  const box = workBox({ a: textOf('a', { status: 'current' }), b: textOf('b', { status: 'current' }) })
  expect(focused(box)).toBeNull()
  expect(box.json(['focus', 'b'])).toMatchObject({ id: 'b' })
  expect(box.read(active('a'))).toContain('status: active')
  expect(box.run(['list']).stderr).toBe('')
})

test('a directory without git: edits are taken in, removed documents stay away', () => {
  const box = sandbox({ git: false })
  expect(box.run(['new', 'a', '--current']).stderr).toContain('Trusted this workspace')
  put(box, active('a'), textOf('a', { status: 'current', state: 'Login works.' }))
  expect(history(box, 'a')).toHaveLength(2)
  expect(newest(box, 'a').body.provenance).toEqual({ branch: null, commit: null, author: null })
  box.json(['delta', 'a', '--what', 'Tokens rotate'])
  expect(box.read(active('a'))).toContain('Tokens rotate')
  rmSync(box.path(active('a')))
  expect(box.run(['list', '--all']).code).toBe(0)
  expect(reasonFor(box, 'delta', '--what', 'x')).toBe('document_absent')
})

test('a repository that was moved keeps its history; its trust is to be given again', () => {
  const box = workBox({ a: textOf('a') })
  box.json(['delta', 'a', '--what', 'Tokens rotate'])
  renameSync(box.repo, join(box.root, 'moved'))
  const moved = elsewhere(box, 'moved')
  expect(listed(moved)).toMatchObject([{ id: 'a', checkpoints: 2 }])
  edit(moved, active('a'), 'as it began', 'Login works.')
  expect(moved.run(['list']).stderr).toContain('not trusted')
  expect(history(moved, 'a')).toHaveLength(2)
  moved.json(['trust'])
  expect(history(moved, 'a')).toHaveLength(3)
})
