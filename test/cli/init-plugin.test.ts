import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { expect, test, vi } from 'vitest'
import { claudeSetUp } from '../../src/agents/claude/set-up.ts'
import { sha256 } from '../../src/core/canonical.ts'
import type { Context } from '../../src/engine/context/context.ts'
import { findProgram, runClient } from '../../src/engine/setup/client-program.ts'
import { serverLauncherIn } from '../../src/engine/setup/launcher.ts'
import { wantsPlugin } from '../../src/engine/setup/plug-in.ts'
import { projectRoot } from '../support/sandbox.ts'
import { LOCAL, whats } from './init-lab.ts'
import { ADD, COMMAND, INSTALL, PluginLab } from './init-plugin-lab.ts'
import { treeOf } from './save-lab.ts'

test('one command does all of it, and a second one changes nothing', () => {
  const lab = new PluginLab()
  const { box } = lab
  expect(whats(lab.init('--plugin'))).toEqual([
    `trusted ${box.repo}`,
    `made ${lab.launcher}`,
    `made ${lab.server}`,
    `made ${lab.copy}`,
    `changed ${box.path('.git/info/exclude')}`,
    `changed ${box.path('.git/info/exclude')}`,
    `made ${box.path(COMMAND)}`,
    `ran claude ${ADD(lab.copy)}`,
    `ran claude ${INSTALL}`,
  ])
  expect(lab.asked()).toEqual([ADD(lab.copy), INSTALL])
  expect(JSON.parse(lab.local())).toEqual({
    enabledPlugins: { 'context@savepoint': true, 'savepoint@savepoint': true },
  })
  const hooks = JSON.parse(lab.file(join(lab.copy, 'savepoint/hooks/hooks.json')))
  expect(hooks.hooks.Stop[0].hooks[0]).toMatchObject({ command: lab.launcher, args: ['claude'] })
  const servers = JSON.parse(lab.file(join(lab.copy, 'savepoint/.mcp.json')))
  expect(servers.mcpServers.savepoint).toEqual({ command: lab.server, args: [] })
  expect(box.read(COMMAND)).toBe(
    readFileSync(join(projectRoot, 'plugins/claude/commands/checkpoint.md'), 'utf8'),
  )
  expect(box.git('status', '--short')).toBe('')
  const noted = readFileSync(lab.home('setup.json'), 'utf8')
  expect(lab.init('--plugin').changes).toEqual([])
  expect(lab.init().changes).toEqual([])
  expect(lab.asked()).toEqual([])
  expect(readFileSync(lab.home('setup.json'), 'utf8')).toBe(noted)
})

test('hooks of an earlier init go once the plugin has them, the status line stays', () => {
  const lab = new PluginLab()
  lab.local('{"model": "opus"}')
  lab.init('--statusline')
  lab.init('--plugin')
  const { hooks, statusLine, model } = JSON.parse(lab.local())
  expect([hooks, statusLine.type, model]).toEqual([undefined, 'command', 'opus'])
  lab.uninstall()
  expect(lab.local()).toBe('{"model": "opus"}')
})

test('for all projects: the hooks of single ones go, and no workspace is trusted', () => {
  const lab = new PluginLab()
  lab.init()
  const { changes } = lab.init('--plugin', '--scope', 'user')
  expect(whats({ changes } as never)).toContain(`removed ${lab.box.path(LOCAL)}`)
  expect(lab.asked()).toEqual([ADD(lab.copy), INSTALL.replace('local', 'user')])
  expect(existsSync(join(lab.box.root, 'user', COMMAND))).toBe(true)
  expect(existsSync(lab.box.path('.claude'))).toBe(false)
  lab.uninstall()
  expect([join(lab.box.root, 'user', COMMAND), lab.copy, lab.launcher].filter(existsSync)).toEqual([])
})

test('hooks for all projects would be doubled by a plugin for one: nothing is done', () => {
  const lab = new PluginLab()
  lab.init('--scope', 'user')
  expect(lab.answer('init', '--plugin')).toMatchObject({
    reason: 'usage_invalid',
    message: expect.stringContaining('--plugin --scope user'),
  })
  expect([lab.asked(), existsSync(lab.copy)]).toEqual([[], false])
})

test('a dry run shows files and commands, and writes nothing', () => {
  const lab = new PluginLab()
  const before = treeOf(lab.box.root)
  const foretold = whats(lab.init('--plugin', '--dry-run'))
  expect(foretold).toEqual([
    `trusted ${lab.box.repo}`,
    `made ${lab.launcher}`,
    `made ${lab.server}`,
    `made ${lab.copy}`,
    `changed ${lab.box.path('.git/info/exclude')}`,
    `changed ${lab.box.path('.git/info/exclude')}`,
    `made ${lab.box.path(COMMAND)}`,
    `ran claude ${ADD(lab.copy)}`,
    `ran claude ${INSTALL}`,
  ])
  expect(treeOf(lab.box.root)).toEqual(before)
  expect(whats(lab.init('--plugin'))).toEqual(foretold)
  const after = treeOf(lab.box.root)
  const undone = whats(lab.uninstall('--dry-run'))
  expect(undone).toEqual([
    'ran claude plugin uninstall context@savepoint --scope local',
    'ran claude plugin uninstall savepoint@savepoint --scope local',
    'ran claude plugin marketplace remove savepoint',
    `removed ${lab.copy}`,
    `removed ${lab.box.path(LOCAL)}`,
    `removed ${lab.box.path(COMMAND)}`,
    `changed ${lab.box.path('.git/info/exclude')}`,
    `changed ${lab.box.path('.git/info/exclude')}`,
    `removed ${lab.box.path('.claude')}`,
    `removed ${lab.user}`,
    `removed ${lab.launcher}`,
    `removed ${lab.server}`,
  ])
  expect(Object.keys(treeOf(lab.box.root))).toEqual(Object.keys(after))
  expect(whats(lab.uninstall())).toEqual(undone)
})

test('without the client all is prepared, and what to type is said', () => {
  const lab = new PluginLab()
  rmSync(join(lab.tools, 'claude'))
  lab.box.env.PATH = `${join(process.execPath, '..')}:/usr/bin:/bin`
  const done = lab.answer('init', '--plugin')
  expect(done).toMatchObject({
    ok: false,
    reason: 'plugin_not_installed',
    hint: expect.stringContaining(
      `/plugin marketplace add ${lab.copy}, then /plugin install context@savepoint`,
    ),
    plugin: { problem: expect.stringContaining('`claude` is not on PATH') },
  })
  expect([lab.copy, lab.server, lab.box.path(COMMAND)].map(existsSync)).toEqual([true, true, true])
  const told = lab.box.run(['init', '--plugin'])
  expect(told).toMatchObject({
    code: 5,
    stdout: expect.stringContaining('/plugin install context@savepoint'),
  })
  expect(told.stdout).not.toContain('are recorded')
})

test('a client that fails is quoted, and hooks that are there go on', () => {
  const lab = new PluginLab()
  lab.init()
  lab.mood('fail')
  expect(lab.answer('init', '--plugin')).toMatchObject({
    reason: 'plugin_not_installed',
    message: expect.stringContaining('the moon is full'),
  })
  expect(JSON.parse(lab.local()).hooks.Stop).toHaveLength(1)
  lab.mood('')
  lab.init('--plugin')
  expect(JSON.parse(lab.local()).hooks).toBeUndefined()
})

test('a client that hangs is ended after its time, with what it started', async () => {
  const lab = new PluginLab()
  const pid = join(lab.tools, 'pid')
  const script = `#!/bin/sh\nsleep 600 &\necho $! > '${pid}'\nwait\n`
  writeFileSync(join(lab.tools, 'claude'), script, { mode: 0o755 })
  const options = { cwd: lab.box.repo, env: lab.box.env, timeoutMs: 1_500 }
  const answer = await runClient(join(lab.tools, 'claude'), ['plugin', 'install'], options)
  expect(answer).toEqual({ ok: false, problem: 'it took longer than 1.5 s and was stopped' })
  // Gone, or dead and not yet collected.
  const state = () =>
    spawnSync('ps', ['-o', 'stat=', '-p', lab.file(pid).trim()], { encoding: 'utf8' }).stdout
  await vi.waitFor(() => expect(state().trim()).toMatch(/^(?:Z.*)?$/), { timeout: 60_000 })
})

test('a program is taken from whole paths alone', () => {
  const lab = new PluginLab()
  const root = lab.box.repo
  expect(findProgram(claudeSetUp, { PATH: `.:${lab.tools}` }, root)).toBe(join(lab.tools, 'claude'))
  expect(findProgram(claudeSetUp, { PATH: relative(process.cwd(), lab.tools) }, root)).toBeNull()
})

test('and never out of the project, nor by a link that leads into it', () => {
  const lab = new PluginLab()
  const { box } = lab
  const [bin, link, real] = [box.path('node_modules/.bin'), join(box.root, 'link'), join(box.root, 'real')]
  mkdirSync(bin, { recursive: true })
  mkdirSync(real)
  writeFileSync(join(bin, 'claude'), `#!/bin/sh\ntouch '${box.path('caught')}'\n`, { mode: 0o755 })
  symlinkSync(bin, link)
  symlinkSync(join(bin, 'claude'), join(real, 'claude'))
  const found = (PATH: string, root = box.repo) =>
    findProgram(claudeSetUp, { PATH, HOME: join(box.root, 'user') }, root)
  for (const folder of [bin, link, real, `${box.repo}/../repo/node_modules/.bin`])
    expect(found(`${folder}:${lab.tools}`), folder).toBe(join(lab.tools, 'claude'))
  symlinkSync(box.repo, join(box.root, 'workspace'))
  expect(found(bin, join(box.root, 'workspace'))).toBeNull()
  // In the home of the user all is theirs.
  expect(found(bin, box.root)).toBe(join(bin, 'claude'))
  // Nor is what starts the client, as by `#!/usr/bin/env node`.
  writeFileSync(join(bin, 'node'), `#!/bin/sh\ntouch '${box.path('caught')}'\n`, { mode: 0o755 })
  const script = `#!/usr/bin/env node\nimport('${lab.tools}/client.mjs')\n`
  writeFileSync(
    join(lab.tools, 'claude'),
    script.replace('import(', `process.argv[1] = '${lab.tools}/client.mjs'; import(`),
  )
  box.env.PATH = `${bin}:${box.env.PATH}`
  lab.init('--plugin')
  expect([existsSync(box.path('caught')), lab.asked()]).toEqual([false, [ADD(lab.copy), INSTALL]])
})

test('a /checkpoint of somebody else stays, and that is said', () => {
  const lab = new PluginLab()
  lab.file(lab.box.path(COMMAND), 'mine')
  expect(lab.init('--plugin').notices).toContainEqual(
    expect.stringContaining("is not Savepoint's and was kept"),
  )
  lab.uninstall()
  expect(lab.box.read(COMMAND)).toBe('mine')
})

test('one of ours that was edited since stays; one of an older version is renewed', () => {
  const lab = new PluginLab()
  lab.init('--plugin')
  const file = lab.home('setup.json')
  const text = readFileSync(file, 'utf8')
  const [{ command }] = JSON.parse(text).setups
  lab.file(lab.box.path(COMMAND), 'old')
  writeFileSync(file, text.replace(command.hash, sha256('old')))
  expect(whats(lab.init('--plugin'))).toEqual([`changed ${lab.box.path(COMMAND)}`])
  lab.file(lab.box.path(COMMAND), 'edited')
  lab.uninstall()
  expect(lab.box.read(COMMAND)).toBe('edited')
})

test('a plain init brings launchers and the copy up to date, and hooks are not put in', () => {
  const lab = new PluginLab()
  lab.init('--plugin')
  const skill = join(lab.copy, 'savepoint/skills/pickup/SKILL.md')
  const text = lab.file(skill)
  lab.file(skill, 'old')
  lab.file(join(lab.copy, 'savepoint/skills/gone/SKILL.md'), 'old')
  rmSync(lab.server)
  expect(whats(lab.init())).toEqual([`made ${lab.server}`, `changed ${lab.copy}`])
  expect([lab.file(skill), existsSync(join(lab.copy, 'savepoint/skills/gone'))]).toEqual([text, false])
  lab.file(skill, 'old')
  lab.asked()
  lab.init('--plugin')
  expect(lab.asked()).toEqual(['plugin marketplace update savepoint'])
})

test('a home that moved is followed by the client', () => {
  const lab = new PluginLab()
  lab.init('--plugin')
  lab.asked()
  lab.box.env.SAVEPOINT_HOME = join(lab.box.root, 'elsewhere')
  lab.init('--plugin')
  expect(lab.asked()).toEqual([ADD(join(lab.box.root, 'elsewhere/plugins/claude')), INSTALL])
})

test('links in the copy are replaced, and never written through', () => {
  const lab = new PluginLab()
  const outside = join(lab.box.root, 'outside')
  mkdirSync(outside)
  lab.file(join(outside, 'README.md'), 'theirs')
  mkdirSync(lab.copy, { recursive: true })
  chmodSync(lab.box.home, 0o700)
  symlinkSync(join(outside, 'README.md'), join(lab.copy, 'README.md'))
  symlinkSync(outside, join(lab.copy, 'context'))
  lab.init('--plugin')
  expect(lab.file(join(outside, 'README.md'))).toBe('theirs')
  expect(existsSync(join(outside, 'commands'))).toBe(false)
  expect(existsSync(join(lab.copy, 'context/commands/info.md'))).toBe(true)
})

test('without a word and without a person it is offered in a line; flags that exclude each other are refused', () => {
  const lab = new PluginLab()
  expect(lab.answer('init').plugin?.says).toContain('savepoint init --plugin')
  expect(lab.answer('init', '--without-plugin').plugin?.says).toBeNull()
  expect(lab.box.run(['init', '--plugin', '--without-plugin']).code).toBe(2)
  expect(lab.asked()).toEqual([])
})

test('a person is asked once, yes by default, and only where it can be done', async () => {
  const lab = new PluginLab()
  const questions: string[] = []
  // `as`: no more of a context is used.
  const context = (answer: string, env: object = lab.box.env) =>
    ({
      env,
      place: { root: lab.box.repo },
      ask: async (asked: string[]) => {
        questions.push(...asked)
        return [answer]
      },
    }) as unknown as Context
  const here = { client: claudeSetUp, places: [], scope: 'project' } as const
  for (const answer of ['', 'y', 'Yes', ' yes '])
    expect(await wantsPlugin(context(answer), here, null)).toBe(true)
  for (const answer of ['n', 'No']) expect(await wantsPlugin(context(answer), here, null)).toBe(false)
  expect(new Set(questions).size).toBe(1)
  questions.length = 0
  expect(await wantsPlugin(context('y'), here, false)).toBe(false)
  expect(await wantsPlugin(context('y', { PATH: '/nowhere' }), here, null)).toBeNull()
  expect(questions).toEqual([])
})

const STUB =
  'console.log(JSON.stringify([process.argv.slice(2), process.env.SAVEPOINT_HOME]))\nprocess.exit(3)\n'

test.each(['linux', 'win32'] as const)(
  'the launcher of the server says what is missing, on %s',
  (platform) => {
    const lab = new PluginLab()
    const bundle = join(lab.box.root, `it's`, 'cli.cjs')
    const launcher = serverLauncherIn(lab.box.home, { node: process.execPath, bundle }, platform)
    const file = join(lab.box.root, basename(launcher.path))
    writeFileSync(file, launcher.text, { mode: 0o755 })
    const start = () =>
      platform === 'win32'
        ? spawnSync(process.execPath, [file, 'x'], { encoding: 'utf8' })
        : spawnSync(file, ['x'], { encoding: 'utf8' })
    expect(start()).toMatchObject({
      status: 127,
      stdout: '',
      stderr: expect.stringContaining('cli.cjs not found'),
    })
    lab.file(bundle, STUB)
    expect(start()).toMatchObject({
      status: 3,
      stdout: `${JSON.stringify([['mcp', 'x'], lab.box.home])}\n`,
      stderr: '',
    })
  },
)
