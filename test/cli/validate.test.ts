import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { type Sandbox, sandbox } from '../support/sandbox.ts'

const PARTS = [
  '## Problem\n\np',
  '## Session Intent\n\ni',
  '## Essential Information',
  '### Decisions\n\n- d',
  '### Technical Context\n\nt',
  '### Play-By-Play\n\n- x',
  '### Artifact Trail\n\n| File | Status | Key Change |\n|---|---|---|\n| `a` | created | x |',
  '### Current State\n\ns',
  '### Next Actions\n\n- n',
]
const textOf = (id: string, more = '') =>
  `---\ncreated: 2026-01-01T00:00:00Z\ncheckpoint: ${id}\n---\n\n${PARTS.join('\n\n')}\n${more}`
const DONE = '\n## Completion\n\n- **Status**: Archived\n- **Outcome**: o\n- **Date**: 2026-01-03T00:00:00Z\n'

function put(box: Sandbox, path: string, id: string, more = ''): string {
  const file = box.path(path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, textOf(id, more))
  return file
}

test('two documents with one id are told for each of them, whatever the case and the folder [000.08]', () => {
  const box = sandbox()
  put(box, 'checkpoints/active/one.md', 'chk-A')
  put(box, 'checkpoints/archive/two.md', 'chk-a', DONE)
  put(box, 'checkpoints/active/three.md', 'chk-b')
  const { stdout, code } = box.run(['validate'])
  expect(code).toBe(4)
  expect(stdout).toContain(
    'checkpoints/active/one.md:3: error: checkpoints/archive/two.md has the same id, chk-a',
  )
  expect(stdout).toContain(
    'checkpoints/archive/two.md:3: error: checkpoints/active/one.md has the same id, chk-A',
  )
  expect(stdout).toContain('3 documents: 2 errors, 0 warnings')
})

test('a document is not its own double, by whatever path it is named; a copy elsewhere is no document [000.08]', () => {
  const box = sandbox()
  const file = put(box, 'checkpoints/active/one.md', 'chk-a')
  symlinkSync(box.path('checkpoints'), join(box.root, 'linked'))
  for (const name of [
    file,
    'checkpoints/../checkpoints/active/one.md',
    join(box.root, 'linked/active/one.md'),
  ])
    expect(box.json(['validate', name]), name).toMatchObject({
      errors: 0,
      documents: [{ path: 'checkpoints/active/one.md' }],
    })
  expect(box.json(['validate', put(box, 'old/one.md', 'chk-a')])).toMatchObject({ errors: 0 })
})

test('only checkpoints/archive is the archive, not any folder of that name [000.13]', () => {
  const box = sandbox()
  expect(box.json(['validate', put(box, 'archive/one.md', 'chk-a')])).toMatchObject({ errors: 0 })
  expect(box.json(['validate', put(box, 'checkpoints/archive/two.md', 'chk-b', DONE)])).toMatchObject({
    errors: 0,
    warnings: 0,
  })
  const open = box.run(['validate', put(box, 'checkpoints/archive/three.md', 'chk-c')])
  expect(open.stdout).toContain('an archived document needs a completion')
})

const BROKEN: Array<[string, string | Uint8Array, number, string]> = [
  [
    'conflict markers',
    textOf('x').replace('p\n', '<<<<<<< a\np\n=======\nq\n>>>>>>> b\n'),
    8,
    'it has conflict markers',
  ],
  ['an id that cannot be used', textOf('../x'), 3, 'invalid id "../x"'],
  ['an id that a device has', textOf('CON'), 3, 'invalid id "CON"'],
  ['bytes that are no UTF-8', Buffer.from(`${textOf('x')}\xff`, 'latin1'), 1, 'it is not UTF-8 text'],
  ['broken YAML', textOf('x').replace('\n---', '\nowner: [ann\n---'), 5, 'invalid front matter'],
  ['front matter without an end', '---\ncheckpoint: x\n', 1, 'the front matter is not closed'],
]

test.each(BROKEN)('%s: an error with its line, as the verbs have it', (_, text, line, what) => {
  const box = sandbox()
  const path = 'checkpoints/active/x.md'
  mkdirSync(box.path('checkpoints/active'), { recursive: true })
  writeFileSync(box.path(path), text)
  for (const words of [['validate'], ['validate', path]]) {
    const done = box.run(words)
    expect(done.code).toBe(4)
    expect(done.stdout).toContain(`${path}:${line}: error: ${what}`)
    expect(done.stdout).toContain('1 document: 1 error, 0 warnings')
  }
  box.json(['trust'])
  expect(box.run(['list']).stderr).toContain(`${path}:${line}: ${what}`)
})

test('parents are the same whatever their case, also in a circle', () => {
  const box = sandbox()
  put(box, 'checkpoints/active/a.md', 'chk-a')
  put(box, 'checkpoints/active/b.md', 'chk-b\nparent: CHK-A')
  expect(box.json(['validate'])).toMatchObject({ errors: 0, warnings: 0 })
  put(box, 'checkpoints/active/a.md', 'chk-a\nparent: CHK-B')
  expect(box.run(['validate']).stdout.match(/circular parents/g)).toHaveLength(2)
})

test('a file whose name begins with a dot is no document, for validate and for the verbs', () => {
  const box = sandbox()
  put(box, 'checkpoints/active/.a.md', 'chk-a')
  put(box, 'checkpoints/active/b.md', 'chk-b')
  expect(box.json(['validate']).documents).toMatchObject([{ id: 'chk-b' }])
  box.json(['trust'])
  expect(box.json(['list']).documents).toMatchObject([{ id: 'chk-b' }])
})

test('two current files of one id are told as such, and not to be chosen between by that id', () => {
  const box = sandbox()
  put(box, 'checkpoints/active/one.md', 'chk-a\nstatus: current')
  put(box, 'checkpoints/active/two.md', 'CHK-A\nstatus: current')
  const { stdout } = box.run(['validate'])
  expect(stdout.match(/has the same id, chk-a/gi)).toHaveLength(2)
  expect(stdout).not.toContain('is also marked current')
  expect(stdout).not.toContain('savepoint focus')
})
