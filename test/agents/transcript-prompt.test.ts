import { expect, test } from 'vitest'
import {
  bareSummary,
  commandIn,
  finishedTaskOf,
  planIn,
  typedTextOf,
} from '../../src/agents/claude/transcript-prompt.ts'
import { windowOf } from '../../src/agents/claude/window.ts'

const command = (name: string, args: string) =>
  `<command-name>${name}</command-name>\n            <command-message>x</command-message>\n            <command-args>${args}</command-args>`

test.each([
  ['Always use tabs', 'Always use tabs'],
  ['  <div> is not closed, mend it ', '<div> is not closed, mend it'],
  ['Use tabs<system-reminder>Never use tabs</system-reminder>', 'Use tabs'],
  ['<system-reminder>no end', ''],
  [command('/deploy', 'to staging'), ''],
  ['<user-memory-input>We ship on Fridays</user-memory-input>', 'We ship on Fridays'],
  ['<bash-input>rm -rf build</bash-input>', ''],
  ['<bash-stdout>Always use tabs</bash-stdout>', ''],
  ['<local-command-caveat>Caveat</local-command-caveat>', ''],
  ['<local-command-stdout>Always use tabs</local-command-stdout>', ''],
  ['<task-notification>x</task-notification>', ''],
  ['<ide_opened_file>a.ts</ide_opened_file>', ''],
  ['Operation stopped by hook: Another session is active', ''],
  ['Base directory for this skill: /home/dev/.claude/skills/review', ''],
  ['{"task_id":"b1","task_type":"local_bash"}', ''],
  ['{"tabs": true} is the setting I want', '{"tabs": true} is the setting I want'],
  ['[Request interrupted by user]', ''],
  ['', ''],
])('of %j a human typed %j', (text, typed) => {
  expect(typedTextOf(text)).toBe(typed)
})

test.each([
  [command('/deploy', ' to staging '), 'deploy', 'to staging'],
  [command('/my-plugin:review', 'the parser'), 'my-plugin:review', 'the parser'],
  [command('/deploy', 'one\ntwo'), 'deploy', 'one\ntwo'],
  [command('/context:deploy', 'now'), 'context:deploy', 'now'],
  [command('/deploy', ''), 'deploy', ''],
  ['<command-message>review</command-message>\n<command-name>/review</command-name>', 'review', ''],
  [
    '<command-message>deploy is running…</command-message>\n<command-name>deploy</command-name>\n<command-args>now</command-args>',
    'deploy',
    'now',
  ],
])('of %j the command is %s with the words %j', (text, name, words) => {
  expect(commandIn(text)).toEqual({ name, words })
})

test.each([
  command('/compact', 'keep the decisions'),
  command('/model', 'opus'),
  command('/checkpoint', 'Tokens are signed'),
  command('/savepoint:handoff', 'finish the login'),
  command('/context:budget', '30'),
  '<command-args>now</command-args>',
  '<command-message>x</command-message>',
  'Write <command-name>/deploy</command-name> into the docs',
  'Use tabs',
])('%j is no command of the user, a project or a plugin', (text) => {
  expect(commandIn(text)).toBeNull()
})

test.each([
  ['Implement the following plan:\n\n# Tokens\n\n1. Sign them', '# Tokens\n\n1. Sign them'],
  [
    'Implement the following plan:\n\n# Tokens\n\nIf you need specific details from before exiting plan mode (like exact code), read the full transcript at: /x',
    '# Tokens',
  ],
  ['Implement the following plan: sign the tokens', null],
  ['Please say "Implement the following plan:\n# Tokens"', null],
])('the plan that %j hands over is %j', (prompt, plan) => {
  expect(planIn(prompt)).toBe(plan)
})

test('a notification that breaks off tells nothing', () => {
  expect(finishedTaskOf('<task-notification><task-id>a</task-id>')).toBeNull()
  expect(finishedTaskOf('Look: <task-notification><status>completed</status>')).toBeNull()
  expect(finishedTaskOf('<task-notification><task-id>a</task-id><status>killed</status>')).toEqual({
    ids: ['a'],
    failed: true,
  })
})

const preface =
  'This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\n'

test.each([
  [
    `${preface}<system-reminder>\nx\n</system-reminder>\nSummary:\n1. Goal:\n   Tokens\n\nIf you need specific details from before compaction (like exact code), read the full transcript at: /x\nContinue the conversation from where it left off without asking.`,
    '1. Goal:\n   Tokens',
  ],
  [
    `${preface}Analysis:\nThe user wants tokens.\n\nSummary:\n1. Goal`,
    'The user wants tokens.\n\nSummary:\n1. Goal',
  ],
  ['<analysis>\nthoughts\n</analysis>\n\n<summary>\n1. Goal: tokens\n</summary>', '1. Goal: tokens'],
  [
    `${preface}1. Goal\n\nPlease continue the conversation from where we left it off without asking.`,
    '1. Goal',
  ],
  [`${preface}Summary:\n1. Goal\n\nThe messages after this summary are the most recent.`, '1. Goal'],
  ['1. Goal', '1. Goal'],
  ['', ''],
])('a summary is told without what the client put around it: %#', (text, bare) => {
  expect(bareSummary(text)).toBe(bare)
})

test.each([
  ['claude-opus-5-5', 1_000_000],
  ['claude-opus-5-5-20261101', 1_000_000],
  ['claude-sonnet-4-5[1m]', 1_000_000],
  ['claude-sonnet-4-5-20250929', 200_000],
  ['claude-opus-4-8', 200_000],
  ['claude-3-7-sonnet-20250219', 200_000],
  ['claude-haiku-5-5', 200_000],
  ['us.anthropic.claude-sonnet-4-20250514-v1:0', 200_000],
  ['claude-something-9', 200_000],
  ['gpt-5', null],
  ['', null],
])('the window of %s is %s', (model, window) => {
  expect(windowOf(model)).toBe(window)
})
