import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { defaultSettings, SETTINGS, settingNames } from '../../src/config/settings.ts'
import { loadSettings, userConfigPath } from '../../src/engine/context/load-settings.ts'

/** A workspace and a user, each with a place for settings. */
function place() {
  const root = mkdtempSync(join(tmpdir(), 'savepoint-config-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const repo = join(root, 'repo')
  const env = { XDG_CONFIG_HOME: join(root, 'config') }
  const user = userConfigPath(env)
  for (const folder of [repo, dirname(user)]) mkdirSync(folder, { recursive: true })
  return {
    ...{ repo, user, shared: join(repo, '.agents.yml'), local: join(repo, '.agents.local.yml') },
    load: () => loadSettings(repo, env),
  }
}

/** What the shared file alone makes of a text. */
async function loaded(text: string | Buffer) {
  const { shared, load } = place()
  writeFileSync(shared, text)
  return { shared, ...(await load()) }
}

test('without a file everything is as the table says', async () => {
  const { load, user, shared, local } = place()
  const { settings, origins, problems, files, passedOver } = await load()
  expect(settings).toEqual(defaultSettings())
  expect(new Set(Object.values(origins))).toEqual(new Set(['default']))
  expect(Object.keys(origins)).toEqual(Object.keys(settings))
  expect({ problems, passedOver }).toEqual({ problems: [], passedOver: [] })
  expect(files).toEqual([
    { path: user, by: 'user', state: 'absent' },
    { path: shared, by: 'repository', state: 'absent' },
    { path: local, by: 'repository', state: 'absent' },
  ])
})

test('the later file wins, and each value names the file that set it', async () => {
  const { load, user, shared, local } = place()
  writeFileSync(user, 'session: { ledger: false, brief_tokens: 500, snapshot_days: 3 }\n')
  writeFileSync(shared, 'other: kept\nsession:\n  ledger: true\n  brief_tokens: 600\n  track_runs: true\n')
  writeFileSync(local, 'session:\n  ledger: false\n')
  const { settings, origins, problems, passedOver } = await load()
  expect(settings).toEqual({
    ...defaultSettings(),
    ...{ ledger: false, brief_tokens: 600, track_runs: true, snapshot_days: 3 },
  })
  expect(origins).toMatchObject({
    ...{
      ledger: local,
      brief_tokens: shared,
      track_runs: shared,
      snapshot_days: user,
      ledger_path: 'default',
    },
  })
  expect(problems).toEqual([])
  expect(passedOver).toEqual([
    { setting: 'ledger', value: false, path: user, why: 'overridden' },
    { setting: 'brief_tokens', value: 500, path: user, why: 'overridden' },
    { setting: 'ledger', value: true, path: shared, why: 'overridden' },
  ])
})

test('a value that equals the default still comes from its file', async () => {
  const { origins, shared } = await loaded('session: { ledger: false }\n')
  expect(origins.ledger).toBe(shared)
})

test('what only the user may set is ignored in a repository, whatever it says, and kept for the telling', async () => {
  const { load, user, shared, local } = place()
  writeFileSync(user, 'session: { snapshots_per_run: 9 }\n')
  writeFileSync(shared, 'session: { snapshots_per_run: 1, snapshot_days: never }\n')
  writeFileSync(local, 'session: { compress_after_hours: *none }\n')
  const { settings, origins, problems, passedOver } = await load()
  expect(settings).toEqual({ ...defaultSettings(), snapshots_per_run: 9 })
  expect(origins).toMatchObject({ snapshots_per_run: user, snapshot_days: 'default' })
  expect(problems).toEqual([])
  expect(passedOver).toEqual([
    { setting: 'snapshots_per_run', value: 1, path: shared, why: 'userOnly' },
    { setting: 'snapshot_days', value: 'never', path: shared, why: 'userOnly' },
    { setting: 'compress_after_hours', value: '*none', path: local, why: 'userOnly' },
  ])
})

/** One line that cannot be used, below one that can. */
test.each([
  ['ledger: yes', 'yes', '`session.ledger` must be true or false'],
  ['ledger:', null, '`session.ledger` must be true or false'],
  ['ledger: ~', null, '`session.ledger` must be true or false'],
  ['ledger: [true]', '[true]', '`session.ledger` must be true or false'],
  ['ledger: { a: 1 }', '{ a: 1 }', '`session.ledger` must be true or false'],
  ['brief_tokens: .inf', '.inf', '`session.brief_tokens` must be a whole number from 200 to 100000'],
  ['brief_tokens: 199', 199, '`session.brief_tokens` must be a whole number from 200 to 100000'],
  [
    'ledger_path: ../../x.md',
    '../../x.md',
    '`session.ledger_path` must be the path of a .md file inside the workspace, and "../../x.md" is not: it points outside the workspace',
  ],
  ['ledger: *a', '*a', '`session.ledger` uses an alias, which is not supported here'],
  ['ledger: !now true', 'true', '`session.ledger` has a tag, which is not supported here'],
  ['ledger_path: !env x.md', 'x.md', '`session.ledger_path` has a tag, which is not supported here'],
  ['ledger_path: !!binary eA==', 'eA==', '`session.ledger_path` has a tag, which is not supported here'],
  ['ledger: true\n  ledger: false', true, 'duplicate key `session.ledger`'],
  ['"ledger": true\n  ? ledger\n  : true', true, 'duplicate key `session.ledger`'],
])('only the line is passed over: %s', async (line, value, problem) => {
  const found = await loaded(`base: &a true\nsession:\n  track_runs: true\n  ${line}\n`)
  const setting = /[a-z_]+/.exec(line)?.[0]
  expect(found.problems).toEqual([{ path: found.shared, problem: `line 4: ${problem}`, setting }])
  expect(found.passedOver).toEqual([{ setting, value, path: found.shared, why: 'invalid' }])
  expect(found.settings).toEqual({ ...defaultSettings(), track_runs: true })
  expect(found.files[1]?.state).toBe('read')
})

test.each(['', '%YAML 1.1\n---\n'])(
  'a merge key in the block brings nothing and is told once: %j',
  async (head) => {
    const block = 'session:\n  <<: *b\n  <<: *b\n  track_runs: true\n'
    const { settings, problems, shared } = await loaded(`${head}base: &b { ledger: true }\n${block}`)
    const line = head === '' ? 3 : 5
    expect(problems).toEqual([
      {
        path: shared,
        problem: `line ${line}: merge keys (\`<<\`) are not supported here`,
        setting: '<<',
      },
    ])
    expect(settings).toEqual({ ...defaultSettings(), track_runs: true })
  },
)

test('a bad line of a later file leaves the value of the earlier one', async () => {
  const { load, shared, local } = place()
  writeFileSync(shared, 'session: { brief_tokens: 600, ledger: true }\n')
  writeFileSync(local, 'session: { brief_tokens: 1, ledger: false }\n')
  const { settings, origins } = await load()
  expect(settings).toMatchObject({ brief_tokens: 600, ledger: false })
  expect(origins).toMatchObject({ brief_tokens: shared, ledger: local })
})

const BOMB = [...'abcdefghi'].map((name, at, all) => `${name}: &${name} [${`*${all[at - 1]}, `.repeat(9)}]`)

/** A whole file that cannot be used. */
test.each<[string, string | Buffer, RegExp]>([
  ['broken YAML', 'x: 1\nsession: [', /^line 2: \S/],
  ['two documents', 'session: { ledger: true }\n---\nb: 1\n', /multiple documents/],
  ['a list', '- session\n', /^it must contain keys such as `session:`$/],
  ['a text', 'session', /^it must contain keys/],
  [
    '`session` as a list',
    'session:\n  - ledger: true\n',
    /^line 1: `session` must contain settings, one per line$/,
  ],
  ['`session` as a text', 'a: 1\nsession: on\n', /^line 2: `session` must contain settings/],
  ['`session` as a set', 'session: !!set { ledger }\n', /`session` must contain settings/],
  ['`session` with a tag', 'session: !mine { ledger: true }\n', /`session` must contain settings/],
  ['`session` twice', 'session: { ledger: true }\nsession: {}\n', /^line 2: duplicate key `session`$/],
  [
    'an alias bomb as `session`',
    `${BOMB.join('\n')}\nsession: *i\n`,
    /^line 10: `session` must contain settings/,
  ],
  [
    'bytes that are not UTF-8',
    Buffer.from('session: { ledger: true } # \xff\n', 'latin1'),
    /^it is not UTF-8 text$/,
  ],
  ['UTF-16', Buffer.from('\ufeffsession: { ledger: true }\n', 'utf16le'), /^it is not UTF-8 text$/],
  ['64 KiB and a byte', 'session: { ledger: true }\n'.padEnd(65_537, '#'), /^larger than 65536 bytes$/],
  ['brackets without end', `session: ${'['.repeat(65_000)}`, /^nested more than 64 levels deep$/],
  ['maps without end', `session: ${'{a: '.repeat(16_000)}`, /^nested more than 64 levels deep$/],
  ['lists in lists', `${'- '.repeat(32_000)}x`, /^nested more than 64 levels deep$/],
  ['keys in keys', `${'? '.repeat(32_000)}x`, /^nested more than 64 levels deep$/],
  ['colons', ': '.repeat(32_000), /^nested more than 64 levels deep$/],
  ['commas', `[${','.repeat(20_000)}`, /^line 1: \S/],
  ['quotes', '"'.repeat(20_000), /^line 1: \S/],
])('the file is passed over, and the others count: %s', async (_, text, problem) => {
  const { load, user, shared, local } = place()
  writeFileSync(user, 'session: { brief_tokens: 500 }\n')
  writeFileSync(shared, text)
  writeFileSync(local, 'session: { track_runs: true }\n')
  // Twice: at the end of the stack it is a matter of luck whether a parser throws or the process ends.
  await load()
  const { settings, problems, files } = await load()
  expect(problems).toEqual([{ path: shared, problem: expect.stringMatching(problem), setting: null }])
  expect(problems[0]?.problem).not.toContain('\n')
  expect(settings).toEqual({ ...defaultSettings(), brief_tokens: 500, track_runs: true })
  expect(files.map(({ state }) => state)).toEqual(['read', 'unusable', 'read'])
})

test.each([
  ['nothing', ''],
  ['a byte order mark', '\ufeff'],
  ['comments', '# session: { ledger: 3 }\n'],
  ['an empty document', '---\n...\n'],
  ['`session` without a value', 'session:\n'],
  ['null', 'null\n'],
  ['other keys', 'sessions: { ledger: true }\n1: 2\n? [a]\n: b\n'],
  [
    'other keys in the block',
    'session: { Ledger: 1, __proto__: { ledger: true }, constructor: 1, 3: 4, [a]: b }\n',
  ],
  ['what others write', `x: !ref [a]\ny: { <<: *d, a: 1, a: 2 }\n${BOMB.join('\n')}\nz: [*a, *i]\n`],
])('%s is no problem and sets nothing', async (_, text) => {
  const { settings, problems } = await loaded(text)
  expect(problems).toEqual([])
  expect(settings).toEqual(defaultSettings())
})

test.each([
  ['a byte order mark before it', '\ufeffsession: { ledger: true }\n'],
  ['Windows line ends', 'session:\r\n  ledger: true\r\n'],
  ['JSON', '{"session": {"ledger": true}}'],
  ['the tags that YAML itself has', '!!map\nsession: !!map { !!str ledger: !!bool true }\n'],
  ['an anchor', 'session: &s { ledger: &l true }\nother: *s\n'],
])('it is read with %s', async (_, text) => {
  const { settings, problems } = await loaded(text)
  expect(problems).toEqual([])
  expect(settings).toEqual({ ...defaultSettings(), ledger: true })
})

test.each<[string, (path: string) => void]>([
  ['a folder', (path) => mkdirSync(path)],
  ['a pipe', (path) => void spawnSync('mkfifo', [path])],
  ['a link to a device', (path) => symlinkSync('/dev/zero', path)],
  ['a link to a folder', (path) => symlinkSync('.', path)],
  ['a link to itself', (path) => symlinkSync('.agents.yml', path)],
])('in the place of the file stands %s', async (_, put) => {
  const { load, shared, local } = place()
  put(shared)
  writeFileSync(local, 'session: { ledger: true }\n')
  const { settings, problems } = await load()
  expect(problems).toEqual([
    { path: shared, problem: expect.stringMatching(/plain file|ELOOP/), setting: null },
  ])
  expect(settings.ledger).toBe(true)
})

test.skipIf(process.getuid?.() === 0)('a file that may not be read is a problem', async () => {
  const { load, shared } = place()
  writeFileSync(shared, 'session: { ledger: true }\n')
  chmodSync(shared, 0)
  expect((await load()).problems).toEqual([
    { path: shared, problem: expect.stringContaining('EACCES'), setting: null },
  ])
})

test('a link to a plain file is followed, one that leads nowhere is no file', async () => {
  const { load, user, shared, local } = place()
  writeFileSync(user, 'session: { ledger: true }\n')
  symlinkSync(user, shared)
  symlinkSync('nowhere.yml', local)
  const { origins, problems, files } = await load()
  expect(problems).toEqual([])
  expect(origins.ledger).toBe(shared)
  expect(files.map(({ state }) => state)).toEqual(['read', 'read', 'absent'])
})

test('whatever a file holds, loading it ends in settings that pass their own rules', async () => {
  const { load, shared } = place()
  const piece = fc.constantFrom(
    ...[
      'session:',
      '\n',
      ' ',
      '  ',
      'ledger',
      ': ',
      'true',
      '[',
      ']',
      '{',
      '}',
      '&a ',
      '*a',
      '<<',
      '!t ',
      '- ',
    ],
    ...[
      '? ',
      '"',
      "'",
      '|\n',
      '#',
      '---\n',
      '%YAML 1.1\n',
      'brief_tokens',
      '1000',
      '\t',
      '\r',
      '\0',
      '\ud83d',
    ],
  )
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(piece, { maxLength: 25 }), async (isBegun, pieces) => {
      writeFileSync(shared, `${isBegun ? 'session:\n  ledger: ' : ''}${pieces.join('')}`)
      const { settings, origins, problems } = await load()
      for (const name of settingNames()) {
        expect(SETTINGS[name].problem(settings[name])).toBeNull()
        expect(origins[name] === shared || settings[name] === SETTINGS[name].default).toBe(true)
      }
      for (const { problem } of problems) expect(problem).toMatch(/^\S[^\n]*$/)
    }),
  )
})
