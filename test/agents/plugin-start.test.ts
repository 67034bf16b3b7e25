import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { launcherIn } from '../../src/engine/setup/launcher.ts'
import { projectRoot, sandbox } from '../support/sandbox.ts'

const START = join(projectRoot, 'plugins/claude/savepoint/start.cjs')
const AT_START = JSON.stringify({ hook_event_name: 'SessionStart', session_id: 's', cwd: '/' })
const AT_STOP = JSON.stringify({ hook_event_name: 'Stop', session_id: 's', cwd: '/' })

/** A machine with the plugin somewhere in it, and nothing else. */
function machine() {
  const root = mkdtempSync(join(tmpdir(), 'savepoint-start-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const path = (name: string) => join(root, name)
  mkdirSync(path('package/plugins/claude/savepoint'), { recursive: true })
  mkdirSync(path('project'))
  const start = path('package/plugins/claude/savepoint/start.cjs')
  copyFileSync(START, start)
  return {
    path,
    start,
    /** Stand-ins for the built programs, which tell who and with what they were started. */
    install(folder: string, hook = tells) {
      mkdirSync(path(folder), { recursive: true })
      writeFileSync(path(`${folder}/hook.cjs`), hook)
      writeFileSync(path(`${folder}/cli.cjs`), 'console.log(JSON.stringify(process.argv.slice(1)))')
    },
    run(words: string[], { input = AT_START, env = {}, file = start }: Given = {}) {
      const done = spawnSync(process.execPath, [file, ...words], {
        cwd: path('project'),
        env: { HOME: path('user'), ...env },
        input,
        encoding: 'utf8',
      })
      return { code: done.status, out: done.stdout, err: done.stderr }
    },
  }
}

interface Given {
  input?: string
  env?: NodeJS.ProcessEnv
  file?: string
}

const tells = `exports.main = (words) =>
  console.log(JSON.stringify([__dirname, words, require('node:fs').readFileSync(0, 'utf8')]))`
const HOOK = ['hook', 'claude']

function launcher(home: string, dist: string) {
  const { path, text } = launcherIn(home, { node: process.execPath, bundle: join(dist, 'hook.cjs') })
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

test('the programs beside the plugin are run, also through a link, with all that came in', () => {
  const at = machine()
  at.install('package/dist')
  at.install('elsewhere')
  launcher(at.path('home'), at.path('elsewhere'))
  symlinkSync(at.path('package/plugins/claude'), at.path('link'))
  const env = { SAVEPOINT_HOME: at.path('home') }
  const told = JSON.stringify([at.path('package/dist'), ['claude'], AT_STOP])
  for (const file of [at.start, at.path('link/savepoint/start.cjs')])
    expect(at.run(HOOK, { input: AT_STOP, env, file })).toEqual({ code: 0, out: `${told}\n`, err: '' })
})

test.each([
  ['SAVEPOINT_HOME', 'home', 'home'],
  ['XDG_STATE_HOME', 'state', 'state/savepoint'],
  ['HOME', 'user', 'user/.local/state/savepoint'],
])('else those that the launcher in the home starts, by %s', (variable, value, home) => {
  const at = machine()
  at.install('it\'s "here"/dist')
  launcher(at.path(home), at.path('it\'s "here"/dist'))
  const { out } = at.run(['mcp'], { env: { [variable]: at.path(value) } })
  expect(JSON.parse(out)).toEqual([at.path('it\'s "here"/dist/cli.cjs'), 'mcp'])
})

test('else those of the command on PATH, but never what a project puts there', () => {
  const at = machine()
  at.install('lib/savepoint/dist')
  at.install('project/dist')
  launcher(at.path('home'), at.path('gone'))
  mkdirSync(at.path('bin'))
  symlinkSync(at.path('lib/savepoint/dist/cli.cjs'), at.path('bin/savepoint'))
  symlinkSync(at.path('project/dist/cli.cjs'), at.path('project/savepoint'))
  const env = { SAVEPOINT_HOME: at.path('home'), PATH: `:.:${at.path('nowhere')}:${at.path('bin')}` }
  expect(JSON.parse(at.run(HOOK, { env }).out)[0]).toBe(at.path('lib/savepoint/dist'))
})

test('nor what is in the project by a whole path, or by a link that leads into it', () => {
  const at = machine()
  at.install('lib/savepoint/dist')
  at.install('project/node_modules/savepoint/dist')
  const place = (folder: string, dist: string) => {
    mkdirSync(at.path(folder), { recursive: true })
    symlinkSync(at.path(`${dist}/cli.cjs`), at.path(`${folder}/savepoint`))
  }
  place('bin', 'lib/savepoint/dist')
  place('links', 'project/node_modules/savepoint/dist')
  place('project/node_modules/.bin', 'lib/savepoint/dist')
  symlinkSync(at.path('project/node_modules/.bin'), at.path('by-link'))
  const found = (folder: string, env: object = {}) =>
    at.run(HOOK, { env: { PATH: at.path(folder), ...env } }).out
  for (const folder of ['links', 'project/node_modules/.bin', 'by-link'])
    expect(found(folder), folder).toContain('npm install')
  expect(JSON.parse(found('bin'))[0]).toBe(at.path('lib/savepoint/dist'))
  // The client says which project it is: hooks are not always run in its root.
  expect(found('bin', { CLAUDE_PROJECT_DIR: at.path('bin') })).toContain('npm install')
  expect(found('links', { CLAUDE_PROJECT_DIR: at.path('user') })).toContain('node_modules/savepoint/dist')
  // In the home of the user all is theirs.
  expect(found('links', { HOME: at.path('project') })).toContain('node_modules/savepoint/dist')
})

test('where there is nothing, the start of a session says what to install, and all else is silent', () => {
  const at = machine()
  const told = at.run(HOOK)
  expect(told).toMatchObject({ code: 0, err: '' })
  expect(Object.keys(JSON.parse(told.out))).toEqual(['systemMessage'])
  expect(told.out).toContain('npm install -g savepoint')
  for (const input of [AT_STOP, '', 'null', '{"hook'])
    expect(at.run(HOOK, { input })).toEqual({ code: 0, out: '', err: '' })
})

test('a server that is not there says so on stderr, and fails', () => {
  const { code, out, err } = machine().run(['mcp'])
  expect({ code, out, lines: err.split('\n').length }).toEqual({ code: 1, out: '', lines: 2 })
  expect(err).toContain('npm install -g savepoint')
})

test.each([
  ['cannot be read', 'exports.main = ('],
  ['fails at once', 'exports.main = () => { throw new Error("broken") }'],
])('a program that %s is told at the start of a session, and ends no agent', (_, hook) => {
  const at = machine()
  at.install('package/dist', hook)
  const { code, out } = at.run(HOOK)
  expect(code).toBe(0)
  expect(JSON.parse(out).systemMessage).toContain('cannot be started')
  expect(at.run(HOOK, { input: AT_STOP })).toEqual({ code: 0, out: '', err: '' })
})

test('a program that fails later ends no agent either', () => {
  const at = machine()
  at.install('package/dist', 'exports.main = () => void Promise.reject(new Error("late"))')
  expect(at.run(HOOK)).toEqual({ code: 0, out: '', err: '' })
})

test('a launcher that nobody may read is passed over', () => {
  const at = machine()
  launcher(at.path('home'), at.path('gone'))
  rmSync(at.path('home/bin/savepoint-hook'))
  mkdirSync(at.path('home/bin/savepoint-hook'))
  chmodSync(at.path('home/bin/savepoint-hook'), 0)
  expect(at.run(['mcp'], { env: { SAVEPOINT_HOME: at.path('home') } }).err).toContain('npm install')
})

test('the plugin of this repository records a session, and serves', () => {
  const place = sandbox()
  const start = (words: string[], input: object) =>
    spawnSync(process.execPath, [START, ...words], {
      cwd: place.repo,
      env: place.env,
      input: `${JSON.stringify(input)}\n`,
      encoding: 'utf8',
    })
  const event = { hook_event_name: 'SessionStart', source: 'startup', session_id: 'abc', cwd: place.repo }
  expect(start(HOOK, event)).toMatchObject({ status: 0, stderr: '' })
  expect(place.json(['sessions', 'show', 'abc']).session).toMatchObject({ id: 'abc' })
  const initialize = {
    ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  }
  const served = start(['mcp'], initialize)
  expect(served).toMatchObject({ status: 0, stderr: '' })
  expect(JSON.parse(served.stdout).result.serverInfo.name).toBe('savepoint')
})
