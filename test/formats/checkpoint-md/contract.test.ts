import fc from 'fast-check'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import {
  artifactsOf,
  decodeDocument,
  type SectionName,
  sectionText,
} from '../../../src/formats/checkpoint-md/codec.ts'
import { appendDelta, replaceSection, setCompletion } from '../../../src/formats/checkpoint-md/edit.ts'
import { listItems } from '../../../src/formats/checkpoint-md/items.ts'
import { addLearnings, decodeLearnings } from '../../../src/formats/checkpoint-md/learnings.ts'
import { tableRows } from '../../../src/formats/checkpoint-md/table.ts'
import { newDocument } from '../../../src/formats/checkpoint-md/template.ts'
import { type DocumentNeighbours, validateDocument } from '../../../src/formats/checkpoint-md/validate.ts'

const BODY = `## Problem

Invoices are sent twice.

## Session Intent

One invoice for each order, also after a retry.

## Essential Information

### Decisions

- The order id is the key, because the shop repeats its calls

### Technical Context

Node 22, Postgres 16, a queue with at-least-once delivery

### Play-By-Play

- Phase 1 → reproduced it → two rows for one order
- Phase 2 → unique index → the second insert fails

### Artifact Trail

| File | Status | Key Change |
|------|--------|------------|
| \`db/004.sql\` | created | unique index |
| \`src/send.ts\` | modified | catches the conflict |
| \`src/twice.ts\` | deleted | was never called |

### Current State

The index is in place; the worker still logs an error.

### Next Actions

- make the worker silent
- blocked: a copy of the live queue
`
const documentOf = (front: string) => `---\n${front}---\n\n${BODY}`
const LEAST = 'checkpoint: chk-001\ncreated: 2026-01-01T00:00:00Z\n'
const PLAIN = documentOf(LEAST)

function findings(text: string, around: Partial<DocumentNeighbours> = {}): string[] {
  const parents = new Map<string, string | null>([['chk-001', null]])
  return validateDocument(text, { parents, otherCurrent: [], archived: false, ...around }).map(
    ({ level, line, what }) => `${level} ${line}: ${what}`,
  )
}

const fieldOf = (text: string, key: string) => decodeDocument(text).front?.fields.get(key)?.value

/** The headings and table heads of a text, by a parser that is not ours. */
function outline(text: string): string[] {
  const body = text.slice(text.indexOf('\n---\n') + 5)
  return fromMarkdown(body).children.flatMap((node) => {
    const written = body.slice(node.position?.start.offset, node.position?.end.offset)
    return node.type === 'heading' || written.startsWith('|') ? [written.split('\n')[0] ?? ''] : []
  })
}

describe('a new document', () => {
  const made = { id: 'chk-002', created: '2026-01-01T00:00:00Z', anchor: null, parent: null, current: false }
  const frontOf = (text: string) => parse(text.slice(4, text.indexOf('\n---\n') + 1))

  test('has the front matter, the sections in their order, and the heads of the tables [000.01]', () => {
    const text = newDocument({ ...made, anchor: 'phase 2', parent: 'chk-001', current: true })
    expect(Object.entries(frontOf(text))).toEqual([
      ['checkpoint', 'chk-002'],
      ['created', '2026-01-01T00:00:00Z'],
      ['anchor', 'phase 2'],
      ['parent', 'chk-001'],
      ['status', 'current'],
    ])
    expect(outline(text)).toEqual([
      '## Problem',
      '## Session Intent',
      '## Essential Information',
      '### Decisions',
      '### Technical Context',
      '### Breadcrumbs',
      '| Type | Reference | Hint |',
      '### Play-By-Play',
      '### Artifact Trail',
      '| File | Status | Key Change |',
      '### Current State',
      '### Next Actions',
      '## User Rules',
    ])
  })

  test('has no parent where it is a root, and names it where it is a fork [000.20] [000.21]', () => {
    expect(frontOf(newDocument(made))).not.toHaveProperty('parent')
    expect(frontOf(newDocument({ ...made, parent: 'session-abc-003' })).parent).toBe('session-abc-003')
  })

  test('has no completion [000.86]', () => {
    expect(decodeDocument(newDocument(made)).completion).toBeNull()
  })
})

describe('the front matter', () => {
  test('needs an id and a time, and nothing else [000.02] [000.03] [000.04] [000.05] [000.06] [000.07]', () => {
    expect(findings(PLAIN)).toEqual([])
    expect(findings(documentOf('created: 2026-01-01T00:00:00Z\n'))).toEqual([
      'error 1: `checkpoint` is missing',
    ])
    expect(findings(documentOf('checkpoint: chk-001\n'))).toEqual(['error 1: `created` is missing'])
  })

  test.each(['chk-001', 'session-abc-003', '007'])('takes the id %s as it is written [000.02]', (id) => {
    const text = documentOf(LEAST.replace('chk-001', id))
    expect(fieldOf(text, 'checkpoint')).toBe(id)
    expect(findings(text, { parents: new Map([[id, null]]) })).toEqual([])
  })

  test('takes a timestamp in any zone for last_delta, and nothing else [000.05]', () => {
    const at = (time: string) => findings(documentOf(`${LEAST}last_delta: ${time}\n`))
    expect(at('2026-01-02T03:04:05.678+02:00')).toEqual([])
    expect(at('2026-01-02')).toEqual([expect.stringContaining('warning 4: `last_delta`')])
    expect(at('last week')).toEqual([expect.stringContaining('error 4: `last_delta` is not an ISO-8601')])
  })

  test('without a status, or with active, it does not compete with a current one [000.11] [000.12]', () => {
    const around = { otherCurrent: ['chk-009'] }
    expect(findings(PLAIN, around)).toEqual([])
    expect(findings(documentOf(`${LEAST}status: active\n`), around)).toEqual([])
    expect(findings(documentOf(`${LEAST}status: current\n`), around)).toHaveLength(1)
  })

  test.each(['current', 'active', 'banana'])('status: %s is ignored in the archive [000.13]', (status) => {
    const text = setCompletion(documentOf(`${LEAST}status: ${status}\n`), {
      outcome: 'One invoice each',
      date: '2026-01-03T00:00:00Z',
      learnings: [],
    })
    expect(findings(text, { archived: true, otherCurrent: ['chk-009'] })).toEqual([])
  })

  test('several documents may have the same parent [000.22]', () => {
    const parents = new Map<string, string | null>([['chk-001', null]])
    const children = ['chk-002', 'chk-003', 'chk-004']
    for (const id of children) parents.set(id, 'chk-001')
    for (const id of children)
      expect(findings(documentOf(`${LEAST.replace('chk-001', id)}parent: chk-001\n`), { parents })).toEqual(
        [],
      )
  })
})

describe('the sections', () => {
  test('say what stands under them [000.25] [000.26] [000.27] [000.28] [000.31] [000.32]', () => {
    const document = decodeDocument(PLAIN)
    const told = (name: SectionName) => sectionText(document, name)
    expect(told('Problem')).toBe('Invoices are sent twice.')
    expect(told('Session Intent')).toBe('One invoice for each order, also after a retry.')
    expect(listItems(told('Decisions'))).toEqual([
      'The order id is the key, because the shop repeats its calls',
    ])
    expect(told('Technical Context')).toBe('Node 22, Postgres 16, a queue with at-least-once delivery')
    expect(told('Current State')).toBe('The index is in place; the worker still logs an error.')
    expect(listItems(told('Next Actions'))).toEqual([
      'make the worker silent',
      'blocked: a copy of the live queue',
    ])
  })

  test('give the actions in their order, and the files with what became of them [000.29] [000.30]', () => {
    const document = decodeDocument(PLAIN)
    expect(listItems(sectionText(document, 'Play-By-Play'))).toEqual([
      'Phase 1 → reproduced it → two rows for one order',
      'Phase 2 → unique index → the second insert fails',
    ])
    expect(artifactsOf(sectionText(document, 'Artifact Trail'))).toEqual([
      { path: 'db/004.sql', action: 'created', description: 'unique index' },
      { path: 'src/send.ts', action: 'modified', description: 'catches the conflict' },
      { path: 'src/twice.ts', action: 'deleted', description: 'was never called' },
    ])
  })

  test('Breadcrumbs and User Rules may be missing, empty or filled [000.33] [000.34]', () => {
    expect(findings(PLAIN)).toEqual([])
    expect(findings(`${PLAIN}\n## User Rules\n\n### Breadcrumbs\n`)).toEqual([])
    const crumbs = [
      ['file', '`src/send.ts`', 'the worker'],
      ['function', '`queue.take()`', 'hands out a job'],
      ['decision', 'Phase 1, key', 'why the order id'],
      ['external', 'https://example.test/retry', 'how the shop repeats'],
    ]
    const table = crumbs.map((row) => `| ${row.join(' | ')} |`).join('\n')
    const filled = replaceSection(
      `${PLAIN}\n### Breadcrumbs\n\n| Type | Reference | Hint |\n|---|---|---|\n${table}\n`,
      'User Rules',
      'Ask before a migration.',
    )
    expect(findings(filled)).toEqual([])
    const document = decodeDocument(filled)
    expect(tableRows(sectionText(document, 'Breadcrumbs'))).toEqual(crumbs)
    expect(sectionText(document, 'User Rules')).toBe('Ask before a migration.')
  })

  test('a completion outside of the archive is warned of [000.35] [000.86]', () => {
    const text = setCompletion(PLAIN, { outcome: 'x', date: '2026-01-03T00:00:00Z', learnings: [] })
    expect(findings(text)).toEqual([expect.stringMatching(/^warning \d+: .* is not archived$/)])
    expect(findings(text, { archived: true })).toEqual([])
  })
})

describe('a delta', () => {
  const FIRST = {
    at: '2026-01-02T00:00:00Z',
    what: 'The worker is silent now.',
    artifacts: [{ path: 'src/send.ts', action: 'modified', description: 'no error for a conflict' }],
    transitions: [],
  }
  const SECOND = {
    at: '2026-01-03T00:00:00Z',
    what: 'The live queue was replayed.',
    artifacts: [],
    transitions: [{ item: 'Phase 2', before: 'in progress', after: 'done' }],
  }

  test('is written as a rule, a heading with its time, and its parts with their tables [000.67] [000.69]', () => {
    const added = appendDelta(PLAIN, FIRST).split('still logs an error.')[1] ?? ''
    expect(added.slice(added.indexOf('---'))).toBe(
      [
        '---',
        '## Delta: 2026-01-02T00:00:00Z',
        '### What Changed',
        'The worker is silent now.',
        '### Artifacts',
        '| File | Action | Description |\n|------|--------|-------------|\n| `src/send.ts` | modified | no error for a conflict |\n',
      ].join('\n\n'),
    )
  })

  test('has transitions only where something went from one state to another [000.70]', () => {
    const without = appendDelta(PLAIN, FIRST)
    expect(without).not.toContain('Status Transitions')
    expect(findings(without)).toEqual([])
    expect(appendDelta(PLAIN, SECOND)).toContain(
      '### Status Transitions\n\n| Item | Before | After |\n|------|--------|-------|\n| Phase 2 | in progress | done |\n',
    )
  })

  test('comes after the ones before it, in the same text, and the text only grows [000.66] [000.73]', () => {
    const one = appendDelta(PLAIN, FIRST)
    const two = appendDelta(one, SECOND)
    expect(decodeDocument(two).deltas).toMatchObject([FIRST, { at: SECOND.at, what: SECOND.what }])
    const withoutTime = (text: string) => text.replace(/^last_delta: .*\n/m, '')
    expect(withoutTime(one).startsWith(PLAIN)).toBe(true)
    expect(withoutTime(two).startsWith(withoutTime(one))).toBe(true)
    expect(findings(two)).toEqual([])
  })

  test('sets last_delta, and the next one moves it on [000.72]', () => {
    const one = appendDelta(PLAIN, FIRST)
    expect(fieldOf(one, 'last_delta')).toBe('2026-01-02T00:00:00Z')
    const two = appendDelta(one, SECOND)
    expect(fieldOf(two, 'last_delta')).toBe('2026-01-03T00:00:00Z')
    expect(two.match(/^last_delta:/gm)).toHaveLength(1)
  })
})

describe('the end of a stream', () => {
  const DONE = { outcome: 'One invoice each', date: '2026-01-03T00:00:00Z', learnings: ['Retry is normal'] }

  test('is marked by status, outcome and date, after everything else [000.85]', () => {
    expect(setCompletion(PLAIN, DONE)).toBe(
      `${PLAIN}\n## Completion\n\n- **Status**: Archived\n- **Outcome**: One invoice each\n- **Date**: 2026-01-03T00:00:00Z\n- **Learnings**: Retry is normal\n`,
    )
  })

  test.each(['- **Learnings**:', '**Learnings**:', '* **Learnings:**'])(
    'the field is found as %j [000.78]',
    (field) => {
      const text = setCompletion(PLAIN, DONE).replace('- **Learnings**:', field)
      expect(decodeDocument(text).completion).toMatchObject({ ...DONE, status: 'Archived' })
    },
  )

  test('learnings elsewhere in the document are not those of its completion [000.78]', () => {
    const text = PLAIN.replace('Invoices are', '**Learnings**: not this one\n\nInvoices are')
    expect(decodeDocument(text).completion).toBeNull()
    expect(decodeDocument(setCompletion(text, DONE)).completion?.learnings).toEqual(['Retry is normal'])
  })

  test('nothing learned leaves LEARNINGS.md as it is [000.79]', () => {
    const learnings = decodeDocument(setCompletion(PLAIN, { ...DONE, learnings: ['None noted'] })).completion
      ?.learnings
    expect(learnings).toEqual([])
    for (const text of ['', '# Learnings\n\n## 2026-01-01 — chk-000\n- x\n'])
      expect(addLearnings(text, { date: '2026-01-03', id: 'chk-001', learnings: learnings ?? [] })).toBe(text)
  })
})

describe('LEARNINGS.md', () => {
  const lesson = fc
    .string({ unit: fc.constantFrom('a', 'ü', ' ', '#', '-', '|', '*') })
    .map((text) => `x${text}`)
  const lessons = fc.array(lesson, { minLength: 1, maxLength: 3 })

  test('keeps every entry that it had, and has the newest first [000.76] [000.77]', () => {
    fc.assert(
      fc.property(fc.array(lessons, { minLength: 1, maxLength: 5 }), (all) => {
        let text = ''
        const told = all.map((learnings, n) => ({ date: `2026-01-0${n + 1}`, id: `chk-${n}`, learnings }))
        for (const entry of told) {
          const before = text.replace(/^# Learnings\n/, '')
          text = addLearnings(text, entry)
          expect(text.endsWith(before)).toBe(true)
          expect(text.startsWith(`# Learnings\n\n## ${entry.date} — ${entry.id}\n- x`)).toBe(true)
        }
        expect(decodeLearnings(text)).toMatchObject(
          told.reverse().map((entry) => ({ ...entry, learnings: entry.learnings.map((one) => one.trim()) })),
        )
      }),
    )
  })
})
