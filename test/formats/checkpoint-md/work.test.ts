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
  expect(texts(work.blockers)).toEqual(['Blocked: waiting for keys'])
})

test('a decision that was struck out is superseded, and stays [000.42]', () => {
  const [standing, struck] = workOf(decodeDocument(BODY)).decisions
  expect(standing).toMatchObject({ text: 'Use refresh tokens', supersededBy: null, origin: 'file' })
  expect(struck?.text).toContain('Use cookies')
  expect(struck?.supersededBy).not.toBeNull()
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
