import { expect, test } from 'vitest'
import { callKindOf, outcomeIn } from '../../src/agents/claude/transcript-tools.ts'

test.each([
  ['Edit', 'edit'],
  ['NotebookEdit', 'edit'],
  ['Write', 'write'],
  ['Task', 'help'],
  ['BashOutput', 'look'],
  ['KillShell', 'stop'],
  ['TeamDelete', 'dismiss'],
  ['AskUserQuestion', 'speak'],
  ['TaskUpdate', 'speak'],
  ['mcp__plugin_savepoint_savepoint__save', 'ours'],
])('a call of %s is told as %s', (name, does) => {
  expect(callKindOf(name, {})).toEqual({ does })
})

test('a tool that only does something has no kind, and one that is given a helper starts it', () => {
  expect(callKindOf('Bash', { command: 'ls' })).toEqual({})
  expect(callKindOf('Other', { helper: 'Explore' })).toEqual({ does: 'help' })
})

test.each([
  ['Command running in background with ID: b1x', false, { goesOn: true, handle: 'b1x' }],
  ['Async agent launched successfully.\nagentId: a93', false, { goesOn: true, handle: 'a93' }],
  ['API Error: 529 overloaded', false, { broke: true }],
  ['<status>completed</status>', false, { over: 'well' }],
  ['<status>killed</status>', false, { over: 'failed' }],
  ['File created successfully at: /a.ts', false, { created: true }],
  ['Exit code 2\nno', true, { code: 2 }],
  ['<tool_use_error>Cancelled</tool_use_error>', true, { neverRan: true }],
  ['Permission to use Bash has been denied', true, { neverRan: true }],
  ['Permission to use Bash has been denied', false, {}],
  ['all is well', false, {}],
])('a result that says %j (failed: %s) comes to %j', (text, failed, outcome) => {
  expect(outcomeIn(text, failed)).toEqual(outcome)
})
