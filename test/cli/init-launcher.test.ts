import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { launcherChange, launcherIn, targetIn, writeLauncher } from '../../src/engine/setup/launcher.ts'
import { testPorts } from '../support/ports.ts'
import { sandbox } from '../support/sandbox.ts'

/** Tells what it was started with, and ends as it is told. */
const STUB = `
if (require.main !== module) process.exit(3)
const input = require('node:fs').readFileSync(0, 'utf8')
const { NODE_OPTIONS = null, NODE_EXTRA_CA_CERTS = null, SAVEPOINT_HOME } = process.env
console.log(JSON.stringify({ args: process.argv.slice(2), input, NODE_OPTIONS, NODE_EXTRA_CA_CERTS, SAVEPOINT_HOME }))
if (input === 'fail') process.exit(2)
if (input === 'crash') process.kill(process.pid, 'SIGKILL')
`

function lab({ folder = 'home', node = process.execPath } = {}) {
  const box = sandbox({ git: false })
  const home = join(box.root, folder)
  const bundle = join(box.root, `${folder} dist`, 'hook.cjs')
  mkdirSync(join(bundle, '..'), { recursive: true })
  writeFileSync(bundle, STUB)
  const launcher = launcherIn(home, { node, bundle })
  writeLauncher(launcher, testPorts())
  const start = (input = '{}', env: NodeJS.ProcessEnv = {}) =>
    spawnSync(launcher.path, ['claude'], {
      ...{ input, encoding: 'utf8', timeout: 100_000 },
      env: { PATH: box.env.PATH, ...env },
    })
  const faults = () => {
    const file = join(home, 'faults.jsonl')
    return existsSync(file)
      ? readFileSync(file, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : []
  }
  return { box, home, bundle, launcher, start, faults }
}

test.each(['home', 'my home', `it's "$HOME" \`x\` \\ é`, 'two\nlines'])(
  'the hook is started from whatever home: %j',
  (folder) => {
    const { home, start } = lab({ folder })
    const done = start('{"a":1}', {
      NODE_OPTIONS: '--require /nowhere.js',
      NODE_EXTRA_CA_CERTS: '/nowhere.pem',
    })
    expect(done).toMatchObject({ status: 0, stderr: '' })
    expect(JSON.parse(done.stdout)).toEqual({
      args: ['claude'],
      input: '{"a":1}',
      NODE_OPTIONS: null,
      NODE_EXTRA_CA_CERTS: null,
      SAVEPOINT_HOME: home,
    })
  },
)

test('the client starts it through a shell for the status line, from whatever home', () => {
  const { launcher, box } = lab({ folder: `it's $HOME` })
  const done = spawnSync('sh', ['-c', launcher.inShell('statusline', 'k1')], {
    env: box.env,
    encoding: 'utf8',
    input: '',
  })
  expect(JSON.parse(done.stdout)).toMatchObject({ args: ['statusline', 'k1'] })
})

test('it is for its owner alone', () => {
  const { home, launcher } = lab()
  expect(statSync(launcher.path).mode & 0o777).toBe(0o700)
  expect(statSync(join(home, 'bin')).mode & 0o777).toBe(0o700)
})

test('a Node that is gone is replaced by the one on PATH', () => {
  const { start, faults } = lab({ node: '/nowhere/node' })
  expect(start()).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('"claude"') })
  expect(faults()).toEqual([])
})

test('without any Node it ends well, and leaves a line', () => {
  const { start, faults, box } = lab({ node: '/nowhere/node' })
  const tools = join(box.root, 'tools')
  mkdirSync(tools)
  for (const tool of ['wc', 'date']) symlinkSync(`/usr/bin/${tool}`, join(tools, tool))
  expect(start('{}', { PATH: tools })).toMatchObject({ status: 0, stdout: '', stderr: '' })
  expect(faults()).toEqual([
    { at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/), reason: 'node_missing' },
  ])
})

test('without the bundle it ends well, and leaves a line as long as there is room', () => {
  const { home, bundle, start, faults } = lab()
  rmSync(bundle)
  expect(start()).toMatchObject({ status: 0, stdout: '', stderr: '' })
  expect(faults()).toMatchObject([{ reason: 'bundle_missing' }])
  expect(statSync(join(home, 'faults.jsonl')).mode & 0o777).toBe(0o600)
  writeFileSync(join(home, 'faults.jsonl'), 'x'.repeat(65_536))
  expect(start()).toMatchObject({ status: 0, stdout: '', stderr: '' })
  expect(statSync(join(home, 'faults.jsonl')).size).toBe(65_536)
})

test('without anything at all, not even a home, it ends well', () => {
  const { home, bundle, launcher, start } = lab()
  rmSync(bundle)
  // A folder where the file should be: nothing can be written.
  mkdirSync(join(home, 'faults.jsonl'))
  expect(start('{}', { PATH: '/nowhere' })).toMatchObject({ status: 0, stdout: '', stderr: '' })
  expect(existsSync(launcher.path)).toBe(true)
})

test.each(['fail', 'crash'])('a hook that does not end well does not block the agent: %s', (input) => {
  const { start, faults } = lab()
  expect(start(input).status).toBe(0)
  expect(faults()).toMatchObject([{ reason: 'hook_failed' }])
})

test('it is written again only where something moved', () => {
  const { home, bundle, launcher } = lab()
  expect(launcherChange(launcher)).toBeNull()
  expect(targetIn(launcher.text)).toEqual({ node: process.execPath, bundle })
  expect(launcherChange(launcherIn(home, { node: '/other/node', bundle }))).toBe('changed')
  rmSync(launcher.path)
  expect(launcherChange(launcher)).toBe('made')
})

test('on Windows Node itself is what the client starts', () => {
  const { home, bundle, box } = lab({ folder: `it's "my" home` })
  const launcher = launcherIn(home, { node: 'C:\\node.exe', bundle }, 'win32')
  expect(launcher.start('claude')).toEqual({
    command: 'node',
    args: [join(home, 'bin', 'savepoint-hook.cjs'), 'claude'],
  })
  expect(targetIn(launcher.text)).toEqual({ node: 'C:\\node.exe', bundle })
  writeLauncher(launcher, testPorts())
  const start = () =>
    spawnSync(process.execPath, [...launcher.start('claude').args], {
      env: box.env,
      input: '{}',
      encoding: 'utf8',
    })
  expect(JSON.parse(start().stdout)).toMatchObject({ args: ['claude'], SAVEPOINT_HOME: home })
  rmSync(bundle)
  expect(start()).toMatchObject({ status: 0, stdout: '', stderr: '' })
  expect(readFileSync(join(home, 'faults.jsonl'), 'utf8')).toContain('bundle_missing')
})
