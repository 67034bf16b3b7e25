import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hasCompiler, watch } from '../faults/shim.ts'
import { cliPath, sandbox } from '../support/sandbox.ts'
import { active, edit, put, textOf, workBox } from './document-lab.ts'

test('outside of git every verb works, and no git is needed', () => {
  const box = sandbox({ git: false })
  box.json(['new', 'auth', '--current'])
  edit(box, active('auth'), '<!-- The problem, in a few sentences. It rarely changes. -->', 'Tokens expire.')
  expect(box.json(['list']).documents).toMatchObject([{ id: 'auth', problem: 'Tokens expire.', sequence: 2 }])
  box.json(['fork', 'auth', 'child'])
  expect(box.run(['tree']).stdout).toContain('└─ child')
  box.json(['compress', 'auth'])
  box.json(['archive', 'child', '--outcome', 'done', '--learning', 'Small steps'])
  expect(readdirSync(box.path('checkpoints/archive'))).toEqual(['child.md'])
  expect(readdirSync(box.path('checkpoints/active'))).toEqual(['auth.md'])
  expect(box.run(['learnings']).stdout).toContain('  - Small steps\n')
  box.json(['restore', 'auth', '--at', '1'])
  expect(box.read(active('auth'))).not.toContain('Tokens expire.')
  expect(existsSync(box.path('.git'))).toBe(false)
})

test('in a subfolder of the repository the documents are those of the repository', () => {
  const box = workBox({ auth: textOf('auth') })
  const cwd = box.path('src/deep')
  mkdirSync(cwd, { recursive: true })
  put(box, 'src/deep/x.ts', 'x')
  expect(box.json(['list'], { cwd }).documents).toMatchObject([{ id: 'auth' }])
  box.json(['new', 'other', '--current'], { cwd })
  expect(existsSync(box.path(active('other')))).toBe(true)
  box.json(['delta', 'auth', '--what', 'x'], { cwd })
  expect(box.read(active('auth'))).toContain('| `src/deep/x.ts` | created | new file |')
  box.json(['archive', 'auth', '--outcome', 'done', '--learning', 'l'], { cwd })
  expect(box.json(['learnings'], { cwd }).entries).toHaveLength(1)
  expect(readdirSync(cwd)).toEqual(['x.ts'])
})

test.skipIf(!hasCompiler)('in a read-only workspace reading works, and a write is kept and told', () => {
  const box = workBox({ auth: textOf('auth'), other: textOf('other', { more: 'parent: auth\n' }) })
  const env = {
    ...watch(box, join(box.root, 'log'), { at: 1, mode: 'EROFS', sticky: true }),
    FI_ROOTS: box.repo,
  }
  for (const words of [
    ['list'],
    ['tree'],
    ['focus'],
    ['show', 'auth'],
    ['diff', 'auth', 'other'],
    ['compress', 'auth', '--dry-run'],
    ['learnings'],
    ['show', 'auth', '--history'],
  ])
    expect([words, box.run(words, { env })]).toMatchObject([words, { code: 0, stderr: '' }])
  const done = box.run(['delta', 'auth', '--what', 'On a disk that cannot be written'], { env })
  expect(done.code).toBe(5)
  expect(done.stderr).toContain('saved in the store')
  expect(done.stderr).toContain('(checkpoint_atomic_write_failed)')
  expect(box.read(active('auth'))).toBe(textOf('auth'))
  expect(box.run(['show', 'auth'], { env }).stdout).toContain('On a disk that cannot be written')
  expect(box.run(['list']).code).toBe(0)
  expect(box.read(active('auth')).match(/^On a disk that cannot be written$/gm)).toHaveLength(1)
})

/** The command line in a terminal so many characters wide. */
function onScreen(box: ReturnType<typeof sandbox>, columns: number, args: string): string[] {
  const command = `stty cols ${columns}; '${process.execPath}' '${cliPath}' ${args}`
  const done = spawnSync('script', ['-qec', command, '/dev/null'], {
    cwd: box.repo,
    env: box.env,
    encoding: 'utf8',
  })
  return done.stdout.replaceAll('\r', '').trimEnd().split('\n')
}

const hasScript = spawnSync('script', ['--version']).status === 0

test.skipIf(!hasScript).each([40, 200])(
  'on a screen of %i columns no line of a list or a history wraps',
  (columns) => {
    const long =
      'A problem that goes on and on, as they do, until no screen is wide enough for all of it to be read'
    const box = workBox({ auth: textOf('auth').replace('Tokens expire too early.', long) })
    box.json([
      'delta',
      'auth',
      '--what',
      'Something that takes many words to be told in full, and then some more',
    ])
    for (const words of ['list', 'show auth --history']) {
      const lines = onScreen(box, columns, words)
      expect(lines.length).toBeGreaterThan(1)
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns)
    }
    expect(onScreen(box, columns, 'list')[1]?.endsWith('…')).toBe(columns === 40)
    expect(box.run(['list']).stdout).toContain(long)
  },
)

test.skipIf(!hasScript)('on a screen a document cannot drive the terminal; a pipe gets its bytes', () => {
  const box = workBox({ auth: textOf('auth', { state: 'red \u001b[31m now' }) })
  expect(onScreen(box, 80, 'show auth').join('\n')).toContain('red \\x1b[31m now')
  expect(box.run(['show', 'auth']).stdout).toBe(box.read(active('auth')))
})
