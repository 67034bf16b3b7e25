import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Finding } from '../../src/engine/context/findings.ts'
import { LOCAL } from './init-lab.ts'
import { COMMAND, PluginLab } from './init-plugin-lab.ts'

test('uninstall lets the client take the plugins out, and nothing of ours is left', () => {
  const lab = new PluginLab()
  const exclude = readFileSync(lab.box.path('.git/info/exclude'), 'utf8')
  lab.init('--plugin')
  lab.asked()
  lab.uninstall()
  expect(lab.asked()).toEqual([
    'plugin uninstall context@savepoint --scope local',
    'plugin uninstall savepoint@savepoint --scope local',
    'plugin marketplace remove savepoint',
  ])
  const left = [lab.box.path('.claude'), lab.home('plugins'), lab.home('bin'), lab.home('setup.json')]
  expect(left.filter(existsSync)).toEqual([])
  expect(readFileSync(lab.box.path('.git/info/exclude'), 'utf8')).toBe(exclude)
  expect(lab.uninstall().changes).toEqual([])
  expect(lab.asked()).toEqual([])
})

test('settings that the client wrote anew get their bytes back, unless they say more by then', () => {
  const lab = new PluginLab()
  lab.local('{"a":1,   "enabledPlugins": {"x@y": true}}')
  lab.users('{"b":   2}')
  lab.init('--plugin')
  lab.uninstall()
  expect(lab.local()).toBe('{"a":1,   "enabledPlugins": {"x@y": true}}')
  expect(lab.users()).toBe('{"b":   2}')
  lab.init('--plugin')
  lab.local(lab.local().replace('"a": 1', '"a": 3'))
  lab.uninstall()
  expect(JSON.parse(lab.local())).toEqual({ a: 3, enabledPlugins: { 'x@y': true } })
})

test.each([
  ['project', 'user'],
  ['user', 'project'],
])('where another scope has the plugin, the marketplace and the copy stay: %s, %s', (...scopes) => {
  const lab = new PluginLab()
  for (const scope of scopes) lab.init('--plugin', '--scope', scope)
  lab.uninstall('--scope', 'user')
  expect([lab.copy, lab.launcher, lab.box.path(COMMAND)].map(existsSync)).toEqual([true, true, true])
  expect(JSON.parse(lab.users()).extraKnownMarketplaces.savepoint.source.path).toBe(lab.copy)
  lab.uninstall()
  expect([lab.copy, lab.launcher].filter(existsSync)).toEqual([])
})

test('where the note is lost, the plugin from our copy is found all the same', () => {
  const lab = new PluginLab()
  lab.init('--plugin')
  rmSync(lab.home('setup.json'))
  lab.uninstall()
  expect([JSON.parse(lab.local()), existsSync(lab.copy)]).toEqual([{ enabledPlugins: {} }, false])
})

test('a plugin that the client has somewhere else, unknown to us, keeps what it needs', () => {
  const lab = new PluginLab()
  lab.init('--plugin')
  lab.users(JSON.stringify({ ...JSON.parse(lab.users()), enabledPlugins: { 'savepoint@savepoint': true } }))
  lab.uninstall('--scope', 'project')
  expect(lab.asked()).not.toContain('plugin marketplace remove savepoint')
  expect([lab.copy, lab.launcher, lab.server].map(existsSync)).toEqual([true, true, true])
})

test('a plugin that somebody installed from elsewhere is not touched', () => {
  const lab = new PluginLab()
  const text = '{"enabledPlugins": {"savepoint@savepoint": true}}'
  lab.local(text)
  lab.uninstall()
  expect([lab.asked(), lab.local()]).toEqual([[], text])
})

test('where the client does not do it, what it needs stays, and what to type is said; then the rest goes', () => {
  const lab = new PluginLab()
  lab.init('--plugin', '--statusline')
  lab.mood('fail')
  expect(lab.answer('uninstall')).toMatchObject({
    ok: false,
    reason: 'plugin_not_removed',
    hint: expect.stringContaining(
      '/plugin uninstall context@savepoint, /plugin uninstall savepoint@savepoint.',
    ),
    left: [lab.box.path(LOCAL)],
  })
  expect(lab.box.run(['uninstall'])).toMatchObject({
    code: 5,
    stdout: expect.stringContaining('the moon is full'),
  })
  expect([lab.copy, lab.launcher, lab.server].map(existsSync)).toEqual([true, true, true])
  // A person typed it.
  const { statusLine } = JSON.parse(lab.local())
  lab.local(JSON.stringify({ statusLine, enabledPlugins: {} }))
  lab.users('{}')
  expect(lab.answer('uninstall')).toMatchObject({ ok: true, left: [] })
  expect([lab.copy, lab.launcher, lab.server, lab.box.path('.claude')].filter(existsSync)).toEqual([])
})

/** What the doctor says of the plugin. */
function findings({ box }: PluginLab): Array<[string, string, string]> {
  const found: Finding[] = JSON.parse(box.run(['doctor', '--json']).stdout).findings
  return found
    .filter(({ what }) => !what.includes("Savepoint's data folder "))
    .map(({ level, what, todo }) => [level, what, todo])
}
const AGAIN = 'savepoint init --plugin'

test('doctor has nothing to say where all is well', () => {
  const lab = new PluginLab()
  lab.init('--plugin')
  expect(findings(lab)).toEqual([])
})

test('doctor names a copy of another version, one that was changed, and one that is gone', () => {
  const lab = new PluginLab()
  lab.init('--plugin')
  const manifest = join(lab.copy, 'savepoint/.claude-plugin/plugin.json')
  lab.file(manifest, lab.file(manifest).replace(/"version": "[^"]*"/, '"version": "0.0.1"'))
  expect(findings(lab)).toEqual([
    ['warning', expect.stringMatching(/is version 0\.0\.1; Savepoint is \d/), AGAIN],
  ])
  lab.init()
  lab.file(join(lab.copy, 'README.md'), 'x')
  expect(findings(lab)).toEqual([
    ['warning', expect.stringContaining('differs from this version of Savepoint'), AGAIN],
  ])
  rmSync(lab.copy, { recursive: true })
  expect(findings(lab)).toEqual([['error', expect.stringContaining('where the plugin should be'), AGAIN]])
  lab.init('--plugin')
  expect(findings(lab)).toEqual([])
})

test('doctor names launchers that are gone, and those of another home', () => {
  const lab = new PluginLab()
  lab.init('--plugin')
  rmSync(lab.server)
  rmSync(lab.launcher)
  expect(findings(lab)).toEqual([
    ['error', `The plugin's hooks run ${lab.launcher}, which does not exist.`, AGAIN],
    ['error', `The plugin runs ${lab.server}, which does not exist.`, AGAIN],
  ])
  lab.init()
  lab.box.env.SAVEPOINT_HOME = join(lab.box.root, 'elsewhere')
  expect(findings(lab)).toEqual([
    ['warning', expect.stringContaining('another data folder'), AGAIN],
    ['warning', expect.stringContaining('another data folder'), AGAIN],
  ])
})

test('after a client that failed, doctor says what is missing, and nothing against it', () => {
  const lab = new PluginLab()
  lab.mood('fail')
  lab.answer('init', '--plugin')
  const prepared = ['warning', 'The plugin is ready, but Claude Code has not installed it.', AGAIN]
  expect(findings(lab)).toEqual([prepared])
  expect(lab.box.run(['doctor']).stdout).not.toContain('in place')
  expect(lab.box.run(['sessions']).stdout).toContain('savepoint init')
  lab.mood('')
  lab.init('--plugin')
  expect(lab.box.run(['doctor']).stdout).toContain('Hooks installed')
  expect(lab.box.run(['sessions']).stdout).not.toContain('savepoint init')
})

test('doctor names hooks besides a plugin that a repository switches on', () => {
  const lab = new PluginLab()
  lab.init()
  lab.file(lab.box.path('.claude/settings.json'), '{"enabledPlugins": {"savepoint@savepoint": true}}')
  expect(findings(lab)).toEqual([['note', expect.stringContaining('where Claude Code has it'), AGAIN]])
})

test('doctor names hooks besides the plugin', () => {
  const lab = new PluginLab()
  lab.init()
  const hooks = lab.local()
  lab.init('--plugin')
  lab.file(lab.box.path('.claude/settings.json'), hooks)
  expect(findings(lab)).toEqual([['warning', expect.stringContaining('recorded twice'), AGAIN]])
})
