import { expect, test } from 'vitest'
import { HOOKS } from '../../src/agents/claude/hook-table.ts'
import { readFacts, withSavepoint } from '../../src/agents/claude/settings.ts'
import { isMalformed, type SettingsFacts, type WantedSettings } from '../../src/core/agent-setup.ts'

const hookAt = (home: string) => ({ command: `${home}/bin/savepoint-hook`, args: ['claude'] })
const HOOKS_ONLY: WantedSettings = { hooks: hookAt('/home/ann'), statusLine: null, before: '' }
const line = (command: string): WantedSettings => ({
  hooks: null,
  statusLine: { command, rest: {} },
  before: '',
})

function put(text: string, wanted: WantedSettings = HOOKS_ONLY) {
  const merged = withSavepoint(text, wanted)
  if (isMalformed(merged)) throw new Error(merged.problem)
  return merged
}

function out(text: string, before = '') {
  const merged = withSavepoint(text, { hooks: 'out', statusLine: 'out', before })
  if (isMalformed(merged)) throw new Error(merged.problem)
  return merged
}

function facts(text: string): SettingsFacts {
  const found = readFacts(text)
  if (isMalformed(found)) throw new Error(found.problem)
  return found
}

test('hooks are called without a shell, with the time that each event has', () => {
  const { hooks } = JSON.parse(put('{}').text)
  expect(Object.keys(hooks)).toEqual(Object.keys(HOOKS))
  expect(hooks.SessionStart).toEqual([
    {
      hooks: [{ type: 'command', command: '/home/ann/bin/savepoint-hook', args: ['claude'], timeout: 15 }],
    },
  ])
  expect(hooks.SessionEnd[0].hooks[0].timeout).toBe(2)
})

test('new hooks look like the file: its steps, its line breaks, its mark at the begin', () => {
  expect(put('\uFEFF{\r\n\t"model": "opus"\r\n}').text).toMatch(
    /^\uFEFF\{\r\n\t"model": "opus",\r\n\t"hooks": \{\r\n\t\t"SessionStart": \[\r\n/,
  )
  expect(put('{"model":"opus"}').text).toMatch(/^\{"model":"opus", "hooks": \{"SessionStart": \[\{"hooks":/)
})

test('a file without a word in it is one without settings', () => {
  for (const text of ['', '\n', '\uFEFF']) expect(facts(put(text).text).hooked).toEqual(Object.keys(HOOKS))
})

test('a home that moved is updated in place, and nothing is doubled', () => {
  const old = put('{"a": 1}').text
  const { text, changes } = put(old, { ...HOOKS_ONLY, hooks: hookAt('/mnt/new home') })
  expect(changes.every(({ what }) => what === 'updated')).toBe(true)
  expect(facts(text)).toMatchObject({
    hooked: Object.keys(HOOKS),
    launchers: ['/mnt/new home/bin/savepoint-hook'],
  })
  expect(text.match(/savepoint-hook/g)).toHaveLength(Object.keys(HOOKS).length)
})

test('a handler that is there twice, or for an event that is not followed any more, goes', () => {
  const ours = { type: 'command', ...hookAt('/home/ann'), timeout: 10 }
  const text = JSON.stringify({
    hooks: { Stop: [{ hooks: [ours, { type: 'command', command: 'x' }, ours] }], Setup: [{ hooks: [ours] }] },
  })
  const { hooks } = JSON.parse(put(text).text)
  expect(hooks.Stop).toEqual([{ hooks: [ours, { type: 'command', command: 'x' }] }])
  expect(hooks.Setup).toBeUndefined()
})

test.each([
  ['{\n  "a": 1\n  "b": 2\n}', 3, 'missing comma'],
  ['{\n  "hooks": {\n', 3, 'missing closing brace'],
  ['[]', 1, 'not a JSON object'],
  ['{\n  "a": "x\n}', 2, 'an unterminated string'],
  ['{"a": 1}\n}', 2, 'text after the end'],
  ['{\n\n  "hooks": []\n}', 3, '"hooks" is not an object'],
  ['{"hooks": {\n  "Stop": {}\n}}', 2, '"Stop" is not a list'],
  [`{"a": ${'['.repeat(100_000)}`, 1, 'nested too deeply'],
])('what cannot be read is told with its line: %j', (text, at, problem) => {
  expect(withSavepoint(text, HOOKS_ONLY)).toEqual({ line: at, problem })
})

test('the lists that a user had stay when they are empty again', () => {
  const text = '{\n  "hooks": {\n    "Stop": []\n  }\n}\n'
  const { text: merged } = put(text)
  expect(out(merged, text).text).toBe(text)
  expect(out(merged).text).toBe('{}\n')
})

test('a comment that somebody wrote beside ours keeps its list', () => {
  const text = put('{\n  "a": 1\n}\n').text.replace('"Stop": [', '"Stop": [ // remember')
  expect(out(text).text).toContain('// remember')
})

test('the status line that is there keeps its settings, and comes back as it was written', () => {
  const text = '{\n  "statusLine": { "padding": 2, "type": "command", "command": "~\\u002fline.sh" }\n}\n'
  expect(facts(text).statusLine).toMatchObject({ kind: 'other', command: '~/line.sh', rest: { padding: 2 } })
  const merged = put(text, line("'/h/bin/savepoint-hook' statusline")).text
  expect(merged).toBe(text.replace('"~\\u002fline.sh"', '"\'/h/bin/savepoint-hook\' statusline"'))
  expect(facts(merged).statusLine.kind).toBe('ours')
  expect(out(merged, text).text).toBe(text)
  expect(out(merged).text).toBe('{}\n')
})

test.each([
  ['{"statusLine": null}'],
  ['{"statusLine": {"type": "static", "text": "x"}}'],
  ['{"statusLine": {"type": "command"}}'],
])('a status line that no command can be chained into is strange: %s', (text) => {
  expect(facts(text).statusLine.kind).toBe('strange')
})

test('what keeps hooks from running is seen', () => {
  expect(
    facts('{"disableAllHooks": true, "allowManagedHooksOnly": true, "cleanupPeriodDays": 1}'),
  ).toMatchObject({
    hooksStoppedBy: 'disableAllHooks',
    hooksManagedBy: 'allowManagedHooksOnly',
    deletesTranscripts: { setting: 'cleanupPeriodDays', days: 1 },
    isPlain: true,
  })
  expect(facts('{ // mine\n}').isPlain).toBe(false)
  expect(facts('{"a": 1,}').isPlain).toBe(false)
})

test('the plugin counts as switched on only where it is', () => {
  expect(facts('{"enabledPlugins": {"savepoint@savepoint": true}}').plugin).toBe(true)
  expect(facts('{"enabledPlugins": {"savepoint@savepoint": false}}').plugin).toBe(false)
  expect(facts('{"enabledPlugins": {"savepoint-like@savepoint": true}}').plugin).toBeNull()
  expect(facts('{"enabledPlugins": {"savepoint@acme-games": true}}').plugin).toBeNull()
  expect(facts('{"enabledPlugins": []}').plugin).toBeNull()
})

test.each([
  [{ source: 'directory', path: '/a/b' }, '/a/b', '/a/b'],
  [{ source: 'github', repo: 'acme/games', path: 'x' }, null, 'acme/games'],
  [{ source: 'git', url: 'https://example.org/x.git' }, null, 'https://example.org/x.git'],
  [{ source: 'odd' }, null, '{"source":{"source":"odd"}}'],
])('where our marketplace comes from is seen: %j', (source, market, name) => {
  const text = JSON.stringify({ extraKnownMarketplaces: { savepoint: { source } } })
  expect(facts(text)).toMatchObject({ market, source: name })
  expect(facts('{"extraKnownMarketplaces": {"other": {}}}')).toMatchObject({ market: null, source: null })
})

test('of a key that is there twice the last counts', () => {
  const text = '{"hooks": 1, "hooks": {}}'
  expect(facts(put(text).text).hooked).toEqual(Object.keys(HOOKS))
})

test('what follows ours on its line never gets into a comment before it', () => {
  const mine = '"statusLine": {"type": "command", "command": "/h/bin/savepoint-hook statusline"}'
  expect(out(`{\n  "a": 1, // mine\n  ${mine}, "b": 2\n}`).text).toBe('{\n  "a": 1, // mine\n   "b": 2\n}')
  expect(out(`{\n  "a": 1, // mine\n  ${mine}}`).text).toBe('{\n  "a": 1 // mine\n  }')
})
