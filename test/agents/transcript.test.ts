import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { readTranscript } from '../../src/agents/claude/transcript.ts'
import { projectRoot } from '../support/sandbox.ts'
import {
  assistant,
  attachment,
  boundary,
  call,
  done,
  heard,
  type Json,
  linesOf,
  readOn,
  readRows,
  result,
  text,
  time,
  transcriptOf,
  usageOf,
  user,
  uuid,
} from './transcript-rows.ts'

const fixture = (name: string) => join(projectRoot, 'test/fixtures/claude', name)
const kinds = (entries: Array<{ kind: string }>) => entries.map(({ kind }) => kind)
const prompt = (number: number, said: string) => ({
  ...{ at: time(number), kind: 'request', how: 'prompt', text: said, about: '' },
})

test('a printed session of the real client, with a sub-agent and a compaction', () => {
  const { statistics, entries, reading, complete } = readOn(fixture('printed.jsonl'))
  expect(statistics).toEqual({
    tokensConsumed: { input: 21, output: 354, cacheRead: 84_000, cacheCreation: 3_500 },
    apiCalls: 7,
    filesModified: ['/home/dev/proj/out.txt'],
    tasksCompleted: 5,
    tasksFailed: 0,
    gitCommits: 0,
    toolUsageCounts: { TaskCreate: 1, Write: 1, Agent: 1, Edit: 1, Bash: 1 },
    subagentsLaunched: 1,
    unknownLines: {},
  })
  expect(reading).toMatchObject({
    compactions: 1,
    context: { tokens: 12_503, window: 200_000, model: 'claude-sonnet-4-5' },
    lastAt: '2026-11-15T18:46:37.500Z',
  })
  expect(complete).toBe(true)
  // Here every prompt goes through the queue.
  expect(
    entries.flatMap((entry) => (entry.kind === 'queue' ? [`${entry.change} ${entry.text}`] : [])),
  ).toEqual([
    'added write a file',
    'sent ',
    'added /compact focus on next steps',
    'sent ',
    'added continue',
    'sent ',
  ])
  expect(entries.filter(({ kind }) => !['tool', 'result', 'text', 'queue'].includes(kind))).toEqual([
    { at: '2026-11-15T18:46:31.523Z', kind: 'request', how: 'prompt', text: 'write a file', about: '' },
    { at: '2026-11-15T18:46:31.982Z', kind: 'todo', id: '1', text: 'Write out.txt', state: 'open' },
    { at: '2026-11-15T18:46:34.982Z', kind: 'boundary', automatic: false },
    {
      at: '2026-11-15T18:46:34.981Z',
      kind: 'summary',
      text: 'Synthetic compaction summary: wrote out.txt; next: add tests.',
    },
    { at: '2026-11-15T18:46:37.005Z', kind: 'request', how: 'prompt', text: 'continue', about: '' },
  ])
})

test('an interactive session of the real client: after a compaction the window holds what it left', () => {
  const { reading, entries } = readOn(fixture('interactive.jsonl'))
  expect(reading.context).toEqual({
    tokens: 2_996,
    window: 200_000,
    model: 'claude-sonnet-4-5',
    at: '2026-11-15T18:47:58.069Z',
  })
  expect(heard(entries)).toEqual(['prompt: write a file', 'prompt: now edit it'])
})

test('there is no file yet, a folder or a pipe: no reading, and no waiting', () => {
  const path = transcriptOf('')
  const folder = dirname(path)
  expect(readTranscript(join(folder, 'none.jsonl'), null, null)).toBeNull()
  expect(readTranscript(join(path, 'below.jsonl'), null, null)).toBeNull()
  expect(readTranscript(folder, null, null)).toBeNull()
  const pipe = join(folder, 'pipe.jsonl')
  expect(spawnSync('mkfifo', [pipe]).status).toBe(0)
  expect(readTranscript(pipe, null, null)).toBeNull()
})

test('an empty file is read, and grows', () => {
  const path = transcriptOf('')
  const first = readOn(path)
  expect(first).toMatchObject({
    restarted: false,
    complete: true,
    reading: { cursor: { offset: 0 }, lastAt: null },
  })
  writeFileSync(path, linesOf([user(1, 'Hello')]))
  const second = readOn(path, first.reading)
  expect(second).toMatchObject({ restarted: false, entries: [{ kind: 'request', text: 'Hello' }] })
})

test('a last line that is still being written is left for the next time', () => {
  const line = linesOf([user(1, 'Use tabs')])
  const path = transcriptOf(line + line.slice(0, 60))
  const first = readOn(path)
  expect(first.reading.cursor.offset).toBe(line.length)
  expect(first.statistics.unknownLines).toEqual({})
  truncateSync(path, line.length)
  appendFileSync(path, linesOf([user(2, 'Use spaces')]))
  expect(readOn(path, first.reading).entries).toEqual([prompt(2, 'Use spaces')])
})

test.each([
  ['shorter', linesOf([user(9, 'Other')])],
  ['other', linesOf([user(9, 'Other words'), user(10, 'and more of them'), user(11, 'and more')])],
])('another file at the path, %s, is read from its start', (_, content) => {
  const path = transcriptOf(linesOf([user(1, 'First'), user(2, 'Second')]))
  const first = readOn(path)
  writeFileSync(path, content)
  const second = readOn(path, first.reading)
  expect(second.restarted).toBe(true)
  expect(second.entries[0]).toMatchObject({ kind: 'request', text: expect.stringMatching(/^Other/) })
  expect(second.reading.cursor.offset).toBe(content.length)
})

test('a file that begins the same and is shorter is read from its start', () => {
  const first = linesOf([user(1, 'First')])
  const path = transcriptOf(first + linesOf([user(2, 'Second')]))
  const { reading } = readOn(path)
  truncateSync(path, first.length)
  expect(readOn(path, reading)).toMatchObject({ restarted: true, entries: [{ text: 'First' }] })
})

test('a reading of another version is begun anew', () => {
  const path = transcriptOf(linesOf([user(1, 'First')]))
  const { reading } = readOn(path)
  const again = readOn(path, {
    ...reading,
    cursor: { ...reading.cursor, carry: { ...(reading.cursor.carry as Json), version: 1 } },
  })
  expect(again).toMatchObject({ restarted: true, entries: [{ text: 'First' }] })
})

test('a bounded call stops behind a line, and says that there is more', () => {
  const path = transcriptOf(linesOf([user(1, 'One'), user(2, 'Two'), user(3, 'Three')]))
  const first = readOn(path, null, 1)
  expect(first).toMatchObject({ complete: false, entries: [{ text: 'One' }] })
  const second = readOn(path, first.reading, 1)
  expect(second).toMatchObject({ complete: false, entries: [{ text: 'Two' }] })
  const third = readOn(path, second.reading, 1)
  expect(third).toMatchObject({ complete: true, entries: [{ text: 'Three' }] })
})

test('each API call counts once, by its last row, also where another comes between and in a later reading [002.70]', () => {
  const rows = [
    assistant(
      1,
      { id: 'msg_a', content: [text('a')], usage: usageOf(3, 1, 100, 10) },
      { requestId: 'req_a' },
    ),
    assistant(2, { id: 'msg_b', content: [text('b')], usage: usageOf(5, 5) }, { requestId: 'req_b' }),
    assistant(
      3,
      { id: 'msg_a', content: [text('c')], usage: usageOf(3, 70, 100, 10) },
      { requestId: 'req_a' },
    ),
  ]
  const path = transcriptOf(linesOf(rows))
  const first = readOn(path)
  expect(first.statistics).toMatchObject({
    apiCalls: 2,
    tokensConsumed: { input: 8, output: 75, cacheRead: 100, cacheCreation: 10 },
  })
  appendFileSync(
    path,
    linesOf([
      assistant(4, { id: 'msg_a', content: [], usage: usageOf(3, 90, 100, 10) }, { requestId: 'req_a' }),
    ]),
  )
  expect(readOn(path, first.reading).statistics).toMatchObject({
    apiCalls: 2,
    tokensConsumed: { input: 8, output: 95, cacheRead: 100, cacheCreation: 10 },
  })
})

test('what the client made up, a refused call and a side question that repeats a message are no API calls', () => {
  const { statistics, reading } = readRows(
    assistant(1, { id: 'msg_a', content: [text('a')], usage: usageOf(10, 10) }),
    assistant(2, { model: '<synthetic>', content: [text('No response requested.')], usage: usageOf(7, 7) }),
    assistant(3, { content: [text('Limit')], usage: usageOf(7, 7) }, { isApiErrorMessage: true }),
    assistant(4, { id: 'msg_a', content: [text('a')], usage: usageOf(10, 10) }, { isSidechain: true }),
    assistant(5, { id: 'msg_copy', content: [text('a')], usage: usageOf(0, 0) }),
  )
  expect(statistics).toMatchObject({ apiCalls: 1, tokensConsumed: { input: 10, output: 10 } })
  expect(reading.context).toMatchObject({ tokens: 10, at: time(1) })
})

test('the window of a call in several steps is that of its last', () => {
  const usage = {
    ...usageOf(900, 9, 50_000),
    iterations: [usageOf(300, 1, 20_000), usageOf(400, 2, 30_000, 5)],
  }
  const { reading, statistics } = readRows(assistant(1, { content: [text('x')], usage }))
  expect(reading.context).toEqual({
    tokens: 30_405,
    window: 1_000_000,
    model: 'claude-opus-5-5',
    at: time(1),
  })
  expect(statistics.tokensConsumed).toMatchObject({ input: 900, cacheRead: 50_000 })
})

test('side chains in the main file count, and tell nothing', () => {
  const side = { isSidechain: true }
  const { statistics, entries, reading } = readRows(
    user(1, 'Look around', side),
    assistant(2, { content: [call('t', 'Write', { file_path: '/a' })], usage: usageOf(5, 5) }, side),
    user(3, [result('t', 'ok')], side),
    { ...boundary(4, { trigger: 'auto' }), isSidechain: true },
  )
  expect(statistics).toMatchObject({ apiCalls: 1, filesModified: ['/a'], tasksCompleted: 1 })
  expect(entries).toEqual([])
  expect(reading).toMatchObject({ context: null, compactions: 0 })
})

test('the files of sub-agents count too, each from where it was read to', () => {
  const helper = (number: number, tokens: number) =>
    assistant(
      number,
      { id: 'msg_h', content: [call(`t${number}`, 'Bash', { command: 'ls' })], usage: usageOf(tokens, 1) },
      { isSidechain: true, requestId: 'req_h' },
    )
  const path = transcriptOf(linesOf([assistant(1, { content: [], usage: usageOf(100, 1) })]), {
    'agent-a.jsonl': linesOf([helper(11, 7)]),
    'workflows/run-1/agent-b.jsonl': linesOf([
      assistant(21, { id: 'msg_i', content: [], usage: usageOf(3, 1) }, { isSidechain: true }),
    ]),
    'agent-a.meta.json': '{}',
    'notes.jsonl': linesOf([user(31, 'x')]),
  })
  const first = readOn(path)
  expect(first.statistics).toMatchObject({
    apiCalls: 3,
    tokensConsumed: { input: 110 },
    toolUsageCounts: { Bash: 1 },
  })
  appendFileSync(join(dirname(path), 'session/subagents/agent-a.jsonl'), linesOf([helper(12, 9)]))
  const second = readOn(path, first.reading)
  expect(second.statistics).toMatchObject({
    apiCalls: 3,
    tokensConsumed: { input: 112 },
    toolUsageCounts: { Bash: 2 },
  })
  expect(second.entries).toEqual([])
  expect(second.reading.context).toMatchObject({ tokens: 100 })
})

test('at most 200 files of sub-agents are followed', () => {
  const path = transcriptOf('')
  const folder = join(dirname(path), 'session/subagents')
  mkdirSync(folder, { recursive: true })
  for (let number = 0; number < 205; number += 1)
    writeFileSync(
      join(folder, `agent-${number}.jsonl`),
      linesOf([assistant(number + 1, { content: [], usage: usageOf(1, 1) }, { isSidechain: true })]),
    )
  const first = readOn(path)
  expect(first).toMatchObject({ complete: true, statistics: { apiCalls: 200 } })
  expect(readOn(path, first.reading).statistics.apiCalls).toBe(200)
})

test('files are modified and commits are made where the result is no error; a refused call is neither done nor failed [002.71] [002.72] [002.73] [002.74] [002.75] [002.76]', () => {
  const commit = { command: 'git add -A && git commit -m "x"' }
  const { statistics } = readRows(
    ...done(10, 'Write', { file_path: '/a' }),
    ...done(20, 'Edit', { file_path: '/b' }, 'String not found', true),
    ...done(30, 'NotebookEdit', { notebook_path: '/c.ipynb' }),
    ...done(40, 'MultiEdit', { file_path: '/a' }),
    ...done(50, 'Bash', commit),
    ...done(60, 'Bash', commit, 'nothing to commit', true),
    ...done(70, 'Write', { file_path: '/d' }, 'This command requires approval', true, {
      toolUseResult: 'Error: This command requires approval',
      toolDenialKind: 'user-rejected',
    }),
    ...done(
      80,
      'Edit',
      { file_path: '/e' },
      "The user doesn't want to proceed with this tool use. The",
      true,
    ),
    assistant(90, { content: [call('lost', 'Write', { file_path: '/f' })] }),
    ...done(91, 'Task', { prompt: 'x' }),
    ...done(93, 'Agent', { prompt: 'x' }),
    ...done(95, 'Edit', { file_path: '/g' }),
    ...done(97, 'Read', { file_path: '/h' }),
  )
  expect(statistics).toMatchObject({
    filesModified: ['/a', '/c.ipynb', '/g'],
    gitCommits: 1,
    tasksCompleted: 8,
    tasksFailed: 2,
    subagentsLaunched: 2,
    toolUsageCounts: {
      ...{ Write: 3, Edit: 3, NotebookEdit: 1, MultiEdit: 1 },
      ...{ Bash: 2, Task: 1, Agent: 1, Read: 1 },
    },
  })
})

test('unknown kinds are counted by name, lines that are no JSON as malformed, names that could be more as other', () => {
  const { statistics } = readRows(
    { type: 'cost-state', totalCostUSD: 1 },
    { type: 'new-kind', x: 1 },
    { type: 'new-kind', x: 2 },
    { type: '__proto__' },
    { type: 'a b' },
    { some: 'thing' },
    { type: `k${'x'.repeat(80)}` },
    'no json',
    '{"type":"user","message":{"content":"torn',
    '',
    '   ',
    '[1]',
    '{}',
    ...done(1, '__proto__', {}),
    ...done(5, 'constructor', {}),
  )
  expect(statistics.unknownLines).toEqual({
    'new-kind': 2,
    other: 4,
    [`k${'x'.repeat(39)}`]: 1,
    malformed: 3,
  })
  expect(Object.entries(statistics.toolUsageCounts)).toEqual([
    ['other', 1],
    ['constructor', 1],
  ])
  expect(Object.getPrototypeOf(statistics.toolUsageCounts)).toBe(Object.prototype)
})

test('everything that is kept is bounded', () => {
  const rows = Array.from({ length: 700 }, (_, number) => [
    ...done(number * 3 + 1, number < 600 ? 'Write' : `Tool${number}`, { file_path: `/f${number}` }),
    { type: `kind-${number}` },
    assistant(number * 3 + 3, {
      content: [call(`never-${number}`, 'Write', { file_path: '/x' })],
      usage: usageOf(1, 1),
    }),
  ])
  const { statistics, reading } = readRows(...rows.flat())
  expect(statistics.filesModified).toHaveLength(500)
  expect(Object.keys(statistics.unknownLines)).toHaveLength(50)
  expect(Object.values(statistics.unknownLines).reduce((sum, count) => sum + count)).toBe(700)
  expect(JSON.stringify(reading.cursor).length).toBeLessThan(60_000)
})

test('a row that is there twice counts once', () => {
  const row = assistant(1, { content: [call('t', 'Bash', { command: 'ls' })], usage: usageOf(1, 1) })
  const { statistics, entries } = readRows(row, user(2, 'Hi'), row)
  expect(statistics.toolUsageCounts).toEqual({ Bash: 1 })
  expect(kinds(entries)).toEqual(['tool', 'request'])
})

test('only what a human said is a request', () => {
  const { entries } = readRows(
    user(1, 'Always use tabs', { promptSource: 'typed', origin: { kind: 'human' } }),
    user(2, 'From a script', { promptSource: 'sdk' }),
    user(3, 'Caveat', { isMeta: true }),
    user(4, '<local-command-stdout>ok</local-command-stdout>'),
    user(5, 'Continue', { promptSource: 'system', origin: { kind: 'auto-continuation' } }),
    user(6, 'Hello from another agent', { origin: { kind: 'peer' } }),
    user(7, [
      { type: 'image', source: {} },
      text('What is this?'),
      text('<system-reminder>x</system-reminder>'),
    ]),
    user(8, [text('[Request interrupted by user for tool use]')]),
    user(9, [result('t', 'Never use tabs')]),
    attachment(10, {
      type: 'queued_command',
      prompt: 'Also the docs',
      commandMode: 'prompt',
      origin: { kind: 'human' },
    }),
    attachment(11, { type: 'queued_command', prompt: [text('And the tests')], commandMode: 'prompt' }),
    attachment(12, { type: 'queued_command', prompt: 'x', origin: { kind: 'coordinator' }, isMeta: true }),
    attachment(13, { type: 'file', content: 'Never use spaces' }),
    user(14, '<command-name>/deploy</command-name>\n<command-args>to staging</command-args>'),
    user(15, '<command-name>/compact</command-name>\n<command-args>keep decisions</command-args>'),
  )
  expect(entries.filter(({ kind }) => kind === 'request' || kind === 'interrupt')).toEqual([
    prompt(1, 'Always use tabs'),
    prompt(2, 'From a script'),
    prompt(7, 'What is this?'),
    { at: time(8), kind: 'interrupt' },
    { ...prompt(10, 'Also the docs'), how: 'queued' },
    { ...prompt(11, 'And the tests'), how: 'queued' },
    { ...prompt(14, 'to staging'), how: 'command', about: 'deploy' },
  ])
})

test('tools are told with what matters of their input, and what they came to', () => {
  const { entries } = readRows(
    ...done(1, 'Bash', { command: 'npm test', description: 'Run tests', run_in_background: true }),
    ...done(3, 'Agent', { description: 'Look', prompt: 'Find the parser', subagent_type: 'Explore' }),
    assistant(5, { content: [call('r', 'Read', { file_path: '/a.ts' })] }),
    user(6, [result('r', [text('one'), { type: 'image' }, text('two')], true)], {
      toolUseResult: 'Error: one',
      toolDenialKind: 'permission-rule',
    }),
    ...['task_id', 'bash_id', 'shell_id'].map((key, place) =>
      assistant(7 + place, { content: [call(key, 'TaskStop', { [key]: 'b1' })] }),
    ),
  )
  expect(entries).toEqual([
    {
      at: time(1),
      kind: 'tool',
      id: 'toolu_1',
      name: 'Bash',
      input: { command: 'npm test', description: 'Run tests', background: true },
    },
    { at: time(2), kind: 'result', id: 'toolu_1', failed: false, refused: false, text: 'ok' },
    {
      at: time(3),
      kind: 'tool',
      id: 'toolu_3',
      name: 'Agent',
      does: 'help',
      input: { description: 'Look', helper: 'Explore', prompt: 'Find the parser' },
    },
    { at: time(4), kind: 'result', id: 'toolu_3', failed: false, refused: false, text: 'ok' },
    { at: time(5), kind: 'tool', id: 'r', name: 'Read', input: { path: '/a.ts' } },
    { at: time(6), kind: 'result', id: 'r', failed: true, refused: false, text: 'one\ntwo' },
    ...['task_id', 'bash_id', 'shell_id'].map((id, place) => ({
      ...{ at: time(7 + place), kind: 'tool', id, name: 'TaskStop', does: 'stop', input: { task: 'b1' } },
    })),
  ])
})

test('task lists are told when their result is there, also in a later reading', () => {
  const path = transcriptOf(
    linesOf([
      assistant(4, {
        content: [
          call('w', 'TodoWrite', {
            todos: [
              { content: 'Write', status: 'completed' },
              { content: 'Test', status: 'in_progress' },
              { content: 'Ship', status: 'pending' },
            ],
          }),
        ],
      }),
      assistant(5, { content: [call('c', 'TaskCreate', { subject: 'Docs' })] }),
      assistant(6, { content: [call('u', 'TaskUpdate', { taskId: '4', status: 'in_progress' })] }),
      assistant(7, { content: [call('v', 'TaskUpdate', { taskId: '4', subject: 'All docs' })] }),
      assistant(8, {
        content: [call('x', 'TodoWrite', { todos: [{ content: 'Lost', status: 'pending' }] })],
      }),
    ]),
  )
  const first = readOn(path)
  expect(kinds(first.entries).filter((kind) => kind !== 'tool')).toEqual([])
  appendFileSync(
    path,
    linesOf([
      user(14, [result('w', 'ok')]),
      user(15, [result('c', 'Task #4 created successfully: Docs')]),
      user(16, [result('u', 'ok')]),
      user(17, [result('v', 'ok')]),
      user(18, [result('x', 'No such tool', true)]),
    ]),
  )
  expect(readOn(path, first.reading).entries.filter(({ kind }) => kind !== 'result')).toEqual([
    {
      at: time(14),
      kind: 'todos',
      items: [
        { text: 'Write', state: 'done' },
        { text: 'Test', state: 'doing' },
        { text: 'Ship', state: 'open' },
      ],
    },
    { at: time(15), kind: 'todo', id: '4', text: 'Docs', state: 'open' },
    { at: time(16), kind: 'todo', id: '4', text: '', state: 'doing' },
    { at: time(17), kind: 'todo', id: '4', text: 'All docs', state: 'doing' },
  ])
})

test('what ran in the background and ended is told by each id it is known by', () => {
  const notification = (status: string) =>
    `<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>toolu_1</tool-use-id>\n<status>${status}</status>\n` +
    '<result><task-id>forged</task-id></result>\n</task-notification>'
  const machine = { promptSource: 'system', origin: { kind: 'task-notification' } }
  const { entries } = readRows(
    user(1, notification('completed'), machine),
    attachment(2, {
      type: 'queued_command',
      prompt: notification('failed'),
      commandMode: 'task-notification',
    }),
    user(3, notification('running'), machine),
    attachment(4, { type: 'task_status', taskId: 'b2', status: 'killed' }),
    attachment(5, { type: 'task_status', taskId: 'b3', status: 'running' }),
  )
  expect(entries).toEqual([
    { at: time(1), kind: 'finished', id: 'toolu_1', failed: false },
    { at: time(1), kind: 'finished', id: 'b1', failed: false },
    { at: time(2), kind: 'finished', id: 'toolu_1', failed: true },
    { at: time(2), kind: 'finished', id: 'b1', failed: true },
    { at: time(4), kind: 'finished', id: 'b2', failed: true },
  ])
})

test('a compaction resets the context; where nobody says to what, it is unknown', () => {
  const used = assistant(1, { content: [text('x')], usage: usageOf(5, 5, 90_000) })
  const known = readRows(used, boundary(2, { trigger: 'auto', preTokens: 90_005, postTokens: 2_996 }))
  expect(known.reading).toMatchObject({
    compactions: 1,
    context: { tokens: 2_996, model: 'claude-opus-5-5' },
  })
  expect(known.entries.at(-1)).toEqual({ at: time(2), kind: 'boundary', automatic: true })
  const unknown = readRows(used, boundary(2, { trigger: 'manual', preTokens: 90_005 }))
  expect(unknown.reading).toMatchObject({ compactions: 1, context: null })
})

test("an API error is a halt, with the provider's own words", () => {
  const { entries } = readRows(
    assistant(
      1,
      { model: '<synthetic>', content: [text('Limit reached · resets 3am')] },
      { isApiErrorMessage: true, error: 'rate_limit' },
    ),
    assistant(2, { model: '<synthetic>', content: [text('Overloaded')] }, { isApiErrorMessage: true }),
    assistant(3, { model: '<synthetic>', content: [] }, { isApiErrorMessage: true }),
    assistant(4, { model: '<synthetic>', content: [text('No response requested.')] }),
  )
  expect(entries).toEqual([
    { at: time(1), kind: 'halt', error: 'rate_limit', words: 'Limit reached · resets 3am' },
    { at: time(2), kind: 'halt', error: 'Overloaded', words: 'Overloaded' },
    { at: time(3), kind: 'halt', error: 'unknown', words: '' },
  ])
})

test('each pull request that the client knows of is a link', () => {
  const { entries, statistics } = readRows(
    {
      type: 'pr-link',
      prNumber: 7,
      prUrl: 'https://github.com/o/r/pull/7',
      prRepository: 'o/r',
      timestamp: time(1),
    },
    { type: 'pr-link', prNumber: 8, timestamp: time(2) },
  )
  expect(entries).toEqual([{ at: time(1), kind: 'link', url: 'https://github.com/o/r/pull/7' }])
  expect(statistics.unknownLines).toEqual({})
})

test('texts are cut at whole characters and words, long ones without reading all of them', () => {
  const spaced = 'aé\\"\n😀 '.repeat(40_000)
  const solid = '😀'.repeat(40_000)
  const { entries } = readRows(
    user(1, `x${solid}`),
    user(2, spaced),
    assistant(3, { content: [text(spaced)] }),
    ...done(4, 'Bash', { command: 'c '.repeat(5_000), description: `${'d '.repeat(148)}secret` }, spaced),
    ...done(6, 'Bash', { command: 'ls' }, `${solid}x`),
    ...done(8, 'ExitPlanMode', { plan: spaced }),
    user(10, spaced, { isCompactSummary: true }),
  )
  const lengths = entries.map((entry) => ('text' in entry ? [entry.kind, entry.text.length] : [entry.kind]))
  expect(lengths).toEqual([
    ['request', 19_999],
    ['request', 19_999],
    ['text', 20_000],
    ['tool'],
    ['result', 1_997],
    ['tool'],
    ['result', 1_999],
    ['tool'],
    ['plan', 19_999],
    ['result', 2],
    ['plan', 0],
    ['summary', 64_000],
  ])
  for (const entry of entries)
    if ('text' in entry && entry.kind !== 'result')
      expect(spaced.startsWith(entry.text) || entry.text.startsWith('x😀')).toBe(true)
  expect(entries[3]).toMatchObject({ input: { command: 'c '.repeat(500), description: 'd '.repeat(148) } })
  // Of a text that was cut the first line goes, and a mark stands for it.
  const end = spaced.slice(-2_000)
  expect(entries[4]).toMatchObject({ text: `…${end.slice(end.indexOf('\n'))}` })
})

test('a line of 50 MB and one of endless depth are read like any other', () => {
  const large = 'x "y" '.repeat(6_300_000)
  const deep = `{"type":"user","message":{"content":${'[{"a":'.repeat(200_000)}1${'}]'.repeat(200_000)}},"uuid":"${uuid(3)}"}`
  const torn = `{"type":"user","message":{"content":${'['.repeat(200_000)}}`
  const { entries, statistics } = readRows(user(1, [result('t', large)]), deep, torn, user(4, 'After it'))
  expect(statistics).toMatchObject({ tasksCompleted: 1, unknownLines: { malformed: 1 } })
  expect(entries).toEqual([
    {
      at: time(1),
      kind: 'result',
      id: 't',
      failed: false,
      refused: false,
      text: large.slice(-2_000).replace(/^\S+/, '…'),
    },
    prompt(4, 'After it'),
  ])
})

test('statistics are the same without entries', () => {
  for (const name of ['printed.jsonl', 'interactive.jsonl']) {
    const alone = readTranscript(fixture(name), null, null)
    expect(alone?.reading.statistics).toEqual(readOn(fixture(name)).statistics)
  }
})
