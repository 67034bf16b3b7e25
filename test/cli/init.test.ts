import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { HOOKS } from '../../src/agents/claude/hook-table.ts'
import { LOCAL, SetupLab, whats } from './init-lab.ts'
import { treeOf } from './save-lab.ts'

const MINE = '{\n  // mine\n  "model": "opus"\n}\n'
const EVENTS = Object.keys(HOOKS)

test('init sets up this workspace, and a second one changes nothing', () => {
  const lab = new SetupLab()
  const { box } = lab
  expect(whats(lab.init())).toEqual([
    `made ${box.path(LOCAL)}`,
    `trusted ${box.repo}`,
    `made ${lab.launcher}`,
    `changed ${box.path('.git/info/exclude')}`,
  ])
  const { hooks } = JSON.parse(lab.local())
  expect(Object.keys(hooks)).toEqual(EVENTS)
  expect(hooks.Stop).toEqual([
    { hooks: [{ type: 'command', command: lab.launcher, args: ['claude'], timeout: 10 }] },
  ])
  expect(box.git('status', '--short')).toBe('')
  expect(statSync(lab.home('setup.json')).mode & 0o777).toBe(0o600)
  expect(box.json(['trust'])).toMatchObject({ wasTrusted: true })
  const [before, noted] = [lab.local(), readFileSync(lab.home('setup.json'), 'utf8')]
  expect(lab.init().changes).toEqual([])
  expect([lab.local(), readFileSync(lab.home('setup.json'), 'utf8')]).toEqual([before, noted])
})

test('what git ignores already is not excluded again, and what git tracks is told', () => {
  const lab = new SetupLab()
  writeFileSync(lab.box.path('.gitignore'), '.claude/*.local.json\n')
  const before = readFileSync(lab.box.path('.git/info/exclude'), 'utf8')
  lab.init()
  expect(readFileSync(lab.box.path('.git/info/exclude'), 'utf8')).toBe(before)
  lab.box.git('add', '--force', LOCAL)
  expect(lab.init().notices).toContainEqual(expect.stringContaining('tracked by git'))
})

test('a dry run shows every line, and writes nothing, not even the home', () => {
  const lab = new SetupLab()
  lab.local(MINE)
  const before = treeOf(lab.box.root)
  const { changes } = lab.init('--dry-run', '--statusline')
  expect(changes.map(({ what }) => what)).toEqual(['changed', 'trusted', 'made', 'changed'])
  expect(changes[0]?.diff).toContain('+    "SessionStart": [')
  expect(lab.box.run(['init', '--dry-run']).stdout).toMatch(/^Would set up .*\n {2}would change {2}/)
  expect(lab.box.run(['init', '--dry-run', '--diff']).stdout).toContain('+    "SessionStart": [')
  expect(treeOf(lab.box.root)).toEqual(before)
  expect(existsSync(lab.box.home)).toBe(false)
  expect(lab.local()).toBe(MINE)
})

test('the old file is kept before it changes, and its mode stays', () => {
  const lab = new SetupLab()
  lab.local(MINE)
  chmodSync(lab.box.path(LOCAL), 0o640)
  lab.init()
  expect(lab.backups()).toEqual([MINE])
  expect(statSync(lab.home('backups-settings')).mode & 0o777).toBe(0o700)
  expect(statSync(lab.box.path(LOCAL)).mode & 0o777).toBe(0o640)
  expect(lab.local().startsWith('{\n  // mine\n  "model": "opus",\n')).toBe(true)
})

test('a malformed settings file is told with its line, and nothing is done', () => {
  const lab = new SetupLab()
  lab.local('{\n  "a": 1\n  "b": 2\n}\n')
  const before = lab.local()
  for (const verb of ['init', 'uninstall']) {
    const done = lab.box.run([verb])
    expect(done).toMatchObject({ code: 4, stderr: expect.stringContaining(`${LOCAL}:3: `) })
    expect(done.stderr).toContain('settings_malformed')
  }
  expect(lab.local()).toBe(before)
  expect([lab.launcher, lab.home('setup.json'), lab.home('backups-settings')].filter(existsSync)).toEqual([])
  lab.local(Buffer.from([0x7b, 0xff, 0x7d]))
  expect(lab.box.run(['init']).stderr).toContain('it is not UTF-8')
})

test('without an agent it says what to do; with its name it goes on', () => {
  const lab = new SetupLab()
  rmSync(join(lab.user, '..'), { recursive: true })
  const env = { PATH: '/usr/bin:/bin' }
  expect(lab.box.run(['init'], { env })).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('savepoint init --agent claude'),
  })
  expect(lab.box.run(['init', '--agent', 'claude', '--scope', 'user'], { env }).code).toBe(0)
  expect(Object.keys(JSON.parse(lab.users()).hooks)).toEqual(EVENTS)
  expect(lab.box.run(['uninstall'], { env }).code).toBe(0)
  expect(existsSync(join(lab.user, '..'))).toBe(false)
  const tools = join(lab.box.root, 'tools')
  mkdirSync(tools)
  writeFileSync(join(tools, 'claude'), '#!/bin/sh\n', { mode: 0o755 })
  expect(lab.box.run(['init'], { env: { PATH: `${tools}:/usr/bin:/bin` } }).code).toBe(0)
})

test('the folder of the client may be elsewhere', () => {
  const lab = new SetupLab()
  const elsewhere = join(lab.box.root, 'elsewhere')
  lab.box.env.CLAUDE_CONFIG_DIR = elsewhere
  mkdirSync(elsewhere)
  lab.init('--scope', 'user')
  expect(existsSync(join(elsewhere, 'settings.json'))).toBe(true)
  expect(existsSync(lab.user)).toBe(false)
})

test("the user's own settings may be a link: its target is written, and the link stays", () => {
  const lab = new SetupLab()
  const dotfile = join(lab.box.root, 'dotfiles', 'claude.json')
  lab.file(dotfile, '{"model": "opus"}')
  symlinkSync(dotfile, lab.user)
  lab.init('--scope', 'user')
  expect(JSON.parse(readFileSync(dotfile, 'utf8')).hooks.Stop).toHaveLength(1)
  lab.uninstall()
  expect(readFileSync(dotfile, 'utf8')).toBe('{"model": "opus"}')
  rmSync(dotfile)
  expect(lab.box.run(['init', '--scope', 'user'])).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('a broken link'),
  })
})

test('a link in a workspace may not lead out of it', () => {
  const lab = new SetupLab()
  const outside = join(lab.box.root, 'outside')
  mkdirSync(outside)
  symlinkSync(outside, lab.box.path('.claude'))
  expect(lab.box.run(['init'])).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('a link to a place outside'),
  })
  rmSync(lab.box.path('.claude'))
  lab.file(join(outside, 'settings.json'), '{}')
  mkdirSync(lab.box.path('.claude'))
  symlinkSync(join(outside, 'settings.json'), lab.box.path(LOCAL))
  expect(lab.box.run(['init']).code).toBe(7)
  expect(readFileSync(join(outside, 'settings.json'), 'utf8')).toBe('{}')
  rmSync(lab.box.path(LOCAL))
  lab.file(lab.box.path('config/claude.json'), '{}')
  symlinkSync('../config/claude.json', lab.box.path(LOCAL))
  lab.init()
  expect(Object.keys(lab.box.readJson('config/claude.json').hooks)).toEqual(EVENTS)
})

test('what keeps hooks from running is told', () => {
  const lab = new SetupLab()
  lab.users('{"disableAllHooks": true}')
  lab.local('{ // mine\n}')
  lab.file(lab.box.path('.claude/settings.json'), '{"a"}')
  expect(lab.init().notices?.join('\n')).toMatch(
    /disableAllHooks" in .*user[\s\S]*settings\.local\.json has comments[\s\S]*Could not read .*settings\.json/,
  )
})

test('where the plugin is switched on, hooks are not put in twice', () => {
  const lab = new SetupLab()
  lab.users('{"enabledPlugins": {"savepoint@savepoint": true}}')
  const { notices, changes } = lab.init()
  expect(notices).toContainEqual(expect.stringContaining('not added again'))
  expect(changes.map(({ what }) => what)).toEqual(['trusted'])
  expect(existsSync(lab.box.path(LOCAL))).toBe(false)
})

test('in the scope of the user no workspace is trusted', () => {
  const lab = new SetupLab()
  const { changes } = lab.init('--scope', 'user')
  expect(changes.map(({ what }) => what)).toEqual(['made', 'made'])
  expect(lab.box.json(['trust'])).toMatchObject({ wasTrusted: false })
})

test('a home that moved is followed', () => {
  const lab = new SetupLab()
  lab.init()
  const home = join(lab.box.root, 'new home')
  const done = lab.box.run(['init', '--json'], { env: { SAVEPOINT_HOME: home } })
  expect(JSON.parse(done.stdout).changes[0].about).toMatch(/^hooks updated: SessionStart/)
  expect(lab.local().match(/savepoint-hook/g)).toHaveLength(EVENTS.length)
  expect(lab.local()).toContain(join(home, 'bin', 'savepoint-hook'))
})

test('ten at once leave one set of hooks, and one note of it', async () => {
  const lab = new SetupLab()
  lab.local(MINE)
  const done = await Promise.all(Array.from({ length: 10 }, () => lab.box.spawn(['init']).done))
  expect(done.map(({ code }) => code)).toEqual(Array(10).fill(0))
  expect(lab.local().match(/savepoint-hook/g)).toHaveLength(EVENTS.length)
  expect(JSON.parse(readFileSync(lab.home('setup.json'), 'utf8')).setups).toHaveLength(1)
  lab.uninstall()
  expect(lab.local()).toBe(MINE)
})

test('two words that exclude each other are refused', () => {
  const lab = new SetupLab()
  expect(lab.box.run(['init', '--statusline', '--without-statusline']).code).toBe(2)
})
