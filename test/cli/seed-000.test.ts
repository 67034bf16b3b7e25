import { mkdirSync, renameSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Sandbox } from '../support/sandbox.ts'
import { seedFile } from '../support/seed-file.ts'
import { active, edit, put, textOf, workBox } from './document-lab.ts'

/** The examples of the format: bare, and filled with values where a placeholder stands. */
const example = (name: string) => seedFile('000', name)
const CHECKPOINT = example('checkpoint.md')
const TEMPLATE = example('template.md')

/** Front matter keys, headings, and the heads of tables, in their order. */
const structureOf = (text: string) =>
  text.match(/^(?:\w+(?=: )|#{1,3} [^:\n]+|\| (?:Type|File|Item) .*\|$)/gm)

function authBox(text = CHECKPOINT): Sandbox {
  const box = workBox({ 'chk-login': textOf('chk-login'), 'chk-auth-system': text })
  put(box, 'src/auth/refresh.ts', 'export {}\n')
  return box
}
const PATH = active('chk-auth-system')
const sectionOf = (text: string, title: string) =>
  new RegExp(`^##+ ${title}\\n([\\s\\S]*?)(?=^##|^---|(?![\\s\\S]))`, 'm').exec(text)?.[1]?.trim()

test('a new document has the parts of the template in their order, and no completion [000.01] [000.35]', () => {
  const box = workBox()
  box.json(['new', 'chk-auth-system', '--anchor', 'Phase 2'])
  // A root has no parent.
  const wanted = structureOf(TEMPLATE)?.filter((part) => part !== '## Completion' && part !== 'parent')
  expect(structureOf(box.read(PATH))).toEqual(wanted)
  expect(wanted).toHaveLength(4 + 11 + 2)
})

test('the bare template is not taken for a filled document [000.01]', () => {
  const box = workBox()
  put(box, active('chk-001'), TEMPLATE.replace('<id>', 'chk-001'))
  const { code, stdout } = box.run(['validate'])
  expect(code).toBe(4)
  for (const part of [
    '`created` is not an ISO-8601 timestamp',
    'the section Problem is empty',
    '`status` is',
  ])
    expect(stdout).toContain(part)
})

test.each(['checkpoint.md', 'checkpoint-with-delta.md'])(
  '%s is valid to the letter, current, and drawn below its parent [000.02] [000.03] [000.04] [000.05] [000.06] [000.07] [000.10] [000.21] [000.23]',
  (name) => {
    const box = authBox(example(name))
    const { code, stdout } = box.run(['validate', '--strict', PATH])
    expect([code, stdout]).toEqual([0, '1 document: 0 errors, 0 warnings\n'])
    expect(box.json(['list']).documents).toMatchObject([
      { id: 'chk-auth-system', standing: 'focused' },
      { id: 'chk-login', standing: 'open' },
    ])
    expect(box.run(['tree']).stdout).toMatch(/^chk-login.*\n.*chk-auth-system/)
    expect(box.read(PATH)).toBe(example(name))
  },
)

const WHOLE = example('checkpoint-with-delta.md')
const without = (title: string) =>
  WHOLE.replace(new RegExp(`^##+ ${title}\\n[\\s\\S]*?(?=^##|^---)`, 'm'), '')

test.each([
  ...['Problem', 'Session Intent', 'Decisions', 'Technical Context', 'Play-By-Play', 'Artifact Trail'],
  ...['Current State', 'Next Actions'],
])(
  'a document without %s is not valid [000.25] [000.26] [000.27] [000.28] [000.29] [000.30] [000.31] [000.32]',
  (title) => {
    const { code, stdout } = authBox(without(title)).run(['validate', PATH])
    expect([code, stdout]).toEqual([4, expect.stringContaining(`error: the section ${title} is missing`)])
  },
)

test.each([
  ['Breadcrumbs', without('Breadcrumbs')],
  ['User Rules', without('User Rules')],
  ['anchor', WHOLE.replace(/^anchor:.*\n/m, '')],
  ['parent', WHOLE.replace(/^parent:.*\n/m, '')],
  ['status', WHOLE.replace(/^status:.*\n/m, '')],
  ['Status Transitions', WHOLE.replace(/^### Status Transitions[\s\S]*/m, '')],
])(
  'a document without %s is valid [000.04] [000.06] [000.07] [000.12] [000.33] [000.34] [000.70]',
  (_, text) => {
    expect(text).not.toBe(WHOLE)
    const { stdout } = authBox(text).run(['validate', '--strict', PATH])
    expect(stdout).toBe('1 document: 0 errors, 0 warnings\n')
  },
)

test.each([
  ['`checkpoint` is missing', WHOLE.replace(/^checkpoint:.*\n/m, '')],
  ['`created` is missing', WHOLE.replace(/^created:.*\n/m, '')],
  ['`created` is not an ISO-8601 timestamp', WHOLE.replace(/^created:.*/m, 'created: yesterday')],
  ['`last_delta` is not an ISO-8601 timestamp', WHOLE.replace(/^last_delta:.*/m, 'last_delta: soon')],
  ['`status` is "done"', WHOLE.replace(/^status:.*/m, 'status: done')],
  ["the delta's time is not an ISO-8601 timestamp", WHOLE.replace(/^## Delta: .*/m, '## Delta: later')],
  ['the delta does not say what changed', WHOLE.replace(/^### What Changed[\s\S]*?(?=^### )/m, '')],
  ['the delta has no artifacts', WHOLE.replace(/^### Artifacts[\s\S]*?(?=^### )/m, '')],
  ['the document has a completion but is not archived', example('archived.md')],
])(
  'validate tells: %s [000.02] [000.03] [000.05] [000.07] [000.35] [000.67] [000.68] [000.69]',
  (problem, text) => {
    expect(authBox(text).run(['validate', PATH]).stdout).toContain(problem)
  },
)

test('every part of the document is told to who resumes from it alone [000.90] [000.25] [000.26] [000.27] [000.28] [000.29] [000.30] [000.31] [000.32] [000.33] [000.34]', () => {
  const { work } = authBox().json(['resume']) as { work: Record<string, unknown> }
  expect(work).toMatchObject({
    problem: 'Users are logged out after an hour, in the middle of their work.',
    intent: expect.stringMatching(/^Sessions that last a working day/),
    decisions: [
      { text: 'JWT with refresh tokens', why: 'the API has no sessions' },
      { text: 'Refresh tokens rotate on every use' },
    ],
    facts: [{ text: 'Node 22, Express 5, PostgreSQL 16' }, { text: 'Tokens are signed with ES256' }],
    references: [{ kind: 'file' }, { kind: 'function' }, { kind: 'decision' }, { kind: 'external' }],
    done: [
      { text: 'Phase 1 → compared cookies with tokens → tokens chosen' },
      { text: 'Phase 2 → wrote the rotation → works in tests' },
    ],
    artifacts: [
      { path: 'src/auth/refresh.ts', action: 'created' },
      { path: 'src/auth/session.ts', action: 'modified' },
      { path: 'src/auth/cookies.ts', action: 'deleted' },
    ],
    state: 'The rotation works in tests; the client does not use it yet.',
    next: [{ text: 'Let the client refresh before a token expires' }],
    blockers: [{ text: 'the staging database has no token table' }],
    rules: [{ text: 'Never log a token' }],
  })
})

test('a checkpoint carries each section as the format says: copied, added to, or replaced [000.40] [000.41] [000.42] [000.43] [000.46] [000.47] [000.49]', () => {
  const box = authBox()
  box.json([
    ...['save', 'Rolling out', '--state', 'Live in staging', '--next', 'Roll it out'],
    ...['--decision', 'Tokens live 15 minutes', '--fact', 'Staging has the table'],
  ])
  const text = box.read(PATH)
  for (const copied of ['Problem', 'Session Intent', 'User Rules'])
    expect([copied, sectionOf(text, copied)]).toEqual([copied, sectionOf(CHECKPOINT, copied)])
  expect(sectionOf(text, 'Decisions')).toBe(`${sectionOf(CHECKPOINT, 'Decisions')}\n- Tokens live 15 minutes`)
  expect(sectionOf(text, 'Technical Context')).toBe(
    `${sectionOf(CHECKPOINT, 'Technical Context')}\n- Staging has the table`,
  )
  expect(sectionOf(text, 'Current State')).toBe('Live in staging\n\n**Now**: Rolling out')
  // What is not said again stands: a blocker goes where somebody says so.
  expect(sectionOf(text, 'Next Actions')).toBe(
    '- Roll it out\n- Blocked: the staging database has no token table',
  )
  box.json(['save', '--next', 'Roll it out', '--blocker', ''])
  expect(sectionOf(box.read(PATH), 'Next Actions')).toBe('- Roll it out')
  box.json(['save', '--goal', 'Sessions that last a week'])
  expect(sectionOf(box.read(PATH), 'Session Intent')).toBe('Sessions that last a week')
})

test('forks name what they came from and are drawn side by side below it, and without a parent a document is a root [000.20] [000.21] [000.22] [000.23]', () => {
  const box = authBox()
  for (const id of ['chk-passkeys', 'chk-sessions']) box.json(['fork', 'chk-auth-system', id])
  for (const id of ['chk-passkeys', 'chk-sessions']) {
    expect(box.read(active(id))).toMatch(/^parent: chk-auth-system\b/m)
    expect(box.run(['validate', active(id)]).code).toBe(0)
  }
  const drawn = box.run(['tree']).stdout.replace(/ {2}\d{4}-.*$/gm, '')
  expect(drawn).toBe('chk-login\n└─ chk-auth-system\n   ├─ chk-passkeys\n   └─ chk-sessions\n')
})

test('what is saved in other words stands there in those of the format [000.36]', () => {
  const box = authBox()
  const said = {
    summary: 'x',
    files: [
      { path: 'src/a.ts', action: 'added', description: 'a' },
      { path: 'src/b.ts', action: 'renamed', description: 'b' },
    ],
    references: [{ kind: 'url', text: 'https://example.org' }],
    commands: ['npm test'],
    learnings: ['Clocks differ'],
  }
  expect(
    box.run(['save', '--stdin', '--stream', 'chk-auth-system'], { input: JSON.stringify(said) }).code,
  ).toBe(0)
  const text = box.read(PATH)
  for (const row of [
    '| `src/a.ts` | created | a |',
    '| `src/b.ts` | modified | b |',
    '| external | https://example.org |  |',
    '| external | npm test | command |',
    '| external | Clocks differ | learning |',
  ])
    expect(text).toContain(`\n${row}\n`)
  expect(box.run(['validate', '--strict', PATH]).code).toBe(0)
  edit(box, PATH, '| external | npm test |', '| tool | npm test |')
  expect(box.run(['validate', PATH]).stdout).toContain('unknown type in Breadcrumbs: "tool"')
})

test('a delta is written as the example shows, and one written by hand is read as such [000.66] [000.67] [000.68] [000.69] [000.70] [000.72]', () => {
  const box = authBox()
  box.json([
    ...['delta', '--what', 'The client refreshes its token', '--artifact', 'src/client.ts:created:Timer'],
    ...['--transition', 'Phase 3:open:done'],
  ])
  const text = box.read(PATH)
  const added = text.slice(text.indexOf('\n---\n\n## Delta:') + 1)
  expect(structureOf(added)).toEqual(structureOf(example('delta-template.md')))
  const [, at] = /^## Delta: (\S+)$/m.exec(added) ?? []
  expect(text).toContain(`\nlast_delta: ${at}\n`)
  const { work } = authBox(example('checkpoint-with-delta.md')).json(['resume']) as {
    work: { done: unknown[]; artifacts: unknown[] }
  }
  expect(work.done.at(-1)).toMatchObject({ text: 'The client refreshes its token before it expires' })
  expect(work.artifacts).toContainEqual(
    expect.objectContaining({ path: 'src/client/refresh.ts', action: 'created' }),
  )
})

test('LEARNINGS.md is the one of the example when its documents are archived, by the verb and by hand [000.75] [000.76] [000.77] [000.78] [000.81] [000.85]', () => {
  const box = authBox(example('archived.md'))
  const whole = example('LEARNINGS.md')
  put(box, 'checkpoints/LEARNINGS.md', whole.replace(/## 2025-12-27[\s\S]*?(?=## )/, ''))
  box.json(['list'])
  mkdirSync(box.path('checkpoints/archive'))
  renameSync(box.path(PATH), box.path('checkpoints/archive/chk-auth-system.md'))
  expect(box.run(['list']).code).toBe(0)
  expect(box.read('checkpoints/LEARNINGS.md')).toBe(whole)
  expect(box.run(['validate', '--strict', 'checkpoints/archive/chk-auth-system.md']).code).toBe(0)
  box.json(['archive', 'chk-login', '--outcome', 'Login works', '--learning', 'Ask once'])
  expect(box.read('checkpoints/LEARNINGS.md')).toMatch(/^# Learnings\n\n## \S+ — chk-login\n- Ask once\n\n/)
  expect(box.read('checkpoints/LEARNINGS.md').endsWith(whole.slice('# Learnings\n\n'.length))).toBe(true)
  const completion = sectionOf(box.read('checkpoints/archive/chk-login.md'), 'Completion')
  expect(completion).toMatch(
    /^- \*\*Status\*\*: Archived\n- \*\*Outcome\*\*: Login works\n- \*\*Date\*\*: \d{4}-\d\d-\d\dT[\d:]+Z\n/,
  )
})

test('doctor says where documents are active and none is current, and how to choose one [000.18]', () => {
  const box = workBox({ a: textOf('a'), b: textOf('b') })
  const said = () => box.run(['doctor']).stdout
  expect(said()).toMatch(/No document is marked current. Active: a, b\n.*savepoint focus <id>/)
  box.json(['focus', 'b'])
  expect(said()).not.toContain('No document is marked current')
})

test('doctor counts documents that no command took in yet, and mends two that are current [000.16] [000.18]', () => {
  const box = workBox()
  put(box, active('a'), textOf('a'))
  const said = (...more: string[]) => box.run(['doctor', ...more]).stdout
  expect(said()).toContain('No document is marked current. Active: a\n')
  put(box, active('a'), textOf('a', { status: 'current' }))
  put(box, active('b'), textOf('b', { status: 'current', more: 'last_delta: 2026-02-01T00:00:00Z\n' }))
  expect(said()).toContain('error: Several documents are marked current: a, b\n')
  expect(said('--fix')).toContain('Several documents are marked current: a, b\n  fixed: ')
  expect([box.read(active('a')), box.read(active('b'))]).toEqual([
    textOf('a', { status: 'active' }),
    textOf('b', { status: 'current', more: 'last_delta: 2026-02-01T00:00:00Z\n' }),
  ])
  expect(said()).not.toContain('current')
})
