import { expect, test } from 'vitest'
import { defaultSettings, isSettingName, SETTINGS, settingNames } from '../../src/config/settings.ts'

test('the defaults are these, and each of them passes its own rule', () => {
  const defaults = defaultSettings()
  expect(defaults).toEqual({
    ledger: false,
    ledger_path: '.agents/session_ledger.md',
    track_ledger: false,
    track_notes: false,
    registry: false,
    brief_tokens: 1_500,
    ask_to_save: true,
    read_earlier: true,
    policy_profile: 'default',
    track_runs: false,
    snapshots_per_run: 50,
    snapshot_days: 14,
    compress_after_hours: 24,
  })
  for (const name of settingNames()) expect(SETTINGS[name].problem(defaults[name]), name).toBeNull()
})

test('every setting says what it must be, also of nothing at all', () => {
  for (const name of settingNames())
    for (const value of [undefined, null, [], {}, Symbol('x')])
      expect(SETTINGS[name].problem(value), name).toMatch(/\w/)
})

test.each([
  ['ledger', true],
  ['track_ledger', true],
  ['ledger_path', 'notes/ledger.md'],
  ['brief_tokens', 200],
  ['brief_tokens', 100_000],
  ['snapshots_per_run', Number.MAX_SAFE_INTEGER],
  ['compress_after_hours', 0],
] as const)('%s may be %j', (name, value) => {
  expect(SETTINGS[name].problem(value)).toBeNull()
})

test.each([
  ['ledger', 'true', 'true or false'],
  ['track_ledger', 1, 'true or false'],
  ['brief_tokens', 199, 'a whole number from 200 to 100000'],
  ['brief_tokens', 100_001, 'a whole number from 200 to 100000'],
  ['brief_tokens', 1_000.5, 'a whole number from 200 to 100000'],
  ['brief_tokens', '1000', 'a whole number from 200 to 100000'],
  ['snapshots_per_run', 0, 'a whole number from 1'],
  ['ledger_path', 7, 'the path of a .md file inside the workspace'],
  [
    'ledger_path',
    '../../x.md',
    'the path of a .md file inside the workspace, and "../../x.md" is not: it points outside the workspace',
  ],
  [
    'ledger_path',
    '.git/hooks/pre-commit.md',
    'the path of a .md file inside the workspace, and ".git/hooks/pre-commit.md" is not: .git belongs to another tool',
  ],
] as const)('%s may not be %j', (name, value, wanted) => {
  expect(SETTINGS[name].problem(value)).toBe(wanted)
})

test('a path of the worst kind is named on one line, and not at length', () => {
  const said = SETTINGS.ledger_path.problem(`a\nb${'x'.repeat(500)}.md`) ?? ''
  expect(said).toContain('"a\\nbxxx')
  expect(said).not.toContain('\n')
  expect(said.length).toBeLessThan(200)
})

test('what is read from the time before, what retention removes, and a file that nobody needs, is for the user alone, and nothing else is', () => {
  expect(settingNames().filter((name) => SETTINGS[name].from === 'user')).toEqual([
    'registry',
    'read_earlier',
    'snapshots_per_run',
    'snapshot_days',
    'compress_after_hours',
  ])
})

test.each(['constructor', '__proto__', 'toString', 'Ledger', ''])('%j is no setting', (name) => {
  expect(isSettingName(name)).toBe(false)
})
