import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Sandbox } from '../support/sandbox.ts'
import { claude, clientPath } from './client.ts'
import { project, shown } from './lab.ts'
import { type ModelRequest, wordsOf } from './messages-api.ts'
import { PLUGINS, WITH_PLUGINS } from './plugins.ts'
import { say, use } from './scenario.ts'
import { toldAt } from './told.ts'

const toolOf = (verb: string) => `mcp__plugin_savepoint_savepoint__savepoint_${verb}`
const SAVE = toolOf('save')
const DECISIONS = [
  'RS256 over HS256 because the gateway verifies with a public key',
  'Keys in the vault because the disk is shared',
]
const NEXT = 'Rotate the token on refresh'
/** What of it a later session must be told. */
const KNOWN = [...DECISIONS.flatMap((words) => words.split(' because ')), NEXT]
const saves = use(SAVE, { summary: 'Tokens are signed', decision: DECISIONS, next: [NEXT] })

/** What a file tells the model when the user types its name with these words. */
function bodyOf(file: string, words: string): string {
  const [, , body = ''] = readFileSync(join(PLUGINS, file), 'utf8').split(/^---\n/m)
  return body.trim().replaceAll('$ARGUMENTS', words)
}

/** The words of the newest message of the user, without spaces at the ends of lines. */
const newest = (request: ModelRequest | undefined) =>
  wordsOf(request?.messages.findLast(({ role }) => role === 'user')?.content).replaceAll(/ +$/gm, '')

test.each(['.', 'savepoint', 'context'])('the client finds nothing wrong with %s', (folder) => {
  const place = project()
  const done = spawnSync(clientPath(), ['plugin', 'validate', join(PLUGINS, folder), '--strict'], {
    cwd: place.repo,
    env: { PATH: process.env.PATH, HOME: place.env.HOME, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
    encoding: 'utf8',
  })
  expect(done.stdout).toContain('Validation passed')
  expect(done.status).toBe(0)
})

const COMMANDS = [
  ['/session-checkpoint', '', 'savepoint/skills/session-checkpoint/SKILL.md'],
  ['/savepoint:checkpoint', 'Tokens are signed', 'savepoint/skills/checkpoint/SKILL.md'],
  ['/handoff', 'Rotate the tokens', 'savepoint/skills/handoff/SKILL.md'],
  ['/pickup', 'rotate', 'savepoint/skills/pickup/SKILL.md'],
  ['/dashboard', '', 'savepoint/skills/dashboard/SKILL.md'],
  ['/context:info', '', 'context/commands/info.md'],
  ['/context:checkpoint', 'the keys', 'context/commands/checkpoint.md'],
  ['/context:compact', '', 'context/commands/compact.md'],
  ['/context:budget', '30', 'context/commands/budget.md'],
  ['/checkpoint', '', 'commands/checkpoint.md'],
  ['/checkpoint', 'Tokens are signed', 'commands/checkpoint.md'],
] as const

/** The command file goes where `init` puts it: the client's own /checkpoint gives way to nothing else. */
function withCommand(): Sandbox {
  const place = project()
  mkdirSync(place.path('.claude/commands'), { recursive: true })
  const text = readFileSync(join(PLUGINS, 'commands/checkpoint.md'))
  writeFileSync(place.path('.claude/commands/checkpoint.md'), text)
  return place
}

test('every command tells the model its words, by the name that a user types', async () => {
  const run = await claude(withCommand(), {
    prompts: COMMANDS.map(([name, words]) => `${name} ${words}`.trim()),
    scenario: { turns: COMMANDS.map(([name]) => say(`Heard ${name}.`)) },
    args: WITH_PLUGINS,
  })
  expect(run.results).toEqual(COMMANDS.map(([name]) => `Heard ${name}.`))
  for (const [at, [name, words, file]] of COMMANDS.entries())
    expect(newest(run.requests[at]), name).toContain(bodyOf(file, words).replaceAll(/ +$/gm, ''))
})

test.each([
  '/session-checkpoint',
  '/savepoint:checkpoint Tokens are signed',
  '/context:checkpoint',
  '/checkpoint Tokens are signed',
])('%s may save without asking for leave, and the next session is told', async (prompt) => {
  const place = withCommand()
  const first = await claude(place, {
    prompts: [prompt],
    scenario: { turns: [saves, say('It is saved.')] },
    args: WITH_PLUGINS,
  })
  expect(first).toMatchObject({ exit: 0, results: ['It is saved.'] })
  expect(newest(first.requests[1])).toContain('Saved main #1')
  // The hooks of the plugin and its server know the home and the session that the client was given.
  expect(shown(place, first.sessionId)).toMatchObject({ id: first.sessionId })
  const next = await claude(place, { prompts: ['Go on.'], scenario: { turns: [] }, args: WITH_PLUGINS })
  const told = toldAt('SessionStart', next.requests[0])
  for (const words of KNOWN) expect(told).toContain(words)
})

const CALLS = [
  ['/handoff Rotate the tokens', 'handoff', { purpose: 'Rotate the tokens', next: [NEXT] }, 'Handed off'],
  ['/pickup', 'pickup', {}, NEXT],
  ['/dashboard', 'status', {}, 'savedAt'],
  ['/context:info', 'info', {}, 'durationMs'],
  ['/context:compact', 'compact', {}, 'in the brief (est.)'],
  ['/context:budget 30', 'budget', { forecast: 30 }, 'headroom'],
] as const

test('the other commands may call their tools, and get what they are for', async () => {
  const run = await claude(project(), {
    prompts: CALLS.map(([prompt]) => prompt),
    scenario: { turns: CALLS.flatMap(([prompt, verb, input]) => [use(toolOf(verb), input), say(prompt)]) },
    args: WITH_PLUGINS,
  })
  expect(run.results).toEqual(CALLS.map(([prompt]) => prompt))
  for (const [at, [prompt, , , wanted]] of CALLS.entries())
    expect(newest(run.requests[2 * at + 1]), prompt).toContain(wanted)
})

test('without one of the skills the client asks its user before a save', async () => {
  const place = project()
  const run = await claude(place, {
    prompts: ['Save it.'],
    scenario: { turns: [saves, say('It is not saved.')] },
    args: WITH_PLUGINS,
  })
  expect(run.requests[0]?.tools?.map(({ name }) => name)).toContain(SAVE)
  expect(newest(run.requests[1])).toContain('permission')
  expect(newest(run.requests[1])).not.toContain('Saved main #1')
})
