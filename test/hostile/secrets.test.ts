import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { identify, rows } from '../cli/document-lab.ts'
import { heard, idOf } from '../cli/hook-lab.ts'
import { served } from '../mcp/server.ts'
import { type Sandbox, sandbox } from '../support/sandbox.ts'
import { chanceOf, SECRET_KINDS } from '../support/secret-corpus.ts'

interface Planted {
  kind: string
  door: string
  text: string
  secret: string
}

/** A secret of every kind for one door: no two doors get the same. */
function secretsFor(door: string, seed: number): Planted[] {
  const chance = chanceOf(seed)
  return Object.entries(SECRET_KINDS).flatMap(([kind, make]) => {
    const { text, secret, lines } = make(chance)
    return lines ? [] : [{ kind, door, text: `The old one was ${text} until May`, secret }]
  })
}

const textsOf = (planted: readonly Planted[]) => planted.map(({ text }) => text)
const optionsOf = (name: string, planted: readonly Planted[]) =>
  textsOf(planted).flatMap((text) => [name, text])

/** Everything that is kept: each table of the store with what is packed in it, and each file of the home and the workspace. */
function keptIn(box: Sandbox): string {
  const tables = rows(box, "SELECT name FROM sqlite_schema WHERE type = 'table'").map(({ name }) =>
    String(name),
  )
  const cells = tables
    .flatMap((name) => rows(box, `SELECT * FROM "${name}"`))
    .flatMap((row) => Object.values(row))
    .map((cell) => (cell instanceof Uint8Array ? unpack(Buffer.from(cell)) : String(cell)))
  const files = [box.home, box.path('.claude'), box.path('.agents')].flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')),
  )
  return [...cells, ...files].join('\n')
}

const unpack = (bytes: Buffer) =>
  (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString('utf8')

test('of the secrets that come in by every door at least 99 in 100 are in nothing that is kept or told', {
  timeout: 240_000,
}, async () => {
  const box = sandbox()
  identify(box)
  for (const folder of ['.claude', '.agents']) mkdirSync(box.path(folder))
  writeFileSync(box.path('.agents.yml'), 'session:\n  ledger: true\n')
  const doors = ['option', 'stdin', 'tool', 'prompt', 'command', 'answer', 'outcome', 'file', 'commit', 'run']
  const [option, stdin, tool, prompt, command, answer, outcome, file, commit, run] = doors.map((door, at) =>
    secretsFor(door, 100 + at),
  ) as [
    Planted[],
    Planted[],
    Planted[],
    Planted[],
    Planted[],
    Planted[],
    Planted[],
    Planted[],
    Planted[],
    Planted[],
  ]

  const receipt = box.run(['save', 'Rotate the keys', ...optionsOf('--decision', option)])
  expect([receipt.code, receipt.stdout]).toEqual([0, expect.stringMatching(/\d\d secrets removed/)])
  box.run(['save', '--stdin'], { input: JSON.stringify({ summary: 'More', facts: textsOf(stdin) }) })
  const server = await served(box)
  await server.did('save', { summary: 'By a tool', decision: textsOf(tool) })
  await server.end()
  const named = file.filter(({ text }) => !text.includes('/'))
  box.run(['save', 'Files', ...named.flatMap(({ text }) => ['--file', `keys/${text}`])])
  for (const { text } of commit.slice(0, 10)) box.git('commit', '--quiet', '--allow-empty', '-m', text)

  const transcript = join(box.root, 'talk.jsonl')
  const row = (type: string, content: unknown, at: number) =>
    JSON.stringify({
      ...{ type, uuid: `u${at}`, sessionId: idOf('a'), cwd: box.repo, message: { role: type, content } },
      timestamp: new Date(Date.UTC(2026, 0, 1) + at * 1_000).toISOString(),
    })
  const lines = prompt.flatMap(({ text }, at) => [
    row('user', text, at * 4),
    row(
      'assistant',
      [{ type: 'tool_use', id: `t${at}`, name: 'Bash', input: { command: command[at]?.text } }],
      at * 4 + 1,
    ),
    row(
      'user',
      [{ type: 'tool_result', tool_use_id: `t${at}`, content: outcome[at]?.text, is_error: at % 2 === 0 }],
      at * 4 + 2,
    ),
    row('assistant', [{ type: 'text', text: answer[at]?.text }], at * 4 + 3),
  ])
  writeFileSync(transcript, `${lines.join('\n')}\n`)
  const common = { transcript_path: transcript }
  heard(box, idOf('a'), 'SessionStart', { source: 'startup', ...common })
  for (const { text } of prompt.slice(0, 10))
    heard(box, idOf('a'), 'UserPromptSubmit', { prompt: text, ...common })
  heard(box, idOf('a'), 'SessionEnd', { reason: 'other', ...common })
  box.start('keys')
  for (const { text } of run.slice(0, 10))
    box.run(['run', 'error', 'keys', '--reason-code', 'leak', '--message', text])
  const told = [
    heard(box, idOf('b'), 'SessionStart', { source: 'startup' }).stdout,
    ...[
      ['resume'],
      ['status'],
      ['search', 'old'],
      ['sessions', 'show', idOf('a')],
      ['ledger'],
      ['compact'],
    ].map((words) => box.run(words).stdout),
  ].join('\n')

  const planted = [
    option,
    stdin,
    tool,
    prompt,
    command,
    answer,
    outcome,
    named,
    commit.slice(0, 10),
    run.slice(0, 10),
  ].flat()
  expect(planted.length).toBeGreaterThan(500)
  const all = keptIn(box) + told
  // What was said is there: the secrets alone are not.
  expect(all.split('The old one was [redacted:').length).toBeGreaterThan(200)
  const readable = planted.filter(({ secret }) => all.includes(secret))
  expect(readable.length / planted.length, JSON.stringify(readable.slice(0, 8))).toBeLessThanOrEqual(0.01)
})
