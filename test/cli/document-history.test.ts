import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cliPath, type Sandbox } from '../support/sandbox.ts'
import { active, commit, edit, history, reasonFor, refusal, textOf, workBox } from './document-lab.ts'

/** The bytes that a command writes into a pipe. */
const bytes = (box: Sandbox, ...args: string[]): Buffer =>
  spawnSync(process.execPath, [cliPath, ...args], { cwd: box.repo, env: box.env }).stdout

// `as` in this: the shape is what the verb answers with, and the tests compare it.
const keptOf = (box: Sandbox) =>
  box.json(['show', 'auth', '--history']).kept as Array<{ hash: string; problem: string }>

/** A document with four versions, and their texts. */
function versions(): { box: Sandbox; texts: string[] } {
  const box = workBox({ auth: textOf('auth') })
  const texts = [box.read(active('auth'))]
  box.json(['delta', 'auth', '--what', 'First', '--artifact', 'a:created'])
  texts.push(box.read(active('auth')))
  texts.push(edit(box, active('auth'), 'as it began', 'half way'))
  box.json(['list'])
  box.json(['delta', 'auth', '--what', 'Second', '--artifact', 'b:created'])
  texts.push(box.read(active('auth')))
  return { box, texts }
}

test.each([
  textOf('auth'),
  textOf('auth').trimEnd(),
  `${textOf('auth')}\n\n\n`,
  `\uFEFF${textOf('auth')}`.replaceAll('\n', '\r\n'),
  textOf('auth', { state: 'naïve 日本語 🎉\t\u001b[31m' }),
])('into a pipe a document goes byte for byte (%#)', (text) => {
  const box = workBox({ auth: text })
  expect(bytes(box, 'show', 'auth')).toEqual(readFileSync(box.path(active('auth'))))
  expect(bytes(box, 'show', 'auth', '--at', '1')).toEqual(Buffer.from(text))
  expect(box.json(['show', 'auth']).text).toBe(text)
})

test('each checkpoint is the document as it stood then, whatever came after [000.94]', () => {
  const { box, texts } = versions()
  for (const [at, text] of texts.entries())
    expect(bytes(box, 'show', 'auth', '--at', String(at + 1)).toString()).toBe(text)
  expect(box.json(['show', 'auth', '--at', '2'])).toMatchObject({
    kind: 'document',
    id: 'auth',
    sequence: 2,
    text: texts[1],
  })
  expect(history(box, 'auth')).toMatchObject([
    { sequence: 1, why: expect.stringMatching(/^adopted: commit [0-9a-f]+ by Ann Author$/), here: false },
    { sequence: 2, why: 'manual: delta: First' },
    { sequence: 3, why: 'adopted' },
    { sequence: 4, why: 'manual: delta: Second', here: true },
  ])
  const { stdout } = box.run(['show', 'auth', '--history'])
  expect(stdout).toMatch(
    /^ {3}NUMBER {2}WHEN {14}WHY\n {3}1 {7}\d{4}-\d\d-\d\d \d\d:\d\d {2}adopted: commit /,
  )
  expect(stdout).toMatch(/^\* {2}4 .*manual: delta: Second$/m)
})

test('diff without points tells what the newest checkpoint changed', () => {
  const { box } = versions()
  const { stdout } = box.run(['diff', 'auth'])
  expect(stdout).toMatch(/^--- auth@3\n\+\+\+ auth@4\n@@ /)
  expect(stdout).toMatch(/^\+Second$/m)
  expect(stdout).not.toContain('First\n+')
  expect(box.json(['diff', 'auth'])).toMatchObject({
    from: { id: 'auth', sequence: 3 },
    to: { id: 'auth', sequence: 4 },
    removed: expect.any(Number),
    diff: stdout.trimEnd(),
  })
})

test('diff takes one point, two points in any order, or another document', () => {
  const { box } = versions()
  box.json(['fork', 'auth', 'passkeys'])
  const at = (...words: string[]) => {
    const { from, to } = box.json(['diff', 'auth', ...words]) as Record<
      string,
      { id: string; sequence: number }
    >
    return `${from?.id}@${from?.sequence} ${to?.id}@${to?.sequence}`
  }
  expect(at('1')).toBe('auth@1 auth@4')
  expect(at('1', '3')).toBe('auth@1 auth@3')
  expect(at('3', '1')).toBe('auth@3 auth@1')
  expect(at('PASSKEYS')).toBe('auth@4 passkeys@1')
  expect(at('passkeys', '1')).toBe('auth@4 passkeys@1')
  box.json(['delta', 'passkeys', '--what', 'x'])
  expect(at('passkeys')).toBe('auth@4 passkeys@2')
  expect(at('passkeys', '1')).toBe('auth@4 passkeys@1')
  const forward = box.run(['diff', 'auth', '2', '3']).stdout
  expect(forward).toContain('\n-as it began\n+half way\n')
  expect(box.run(['diff', 'auth', '3', '2']).stdout).toContain('\n-half way\n+as it began\n')
  expect(box.run(['diff', 'auth', '3', '3']).stdout).toBe('No difference between auth@3 and auth@3\n')
})

test('a word for diff that is neither a number nor a document is named', () => {
  const { box } = versions()
  box.json(['fork', 'auth', 'passkeys'])
  expect(reasonFor(box, 'diff', 'auth', 'passkez')).toBe('stream_unknown')
  for (const words of [
    ['2', 'passkeys'],
    ['1', '3rd'],
    ['passkeys', 'auth'],
  ])
    expect(refusal(box, 'diff', 'auth', ...words), words.join(' ')).toMatchObject({
      reason: 'usage_invalid',
      message: expect.stringContaining(`"${words[1]}" is not a checkpoint number`),
    })
})

test('a document whose id is a number is meant by that id, not by the number', () => {
  const { box } = versions()
  box.json(['new', '3'])
  expect(box.json(['diff', 'auth', '3'])).toMatchObject({
    from: { id: 'auth', sequence: 4 },
    to: { id: '3', sequence: 1 },
  })
})

test('a point that is not there is named, with exit code 3', () => {
  const box = workBox({ auth: textOf('auth') })
  for (const words of [
    ['show', 'auth', '--at', '9'],
    ['restore', 'auth', '--at', '9'],
    ['diff', 'auth', '9'],
    ['diff', 'auth', '1', '9'],
    ['diff', 'auth'],
  ]) {
    const done = box.run(words)
    expect([words, done.code]).toEqual([words, 3])
    expect(done.stderr).toContain('(checkpoint_unknown)')
    expect(done.stderr).toContain('savepoint show auth --history')
  }
})

test('work is taken up again from any checkpoint, and the text before stays in the history [000.93]', () => {
  const { box, texts } = versions()
  for (const [index, text] of texts.entries()) {
    const before = history(box, 'auth').length
    expect(box.json(['restore', 'auth', '--at', String(index + 1)])).toMatchObject({
      ...{ id: 'auth', path: active('auth'), restored: index + 1, sequence: before + 1, files: 'published' },
    })
    expect(box.read(active('auth'))).toBe(text)
    const what = `On from ${index + 1}`
    box.json(['delta', 'auth', '--what', what, '--artifact', 'c:modified'])
    expect(
      box
        .read(active('auth'))
        .replace(/^last_delta.*\n/m, '')
        .startsWith(text.replace(/^last_delta.*\n/m, '')),
    ).toBe(true)
  }
  for (const [at, text] of texts.entries())
    expect(bytes(box, 'show', 'auth', '--at', String(at + 1)).toString()).toBe(text)
  expect(history(box, 'auth').map(({ why }) => why)).toContain('manual: restored from #1')
})

test('a restore to the text that stands there already adds no checkpoint, and says so', () => {
  const { box, texts } = versions()
  const point = history(box, 'auth').at(-1)?.checkpoint
  for (const words of [
    ['restore', 'auth'],
    ['restore', 'auth', '--at', '4'],
  ]) {
    expect(box.json(words)).toMatchObject({
      ...{ already: true, sequence: 4, checkpoint: point, path: active('auth') },
    })
    expect(box.run(words).stdout).toBe(`${active('auth')} already has that text\n`)
  }
  expect(history(box, 'auth')).toHaveLength(4)
  expect(box.read(active('auth'))).toBe(texts[3])
  expect(box.json(['restore', 'auth', '--at', '3'])).toMatchObject({ already: false, sequence: 5 })
})

test('a restore does not bring an old focus back', () => {
  const box = workBox({ auth: textOf('auth', { status: 'current' }), other: textOf('other') })
  box.json(['delta', 'auth', '--what', 'x', '--artifact', 'a:created'])
  box.json(['focus', 'other'])
  box.json(['restore', 'auth', '--at', '1'])
  expect(box.read(active('auth'))).toBe(textOf('auth', { status: 'active' }))
  expect(box.json(['focus'])).toMatchObject({ id: 'other' })
})

test('a removed document comes back as it was last here', () => {
  const { box, texts } = versions()
  rmSync(box.path('checkpoints'), { recursive: true })
  expect(box.json(['list'])).toMatchObject({ documents: [], hidden: 1 })
  expect(bytes(box, 'show', 'auth').toString()).toBe(texts[3])
  expect(reasonFor(box, 'delta', 'auth', '--what', 'x')).toBe('document_absent')
  expect(box.run(['restore', 'auth']).stdout).toBe(`Restored auth to ${active('auth')} (now #5)\n`)
  expect(box.read(active('auth'))).toBe(texts[3])
})

test('an archived document is opened again by restore, without its completion [000.86]', () => {
  const { box, texts } = versions()
  commit(box)
  box.json(['archive', 'auth', '--outcome', 'done', '--learning', 'l'])
  expect(box.json(['restore', 'auth'])).toMatchObject({ path: active('auth') })
  expect(box.read(active('auth'))).toBe(texts[3])
  expect(box.git('status', '--porcelain').trim()).toBe('?? checkpoints/LEARNINGS.md')
  expect(box.json(['list']).documents).toMatchObject([{ id: 'auth', standing: 'open' }])
  box.json(['restore', 'auth', '--at', '5'])
  expect(box.json(['list', '--all']).documents).toMatchObject([{ id: 'auth', standing: 'archived' }])
})

test('an edit that nobody has seen is kept when a restore takes its place', () => {
  const { box } = versions()
  const edited = edit(box, active('auth'), 'half way', 'unseen so far')
  box.json(['restore', 'auth', '--at', '1'])
  expect(bytes(box, 'show', 'auth', '--at', '5').toString()).toBe(edited)
})

test('a document that no longer parses is named with its line, its last good state is shown, and restore mends it', () => {
  const { box, texts } = versions()
  writeFileSync(box.path(active('auth')), texts[3]?.replace('checkpoint: auth', 'checkpoint: [auth') ?? '')
  const shown = box.run(['show', 'auth'])
  expect(shown.stdout).toBe(texts[3])
  expect(shown.stderr).toContain(
    `${active('auth')}:3: invalid front matter: Flow sequence in block collection must be sufficiently indented and end with a ]. Fix it`,
  )
  expect(refusal(box, 'delta', 'auth', '--what', 'x')).toMatchObject({ reason: 'document_broken' })
  // What is mended by a command is not called broken by it.
  expect(box.run(['restore', 'auth', '--at', '4'])).toMatchObject({ code: 0, stderr: '' })
  expect(box.read(active('auth'))).toBe(texts[3])
})

test('a text that could not be read was kept: the history names it, and show brings it back byte for byte', () => {
  const { box, texts } = versions()
  const broken = texts[3]?.replace('checkpoint: auth', 'checkpoint: [auth') ?? ''
  writeFileSync(box.path(active('auth')), broken)
  box.json(['list'])
  const [kept, ...more] = keptOf(box)
  expect(more).toEqual([])
  expect(kept).toMatchObject({ problem: expect.stringContaining('invalid front matter') })
  const hash = kept?.hash ?? ''
  const said = box.run(['show', 'auth', '--history']).stdout
  expect(said).toContain('kept: invalid front matter')
  expect(said).toContain(`savepoint show auth --kept ${hash.slice(0, 12)}\n`)
  expect(bytes(box, 'show', 'auth', '--kept', hash.slice(0, 12)).toString()).toBe(broken)
  box.json(['restore', 'auth', '--at', '4'])
  for (const start of [hash, hash.slice(0, 6)])
    expect(box.json(['show', 'auth', '--kept', start])).toMatchObject({ kind: 'document', text: broken })
})

test('a kept text that is not there, or not asked for as it must be, is refused', () => {
  const { box } = versions()
  expect(keptOf(box)).toEqual([])
  expect(reasonFor(box, 'show', 'auth', '--kept', 'abcdef')).toBe('checkpoint_unknown')
  for (const hash of ['abc', 'xyzxyzx', 'ABCDEF'])
    expect(refusal(box, 'show', 'auth', '--kept', hash), hash).toMatchObject({
      reason: 'usage_invalid',
      message: expect.stringContaining('at least 6 digits'),
    })
  for (const words of [
    ['--at', '1', '--history'],
    ['--at', '1', '--kept', 'abcdef'],
    ['--history', '--kept', 'abcdef'],
  ])
    expect(refusal(box, 'show', 'auth', ...words), words.join(' ')).toMatchObject({
      reason: 'usage_invalid',
      message: expect.stringContaining('use only one of'),
    })
})

test('restore never takes the place of a file that is not its own', () => {
  const box = workBox({ auth: textOf('auth') })
  rmSync(box.path(active('auth')))
  box.json(['list'])
  writeFileSync(box.path(active('auth')), textOf('somebody-else'))
  expect(reasonFor(box, 'restore', 'auth')).toBe('document_taken')
  expect(box.read(active('auth'))).toBe(textOf('somebody-else'))
})
