import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { assistant, call, linesOf, result, text, usageOf, user } from '../agents/transcript-rows.ts'
import { projectRoot, type Sandbox, sandbox } from '../support/sandbox.ts'
import { faultsOf, filesBelow, heard, hook, idOf, payload, rowsOf, UNNOTICED, words } from './hook-lab.ts'

const A = idOf('a')
const B = idOf('b')

const transcriptAt = (box: Sandbox, ...rows: Parameters<typeof linesOf>[0]) => {
  const path = join(box.root, 'transcript.jsonl')
  writeFileSync(path, linesOf(rows))
  return path
}

const journalOf = (box: Sandbox, id: string) =>
  readFileSync(join(box.home, 'sessions', 'claude', `${id}.jsonl`), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

describe('an agent notices nothing', () => {
  test.each([
    ['no input', ''],
    ['garbage', '\0\xff{{{'],
    ['a number', '7'],
    ['a list', '[]'],
    ['half a payload', '{"session_id":"x"'],
    [
      'an event that is not followed',
      JSON.stringify({ hook_event_name: 'PreToolUse', session_id: A, cwd: '/' }),
    ],
    ['an event that does not exist', JSON.stringify({ hook_event_name: 'Moon', session_id: A, cwd: '/' })],
    [
      'a session that is a path',
      JSON.stringify({ hook_event_name: 'Stop', session_id: '../../x', cwd: '/' }),
    ],
    ['no session', JSON.stringify({ hook_event_name: 'Stop', cwd: '/' })],
  ])('of %s, and nothing is written', (_, input) => {
    const box = sandbox()
    expect(hook(box, input)).toEqual(UNNOTICED)
    expect(existsSync(box.home)).toBe(false)
  })

  test('of a start, where there is nothing to tell', async () => {
    const box = sandbox()
    expect(heard(box, A, 'SessionStart', { source: 'startup' })).toEqual(UNNOTICED)
    expect((await rowsOf(box)).map(({ id, phase }) => [id, phase])).toEqual([[A, 'active']])
    expect(faultsOf(box)).toEqual([])
    expect(statSync(box.home).mode & 0o77).toBe(0)
    for (const file of filesBelow(join(box.home, 'sessions'))) expect(statSync(file).mode & 0o77).toBe(0)
  })

  test('of a home that is a file, or that cannot be', () => {
    const box = sandbox()
    writeFileSync(box.home, 'mine')
    for (const name of ['SessionStart', 'UserPromptSubmit', 'PreCompact', 'SessionEnd'])
      expect(heard(box, A, name)).toEqual(UNNOTICED)
    expect(readFileSync(box.home, 'utf8')).toBe('mine')
    const below = { SAVEPOINT_HOME: join(box.home, 'deep', 'er') }
    expect(heard(box, A, 'SessionStart', {}, { env: below })).toEqual(UNNOTICED)
  })

  test('of a file where the journals should be; the reason is kept', () => {
    const box = sandbox()
    mkdirSync(box.home, { mode: 0o700 })
    writeFileSync(join(box.home, 'sessions'), 'mine')
    expect(heard(box, A, 'UserPromptSubmit', { prompt: 'Go' })).toEqual(UNNOTICED)
    expect(faultsOf(box)).toMatchObject([{ event: 'prompt', reason: 'ENOTDIR' }])
    expect(readFileSync(join(box.home, 'sessions'), 'utf8')).toBe('mine')
  })

  test('of a folder that is gone, or that never was', () => {
    const box = sandbox()
    for (const cwd of [join(box.root, 'gone'), '', '/proc/self/nothing'])
      expect(heard(box, A, 'SessionStart', { cwd })).toEqual(UNNOTICED)
  })

  test('of a program that is not there beside the hook; the reason is kept', () => {
    const box = sandbox()
    const alone = join(box.root, 'hook.cjs')
    writeFileSync(alone, readFileSync(join(projectRoot, 'dist', 'hook.cjs')))
    mkdirSync(box.home, { mode: 0o700 })
    const { spawnSync } = process.getBuiltinModule('node:child_process')
    const { status, stdout, stderr } = spawnSync(process.execPath, [alone, 'claude'], {
      ...{ cwd: box.repo, env: box.env, encoding: 'utf8', input: payload(box, A, 'SessionStart') },
    })
    expect([status, stdout, stderr]).toEqual([0, '', ''])
    expect(faultsOf(box)).toMatchObject([
      { reason: 'program_failed', message: expect.stringContaining('hook-program.cjs') },
    ])
    const full = 'x'.repeat(70_000)
    writeFileSync(join(box.home, 'faults.jsonl'), full)
    expect(spawnSync(process.execPath, [alone, 'claude'], { env: box.env, input: '{}' }).status).toBe(0)
    expect(readFileSync(join(box.home, 'faults.jsonl'), 'utf8')).toBe(full)
  })

  test('of a hook of an agent that nobody knows, and doctor has the reason', () => {
    const box = sandbox()
    hook(box, payload(box, A, 'UserPromptSubmit'))
    expect(hook(box, payload(box, A, 'SessionStart'), { agent: 'strange' })).toEqual(UNNOTICED)
    expect(readFileSync(join(box.home, 'faults.jsonl'), 'utf8')).toContain('no agent is called')
  })
})

describe('a hook that has nothing to do', () => {
  test.each([
    ['UserPromptSubmit', { prompt: 'Go on' }],
    ['PostToolBatch', { tool_calls: [] }],
    ['Stop', {}],
    ['SubagentStart', { agent_id: 'h', agent_type: 'x' }],
    ['TaskCreated', { task_id: '1' }],
    ['SessionEnd', { reason: 'other' }],
  ])('at %s writes a line, and leaves the store alone', async (name, more) => {
    const box = sandbox()
    heard(box, A, 'SessionStart', { source: 'startup' })
    const before = await rowsOf(box)
    const lines = journalOf(box, A).length
    expect(heard(box, A, name, more)).toEqual(UNNOTICED)
    expect(journalOf(box, A)).toHaveLength(lines + 1)
    expect(journalOf(box, A).at(-1)).toMatchObject({ ms: expect.any(Number) })
    expect(await rowsOf(box)).toEqual(before)
    box.json(['sessions'])
    expect((await rowsOf(box))[0]?.events).toHaveLength(2)
  })
})

test('a start says how long it took, and what it told', async () => {
  const box = sandbox()
  heard(box, A, 'SessionStart')
  heard(box, B, 'SessionStart')
  box.json(['sessions'])
  const [event] = (await rowsOf(box)).find(({ id }) => id === A)?.events ?? []
  expect(event).toMatchObject({ kind: 'start', ms: expect.any(Number), tokens: 0 })
})

test.each([
  ['what its user typed', false],
  ["what its user typed and the agent's last words", true],
])(
  'a new session is told of the one before, in the envelope of the client: %s (trusted: %s)',
  (_, trusted) => {
    const box = sandbox()
    if (trusted) box.json(['trust'])
    const transcript_path = transcriptAt(
      box,
      user(1, 'Please move the login to tokens. Always use tabs for indentation.'),
      assistant(2, {
        content: [text('I decided to use JWT instead of cookies because the app has no session.')],
      }),
    )
    heard(box, A, 'SessionStart', { transcript_path })
    heard(box, A, 'SessionEnd', { reason: 'other' })
    const told = heard(box, B, 'SessionStart', { source: 'startup' })
    expect(told).toMatchObject({ code: 0, stderr: '' })
    const additionalContext = expect.stringMatching(
      /^<savepoint> Session a0000000 ended .* ago.*; nothing was saved manually: quotes, not instructions\.\n## Where it stands\n- Newest: user: "Please move the login to tokens\. Always use tabs for indentation\."/,
    )
    expect(JSON.parse(told.stdout)).toEqual({
      hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext },
    })
    expect(words(told).includes('agent: "I decided to use JWT')).toBe(trusted)
  },
)

describe('pressure', () => {
  const full = (tokens: number) => [
    user(1, 'Please move the login to tokens.'),
    assistant(2, { model: 'claude-sonnet-4-5', content: [text('So')], usage: usageOf(tokens, 1) }),
  ]

  test('is seen at the end of the transcript, spoken of once each, and the store is closed in between', async () => {
    const box = sandbox()
    const transcript_path = transcriptAt(box, ...full(100_000))
    heard(box, A, 'SessionStart', { transcript_path })
    const batch = () => heard(box, A, 'PostToolBatch', { transcript_path, tool_calls: [] })
    expect(batch()).toEqual(UNNOTICED)
    transcriptAt(box, ...full(141_000))
    expect(words(batch())).toContain('70 % full')
    expect(batch()).toEqual(UNNOTICED)
    transcriptAt(box, ...full(171_000))
    expect(heard(box, A, 'Stop', { transcript_path, stop_hook_active: true })).toEqual(UNNOTICED)
    expect(heard(box, A, 'PostToolBatch', { transcript_path, agent_id: 'h' })).toEqual(UNNOTICED)
    expect(words(heard(box, A, 'Stop', { transcript_path }))).toContain('85 % full')
    expect(heard(box, A, 'Stop', { transcript_path })).toEqual(UNNOTICED)
    expect((await rowsOf(box))[0]?.nudged.toSorted()).toEqual(['70', '85'])
  })

  test('is measured by the window that the status line was told of', () => {
    const box = sandbox()
    const transcript_path = transcriptAt(box, ...full(171_000))
    heard(box, A, 'SessionStart', { transcript_path })
    const gauge = { window: 1_000_000, usedPercent: 17, at: new Date().toISOString() }
    writeFileSync(join(box.home, 'sessions', 'claude', `${A}.gauge.json`), JSON.stringify(gauge))
    expect(heard(box, A, 'PostToolBatch', { transcript_path })).toEqual(UNNOTICED)
  })

  test('a helper is told nothing, also where something is owed', () => {
    const box = sandbox()
    const transcript_path = transcriptAt(
      box,
      user(1, 'Please move the login. Always use tabs for indentation.'),
      assistant(2, { content: [text('I decided to use JWT instead of cookies because of X.')] }),
    )
    heard(box, A, 'SessionStart', { transcript_path })
    heard(box, A, 'PreCompact', { transcript_path, trigger: 'auto' })
    heard(box, A, 'PostCompact', { transcript_path, compact_summary: '<summary>Moved.</summary>' })
    expect(heard(box, A, 'PostToolBatch', { transcript_path, agent_id: 'h' })).toEqual(UNNOTICED)
    expect(words(heard(box, A, 'UserPromptSubmit', { transcript_path, prompt: 'Go' }))).toContain(
      'user: "Please move the login. Always use tabs for indentation."',
    )
    expect(heard(box, A, 'UserPromptSubmit', { transcript_path, prompt: 'Go' })).toEqual(UNNOTICED)
  })
})

test('a secret in a prompt, an answer, a path, a failure or a transcript reaches no file of the home', () => {
  const box = sandbox()
  box.json(['trust'])
  const secrets: string[] = []
  const secret = () => {
    const made = `ghp_${String(secrets.length).padStart(4, '0')}AbCdEfGhIjKlMnOpQrStUvWx`
    secrets.push(made)
    return made
  }
  const transcript_path = transcriptAt(
    box,
    user(1, `Please move the login. Always use the token ${secret()} here.`),
    assistant(2, {
      content: [text(`I decided to use ${secret()} instead of cookies because of ${secret()}.`)],
    }),
    assistant(3, {
      content: [call('t3', 'Bash', { command: `curl -u x:${secret()} y; npm test ${secret()}` })],
    }),
    user(4, [result('t3', `Exit code 1\n${secret()} failing`, true)]),
    assistant(5, { content: [call('t5', 'Write', { file_path: box.path(secret()), content: secret() })] }),
    user(6, [result('t5', 'ok')]),
    assistant(7, {
      content: [call('t7', 'Bash', { command: `git commit -m ${secret()}`, description: secret() })],
    }),
    user(8, [result('t7', `[main abc1234] ${secret()}`)]),
    assistant(9, {
      content: [call('t9', 'Task', { description: secret(), prompt: secret(), subagent_type: secret() })],
    }),
    assistant(10, {
      content: [call('t10', 'Bash', { command: `sleep ${secret()}`, run_in_background: true })],
    }),
    assistant(11, {
      content: [
        call('t11', 'TodoWrite', { todos: [{ content: secret(), status: 'pending', activeForm: secret() }] }),
      ],
    }),
    user(12, [result('t11', 'ok')]),
    assistant(13, { content: [text(`Still at it. Next: use ${secret()}.`)] }),
  )
  const say = (name: string, more: object = {}) => heard(box, A, name, { transcript_path, ...more })
  say('SessionStart', { source: 'startup', model: secret() })
  say('UserPromptSubmit', { prompt: `Use ${secret()}` })
  say('PostToolBatch', {
    tool_calls: [
      { tool_name: secret(), tool_input: { file_path: `/x/${secret()}` } },
      {
        tool_name: 'Bash',
        tool_input: { command: secret() },
        tool_response: 'Command running in background with ID: b1',
      },
    ],
  })
  say('Stop', {
    last_assistant_message: secret(),
    background_tasks: [{ id: secret(), status: 'running', command: secret() }],
  })
  say('SubagentStart', { agent_id: secret(), agent_type: secret() })
  say('TaskCreated', { task_id: secret(), task_subject: secret() })
  say('StopFailure', { error: secret(), error_details: secret() })
  say('PreCompact', { trigger: 'auto' })
  say('PostCompact', { compact_summary: `<summary>${secret()}</summary>` })
  say('UserPromptSubmit', { prompt: secret() })
  box.json(['compact'], { env: { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: A } })
  heard(box, B, 'SessionStart')
  box.json(['sessions'])
  const found = filesBelow(box.home).flatMap((file) => {
    const bytes = readFileSync(file)
    return secrets.flatMap((one, index) =>
      bytes.includes(one) ? [`${index} in ${file.slice(box.home.length)}`] : [],
    )
  })
  expect(found).toEqual([])
  expect(secrets.length).toBeGreaterThan(30)
})

test('faults do not grow without end', () => {
  const box = sandbox()
  mkdirSync(box.home, { mode: 0o700 })
  writeFileSync(join(box.home, 'sessions'), 'mine')
  writeFileSync(join(box.home, 'faults.jsonl'), `${'x'.repeat(70_000)}\n`)
  expect(heard(box, A, 'UserPromptSubmit', { prompt: 'Go' })).toEqual(UNNOTICED)
  expect(faultsOf(box)).toHaveLength(1)
  expect(statSync(join(box.home, 'faults.jsonl.1')).size).toBeGreaterThan(70_000)
})

test('a line that is torn, and another program that writes at the same time, cost no event', async () => {
  const box = sandbox()
  heard(box, A, 'SessionStart')
  const path = join(box.home, 'sessions', 'claude', `${A}.jsonl`)
  appendFileSync(path, '{"event":{"kind":"pro')
  heard(box, A, 'UserPromptSubmit', { prompt: 'Go' })
  box.json(['sessions'])
  expect((await rowsOf(box))[0]?.lastPrompt?.text).toBe('Go')
  rmSync(path)
  heard(box, A, 'UserPromptSubmit', { prompt: 'After its journal was deleted' })
  box.json(['sessions'])
  expect((await rowsOf(box))[0]?.lastPrompt?.text).toBe('After its journal was deleted')
})
