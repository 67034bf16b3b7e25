import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { envelope, eventOf } from '../../src/agents/claude/hooks.ts'
import { END_REASONS, SESSION_SOURCES } from '../../src/core/session.ts'
import { projectRoot } from '../support/sandbox.ts'

const AT = '2026-01-02T03:04:05.000Z'
type Payload = Record<string, unknown>

/** What the real client gave to its hooks, in the order in which it did. */
const heard = (name: string): Payload[] =>
  readFileSync(join(projectRoot, 'test/fixtures/claude/hooks', `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

const told = (name: string) =>
  heard(name).flatMap((payload) => {
    const event = eventOf(payload, AT)
    if (event === null) return []
    const { agent: _agent, at: _at, cwd: _cwd, transcript: _path, permissionMode: _mode, ...said } = event
    return [said]
  })

const base = { session_id: 'sess-1', cwd: '/repo' }
const said = (name: string, more: Payload = {}) => eventOf({ ...base, hook_event_name: name, ...more }, AT)

describe('what the real client says', () => {
  test('in a terminal is understood, event by event', () => {
    const first = { session: '58d9131b-852d-4038-b98b-993b616dbefc', helper: null }
    const second = { session: '706df6e5-f4b5-4ffe-b135-716ef96ffd39', helper: null }
    const kinds = told('interactive').map(({ session, kind }) => [session === first.session, kind])
    expect(kinds).toEqual([
      [true, 'start'],
      [true, 'prompt'],
      [true, 'batch'],
      [true, 'stop'],
      [true, 'prompt'],
      [true, 'batch'],
      [true, 'stop'],
      [true, 'compacting'],
      [true, 'start'],
      [true, 'compacted'],
      [true, 'end'],
      [false, 'start'],
      [false, 'end'],
    ])
    const events = told('interactive')
    expect(events[0]).toMatchObject({ ...first, source: 'startup', model: 'claude-sonnet-4-5' })
    expect(events[7]).toEqual({ ...first, kind: 'compacting', automatic: false })
    expect(events[8]).toMatchObject({ ...first, source: 'compact', model: 'claude-sonnet-4-5' })
    expect(events[9]).toEqual({
      ...first,
      kind: 'compacted',
      summary: '<analysis>a</analysis><summary>Summary: wrote and edited out.txt.</summary>',
    })
    expect(events[10]).toEqual({ ...first, kind: 'end', reason: 'clear' })
    expect(events[11]).toEqual({ ...second, kind: 'start', source: 'clear', model: null })
    expect(events[12]).toEqual({ ...second, kind: 'end', reason: 'prompt_input_exit' })
  })

  test('when it prints is understood, with helpers, tasks, a resume and a fork', () => {
    const events = told('printed')
    const session = 'b7bb2d2f-96d3-4561-8cfb-4d53ea228843'
    const main = { session, helper: null }
    expect(events.map(({ kind }) => kind).join(' ')).toBe(
      'start prompt task-created batch helper-started helper-stopped batch batch stop end start compacting start compacted end start prompt batch stop end start prompt stop end',
    )
    expect(events[2]).toEqual({ ...main, kind: 'task-created', id: '1', what: 'Write out.txt' })
    expect(events[3]).toEqual({
      ...main,
      kind: 'batch',
      tools: [
        { name: 'TaskCreate', path: null, isEdit: false, running: null },
        { name: 'Write', path: '/home/dev/proj/out.txt', isEdit: true, running: null },
      ],
    })
    const helper = { session, helper: 'a3fa36f40569e397e', id: 'a3fa36f40569e397e' }
    expect(events[4]).toEqual({ ...helper, kind: 'helper-started', what: 'general-purpose' })
    expect(events[5]).toEqual({ ...helper, kind: 'helper-stopped', said: 'Subagent says: out.txt exists.' })
    expect(events[8]).toEqual({
      ...main,
      kind: 'stop',
      again: false,
      said: 'Done: wrote out.txt.',
      background: [],
    })
    expect(events[9]).toEqual({ ...main, kind: 'end', reason: 'other' })
    expect(events[10]).toMatchObject({ ...main, kind: 'start', source: 'resume' })
    expect(events[20]).toMatchObject({ source: 'fork', session: '54ccda3c-46ff-4e37-8ed0-9e6c6f23b6dc' })
  })

  test('has its place, transcript and mode in every event', () => {
    for (const payload of [...heard('interactive'), ...heard('printed')]) {
      const event = eventOf(payload, AT)
      if (event === null) continue
      expect(event).toMatchObject({
        agent: 'claude',
        at: AT,
        cwd: '/home/dev/proj',
        session: payload.session_id,
      })
      expect(event.transcript).toBe(payload.transcript_path)
      expect(event.permissionMode).toBe(payload.permission_mode ?? null)
    }
  })
})

describe('what is no word of the user', () => {
  test.each([
    '<task-notification>\n<task-id>b1</task-id> done\n</task-notification>',
    '  <task-notification>x',
    '<local-command-stdout>x</local-command-stdout>',
    '<command-name>/clear</command-name>',
    '<command-message>clear</command-message>',
    '<bash-input>ls</bash-input>',
    '<system-reminder>x</system-reminder>',
    '[Request interrupted by user]',
  ])('%j is no prompt', (prompt) => {
    expect(said('UserPromptSubmit', { prompt })).toBeNull()
  })

  test('nor is what the client submits by itself', () => {
    expect(said('UserPromptSubmit', { prompt: 'Go on', source: 'task-notification' })).toBeNull()
    expect(said('UserPromptSubmit', { prompt: 'Go on', source: 'user' })).toMatchObject({ text: 'Go on' })
    expect(said('UserPromptSubmit', { prompt: 'Why <task-notification>?' })).toMatchObject({ kind: 'prompt' })
  })
})

describe('an id of a session', () => {
  test.each([
    '../../etc/passwd',
    '..',
    '.',
    'a/b',
    'a\\b',
    'a\0b',
    '',
    '-rf',
    'a b',
    'a.b',
    'é',
    'x'.repeat(129),
    'a\n',
  ])('%j is refused', (id) => {
    expect(said('Stop', { session_id: id })).toBeNull()
  })

  test('of the client is taken', () => {
    expect(said('Stop', { session_id: 'b7bb2d2f-96d3-4561-8cfb-4d53ea228843' })).not.toBeNull()
    expect(said('Stop', { session_id: 'x'.repeat(128) })).not.toBeNull()
  })
})

test('only what is followed is an event', () => {
  for (const name of [
    'PreToolUse',
    'PostToolUse',
    'Notification',
    'toString',
    '__proto__',
    'constructor',
    '',
  ])
    expect(said(name)).toBeNull()
  for (const value of [null, undefined, 1, 'SessionStart', true, [], {}])
    expect(eventOf(value, AT)).toBeNull()
})

test('words that are not known count as the usual ones', () => {
  expect(said('SessionStart', { source: 'moon' })).toMatchObject({ source: 'startup' })
  expect(said('SessionEnd', { reason: 'bypass_permissions_disabled' })).toMatchObject({ reason: 'other' })
  expect(said('StopFailure', {})).toMatchObject({ error: 'unknown', details: '' })
  for (const source of SESSION_SOURCES) expect(said('SessionStart', { source })).toMatchObject({ source })
  for (const reason of END_REASONS) expect(said('SessionEnd', { reason })).toMatchObject({ reason })
})

test('of what runs in the background only what still runs is told', () => {
  const background_tasks = [
    { id: 'b1', type: 'shell', status: 'running', command: 'npm run dev' },
    { id: 'b2', status: 'completed', description: 'Tests' },
    { id: 'b3', status: 'pending', description: 'Lint', command: 'npm run lint' },
    { id: 'b4', status: 'killed' },
  ]
  expect(said('Stop', { background_tasks })).toMatchObject({
    background: [
      { id: 'b1', what: 'npm run dev' },
      { id: 'b3', what: 'Lint' },
    ],
  })
})

test('what a tool left running is told by its answer, and by no words that stand elsewhere in it', () => {
  const runningAfter = (tool_response: unknown, tool_input: Payload = { command: 'npm run dev' }) => {
    const event = said('PostToolBatch', { tool_calls: [{ tool_name: 'Tool', tool_input, tool_response }] })
    return event?.kind === 'batch' ? event.tools[0]?.running : undefined
  }
  expect(runningAfter('Command running in background with ID: b1. Output: x')).toEqual({
    ...{ id: 'b1', kind: 'background', what: 'npm run dev' },
  })
  expect(
    runningAfter('Async agent launched successfully.\nagentId: a1 (internal)', { description: 'Look' }),
  ).toEqual({ id: 'a1', kind: 'subagent', what: 'Look' })
  for (const answer of ['ok', '', null, 7, { a: 1 }, '$ cat log\nCommand running in background with ID: b1'])
    expect(runningAfter(answer)).toBeNull()
})

test('whether a hook kept the turn going is told', () => {
  expect(said('Stop', { stop_hook_active: true })).toMatchObject({ again: true })
  expect(said('Stop', { stop_hook_active: 'true' })).toMatchObject({ again: false })
})

const NAMES = [
  ...[
    'SessionStart',
    'UserPromptSubmit',
    'PostToolBatch',
    'Stop',
    'StopFailure',
    'PreCompact',
    'PostCompact',
  ],
  ...['SubagentStart', 'SubagentStop', 'TaskCreated', 'TaskCompleted', 'SessionEnd'],
]
const FIELDS = [
  ...['session_id', 'cwd', 'transcript_path', 'permission_mode', 'agent_id', 'source', 'model', 'prompt'],
  ...[
    'tool_calls',
    'stop_hook_active',
    'last_assistant_message',
    'background_tasks',
    'error',
    'error_details',
  ],
  ...['trigger', 'compact_summary', 'agent_type', 'task_id', 'task_subject', 'reason'],
]

test('whatever stands in a payload, it is an event of bounded size or none', () => {
  const anything = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.constantFrom('😀'.repeat(40_000), 'x'.repeat(1_000_000), Array(5_000).fill({ id: 'x'.repeat(900) })),
    fc.array(fc.record({ tool_name: fc.jsonValue(), tool_input: fc.jsonValue(), id: fc.jsonValue() })),
  )
  const payloads = fc
    .record({
      name: fc.oneof(fc.constantFrom(...NAMES), fc.jsonValue()),
      fields: fc.dictionary(fc.constantFrom(...FIELDS), anything, { maxKeys: 12 }),
      isNamed: fc.boolean(),
    })
    .map(({ name, fields, isNamed }) => ({ ...fields, hook_event_name: name, ...(isNamed ? base : {}) }))
  let understood = 0
  fc.assert(
    fc.property(payloads, (payload) => {
      const event = eventOf(payload, AT)
      if (event === null) return
      understood += 1
      expect(event.session).toMatch(/^[A-Za-z0-9][A-Za-z0-9_-]*$/)
      expect(typeof event.cwd).toBe('string')
      const text = JSON.stringify({ ...event, cwd: '' })
      expect(text.length).toBeLessThan(600_000)
      expect(Buffer.from(text).toString()).toBe(text)
    }),
    { numRuns: 500 },
  )
  expect(understood).toBeGreaterThan(50)
})

describe('the envelope', () => {
  test('carries words at the events that can, under the name that the client knows', () => {
    for (const [kind, hookEventName] of [
      ['start', 'SessionStart'],
      ['prompt', 'UserPromptSubmit'],
      ['batch', 'PostToolBatch'],
      ['stop', 'Stop'],
    ] as const)
      expect(JSON.parse(envelope(kind, 'Words "x"\n'))).toEqual({
        hookSpecificOutput: { hookEventName, additionalContext: 'Words "x"\n' },
      })
  })

  test('is nothing at all for no words, and at any other event', () => {
    expect(envelope('start', '')).toBe('')
    for (const kind of ['failure', 'compacting', 'compacted', 'helper-stopped', 'end'] as const)
      expect(envelope(kind, 'Words')).toBe('')
  })
})

test.each([
  '<channel source="x">words of another</channel>',
  '<teammate-message teammate_id="x">words of another</teammate-message>',
  '<task-notification>done</task-notification>',
  'Implement the following plan:\n\n# The title that an agent chose',
])('a prompt that nobody typed is no event: %j', (prompt) => {
  expect(said('UserPromptSubmit', { prompt })).toBeNull()
})
