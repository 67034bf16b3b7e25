import { expect, test } from 'vitest'
import { noChange } from '../../../src/core/checkpoint.ts'
import { decodeDocument } from '../../../src/formats/checkpoint-md/codec.ts'
import { changeOf, completionOf, workOf } from '../../../src/formats/checkpoint-md/work.ts'

const BODY = `---
checkpoint: auth
created: 2026-01-01T00:00:00Z
anchor: "phase --- two"
---

## Problem

Tokens expire.

Too early.

## Session Intent

Login that lasts.

## Essential Information

### Decisions

- Use refresh tokens
- ~~Use cookies~~

### Technical Context

- node 20
- Postgres 16

### Breadcrumbs

| Type | Reference | Hint |
|---|---|---|
| file | \`src/a.ts\` | the login |
| external | RFC 6749 | |

### Play-By-Play

- Phase 1 → read → understood

### Artifact Trail

| File | Status | Key Change |
|---|---|---|
| \`src/a.ts\` | created | login |
| \`src/b.ts\` | modified | token |

### Current State

Login works.

### Next Actions

- [ ] write tests
- [x] read the code
- Blocked: waiting for keys

## User Rules

- No new dependencies
`

const DELTAS = `
---

## Delta: 2026-01-02T00:00:00Z

### What Changed

Tokens rotate now.

### Artifacts

| File | Action | Description |
|---|---|---|
| \`src/a.ts\` | modified | rotation |

### Status Transitions

| Item | Before | After |
|---|---|---|
| Phase 1 | open | done |

---

## Delta: 2026-01-03T00:00:00Z

### What Changed

Nothing but talk.

### Artifacts

| File | Action | Description |
|---|---|---|
| - | - | none |
`

const texts = (list: ReadonlyArray<{ text: string }>) => list.map(({ text }) => text)

test('every section has its place in the state of the work [000.90]', () => {
  const work = workOf(decodeDocument(BODY))
  expect(work).toMatchObject({
    problem: 'Tokens expire.\n\nToo early.',
    intent: 'Login that lasts.',
    state: 'Login works.',
    position: { anchor: 'phase --- two' },
  })
  expect(texts(work.facts)).toEqual(['node 20', 'Postgres 16'])
  expect(texts(work.rules)).toEqual(['No new dependencies'])
  expect(texts(work.done)).toEqual(['Phase 1 → read → understood'])
  expect(work.references).toEqual([
    { kind: 'file', text: expect.stringContaining('src/a.ts') },
    { kind: 'external', text: 'RFC 6749' },
  ])
  expect(work.artifacts.map(({ path }) => path)).toEqual(['src/a.ts', 'src/b.ts'])
})

test('what is ticked is not to be done again, and a blocker is no action', () => {
  const work = workOf(decodeDocument(BODY))
  expect(texts(work.next)).toEqual(['write tests'])
  expect(texts(work.blockers)).toEqual(['waiting for keys'])
})

test('a decision that was struck out is superseded, and stays [000.42]', () => {
  const [standing, struck] = workOf(decodeDocument(BODY)).decisions
  expect(standing).toMatchObject({ text: 'Use refresh tokens', supersededBy: null, origin: 'file' })
  expect(struck?.text).toContain('Use cookies')
  expect(struck?.supersededBy).not.toBeNull()
})

test.each([
  ['- ~~Use A because b~~ superseded by "Use B"', { text: 'Use A', why: 'b', supersededBy: 'Use B' }],
  ['- ~~Use A~~ (superseded by B)', { text: 'Use A', why: '', supersededBy: 'B' }],
  ['- ~~Use A~~', { text: 'Use A', why: '', supersededBy: 'Use A' }],
  ['- ~~Use A because b~~ rejected: "c"', { text: 'Use A', why: 'b', supersededBy: 'Use A', rejected: 'c' }],
  ['- ~~Use A~~ (rejected because of c)', { text: 'Use A', supersededBy: 'Use A', rejected: 'of c' }],
  ['- ~~Use A~~ - rejected', { text: 'Use A', supersededBy: 'Use A', rejected: '' }],
  ['- ~~Use A~~ for B', { text: '~~Use A~~ for B', supersededBy: '~~Use A~~ for B' }],
  ['- Use A, superseded by B', { text: 'Use A, superseded by B', supersededBy: 'Use A, superseded by B' }],
  ['- **UNCONFIRMED**: Use A because b', { text: 'Use A', why: 'b', confirmed: false, supersededBy: null }],
  ['- \\# A', { text: '# A', confirmed: true, supersededBy: null }],
])('a decision says its why, what came in its place and whether it is sure: %s', (item, expected) => {
  const [decision] = workOf(decodeDocument(`### Decisions\n\n${item}\n`)).decisions
  expect(decision).toMatchObject(expected)
})

test.each([
  [
    '- Blocked: a\n- **Blocker**: b\n- Blocking us: c\n- blocked by d',
    ['a', 'b', 'Blocking us: c', 'blocked by d'],
  ],
  ['- [ ] Blocked: a', ['a']],
  ['- Blocked: none\n- [None]', []],
])('a blocker goes without its label: %j', (items, expected) => {
  const work = workOf(decodeDocument(`### Next Actions\n\n${items}\n`))
  expect(texts(work.blockers)).toEqual(expected)
  expect(work.next).toEqual([])
})

test('questions and constraints have labels, plain or in stars', () => {
  const text =
    '### Technical Context\n\n- **Constraint**: no cloud `UNCONFIRMED`\n- Constraints are few\n\n### Next Actions\n\n- Open question: why?\n- **Question:** who? UNCONFIRMED\n- Questions\n'
  const work = workOf(decodeDocument(text))
  expect(work.constraints).toEqual([{ text: 'no cloud', origin: 'file', confirmed: false }])
  expect(texts(work.facts)).toEqual(['Constraints are few'])
  expect(work.questions).toEqual([
    { text: 'why?', origin: 'file', confirmed: true },
    { text: 'who?', origin: 'file', confirmed: false },
  ])
  expect(texts(work.next)).toEqual(['Questions'])
})

test.each([
  ['**Now**: a\nb\n\ns', 's', 'a b'],
  ['s\n\nNow: a', 's', 'a'],
  ['s\n\n**Now:** a\n- t', 's\n\n- t', 'a'],
  ['s\nNow: a', 's\nNow: a', ''],
  ['Now:\n\n- a', 'Now:\n\n- a', ''],
  ['- s\n\n  Now: a', '- s\n\n  Now: a', ''],
  ['```\n\nNow: a\n```', '```\n\nNow: a\n```', ''],
  ['<!--\n\nNow: a -->\n\ns', 's', ''],
  ['Nowadays: a', 'Nowadays: a', ''],
])('a paragraph of Current State tells what is being done now: %j', (body, state, now) => {
  expect(workOf(decodeDocument(`### Current State\n\n${body}\n`))).toMatchObject({ state, now })
})

test('deltas count: what they did is done, and their files are the newest', () => {
  const work = workOf(decodeDocument(BODY + DELTAS))
  expect(work.done.slice(1)).toEqual([
    { text: 'Tokens rotate now.', at: '2026-01-02T00:00:00Z' },
    { text: 'Nothing but talk.', at: '2026-01-03T00:00:00Z' },
  ])
  expect(work.artifacts.map(({ path }) => path)).toEqual(['src/b.ts', 'src/a.ts'])
  expect(work.artifacts[1]).toMatchObject({ path: 'src/a.ts', action: 'modified' })
  expect(work.state).toBe('Login works.')
})

test('the change is what the newest delta tells', () => {
  expect(changeOf(decodeDocument(BODY))).toEqual(noChange())
  expect(changeOf(decodeDocument(BODY + DELTAS))).toMatchObject({
    summary: 'Nothing but talk.',
    transitions: [],
  })
  const first = BODY + DELTAS.slice(0, DELTAS.lastIndexOf('---\n\n## Delta'))
  expect(changeOf(decodeDocument(first))).toMatchObject({
    summary: 'Tokens rotate now.',
    artifacts: [{ path: 'src/a.ts' }],
    transitions: [{ item: 'Phase 1', before: 'open', after: 'done' }],
  })
})

test('a document with nothing in it is an empty state, and "none" is nothing', () => {
  const bare = workOf(
    decodeDocument('---\ncheckpoint: a\n---\n\n### Decisions\n\n- None\n\n### Next Actions\n\nNone\n'),
  )
  expect(bare).toMatchObject({
    problem: '',
    decisions: [],
    next: [],
    blockers: [],
    artifacts: [],
    position: { anchor: '' },
  })
})

test('a completion is read from an archived document alone [000.85]', () => {
  expect(completionOf(decodeDocument(BODY))).toBeNull()
  const done =
    '\n## Completion\n\n- **Status**: Archived\n- **Outcome**: Live\n- **Date**: 2026-02-01T00:00:00Z\n- **Learnings**:\n  - rotate\n  - test\n'
  expect(completionOf(decodeDocument(BODY + done))).toEqual({
    outcome: 'Live',
    date: '2026-02-01T00:00:00Z',
    learnings: ['rotate', 'test'],
  })
})
