import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hasPlugin, type KnownPlace, pluginMarket } from '../../src/engine/setup/settings-places.ts'
import { whats } from './init-lab.ts'
import { PluginLab } from './init-plugin-lab.ts'

const on = (...names: string[]) =>
  JSON.stringify({ enabledPlugins: Object.fromEntries(names.map((name) => [name, true])) })
const OURS = 'savepoint@savepoint'
const COMMITTED = '.claude/settings.json'

test.each([
  ['a repository, by the name alone', 'savepoint@acme-games', 'project'],
  ['a repository, by ours', OURS, 'project'],
  ['a repository that commits the local file', OURS, 'local'],
  ['the user, by the name alone', 'savepoint@acme-games', 'user'],
])('a plugin of %s takes no hook out, and hooks are put in', (_, name, where) => {
  const lab = new PluginLab()
  const file = { project: lab.box.path(COMMITTED), local: lab.box.path('.claude/settings.local.json') }
  for (const scope of ['project', 'user']) {
    lab.file(where === 'user' ? lab.user : file[where === 'local' ? 'local' : 'project'], on(name))
    lab.init('--scope', scope)
    // Once more, where hooks are there already.
    expect(lab.init('--scope', scope).changes, scope).toEqual([])
    const { hooks } = JSON.parse(scope === 'user' ? lab.users() : lab.local())
    expect(hooks.Stop, scope).toHaveLength(1)
    lab.uninstall()
  }
})

test('what comes with the repository is told', () => {
  const lab = new PluginLab()
  lab.file(lab.box.path(COMMITTED), on(OURS))
  expect(lab.init().notices).toContainEqual(expect.stringContaining('which is committed'))
})

test('hooks for all projects ask no single one; that they are run besides its plugin is told', () => {
  const lab = new PluginLab()
  lab.init('--plugin')
  expect(lab.init('--scope', 'user').notices).toContainEqual(expect.stringContaining('would run twice here'))
  expect(JSON.parse(lab.users()).hooks.Stop).toHaveLength(1)
})

test('where a repository switches the plugin off, its hooks stay', () => {
  const lab = new PluginLab()
  lab.file(lab.box.path(COMMITTED), JSON.stringify({ enabledPlugins: { [OURS]: false } }))
  lab.init()
  const { changes } = lab.init('--plugin', '--scope', 'user')
  expect(whats({ changes } as never)).not.toContainEqual(expect.stringContaining('settings.local.json'))
  expect(JSON.parse(lab.local()).hooks.Stop).toHaveLength(1)
  expect(lab.init().changes).toEqual([])
})

test('a client that says it did, and did not, takes no hook out', () => {
  const lab = new PluginLab()
  lab.init()
  lab.file(join(lab.tools, 'claude'), '#!/bin/sh\nexit 0\n')
  expect(lab.answer('init', '--plugin')).toMatchObject({
    reason: 'plugin_not_installed',
    message: expect.stringContaining('your settings do not have the plugin'),
  })
  expect(JSON.parse(lab.local()).hooks.Stop).toHaveLength(1)
})

const NO_FACTS = { plugin: null, market: null, source: null }
// `as`: no more of the facts is looked at.
const place = (kind: KnownPlace['kind'], facts: object) =>
  ({ kind, path: kind, problem: null, facts: { ...NO_FACTS, ...facts } }) as KnownPlace
const yes = { plugin: true }
const no = { plugin: false }
const market = { source: '/m', market: '/m' }

test.each([
  ['the user', [place('user', yes)], true, true],
  [
    'an administrator, before all',
    [place('managed', no), place('user', yes), place('local', yes)],
    false,
    false,
  ],
  ['an administrator alone', [place('managed', yes), place('local', no)], true, true],
  [
    'a file of the workspace, over the user',
    [place('user', { ...no, ...market }), place('local', yes)],
    true,
    false,
  ],
  ['one off in the workspace', [place('user', yes), place('local', no)], false, true],
  [
    'a marketplace that nobody knows',
    [place('user', {}), place('local', { ...yes, ...market })],
    false,
    false,
  ],
  ['a repository', [place('user', market), place('project', yes)], false, false],
  ['a repository, off', [place('user', yes), place('project', no)], false, true],
  [
    'a repository, off, and the user on',
    [place('user', market), place('project', no), place('local', yes)],
    true,
    false,
  ],
])('who decides over the plugin: %s', (_, places, inProject, forAll) => {
  expect([hasPlugin(places, 'project'), hasPlugin(places, 'user')]).toEqual([inProject, forAll])
})

test('where the plugins come from, the user and the administrator say', () => {
  const elsewhere = { source: '/x', market: '/x' }
  const others = [place('project', elsewhere), place('local', elsewhere)]
  expect(pluginMarket([place('user', market), ...others])).toBe('/m')
  expect(pluginMarket([place('managed', elsewhere), place('user', market)])).toBe('/x')
  expect(pluginMarket([place('user', {}), ...others])).toBeNull()
  expect(pluginMarket([place('user', { source: 'acme/x', market: null }), ...others])).toBeNull()
})

test('a marketplace that a repository names elsewhere keeps nobody from having the plugin', () => {
  const lab = new PluginLab()
  const source = { source: 'directory', path: './tools/claude' }
  lab.file(lab.box.path(COMMITTED), JSON.stringify({ extraKnownMarketplaces: { savepoint: { source } } }))
  lab.init('--plugin')
  expect([
    existsSync(lab.copy),
    JSON.parse(lab.users()).extraKnownMarketplaces.savepoint.source.path,
  ]).toEqual([true, lab.copy])
})
