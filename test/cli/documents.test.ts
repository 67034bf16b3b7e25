import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Sandbox, sandbox } from '../support/sandbox.ts'

const SECTIONS = [
  '## Problem\n\np one',
  '## Session Intent\n\nintent',
  '## Essential Information',
  '### Decisions\n\n- d',
  '### Technical Context\n\nnode',
  '### Play-By-Play\n\n- did',
  '### Artifact Trail\n\n| File | Status | Key Change |\n|---|---|---|\n| `a` | created | x |',
  '### Current State\n\nstate',
  '### Next Actions\n\n- next',
]

function put(
  box: Sandbox,
  id: string,
  { more = '', created = '2026-01-01T00:00:00Z', folder = 'active' } = {},
): string {
  mkdirSync(box.path('checkpoints', folder), { recursive: true })
  const path = box.path('checkpoints', folder, `${id}.md`)
  writeFileSync(path, `---\ncheckpoint: ${id}\ncreated: ${created}\n${more}---\n\n${SECTIONS.join('\n\n')}\n`)
  return path
}

test('sound documents are valid, and nothing is made by looking at them [000.02] [000.06]', () => {
  const box = sandbox()
  put(box, 'chk-001')
  put(box, 'session-abc-003', { more: 'parent: chk-001\nanchor: "phase --- two"\n' })
  expect(box.json(['validate'])).toMatchObject({ ok: true, errors: 0, warnings: 0 })
  expect(readdirSync(box.root).sort()).toEqual(['repo', 'user'])
})

test('errors name the line and the way to mend, and end with 4', () => {
  const box = sandbox()
  put(box, 'chk-a', { more: 'status: banana\n' })
  const done = box.run(['validate'])
  expect(done.code).toBe(4)
  expect(done.stdout).toContain('checkpoints/active/chk-a.md:4: error: `status` is "banana"')
  expect(done.stdout).toContain('Write `current` or `active`')
})

test('a bare date is warned of, and counts only with --strict', () => {
  const box = sandbox()
  const path = put(box, 'chk-a', { created: '2026-01-01' })
  expect(box.run(['validate', path]).code).toBe(0)
  expect(box.run(['validate', path, '--strict']).code).toBe(4)
})

test('two documents that claim to be current, and parents in a circle, are told for each of them [000.16]', () => {
  const box = sandbox()
  put(box, 'x', { more: 'parent: y\nstatus: current\n' })
  put(box, 'y', { more: 'parent: x\nstatus: current\n' })
  const { stdout } = box.run(['validate'])
  expect(stdout.match(/is also marked current/g)).toHaveLength(2)
  expect(stdout.match(/circular parents/g)).toHaveLength(2)
})

test('a link that leads elsewhere is not followed, and hides no other document', () => {
  const box = sandbox()
  put(box, 'chk-a')
  writeFileSync(join(box.root, 'secret.md'), 'secret')
  symlinkSync(join(box.root, 'secret.md'), box.path('checkpoints/active/evil.md'))
  const done = box.run(['validate'])
  expect(done.code).toBe(4)
  expect(done.stdout).toContain('checkpoints/active/evil.md:1: error:')
  expect(done.stdout).toContain('2 documents: 1 error')
})

test('learnings are shown newest first, and found by their words [000.80]', () => {
  const box = sandbox()
  mkdirSync(box.path('checkpoints'))
  writeFileSync(
    box.path('checkpoints/LEARNINGS.md'),
    '# Learnings\n\n## 2026-01-02 — chk-pay\n- Webhooks retry three times\n- Be idempotent\n\n## 2026-01-01 — chk-auth\n- Tokens expire\n',
  )
  expect(box.json(['learnings'])).toMatchObject({ entries: [{ id: 'chk-pay' }, { id: 'chk-auth' }] })
  expect(box.json(['learnings', 'webhooks', 'RETRY'])).toMatchObject({
    entries: [{ date: '2026-01-02', id: 'chk-pay', learnings: ['Webhooks retry three times'] }],
  })
  expect(box.run(['learnings', 'nothing-like-it']).stdout).toBe('No learning matches\n')
})

test('learnings tell whether the workspace is trusted that they came with, and what was asked for', () => {
  const box = sandbox()
  expect(box.json(['learnings'])).toEqual({
    ...{ ok: true, entries: [], foreign: false, trusted: false, query: [] },
  })
  expect(box.run(['learnings']).stdout).toContain('No learnings yet: savepoint archive')
  mkdirSync(box.path('checkpoints'))
  writeFileSync(box.path('checkpoints/LEARNINGS.md'), '## 2026-01-02 — chk-pay\n- Webhooks retry\n')
  const done = box.json(['learnings', 'Webhooks'])
  expect(done).toMatchObject({
    foreign: true,
    trusted: false,
    query: ['Webhooks'],
    entries: [{ id: 'chk-pay' }],
  })
  expect(done.notices).toEqual([
    'These learnings came with the repository, and this workspace is not trusted.',
  ])
  expect(box.run(['learnings', 'nope']).stderr).toBe('')
  box.json(['trust'])
  expect(box.json(['learnings'])).toEqual({
    ok: true,
    entries: done.entries,
    foreign: false,
    trusted: true,
    query: [],
  })
})
