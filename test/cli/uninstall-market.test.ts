import { cpSync, existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../support/sandbox.ts'
import { whats } from './init-lab.ts'
import { ADD, INSTALL, PluginLab } from './init-plugin-lab.ts'

const REMOVE = 'plugin marketplace remove savepoint'
const named = (path: string) =>
  JSON.stringify({ extraKnownMarketplaces: { savepoint: { source: { source: 'directory', path } } } })
const standing = ({ copy, launcher, server }: PluginLab) => [copy, launcher, server].map(existsSync)
const ALL = [true, true, true]
const NONE = [false, false, false]

/** The plugin by a person's own words in another workspace, which nobody noted. */
function byHand(lab: PluginLab): string {
  const other = lab.workspace('other')
  lab.type(other, ...INSTALL.split(' '))
  return other
}

test('a marketplace that a repository names takes nothing from a client that reads the copy', () => {
  const lab = new PluginLab()
  lab.file(lab.box.path('.claude/settings.json'), named('./tools/claude'))
  lab.init('--plugin')
  const other = byHand(lab)
  lab.asked()
  const { notices } = lab.uninstall()
  expect(lab.asked()).not.toContain(REMOVE)
  expect(standing(lab)).toEqual(ALL)
  expect(notices).toContainEqual(expect.stringContaining(`load plugins from it, for ${other}.`))
  // Without its own words for it, but there: once it is gone, so is all that it needed.
  for (const name of ['context', 'savepoint'])
    lab.type(other, 'plugin', 'uninstall', `${name}@savepoint`, '--scope', 'local')
  lab.uninstall()
  expect(lab.asked()).toContain(REMOVE)
  expect([...standing(lab), existsSync(lab.home('setup.json'))]).toEqual([...NONE, false])
})

test('a copy that the client reads stays, also where its settings do not name it any more', () => {
  const lab = new PluginLab()
  lab.init('--plugin')
  byHand(lab)
  lab.users('{}')
  lab.uninstall()
  expect(standing(lab)).toEqual(ALL)
})

test('a copy that another folder of the client names stays', () => {
  const lab = new PluginLab()
  lab.init('--plugin')
  lab.box.run(['uninstall'], { env: { CLAUDE_CONFIG_DIR: lab.workspace('another') } })
  expect(standing(lab)).toEqual(ALL)
  lab.uninstall()
  expect(standing(lab)).toEqual(NONE)
})

test('scope after scope, the launchers go with the last', () => {
  const lab = new PluginLab()
  lab.init('--plugin')
  lab.type(lab.box.repo, ...INSTALL.replace('local', 'user').split(' '))
  lab.uninstall('--scope', 'project')
  expect(standing(lab)).toEqual(ALL)
  lab.uninstall()
  expect([...standing(lab), existsSync(lab.home('bin'))]).toEqual([...NONE, false])
})

const MINE = '{"b":   2}'

test('where the user had no settings, none are left', () => {
  const lab = new PluginLab()
  lab.init('--plugin')
  expect(existsSync(lab.user)).toBe(true)
  lab.uninstall()
  expect([existsSync(lab.user), existsSync(lab.home('setup.json'))]).toEqual([false, false])
})

test.each([
  [['user', 'project'], []],
  [['user', 'other'], []],
  [
    ['project', 'user'],
    ['--scope', 'project'],
  ],
  [
    ['project', 'user'],
    ['--scope', 'user'],
  ],
])('after the scopes %j the settings of the user are as they were', (scopes, first) => {
  const lab = new PluginLab()
  lab.users(MINE)
  const other = lab.workspace('other')
  for (const scope of scopes)
    if (scope === 'other') lab.box.run(['init', '--plugin'], { cwd: other })
    else lab.init('--plugin', '--scope', scope)
  lab.uninstall(...first)
  if (scopes.includes('other')) lab.box.run(['uninstall'], { cwd: other })
  lab.uninstall()
  expect([lab.users(), standing(lab)]).toEqual([MINE, NONE])
})

test('hooks of ours that were in them do not come back, and are no obstacle', () => {
  const lab = new PluginLab()
  lab.users(MINE)
  lab.init('--scope', 'user')
  lab.init('--plugin', '--scope', 'user')
  const other = lab.workspace('other')
  lab.box.run(['init', '--plugin'], { cwd: other })
  lab.uninstall()
  lab.box.run(['uninstall'], { cwd: other })
  expect(lab.users()).toBe(MINE)
})

test('hooks for all projects that outlive the marketplace are waited for', () => {
  const lab = new PluginLab()
  lab.users(MINE)
  lab.init('--plugin')
  lab.init('--scope', 'user')
  lab.uninstall('--scope', 'project')
  expect(JSON.parse(lab.users()).hooks.Stop).toHaveLength(1)
  lab.uninstall()
  expect([lab.users(), existsSync(lab.home('setup.json'))]).toEqual([MINE, false])
})

test('settings that say more by then stay as they are', () => {
  const lab = new PluginLab()
  lab.users(MINE)
  lab.init('--plugin')
  lab.users(JSON.stringify({ ...JSON.parse(lab.users()), c: 3 }))
  lab.uninstall()
  expect(JSON.parse(lab.users())).toEqual({ b: 2, c: 3, extraKnownMarketplaces: {} })
})

/** A clone, as a user adds it in the client. */
function cloned(lab: PluginLab): string {
  const clone = join(lab.box.root, 'clone')
  cpSync(join(projectRoot, 'plugins/claude'), clone, { recursive: true })
  lab.type(lab.box.repo, ...ADD(clone).split(' '))
  lab.asked()
  return clone
}

test("a marketplace of the user's own is kept, and what to do is said", () => {
  const lab = new PluginLab()
  const clone = cloned(lab)
  lab.init()
  const mine = lab.users()
  const dry = lab.init('--plugin', '--dry-run')
  expect(dry.notices).toContainEqual(expect.stringContaining(clone))
  expect(whats(dry).join('\n')).not.toMatch(/^ran|settings\.local/m)
  const done = lab.answer('init', '--plugin')
  expect(done).toMatchObject({
    reason: 'plugin_not_installed',
    message: expect.stringContaining(`\`savepoint\`, from ${clone}`),
    hint: expect.stringMatching(
      /plugin install context@savepoint, .* or \/plugin marketplace remove savepoint/,
    ),
  })
  expect([lab.asked(), lab.users()]).toEqual([[], mine])
  expect(JSON.parse(lab.local()).hooks.Stop).toHaveLength(1)
  lab.uninstall()
  expect([lab.asked(), lab.users(), standing(lab)]).toEqual([[], mine, NONE])
  // A person chose.
  lab.type(lab.box.repo, ...REMOVE.split(' '))
  lab.init('--plugin')
  expect(JSON.parse(lab.users()).extraKnownMarketplaces.savepoint.source.path).toBe(lab.copy)
})

test('one from a repository on the net is kept as well; one that is gone is followed, and told', () => {
  const lab = new PluginLab()
  const source = { source: 'github', repo: 'acme/savepoint' }
  lab.users(JSON.stringify({ extraKnownMarketplaces: { savepoint: { source } } }))
  expect(lab.answer('init', '--plugin').message).toContain('acme/savepoint')
  const gone = join(lab.box.root, 'gone')
  lab.users(named(gone))
  expect(lab.init('--plugin').notices).toContainEqual(
    expect.stringContaining(`${gone}, which no longer exists`),
  )
})

test('a home that is reached by a link is this home', () => {
  const lab = new PluginLab()
  lab.init('--plugin')
  lab.asked()
  symlinkSync(lab.box.home, join(lab.box.root, 'link'))
  lab.box.env.SAVEPOINT_HOME = join(lab.box.root, 'link')
  expect(lab.answer('init', '--plugin').ok).toBe(true)
  lab.uninstall()
  expect(lab.asked()).toContain(REMOVE)
  expect(standing(lab)).toEqual(NONE)
})
