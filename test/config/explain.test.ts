import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { settingNames } from '../../src/config/settings.ts'
import { userConfigPath } from '../../src/engine/context/load-settings.ts'
import { makeScreen } from '../../src/verbs/define/screen.ts'
import { defineVerb } from '../../src/verbs/define/verb.ts'
import { performOnce } from '../../src/verbs/perform.ts'
import { configExplain } from '../../src/verbs/setup/config-explain.ts'
import { testPorts } from '../support/ports.ts'
import { type Sandbox, sandbox } from '../support/sandbox.ts'

const NARROW = 60
const BROKEN = 'session: [\n'

function files(box: Sandbox) {
  const user = userConfigPath(box.env)
  mkdirSync(dirname(user), { recursive: true })
  return { user, shared: box.path('.agents.yml'), local: box.path('.agents.local.yml') }
}

async function explained(box: Sandbox, columns = Number.POSITIVE_INFINITY) {
  const notices: string[] = []
  const request = { cwd: box.repo, env: box.env, ports: testPorts(), notices }
  const result = await performOnce(configExplain, request, {})
  return { result, notices, text: configExplain.say(result, makeScreen({ columns })) }
}

/** A verb that tells its settings, with and without the word that makes it go on. */
const verb = (lenient: boolean) =>
  defineVerb({
    name: 'ask',
    summary: '',
    fields: {},
    examples: [],
    access: 'read',
    ...(lenient ? { lenient: true } : {}),
    perform: async ({ settings, config }) => ({ settings, config }),
    say: () => '',
  })

test('a strict verb is refused for a problem, a lenient one hears it and uses the rest', async () => {
  const box = sandbox()
  const { shared, local } = files(box)
  writeFileSync(shared, 'session:\n  brief_tokens: 500\n  ledger: 3\n')
  writeFileSync(local, BROKEN)
  const notices: string[] = []
  const request = { cwd: box.repo, env: box.env, ports: testPorts(), notices }
  await expect(performOnce(verb(false), request, {})).rejects.toMatchObject({
    reason: 'config_invalid',
    message: `Invalid settings file ${shared}: line 3: \`session.ledger\` must be true or false`,
    data: { path: shared, problem: 'line 3: `session.ledger` must be true or false' },
  })
  expect(notices).toEqual([])
  const { settings, config } = await performOnce(verb(true), request, {})
  expect(settings).toMatchObject({ brief_tokens: 500, ledger: false })
  expect(config.origins).toMatchObject({ brief_tokens: shared, ledger: 'default' })
  expect(config.problems.map(({ path }) => path)).toEqual([shared, local])
  const todo = 'Fix that line. Show every setting and its source: savepoint config explain'
  expect(notices).toEqual([
    `Invalid settings file ${shared}: line 3: \`session.ledger\` must be true or false. That line is ignored; other settings apply. ${todo}`,
    expect.stringMatching(/\.agents\.local\.yml: line \d.* The file is ignored; other settings/),
  ])
})

test('every setting stands there with its value and its source, below the workspace by a short path', async () => {
  const box = sandbox()
  const { user, shared, local } = files(box)
  writeFileSync(user, 'session: { brief_tokens: 500, policy_profile: mine }\n')
  writeFileSync(shared, 'session: { ledger: true, brief_tokens: 600, snapshot_days: 1 }\n')
  writeFileSync(local, 'session: { ledger: false, ledger_path: ../x.md }\n')
  const { result, text } = await explained(box)
  expect(result.settings.map(({ name }) => name)).toEqual(settingNames())
  const of = (wanted: string) => result.settings.find(({ name }) => name === wanted)
  expect(of('ledger')).toMatchObject({
    ...{ value: false, from: '.agents.local.yml' },
    passedOver: [{ value: true, from: '.agents.yml', why: 'overridden' }],
  })
  expect(of('policy_profile')).toMatchObject({ value: 'mine', from: user, passedOver: [] })
  expect(of('snapshot_days')).toMatchObject({
    ...{ value: 14, from: 'default' },
    passedOver: [{ value: 1, from: '.agents.yml', why: 'userOnly' }],
  })
  expect(of('ledger_path')).toMatchObject({
    ...{ value: '.agents/session_ledger.md', from: 'default' },
    passedOver: [{ value: '../x.md', from: '.agents.local.yml', why: 'invalid' }],
  })
  expect(result.problems).toMatchObject([{ path: '.agents.local.yml', setting: 'ledger_path' }])
  expect(text).toMatch(/^ledger +false +\.agents\.local\.yml\n {2}true in \.agents\.yml: overridden\n/m)
  expect(text).toContain(`  500 in ${user}: overridden`)
  expect(text).toContain('  1 in .agents.yml: ignored: only your own file may set it')
  expect(text).toMatch(
    /^ {2}\.\.\/x\.md in \.agents\.local\.yml: ignored: line 1: .*it points outside the workspace$/m,
  )
  expect(text).toMatch(/^read +\.agents\.yml$/m)
})

test('a file that cannot be used, and one that is not there, say so', async () => {
  const box = sandbox()
  const { shared, user } = files(box)
  writeFileSync(shared, BROKEN)
  const { result, text } = await explained(box)
  expect(result.files).toEqual([
    { path: user, by: 'user', state: 'absent' },
    { path: '.agents.yml', by: 'repository', state: 'unusable' },
    { path: '.agents.local.yml', by: 'repository', state: 'absent' },
  ])
  expect(text).toMatch(/^unusable +\.agents\.yml\n {2}line \d: \S/m)
  expect(text).toMatch(/^not found +\.agents\.local\.yml$/m)
})

test('it fits the screen, and drives no terminal', async () => {
  const box = sandbox()
  const { shared, local } = files(box)
  writeFileSync(
    shared,
    `session: { ledger_path: "${'deep/'.repeat(60)}l.md", policy_profile: "\\e[31m\\u202E" }\n`,
  )
  writeFileSync(local, `session: { ledger: "${'long '.repeat(100)}" }\n`)
  const { text } = await explained(box, NARROW)
  expect(text.split('\n').filter((line) => line.length > NARROW)).toEqual([])
  expect(text).toContain('  \\x1b[31m\\u202e in .agents.yml')
  expect(text).toMatch(/^ledger_path +deep\/deep\S*… +\.agents\.yml$/m)
  expect(text.replace(/\s+/g, ' ')).toContain(
    'ignored: line 1: `session.ledger` must be true or false ledger_path',
  )
  expect((await explained(box)).text).toContain(`${'deep/'.repeat(60)}l.md`)
})

test('the command explains, tells what is wrong, and makes nothing', () => {
  const box = sandbox()
  writeFileSync(box.path('.agents.yml'), 'session:\n  ledger: true\n  brief_tokens: few\n')
  const { code, stdout, stderr } = box.run(['config', 'explain'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^SETTING +VALUE +FROM\nledger +true +\.agents\.yml\n/)
  expect(stdout).toContain(
    'few in .agents.yml: ignored: line 3: `session.brief_tokens` must be a whole number',
  )
  expect(stderr).toContain('That line is ignored; other settings apply.')
  const answer = box.json(['config', 'explain'], { cwd: join(box.repo, '.git', '..') })
  expect(answer).toMatchObject({
    ok: true,
    settings: expect.arrayContaining([
      expect.objectContaining({ name: 'ledger', value: true, from: '.agents.yml' }),
      expect.objectContaining({ name: 'brief_tokens', value: 1_500, from: 'default' }),
    ]),
    problems: [{ path: '.agents.yml', setting: 'brief_tokens' }],
    notices: [expect.stringContaining('.agents.yml')],
  })
  expect(box.git('status', '--porcelain')).toBe('?? .agents.yml\n')
  expect(box.run(['run', 'list'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('(config_invalid)'),
  })
})
