import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { HOOKS } from '../../src/agents/claude/hook-table.ts'
import { PLUGIN_STARTS, pluginFiles, pluginHooks, pluginServers } from '../../src/agents/claude/plugin.ts'
import { isTool, toolName } from '../../src/apps/mcp/tool-list.ts'
import { estimateTokens } from '../../src/core/tokens.ts'
import { optionName } from '../../src/verbs/define/field.ts'
import { loadVerbs } from '../../src/verbs/table.ts'
import { projectRoot } from '../support/sandbox.ts'

const PLUGINS = join(projectRoot, 'plugins', 'claude')
const read = (path: string) => readFileSync(join(PLUGINS, path), 'utf8')

interface Page {
  path: string
  text: string
  head: Record<string, string>
  body: string
}

function page(path: string): Page {
  const text = read(path)
  const [before, head = '', body = ''] = text.split(/^---\n/m)
  expect(before).toBe('')
  // The heads of these files have nothing but words in them; a test below says which.
  return { path, text, head: parse(head) as Record<string, string>, body }
}

const SKILLS = readdirSync(join(PLUGINS, 'savepoint/skills'))
const skills = SKILLS.map((name) => page(`savepoint/skills/${name}/SKILL.md`))
const commands = readdirSync(join(PLUGINS, 'context/commands')).map((name) =>
  page(`context/commands/${name}`),
)
const checkpoint = page('commands/checkpoint.md')
const pages = [...skills, ...commands, checkpoint]
const operations = await loadVerbs()

test('the skills and commands are those that users know', () => {
  expect(SKILLS.sort()).toEqual(['checkpoint', 'dashboard', 'handoff', 'pickup', 'session-checkpoint'])
  const names = commands.map(({ path }) => path.replace(/.*\//, ''))
  expect(names.sort()).toEqual(['budget.md', 'checkpoint.md', 'compact.md', 'info.md'])
})

test.each(Object.entries(pluginFiles(PLUGIN_STARTS)))('%s is as the tables make it', (path, text) => {
  expect(read(path)).toBe(text)
})

test('every event that is followed has one handler, with its seconds', () => {
  const handler = { command: '/home/bin/savepoint-hook', args: ['claude'] }
  const { hooks } = pluginHooks(handler)
  const wanted = Object.entries(HOOKS).map(([event, timeout]) => [
    event,
    [{ hooks: [{ type: 'command', ...handler, timeout }] }],
  ])
  expect(Object.entries(hooks)).toEqual(wanted)
})

test('the server has the name that its tools bear', () => {
  const savepoint = { command: '/home/bin/savepoint-mcp', args: ['here'] }
  expect(pluginServers(savepoint.command, savepoint.args)).toEqual({ mcpServers: { savepoint } })
})

test('whatever a launcher is called, the files say it', () => {
  const start = fc.record({ command: fc.string({ unit: 'binary' }), args: fc.array(fc.string()) })
  const same = (text = '') => JSON.stringify(JSON.parse(text))
  fc.assert(
    fc.property(start, start, (hook, server) => {
      const files = pluginFiles({ hook, server })
      expect(same(files['savepoint/hooks/hooks.json'])).toBe(JSON.stringify(pluginHooks(hook)))
      expect(same(files['savepoint/.mcp.json'])).toBe(
        JSON.stringify(pluginServers(server.command, server.args)),
      )
    }),
  )
})

test('the plugins have the version of the package', () => {
  const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))
  for (const path of ['savepoint/.claude-plugin', 'savepoint/.codex-plugin', 'context/.claude-plugin'])
    expect(JSON.parse(read(`${path}/plugin.json`)).version, path).toBe(version)
})

test('Codex, which would start hooks without their arguments, is given none', () => {
  const { hooks } = JSON.parse(read('savepoint/.codex-plugin/plugin.json'))
  expect(JSON.parse(read(join('savepoint', hooks))).hooks).toEqual({})
})

test('every folder that can be installed has the licence', () => {
  const licence = readFileSync(join(projectRoot, 'LICENSE'), 'utf8')
  for (const folder of ['.', 'savepoint', 'context']) expect(read(join(folder, 'LICENSE'))).toBe(licence)
})

const STANDARD = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools']

test.each(skills)('$path keeps to the standard of skills', ({ path, text, head }) => {
  expect(STANDARD).toEqual(expect.arrayContaining(Object.keys(head)))
  expect(path).toBe(`savepoint/skills/${head.name}/SKILL.md`)
  expect(head.description).toMatch(/Use when /)
  expect(head.description?.length).toBeLessThanOrEqual(1_024)
  expect(estimateTokens(text)).toBeLessThan(500)
})

test.each([...commands, checkpoint])('$path has a short text and a head', ({ text, head }) => {
  expect(['description', 'argument-hint', 'allowed-tools']).toEqual(expect.arrayContaining(Object.keys(head)))
  expect(Object.values(head).map((value) => typeof value)).not.toContain('object')
  expect(estimateTokens(text)).toBeLessThan(500)
})

test.each(pages)('$path may call exactly the tools that it names, and they exist', ({ head, body }) => {
  const named = new Set([...body.matchAll(/`(savepoint_\w+)`/g)].map(([, name]) => name))
  expect([...named]).not.toEqual([])
  const allowed = (head['allowed-tools'] ?? '').split(' ')
  expect(allowed).toEqual([...named].map((name) => `mcp__plugin_savepoint_savepoint__${name}`))
  expect(operations.filter(isTool).map(toolName)).toEqual(expect.arrayContaining([...named]))
})

test.each(pages)(
  '$path says what to do without the tools, in words that the command line knows',
  ({ body }) => {
    const typed = [...body.matchAll(/`savepoint ([a-z]+)([^`]*)`/g)]
    expect(typed).not.toEqual([])
    for (const [, name, rest = ''] of typed) {
      const verb = operations.find((one) => one.name === name)
      const options = Object.keys(verb?.fields ?? {}).map(optionName)
      const used = [...rest.matchAll(/--([a-z-]+)/g)].map(([, option]) => option)
      expect(verb, name).toBeDefined()
      expect(options, name).toEqual(expect.arrayContaining(used))
    }
  },
)

test('/checkpoint is the same as the skill, asks three questions without a summary, and always wants a note [001.01] [001.31]', () => {
  expect(checkpoint.body).toBe(skills.find(({ head }) => head.name === 'checkpoint')?.body)
  expect([...checkpoint.body.matchAll(/^\d\. "(.*)"$/gm)].map(([, question]) => question)).toEqual([
    'What are you currently working on?',
    'What key decisions were made (and why)?',
    "What's the next action?",
  ])
  const [withSummary = '', without = ''] = checkpoint.body.split('\nWithout one, ')
  expect(withSummary).toMatch(
    /^With a summary: call `savepoint_save` with it, `note: true`, .* Ask nothing\.$/m,
  )
  expect(without).toContain('with `note: true`:')
})

test('the skill that saves by itself names the moments: a phase, a decision, a change of direction, a risk, the end, a window that fills [000.60] [000.61] [000.62] [000.63] [000.64] [001.03] [002.91]', () => {
  const { head, body } = skills.find(({ head: { name } }) => name === 'session-checkpoint') ?? {}
  const moments = [
    ...['a phase is done', 'a decision is made', 'the direction changes', 'before (?:a risky|risk)'],
    ...['before the (?:session ends|end)', 'window (?:fills up|is 70 % full)'],
  ]
  for (const moment of moments) {
    expect(head?.description).toMatch(new RegExp(moment))
    expect(body).toMatch(new RegExp(moment))
  }
})

test('the marketplace of the repository has the plugins of the one that lies beside them', () => {
  const beside = read('.claude-plugin/marketplace.json').replaceAll('"./', '"./plugins/claude/')
  expect(readFileSync(join(projectRoot, '.claude-plugin/marketplace.json'), 'utf8')).toBe(beside)
})
