import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Sandbox, sandbox } from '../support/sandbox.ts'
import { expectProtocolOnly, type Served, served } from './server.ts'

const JOINED = '{"__proto__": {"summary": "x"}, "constructor": ["x"]}'

/** What no tool takes, each with the words that say why. */
const WRONG: ReadonlyArray<readonly [label: string, tool: string, given: unknown, says: RegExp]> = [
  [
    'a name that is nearly one',
    'save',
    { decisions: ['x'] },
    /no argument "decisions"; did you mean "decision"\?/,
  ],
  ['a name in capitals', 'save', { Summary: 'x' }, /did you mean "summary"\?/],
  ['a name that only a person types', 'save', { stdin: true }, /no argument "stdin"; it has summary, now/],
  ['any name, for a tool without arguments', 'status', { verbose: true }, /it has none/],
  ['names of every object', 'save', JSON.parse(JOINED), /no argument "constructor"/],
  ['the name of a method', 'save', { toString: 'x' }, /no argument "toString"/],
  ['a list for a text', 'save', { summary: ['x'] }, /"summary" must be a text/],
  ['a record for a text', 'resume', { id: { a: 1 } }, /"id" must be a text/],
  ['a number for a text', 'resume', { id: 7 }, /"id" must be a text/],
  ['a text for a number', 'resume', { budget: 'many' }, /"budget" must be a whole number/],
  ['a part of a number', 'resume', { budget: 700.5 }, /"budget" must be a whole number/],
  ['a number below the least', 'resume', { budget: -5 }, /invalid "budget" .*: use a whole number from/],
  ['a number beyond the most', 'resume', { budget: 1e15 }, /invalid "budget" .*: use a whole number from/],
  ['a text for a flag', 'list', { all: 'yes' }, /"all" must be true or false/],
  [
    'a word that is none of the choices',
    'save',
    { trigger: 'whim' },
    /invalid "trigger" "whim": use manual, phase/,
  ],
  ['a record in a list', 'save', { next: [{ text: 'x' }] }, /an item of "next" must be a text/],
  ['null in a list', 'save', { next: [null] }, /an item of "next" must be a text/],
  ['a zero character', 'save', { summary: 'a\0b' }, /"summary" contains a zero character/],
  ['a zero character in a list', 'save', { decision: ['a\0b'] }, /an item of "decision" contains a zero/],
  ['a name that is no id', 'resume', { id: '../../etc/passwd' }, /./],
  ['too long a text', 'save', { summary: 'x'.repeat(300_000) }, /characters, at most 262144 are allowed/],
  [
    'too many decisions',
    'save',
    { decision: Array.from({ length: 5_000 }, (_, n) => `D${n}`) },
    /too many decisions: 5000, at most/,
  ],
  ['nothing where something is needed', 'handoff', {}, /"purpose" is missing/],
  ['null where something is needed', 'handoff', { purpose: null }, /"purpose" is missing/],
  ['nothing at all to save', 'save', {}, /./],
]

test('what a tool does not take is refused with words that say what it takes, and the server goes on', async () => {
  const box = sandbox()
  const server = await served(box)
  for (const [label, tool, given, says] of WRONG) {
    const { text, reason } = await server.refused(tool, given)
    expect(text, label).toMatch(says)
    expect(text.length, label).toBeLessThan(1_500)
    expect(reason, label).toMatch(/^[a-z_]+$/)
    // What a tool takes is called as the tool calls it.
    // A whole command stays one: it is for a shell.
    expect(text.replace(/savepoint \w+ .*/g, ''), label).not.toMatch(/--(?!help)[a-z]/)
  }
  expect((await server.did('resume')).kind).toBe('nothing')
  expect(box.json(['list', '--all']).documents).toEqual([])
  expectProtocolOnly(server)
})

test.each([
  ['a list', [1]],
  ['a text', 'x'],
  ['a number', 7],
])('arguments that are %s are refused, and the server goes on', async (_, given) => {
  const server = await served(sandbox())
  const { result, error } = await server.ask('tools/call', { name: 'savepoint_list', arguments: given })
  expect(error?.code ?? result?.isError).toBeOneOf([-32602, true])
  expect((await server.did('list')).documents).toEqual([])
})

test('what models often do is taken as it is meant', async () => {
  const server = await served(sandbox())
  const saved = await server.did('save', {
    ...{ summary: 'Half an emoji \ud83d here', decision: 'One text for a list', next: null, trigger: null },
  })
  expect(saved).toMatchObject({ sequence: 1, decisions: { new: 1 } })
  expect((await server.did('resume', { id: null, budget: '900' })).text).toContain('One text for a list')
  // The protocol's package takes it out, and it gives nothing to what is read after it.
  await server.did('resume', JSON.parse('{"__proto__": {"id": "nobody"}}'))
  const { result } = await server.ask('tools/call', { name: 'savepoint_list' })
  expect(result?.isError).toBeUndefined()
})

/** Paths that lead out of a workspace. */
const OUTSIDE = [
  '/etc/passwd',
  '../outside.ts',
  'src/../../outside.ts',
  'src/../../repo/../outside.ts',
  'way-out/outside.ts',
  'src/way-out/outside.ts',
  'C:\\Windows\\win.ini',
  'c:outside.ts',
  '\\\\server\\share\\x',
  '~/outside.ts',
  '~root/x',
  'not-there/way/../../../outside.ts',
]

function withWaysOut(): Sandbox {
  const box = sandbox()
  mkdirSync(box.path('src'))
  mkdirSync(join(box.root, 'elsewhere'))
  writeFileSync(join(box.root, 'elsewhere', 'outside.ts'), 'x\n')
  for (const place of ['way-out', 'src/way-out']) symlinkSync(join(box.root, 'elsewhere'), box.path(place))
  return box
}

async function expectOutside(server: Served, tool: string, given: object): Promise<void> {
  const { reason, text } = await server.refused(tool, given)
  expect(reason, JSON.stringify(given)).toBe('path_outside')
  expect(text).toContain('workspace')
}

test('what /checkpoint calls leaves a note also where there was no folder for it [001.08] [001.31]', async () => {
  const box = sandbox()
  const server = await served(box)
  expect((await server.did('save', { summary: 'Quietly' })).files).toEqual([])
  const { files, text } = await server.did('save', { summary: 'Login', next: ['Test'], note: true })
  const [{ path }] = files as [{ path: string }]
  expect(path).toMatch(/^\.claude\/checkpoints\/\d{8}T\d{6}Z\.json$/)
  expect(box.readJson(path)).toMatchObject({ summary: 'Login', next_action: 'Test' })
  expect(text).toContain(`CHECKPOINT SAVED\n\n  Location: ${path}\n`)
})

test('no tool takes a path that leads out of the workspace, by its words or by a link', async () => {
  const box = withWaysOut()
  const server = await served(box)
  box.json(['new', 'auth', '--current'])
  for (const path of OUTSIDE) {
    await expectOutside(server, 'save', { summary: 'x', file: ['src/in.ts', path] })
    await expectOutside(server, 'handoff', { purpose: 'x', file: path })
    await expectOutside(server, 'pickup', { handoff: `${path}.md` })
  }
  // In an artifact a colon ends the path.
  for (const path of OUTSIDE.filter((one) => !one.includes(':')))
    await expectOutside(server, 'delta', { what: 'x', artifact: `${path}:created:it` })
  expect((await server.did('show', { id: 'auth' })).checkpoints).toBe(1)
  const inside = await server.did('save', {
    summary: 'Inside',
    file: ['src/in.ts: fine', 'a b.ts', '..x.ts'],
  })
  expect(inside.sequence).toBe(2)
})

test('every argument that is a path by its words is held against the workspace', async () => {
  const list = JSON.parse(await (await served(sandbox())).toolList())
  const named = list.tools.flatMap(
    ({
      name,
      inputSchema,
    }: {
      name: string
      inputSchema: { properties: Record<string, { description: string }> }
    }) =>
      Object.entries(inputSchema.properties)
        .filter(([, { description }]) => /\b(?:file|path|folder|directory)\b/i.test(description))
        .map(([argument]) => `${name}.${argument}`),
  )
  // Whoever adds one adds it to the test above, too.
  expect(named).toEqual([
    'savepoint_save.file',
    'savepoint_handoff.file',
    'savepoint_pickup.handoff',
    'savepoint_delta.artifact',
  ])
})

test('a path that no disk could have, and more of them than a save holds, are refused at once', async () => {
  const server = await served(sandbox())
  const long = await server.refused('save', { summary: 'x', file: ['a/'.repeat(50_000)] })
  expect(long.reason).toBe('path_outside')
  const many = await server.refused('save', { summary: 'x', file: Array(20_000).fill('a.ts') })
  expect(many).toMatchObject({ reason: 'usage_invalid' })
  expect(many.text).toContain('"file" takes at most 100 files')
})

test('what an agent is told to do speaks of arguments, and leaves commands and names as they are', async () => {
  const server = await served(sandbox())
  expect((await server.refused('delta', {})).text).toContain('"what" is missing')
  const unknown = await server.refused('pickup', { handoff: 'nobody' })
  expect(unknown.text).toContain('List handoffs: savepoint pickup --list')
  const focus = await server.refused('delta', { what: 'Something' })
  expect(focus.text).not.toMatch(/< [a-z]/)
})

test('a file that is named by its whole path, also through a link to the workspace, is known by its path from the root', async () => {
  const box = sandbox()
  writeFileSync(box.path('a.ts'), 'x\n')
  symlinkSync(box.repo, join(box.root, 'link'))
  const server = await served(box)
  const file = [`${box.path('a.ts')}: one`, join(box.root, 'link', 'a.ts')]
  await server.did('save', { summary: 'x', file, stream: 'auth' })
  const { text } = await server.did('resume', { id: 'auth' })
  expect(text.match(/a\.ts/g)).toHaveLength(1)
  expect(text).toContain('[fresh]')
})
