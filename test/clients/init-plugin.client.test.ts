import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot, type Sandbox } from '../support/sandbox.ts'
import { claude, clientPath } from './client.ts'
import { project, shown } from './lab.ts'
import { say, use } from './scenario.ts'
import { toldAt, words } from './told.ts'

/** A project, with the client on the PATH of Savepoint as a user has it. */
function withClient(): Sandbox {
  const place = project()
  const tools = join(place.root, 'tools')
  mkdirSync(tools)
  symlinkSync(clientPath(), join(tools, 'claude'))
  place.env.PATH = `${tools}:${process.env.PATH}`
  place.env.CLAUDE_CONFIG_DIR = ''
  mkdirSync(join(place.env.HOME ?? '', '.claude'))
  return place
}

/** What a person types. An empty folder of the client would mean the one that it is run in. */
function type(place: Sandbox, cwd: string, words: string[]): void {
  const { CLAUDE_CONFIG_DIR: _none, ...env } = place.env
  execFileSync(join(place.root, 'tools', 'claude'), words, { cwd, env })
}

const SAVE = 'mcp__plugin_savepoint_savepoint__savepoint_save'
const LOCAL = ['.claude', 'settings.local.json'] as const

/** What the client keeps of a plugin that is gone, of conversations and of servers; and saved work. */
const KEPT =
  /\/\.git\/|\.claude\/plugins\/cache|\.claude\.json|\.claude\/projects|\/\.cache\/|\.claude\/checkpoints/

/** Every other file below a folder whose path or text has one of our names. */
function ours(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !KEPT.test(path))
    .filter((path) => /savepoint|checkpoint/.test(path.slice(folder.length) + readFileSync(path, 'utf8')))
}

test.each(['project', 'user'])(
  'one command sets up all of it for the scope %s, and one takes it out',
  async (scope) => {
    const place = withClient()
    mkdirSync(place.path('.claude'))
    writeFileSync(place.path(...LOCAL), '{"env": {"A": "b"},   "cleanupPeriodDays": 30}')
    const user = join(place.env.HOME ?? '', '.claude', 'settings.json')
    writeFileSync(user, '{"includeCoAuthoredBy":   false}')
    // Hooks that were there before are not doubled.
    place.json(['init', '--scope', scope])
    const done = place.json(['init', '--plugin', '--scope', scope])
    expect(done).toMatchObject({ ok: true, plugin: { wanted: true, problem: null } })
    expect(place.json(['init', '--plugin', '--scope', scope])).toMatchObject({ changes: [] })
    place.json(['trust'])
    expect(place.git('status', '--short')).toBe(scope === 'project' ? '' : '?? .claude/\n')

    const run = await claude(place, {
      prompts: ['/checkpoint the tokens are signed'],
      scenario: {
        turns: [
          use(SAVE, { summary: 'The tokens are signed', decision: ['RS256 over HS256'] }),
          say('Saved.'),
        ],
      },
    })
    expect(run.exit).toBe(0)
    const [first] = run.requests
    expect(first?.tools?.map(({ name }) => name)).toContain(SAVE)
    expect(first && words(first)).toContain('Summary: the tokens are signed')
    expect(first && words(first)).toContain('What key decisions were made')
    // Each event once: hooks that were doubled would be heard twice.
    // `as`: the shape of the answer is what is looked at.
    const { events } = shown(place, run.sessionId) as { events: Array<{ kind: string }> }
    expect(events.map(({ kind }) => kind)).toEqual(['start', 'prompt', 'batch', 'stop', 'end'])
    const next = await claude(place, { prompts: ['Go on.'], scenario: { turns: [] } })
    expect(toldAt('SessionStart', next.requests[0])).toContain('RS256 over HS256')
    expect(place.run(['doctor']).stdout).not.toMatch(/plugin|twice/)

    expect(place.json(['uninstall'])).toMatchObject({ ok: true, left: [], plugin: null })
    expect([place.repo, place.env.HOME ?? ''].flatMap(ours)).toEqual([])
    expect(readdirSync(place.home)).not.toContain('plugins')
    expect(readdirSync(place.home)).not.toContain('bin')
    expect(place.read(...LOCAL)).toBe('{"env": {"A": "b"},   "cleanupPeriodDays": 30}')
    expect(readFileSync(user, 'utf8')).toBe('{"includeCoAuthoredBy":   false}')
    expect(place.json(['uninstall'])).toMatchObject({ changes: [] })
  },
)

test('what the client reads for another workspace stays until it is gone there', () => {
  const place = withClient()
  const user = join(place.env.HOME ?? '', '.claude', 'settings.json')
  const source = { source: 'directory', path: './tools/claude' }
  mkdirSync(place.path('.claude'))
  writeFileSync(
    place.path('.claude', 'settings.json'),
    JSON.stringify({ extraKnownMarketplaces: { savepoint: { source } } }),
  )
  place.json(['init', '--plugin'])
  const elsewhere = join(place.root, 'elsewhere')
  mkdirSync(elsewhere)
  type(place, elsewhere, ['plugin', 'install', 'context@savepoint', '--scope', 'local'])
  place.json(['uninstall'])
  expect(readdirSync(place.home)).toEqual(expect.arrayContaining(['plugins', 'bin']))
  expect(place.run(['uninstall'], { cwd: elsewhere }).code).toBe(0)
  expect(readdirSync(place.home)).not.toContain('plugins')
  expect(readdirSync(place.home)).not.toContain('bin')
  expect(existsSync(user)).toBe(false)
})

test('a marketplace of the name that the user has from elsewhere stays theirs', () => {
  const place = withClient()
  const user = join(place.env.HOME ?? '', '.claude', 'settings.json')
  type(place, place.repo, ['plugin', 'marketplace', 'add', join(projectRoot, 'plugins', 'claude')])
  const mine = readFileSync(user, 'utf8')
  expect(place.run(['init', '--plugin']).code).toBe(5)
  place.json(['uninstall'])
  expect(readFileSync(user, 'utf8')).toBe(mine)
})

test('a workspace that was deleted keeps nothing alive', () => {
  const place = withClient()
  place.json(['init', '--plugin'])
  const elsewhere = join(place.root, 'elsewhere')
  mkdirSync(elsewhere)
  expect(place.run(['init', '--plugin'], { cwd: elsewhere }).code).toBe(0)
  rmSync(elsewhere, { recursive: true })
  place.json(['uninstall'])
  expect(readdirSync(place.home)).not.toContain('plugins')
  expect(readdirSync(place.home)).not.toContain('bin')
})
