import { expect, test } from 'vitest'
import {
  assistant,
  call,
  done,
  heard,
  readRows,
  refusal,
  result,
  text,
  time,
  user,
} from './transcript-rows.ts'

const edit = { file_path: '/src/a.ts' }

test('the words of a refusal are a request, about the call that was refused', () => {
  const { entries } = readRows(...done(1, 'Edit', edit, refusal('Use spaces here,\nnot tabs'), true))
  expect(entries.slice(1)).toEqual([
    {
      at: time(2),
      kind: 'result',
      id: 'toolu_1',
      failed: true,
      refused: true,
      text: refusal('Use spaces here,\nnot tabs'),
    },
    {
      ...{
        at: time(2),
        kind: 'request',
        how: 'refusal',
        text: 'Use spaces here,\nnot tabs',
        about: 'toolu_1',
      },
      // Only its words say so: a tool may say the same.
      isUnsure: true,
    },
  ])
})

test("the client's advice to its agent is no part of the user's words", () => {
  const advice =
    "\n\nNote: The user's next message may contain a correction or preference. Pay close attention to it."
  const { entries } = readRows(
    ...done(1, 'Edit', edit, refusal(`Use spaces${advice}`), true),
    ...done(3, 'Edit', edit, `${refusal()}${advice}`, true),
  )
  expect(heard(entries)).toEqual(['refusal: Use spaces'])
})

test.each([
  ['without words', refusal()],
  ['of an older client', "The user doesn't want to take this action right now. STOP what you are doing."],
  ['by an interrupt', '[Request interrupted by user for tool use]'],
])('a refusal %s is one, and says nothing', (_, said) => {
  const { entries } = readRows(...done(1, 'Bash', { command: 'rm -rf build' }, said, true))
  expect(entries.slice(1)).toMatchObject([{ kind: 'result', failed: true, refused: true }])
})

test('a refusal is heard where a result is a list of texts and images', () => {
  const { entries, statistics } = readRows(
    assistant(1, { content: [call('e', 'Edit', edit)] }),
    user(2, [
      result('e', [text(refusal('As in this picture')), { type: 'image', source: { data: 'iVBO' } }], true),
    ]),
  )
  expect(entries.at(-2)).toMatchObject({ kind: 'result', refused: true })
  expect(heard(entries)).toEqual(['refusal: As in this picture'])
  expect(statistics).toMatchObject({ tasksFailed: 0, tasksCompleted: 0 })
})

test('the words of a refusal are cut like any other text', () => {
  const parts = ['a', 'b', 'c'].map((letter) => text(letter.repeat(15_000)))
  const { entries } = readRows(
    assistant(1, { content: [call('e', 'Edit', edit)] }),
    user(2, [result('e', [text(refusal('Not so')), ...parts], true)]),
  )
  const [words = ''] = heard(entries)
  expect(words).toMatch(/^refusal: Not so\na{15000}\nb+$/)
  expect(words.length).toBeLessThan(20_000)
})

test('the client says that the user refused: the words are heard, however it begins', () => {
  const said = 'This command requires approval. To tell you how to proceed, the user said:\nAsk me first'
  const { entries } = readRows(
    ...done(1, 'Bash', { command: 'ls' }, said, true, { toolDenialKind: 'user-rejected' }),
  )
  expect(heard(entries)).toEqual(['refusal: Ask me first'])
})

test.each([
  ['a hook', 'PreToolUse:Edit hook error: the user said:\nNever', {}],
  ['a rule', 'Permission to use Edit has been denied.', { toolDenialKind: 'permission-rule' }],
  ['a rule that quotes', 'Denied: the user said:\nNever', { toolDenialKind: 'automode-blocked' }],
  ['its own error', `String to replace not found: ${refusal('Never')}`, {}],
])('a call that %s stopped was refused by nobody', (_, said, rest) => {
  const { entries } = readRows(...done(1, 'Edit', edit, said, true, rest))
  expect(entries.slice(1)).toMatchObject([{ kind: 'result', failed: true, refused: false }])
})

test('what a program prints is no refusal', () => {
  const { entries } = readRows(...done(1, 'Bash', { command: 'cat log' }, refusal('Use spaces'), false))
  expect(entries.slice(1)).toMatchObject([{ kind: 'result', failed: false, refused: false }])
})

test('of parallel calls only the refused one is, and each has its own words', () => {
  const { entries } = readRows(
    assistant(1, { content: [call('a', 'Edit', edit), call('b', 'Edit', edit), call('c', 'Edit', edit)] }),
    user(2, [
      result('a', refusal('Not this file'), true),
      result('b', '<tool_use_error>Sibling tool call errored</tool_use_error>', true),
      result('c', refusal('Nor this'), true),
    ]),
  )
  expect(entries.filter(({ kind }) => kind !== 'tool')).toMatchObject([
    { kind: 'result', id: 'a', refused: true },
    { kind: 'request', text: 'Not this file', about: 'a' },
    { kind: 'result', id: 'b', refused: false },
    { kind: 'result', id: 'c', refused: true },
    { kind: 'request', text: 'Nor this', about: 'c' },
  ])
})

test('text beside a result is what the user said', () => {
  const { entries } = readRows(
    assistant(1, { content: [call('b', 'Bash', { command: 'npm test' })] }),
    user(2, [result('b', 'ok'), text('Also run the linter'), text('and the types')]),
  )
  expect(entries.slice(1)).toEqual([
    { at: time(2), kind: 'result', id: 'b', failed: false, refused: false, text: 'ok' },
    { at: time(2), kind: 'request', how: 'prompt', text: 'Also run the linter\nand the types', about: '' },
  ])
})

test("the client's own text beside a result is not", () => {
  const { entries } = readRows(
    user(1, [result('b', 'ok'), text('<system-reminder>Never use tabs</system-reminder>')]),
    user(2, [result('c', refusal(), true), text('[Request interrupted by user for tool use]')]),
  )
  expect(entries.map(({ kind }) => kind)).toEqual(['result', 'result', 'interrupt'])
})

test('a prompt that a hook stopped is heard, the message of the hook is not', () => {
  const { entries } = readRows(
    user(1, 'Mend the parser'),
    user(2, 'Operation stopped by hook: Another session is active: "Mend the lexer"'),
  )
  expect(heard(entries)).toEqual(['prompt: Mend the parser'])
})
