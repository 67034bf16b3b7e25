import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeDocument, isNone, sectionText } from '../../../src/formats/checkpoint-md/codec.ts'
import { appendDelta, replaceSection, setCompletion } from '../../../src/formats/checkpoint-md/edit.ts'
import { addLearnings, decodeLearnings } from '../../../src/formats/checkpoint-md/learnings.ts'
import { newDocument } from '../../../src/formats/checkpoint-md/template.ts'
import { validateDocument } from '../../../src/formats/checkpoint-md/validate.ts'

const EMPTY = newDocument({
  id: 'chk-a',
  created: '2026-01-01T00:00:00Z',
  anchor: null,
  parent: null,
  current: false,
})
const FILL = {
  Problem: 'Logins fail after an hour.',
  'Session Intent': 'Make sessions last a day.',
  Decisions: '- JWT over cookies, because the app is native',
  'Technical Context': 'Node 20, Postgres 16',
  'Play-By-Play': '- Phase 1 → wrote the test → red',
  'Artifact Trail': '| File | Status | Key Change |\n|---|---|---|\n| `src/auth.ts` | modified | refresh |',
  'Current State': 'The test is red.',
  'Next Actions': '- make it green',
} as const
const FULL = Object.entries(FILL).reduce(
  (text, [name, body]) => replaceSection(text, name as keyof typeof FILL, body),
  EMPTY,
)
const ALONE = { parents: new Map([['chk-a', null]]), otherCurrent: [], archived: false }
const wrong = (text: string, around: Parameters<typeof validateDocument>[1] = ALONE) =>
  validateDocument(text, around).map(({ level, line, what }) => `${level} ${line}: ${what}`)

describe('reading', () => {
  test('finds every section whatever the order, the level and the marks of its heading', () => {
    const text = 'Problem\n-------\np\n\n# user rules\nr\n\n## **Decisions**\n- d\n'
    const document = decodeDocument(text)
    expect(sectionText(document, 'Problem')).toBe('p')
    expect(sectionText(document, 'User Rules')).toBe('r')
    expect(sectionText(document, 'Decisions')).toBe('- d')
  })

  test('headings in code, and those of a delta, are not sections', () => {
    const text = '## Problem\n```\n## Decisions\n```\n\n## Delta: 2026-01-01T00:00:00Z\n\n### Decisions\nx\n'
    const document = decodeDocument(text)
    expect([...document.sections.keys()]).toEqual(['Problem'])
    expect(sectionText(document, 'Problem')).toContain('## Decisions')
  })

  test('reads a delta with its three parts [000.68] [000.69] [000.70]', () => {
    const delta = {
      at: '2026-01-02T00:00:00Z',
      what: 'Wrote the parser',
      artifacts: [{ path: 'a|b.ts', action: 'created', description: 'with a | pipe' }],
      transitions: [{ item: 'Phase 1', before: 'open', after: 'done' }],
    }
    const { deltas, front } = decodeDocument(appendDelta(FULL, delta))
    expect(deltas).toMatchObject([delta])
    expect(front?.fields.get('last_delta')?.value).toBe(delta.at)
  })

  test('reads learnings from one line and from a list, and none from "None noted" [000.78] [000.79]', () => {
    const learned = (learnings: string[]) =>
      decodeDocument(setCompletion(FULL, { outcome: 'Done', date: '2026-01-03T00:00:00Z', learnings }))
        .completion
    expect(learned(['one'])).toMatchObject({ status: 'Archived', outcome: 'Done', learnings: ['one'] })
    expect(learned(['one', 'two'])?.learnings).toEqual(['one', 'two'])
    expect(learned([])?.learnings).toEqual([])
  })

  test.each(['None', 'none noted', 'N/A', 'Nothing.', '-', ''])(
    '%j says that there is nothing to say [000.79]',
    (text) => {
      expect(isNone(text)).toBe(true)
    },
  )
})

const anyText = fc.string({
  unit: fc.constantFrom('a', 'ü', ' ', '|', '#', '-', '`', '\n', '<', '~', '=', '*'),
})

describe('writing', () => {
  test('a delta keeps every byte before it, and never makes structure of what it says [000.66]', () => {
    fc.assert(
      fc.property(anyText, anyText, (what, path) => {
        const at = '2026-01-02T00:00:00Z'
        const text = appendDelta(FULL, {
          at,
          what,
          artifacts: [{ path, action: 'modified', description: what }],
          transitions: [],
        })
        expect(text.replace('last_delta: 2026-01-02T00:00:00Z\n', '').startsWith(FULL.trimEnd())).toBe(true)
        const { deltas, sections } = decodeDocument(text)
        expect(deltas).toHaveLength(1)
        expect([...sections.keys()]).toEqual([...decodeDocument(FULL).sections.keys()])
        expect(deltas[0]?.artifacts).toHaveLength(1)
      }),
      { numRuns: 1_000 },
    )
  })

  test.each(['\n', '\r\n'])('replacing a section leaves everything around it byte for byte (%j)', (eol) => {
    const text = appendDelta(FULL, {
      at: '2026-01-02T00:00:00Z',
      what: 'x',
      artifacts: [],
      transitions: [],
    }).replace(/\n/g, eol)
    const changed = replaceSection(text, 'Next Actions', '- ship it')
    const at = text.indexOf('- make it green')
    expect(changed.slice(0, at)).toBe(text.slice(0, at))
    expect(changed.slice(at)).toBe(text.slice(at).replace('- make it green', '- ship it'))
  })

  test('a section that is missing is added before the deltas', () => {
    const text = appendDelta('## Problem\n\np\n', {
      at: '2026-01-02T00:00:00Z',
      what: 'x',
      artifacts: [],
      transitions: [],
    })
    const changed = replaceSection(text, 'User Rules', 'be brief')
    expect(changed.indexOf('## User Rules')).toBeLessThan(changed.indexOf('## Delta:'))
    expect(sectionText(decodeDocument(changed), 'User Rules')).toBe('be brief')
    expect(decodeDocument(changed).deltas).toHaveLength(1)
  })
})

describe('validation', () => {
  test('a filled document passes, an untouched one does not', () => {
    expect(wrong(FULL)).toEqual([])
    expect(wrong(EMPTY)).toHaveLength(8)
  })

  test.each(Object.keys(FILL))(
    'without %s it is an error [000.25] [000.26] [000.27] [000.28] [000.29] [000.30] [000.31] [000.32]',
    (name) => {
      const without = decodeDocument(FULL).sections.get(name as keyof typeof FILL)?.[0]
      const text = FULL.slice(0, without?.start) + FULL.slice(without?.ownEnd)
      expect(wrong(text)).toContain(`error 1: the section ${name} is missing`)
    },
  )

  test('created is a timestamp; a bare date is warned of [000.03]', () => {
    const at = (created: string) => wrong(FULL.replace('2026-01-01T00:00:00Z', created))
    expect(at('yesterday')).toEqual([expect.stringContaining('error 3: `created` is not an ISO-8601')])
    expect(at('2026-13-45T00:00:00Z')).toEqual([expect.stringContaining('error 3')])
    expect(at('2026-01-01')).toEqual([expect.stringContaining('warning 3')])
  })

  test('status is current or active, and current only once [000.07] [000.15]', () => {
    expect(wrong(FULL.replace('status: active', 'status: banana'))).toEqual(['error 4: `status` is "banana"'])
    const current = FULL.replace('status: active', 'status: current')
    expect(wrong(current)).toEqual([])
    expect(wrong(current, { ...ALONE, otherCurrent: ['chk-b'] })).toEqual([
      'error 4: chk-b is also marked current',
    ])
  })

  test('the parent exists, and parents do not go in a circle [000.06]', () => {
    const child = FULL.replace('status: active', 'parent: chk-b\nstatus: active')
    expect(wrong(child)).toEqual(['error 4: the parent chk-b does not exist'])
    const circle = new Map([
      ['chk-a', 'chk-b'],
      ['chk-b', 'chk-a'],
    ])
    expect(wrong(child, { ...ALONE, parents: circle })).toEqual([expect.stringContaining('circular parents')])
    const chain = new Map(
      Array.from({ length: 10_000 }, (_, n) => [`c${n}`, n === 0 ? null : `c${n - 1}`] as const),
    )
    expect(wrong(child.replace('chk-b', 'c9999'), { ...ALONE, parents: chain })).toEqual([])
  })

  test('a delta says when, what and which files [000.67] [000.68] [000.69]', () => {
    const bare = `${FULL}\n---\n\n## Delta: soon\n`
    expect(wrong(bare)).toEqual([
      expect.stringContaining("the delta's time is not"),
      expect.stringContaining('does not say what changed'),
      expect.stringContaining('has no artifacts'),
    ])
    const whole = appendDelta(FULL, {
      at: '2026-01-02T00:00:00Z',
      what: 'done',
      artifacts: [],
      transitions: [],
    })
    expect(wrong(whole)).toEqual([])
  })

  test('an archived document needs a completion with an outcome [000.35] [000.85]', () => {
    const archived = { ...ALONE, archived: true }
    expect(wrong(FULL, archived)).toEqual([expect.stringContaining('needs a completion')])
    const done = setCompletion(FULL, { outcome: 'Shipped', date: '2026-01-03T00:00:00Z', learnings: [] })
    expect(wrong(done, archived)).toEqual([])
    expect(wrong(done.replace('Shipped', ''), archived)).toEqual([expect.stringContaining('no outcome')])
  })
})

describe('LEARNINGS.md', () => {
  test('the newest entry stands first, and what an entry has already is not added again [000.77]', () => {
    const first = addLearnings('', { date: '2026-01-01', id: 'chk-a', learnings: ['one'] })
    const both = addLearnings(first, { date: '2026-01-02', id: 'chk-b', learnings: ['two', 'three'] })
    expect(both).toBe(
      '# Learnings\n\n## 2026-01-02 — chk-b\n- two\n- three\n\n## 2026-01-01 — chk-a\n- one\n',
    )
    expect(addLearnings(both, { date: '2026-01-03', id: 'chk-a', learnings: ['one'] })).toBe(both)
    expect(decodeLearnings(both).map(({ id, learnings }) => [id, learnings])).toEqual([
      ['chk-b', ['two', 'three']],
      ['chk-a', ['one']],
    ])
  })

  test('what people wrote around the entries stays', () => {
    const text = '# What we learned\r\n\r\nRead this first.\r\n'
    expect(addLearnings(text, { date: '2026-01-01', id: 'chk-a', learnings: ['one'] })).toBe(
      `${text}\r\n## 2026-01-01 — chk-a\r\n- one\r\n`,
    )
  })
})
