import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { AGENTS } from '../../src/agents/table.ts'
import { isTool, readToolArguments } from '../../src/apps/mcp/tool-list.ts'
import { noChange } from '../../src/core/checkpoint.ts'
import { ReasonError } from '../../src/core/reason.ts'
import { emptyWork } from '../../src/core/work.ts'
import { renderSnapshot } from '../../src/engine/publish/publish-snapshot.ts'
import { decodeLearnings } from '../../src/formats/checkpoint-md/learnings.ts'
import { readDocument } from '../../src/formats/checkpoint-md/read.ts'
import { ExportReader, ExportWriter } from '../../src/formats/export/codec.ts'
import { decodeHandoff } from '../../src/formats/handoff-md/codec.ts'
import { decodeLedger } from '../../src/formats/ledger-md/codec.ts'
import { decodeNote } from '../../src/formats/note-json/codec.ts'
import { decodePlan } from '../../src/formats/plan/codec.ts'
import { compressSnapshot, decodeSnapshot, encodeSnapshot } from '../../src/formats/snapshot/codec.ts'
import { putLastCheckpoint, readIndex } from '../../src/formats/state-index/codec.ts'
import { loadVerbs } from '../../src/verbs/table.ts'
import { textOf } from '../cli/document-lab.ts'
import { payload } from '../cli/hook-lab.ts'
import { numbers } from '../mcp/frames.ts'
import { PLAN, sandbox } from '../support/sandbox.ts'
import { mutationsOf } from './mutate.ts'
import { some } from './sample.ts'

const AT = '2026-01-01T00:00:00.000Z'
const NOTE = {
  ...{ timestamp: AT, summary: 'Login works', decisions: ['Tokens'], next_action: 'Tests', blockers: [] },
  context: { active_plan: 'login', current_stage: 'build', tdd_phase: 'green' },
}
const LEDGER = `# Session Ledger\n\n_Last updated: ${AT}_\n\n## Goal\n\nLogin\n\n## Key Decisions\n\n- Tokens\n\n## State\n\n- Done: form\n- Now: tests\n- Next: docs\n\n## Open Questions\n\n- UNCONFIRMED: cookies?\n\n## Working Set\n\n- src/a.ts\n`
const HANDOFF = `---\npurpose: Login\ncreated: ${AT}\nbranch: main\nstream: main\n---\n\n# Handoff: Login\n\n## Goal\n\nLogin\n`
const SNAPSHOT = encodeSnapshot(
  renderSnapshot(
    {
      id: 'cp_20260101T000000000Z_00000001_abcdef12',
      ...{ stream: 'run_1', parent: null, at: AT, progress: 'in_progress', change: noChange() },
      triggers: [{ kind: 'manual', at: AT, note: 'begun' }],
      work: { ...emptyWork(), position: { ...emptyWork().position, plan: decodePlan(PLAN, 'plan.md') } },
      health: { pressure: 'low', protected: [], dropped: 0, profile: 'default' },
    },
    'release',
  ),
)
const exporting = new ExportWriter()
const EXPORT = [
  exporting.header(AT),
  exporting.line({ kind: 'repository', id: 'repo_1', name: 'shop', remote: 'example.org/shop', roots: [] }),
  exporting.line({ kind: 'stream', id: 'work_1', repository: 'repo_1', of: 'work', name: 'auth' }),
  exporting.line({
    ...{ kind: 'checkpoint', sequence: 1, foreign: false, pinned: false, notes: [] },
    checkpoint: {
      ...{ id: 'cp_1', stream: 'work_1', parent: null, at: AT, progress: 'in_progress', change: noChange() },
      ...{ triggers: [{ kind: 'manual', at: AT, note: 'saved' }], work: emptyWork() },
      health: { pressure: 'low', protected: [], dropped: 0, profile: 'default' },
    },
  }),
  exporting.end(),
].join('')
const EVENTS = ['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'PreCompact', 'Stop', 'SessionEnd'].map(
  (name) =>
    JSON.stringify({
      ...{ session_id: 'a0000000-aaaa-4bbb-8ccc-000000000000', hook_event_name: name, cwd: '/tmp' },
      ...{
        source: 'startup',
        prompt: 'go on',
        trigger: 'auto',
        tool_name: 'Edit',
        tool_input: { file_path: 'a' },
      },
    }),
)

const agent = AGENTS[0] ?? expect.unreachable('there is an agent')
const setUp = await agent.setUp()
const transcripts = await agent.transcript.reader()
const text = (bytes: Buffer) => bytes.toString('utf8')
const parsed = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(text(bytes))
  } catch {
    return text(bytes)
  }
}

/** Every parser of what others write, with texts that it understands. */
const PARSERS: Record<string, { seeds: ReadonlyArray<string | Buffer>; read: (bytes: Buffer) => unknown }> = {
  'a document': {
    seeds: [textOf('login', { status: 'current' }), `${textOf('a')}\n## Delta: ${AT}\n\n**What**: more\n`],
    read: (bytes) => readDocument(bytes, 'login.md'),
  },
  learnings: {
    seeds: ['# Learnings\n\n## 2026-01-01 - login\n\n- Test first\n'],
    read: (one) => decodeLearnings(text(one)),
  },
  'a ledger': { seeds: [LEDGER], read: (bytes) => decodeLedger(text(bytes)) },
  'a handoff': { seeds: [HANDOFF], read: (bytes) => decodeHandoff(text(bytes)) },
  'a note': { seeds: [JSON.stringify(NOTE)], read: (bytes) => decodeNote(bytes, 'note.json') },
  'a plan': { seeds: [PLAN], read: (bytes) => decodePlan(text(bytes), 'plan.md') },
  'a snapshot': {
    seeds: [SNAPSHOT, compressSnapshot(SNAPSHOT)],
    read: (bytes) => decodeSnapshot(bytes, bytes[0] === 0x1f ? 'x.json.gz' : 'x.json'),
  },
  'an index': {
    seeds: [JSON.stringify({ active_plan: 'login', last_checkpoint: AT, other: { a: [1, 2] } }, null, 2)],
    read: (bytes) => [readIndex(text(bytes)), putLastCheckpoint(text(bytes), JSON.stringify(AT))],
  },
  'an export': {
    seeds: [EXPORT],
    read: (bytes) => {
      const reader = new ExportReader('x.gz')
      return [
        ...text(bytes)
          .split('\n')
          .map((line) => reader.read(line)),
        reader.finish(),
      ]
    },
  },
  'a hook’s payload': { seeds: EVENTS, read: (bytes) => agent.eventOf(parsed(bytes), AT) },
  'settings of a client': {
    seeds: [
      JSON.stringify(
        { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'x' }] }] }, statusLine: {} },
        null,
        2,
      ),
    ],
    read: (bytes) => setUp.settings.read(text(bytes)),
  },
}

/** What a parser may answer with: a value, or a refusal that has a reason. */
function refusalOf(read: () => unknown): unknown {
  try {
    read()
    return null
  } catch (error) {
    return error instanceof ReasonError ? null : error
  }
}

/** Far above what any of these inputs takes on a busy machine: only one that never ends meets it. */
const MOST_MS = 10_000
const MB = 1024 * 1024

describe.each(Object.entries(PARSERS))('%s', (_, { seeds, read }) => {
  const bytes = seeds.map((seed) => Buffer.from(seed))

  test('is read as it is written', () => {
    for (const seed of bytes) expect(refusalOf(() => read(seed))).toBeNull()
  })

  test('in any other form is read or refused, in bounded time and memory', { timeout: 900_000 }, () => {
    const inputs = mutationsOf(bytes, 7)
    const before = process.memoryUsage().rss
    let slowest = 0
    for (let count = some(16_000, 300); count > 0; count -= 1) {
      const input = inputs.next().value
      const from = performance.now()
      const error = refusalOf(() => read(input))
      slowest = Math.max(slowest, performance.now() - from)
      if (error !== null)
        throw new Error(`not refused: ${JSON.stringify(text(input).slice(0, 2_000))}`, { cause: error })
    }
    expect(slowest).toBeLessThan(MOST_MS)
    expect(process.memoryUsage().rss - before).toBeLessThan(700 * MB)
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('polluted')
    expect({}).not.toHaveProperty('polluted')
  })
})

test('a transcript of any bytes is read to its end', { timeout: 900_000 }, () => {
  const row = (type: string, content: unknown) =>
    JSON.stringify({
      type,
      uuid: 'u',
      sessionId: 's',
      timestamp: AT,
      cwd: '/tmp',
      message: { role: type, content },
    })
  const seeds = [
    [row('user', 'Build the login'), row('assistant', [{ type: 'text', text: 'Done.' }])].join('\n'),
    [
      row('assistant', [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'npm test' } }]),
      row('user', [{ type: 'tool_result', tool_use_id: 't', content: 'ok', is_error: false }]),
    ].join('\n'),
  ].map((one) => Buffer.from(`${one}\n`))
  const path = join(sandbox({ git: false }).root, 'transcript.jsonl')
  const inputs = mutationsOf(seeds, 11)
  for (let count = some(20_000, 300); count > 0; count -= 1) {
    const input = inputs.next().value
    writeFileSync(path, input)
    expect(() => transcripts.readOn(path, null, () => undefined)).not.toThrow()
  }
})

test('arguments of any form for any tool are read or refused', { timeout: 900_000 }, async () => {
  const tools = (await loadVerbs()).filter(isTool)
  const seeds = [
    { summary: 'Login works', decision: ['Tokens'], next: ['Tests'], file: ['src/a.ts'] },
    { id: 'login', tokens: 500, words: 'login', stream: 'main', limit: 3 },
  ].map((one) => Buffer.from(JSON.stringify(one)))
  const inputs = mutationsOf(seeds, 13)
  for (let count = some(20_000, 300); count > 0; count -= 1) {
    const given = parsed(inputs.next().value)
    const tool = tools[count % tools.length]
    if (tool) expect(refusalOf(() => readToolArguments(tool, given, '/tmp'))).toBeNull()
  }
})

test('a hook that is given any bytes exits with 0 and says nothing on stderr', { timeout: 900_000 }, () => {
  const box = sandbox()
  const id = 'a0000000-aaaa-4bbb-8ccc-000000000000'
  const seeds = ['SessionStart', 'UserPromptSubmit', 'Stop'].map((name) =>
    Buffer.from(payload(box, id, name, { source: 'startup', prompt: 'go on' })),
  )
  const inputs = mutationsOf(seeds, 17)
  for (let count = some(2_000, 60); count > 0; count -= 1) {
    const { code, stderr } = box.hook(['claude'], { input: inputs.next().value })
    expect([code, stderr]).toEqual([0, ''])
  }
})

const WORDS = [
  'save',
  'resume',
  'list',
  'show',
  'search',
  'run',
  'start',
  'delta',
  'focus',
  'pickup',
  'import',
]
const ODD = [
  ...[
    '--',
    '--json',
    '--tokens',
    '-1',
    '../../x',
    '--next=',
    '$(id)',
    '%s%n',
    'x'.repeat(5_000),
    '',
    'é\ud800',
  ],
]

test('a command line of any words ends with a reason, never with a stack', { timeout: 900_000 }, () => {
  const box = sandbox()
  const next = numbers(19)
  const pick = (list: readonly string[]) => list[Math.floor(next() * list.length)] ?? ''
  for (let count = some(2_000, 60); count > 0; count -= 1) {
    const words = [pick(WORDS), pick(ODD), pick(ODD)]
    const { code, stdout, stderr } = box.run(words)
    expect([0, 1, 2, 3, 4, 5, 6], `${words.join(' ').slice(0, 80)}\n${stderr}`).toContain(code)
    expect(stdout + stderr).not.toMatch(/^\s+at \S+ \(|internal_error/m)
  }
})
