import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eventOf } from '../../src/agents/claude/hooks.ts'
import { type Sandbox, sandbox } from '../support/sandbox.ts'
import { faultsOf, heard, idOf, rowsOf, UNNOTICED, words } from './hook-lab.ts'

const A = idOf('a')
const AT = new Date().toISOString()
const BASE = { hook_event_name: 'Stop', session_id: A, cwd: '/' }
const journalIn = (box: Sandbox) => join(box.home, 'sessions', 'claude', `${A}.jsonl`)
const prompt = (box: Sandbox) => heard(box, A, 'UserPromptSubmit', { prompt: 'Go on' })
const edit = { tool_name: 'Edit', tool_input: { file_path: '/a' } }
/** As many edits as count. */
const batch = (box: Sandbox) => heard(box, A, 'PostToolBatch', { tool_calls: Array(12).fill(edit) })

test('a hook opens the store with the request that is enough, and asks once until somebody saves', async () => {
  const box = sandbox()
  heard(box, A, 'SessionStart', { source: 'startup' })
  const before = await rowsOf(box)
  expect(batch(box)).toEqual(UNNOTICED)
  for (let request = 0; request < 5; request += 1) expect(prompt(box)).toEqual(UNNOTICED)
  // Whoever opens it takes in the journal.
  expect(await rowsOf(box)).toEqual(before)
  const told = prompt(box)
  expect(words(told)).toMatch(
    /^Savepoint: 6 requests and 12 edits in this session .*`savepoint save --decision/,
  )
  expect(JSON.parse(told.stdout).hookSpecificOutput.hookEventName).toBe('UserPromptSubmit')

  const asked = await rowsOf(box)
  expect(asked[0]?.stretch).toMatchObject({ requests: 6, edits: 12, isAsked: true })
  for (let request = 0; request < 7; request += 1) expect(prompt(box)).toEqual(UNNOTICED)
  expect(await rowsOf(box)).toEqual(asked)

  box.json(['save', 'Login', '--decision', 'RS256 because the gateway has a public key'], {
    env: { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: A },
  })
  expect(batch(box)).toEqual(UNNOTICED)
  for (let request = 0; request < 5; request += 1) expect(prompt(box)).toEqual(UNNOTICED)
  expect(words(prompt(box))).toContain('6 requests and 12 edits since the last save.')
  expect(faultsOf(box)).toEqual([])
})

test('a journal that has grown long is taken in by the store, and not read again with every request', async () => {
  const box = sandbox()
  heard(box, A, 'SessionStart', { source: 'startup' })
  const long = { last_assistant_message: 'x'.repeat(4_000) }
  const line = JSON.stringify({
    event: { ...eventOf({ ...BASE, ...long }, AT), cwd: box.repo },
    ms: 1,
    head: null,
  })
  appendFileSync(journalIn(box), `${line}\n`.repeat(70))
  expect(prompt(box)).toEqual(UNNOTICED)
  const [row] = await rowsOf(box)
  expect(row?.stretch).toMatchObject({ requests: 1 })
  // The line that says how long it took comes after.
  expect(row?.journalRead).toBeGreaterThan(280_000)
  expect(prompt(box)).toEqual(UNNOTICED)
  expect(await rowsOf(box)).toEqual([row])
})

test('the plugin, which brings the tools, is told of the tool', () => {
  const box = sandbox()
  heard(box, A, 'SessionStart', { source: 'startup' })
  batch(box)
  for (let request = 0; request < 5; request += 1) prompt(box)
  const env = { CLAUDE_PLUGIN_ROOT: box.root }
  expect(words(heard(box, A, 'UserPromptSubmit', { prompt: 'Go on' }, { env }))).toContain('`savepoint_save`')
})

test.each([
  ['an older version', { stretch: undefined }],
  ['nobody who asks', { stretch: null }],
  ['a stretch that is none', { stretch: { journalRead: 'x', heardAt: 7 } }],
])('a hint of %s asks for nothing, and stops nothing', (_, more) => {
  const box = sandbox()
  heard(box, A, 'SessionStart', { source: 'startup' })
  batch(box)
  const hint = { nudged: [], compactions: 0, owed: false, handedOff: false, ...more }
  writeFileSync(join(box.home, 'sessions', 'claude', `${A}.hint.json`), JSON.stringify(hint))
  for (let request = 0; request < 7; request += 1) expect(prompt(box)).toEqual(UNNOTICED)
  expect(faultsOf(box)).toEqual([])
})
