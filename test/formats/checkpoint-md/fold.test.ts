import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeDocument, sectionText } from '../../../src/formats/checkpoint-md/codec.ts'
import { appendDelta } from '../../../src/formats/checkpoint-md/edit.ts'
import { foldDeltas } from '../../../src/formats/checkpoint-md/fold.ts'

const BODY = `---
checkpoint: chk-a
created: 2026-01-01T00:00:00Z
last_delta: 2026-01-03T00:00:00Z
---

## Problem

Logins fail.

### Play-By-Play

* Phase 1 → wrote the test
  → red

### Artifact Trail

| File | Status | Key Change |
|------|--------|------------|
| \`src/auth.ts\` | created | refresh |
| src/old.ts | created | odd   spacing |

### Current State

Red.
`
const FIRST = {
  at: '2026-01-02T00:00:00Z',
  what: 'Wrote the\nparser',
  artifacts: [
    { path: 'src/auth.ts', action: 'modified', description: 'a | b' },
    { path: 'src/new.ts', action: 'created', description: 'parser' },
  ],
  transitions: [
    { item: 'Phase 1', before: 'open', after: 'done' },
    { item: 'Phase 2', before: '-', after: 'open' },
  ],
}
const SECOND = {
  at: '2026-01-03T00:00:00Z',
  what: 'Cleaned up',
  artifacts: [{ path: 'src/new.ts', action: 'deleted', description: '' }],
  transitions: [],
}
const BOTH = appendDelta(appendDelta(BODY, FIRST), SECOND)

const FOLDED = BODY.replace(
  '  → red\n',
  `  → red
* 2026-01-02T00:00:00Z → Wrote the parser (Phase 1: open → done; Phase 2: - → open)
* 2026-01-03T00:00:00Z → Cleaned up
`,
).replace(
  `| \`src/auth.ts\` | created | refresh |
| src/old.ts | created | odd   spacing |
`,
  `| src/old.ts | created | odd   spacing |
| \`src/auth.ts\` | modified | a \\| b |
| \`src/new.ts\` | deleted | parser |
`,
)

test.each(['\n', '\r\n'])(
  'each delta becomes a step, its files a row, and every other byte stays (%j)',
  (eol) => {
    const inLineBreaks = (text: string) => text.replace(/\n/g, eol)
    expect(foldDeltas(inLineBreaks(BOTH))).toEqual({ text: inLineBreaks(FOLDED), folded: 2 })
  },
)

test('a document without deltas stays as it is, and folding twice folds once', () => {
  expect(foldDeltas(BODY)).toEqual({ text: BODY, folded: 0 })
  expect(foldDeltas(FOLDED)).toEqual({ text: FOLDED, folded: 0 })
})

test('a delta that names no files adds no row', () => {
  const text = appendDelta(BODY, { ...SECOND, artifacts: [] })
  expect(foldDeltas(text).text).toBe(
    BODY.replace('  → red\n', '  → red\n* 2026-01-03T00:00:00Z → Cleaned up\n'),
  )
})

test('a file that comes again stands last, and keeps its description where none is given', () => {
  const [auth, fresh] = [
    { path: 'src/auth.ts', action: 'modified', description: '' },
    { path: 'src/new.ts', action: 'created', description: 'parser' },
  ]
  const text = appendDelta(BODY, { ...SECOND, artifacts: [auth, fresh, auth] })
  expect(
    sectionText(decodeDocument(foldDeltas(text).text), 'Artifact Trail')
      .split('\n')
      .slice(2),
  ).toEqual([
    '| src/old.ts | created | odd   spacing |',
    '| `src/new.ts` | created | parser |',
    '| `src/auth.ts` | modified | refresh |',
  ])
})

test('sections that are missing or empty are filled', () => {
  const added = foldDeltas(appendDelta('## Problem\n\np\n', FIRST)).text
  expect(sectionText(decodeDocument(added), 'Play-By-Play')).toMatch(
    /^- 2026-01-02T00:00:00Z → Wrote the parser/,
  )
  expect(sectionText(decodeDocument(added), 'Artifact Trail')).toContain(
    '| `src/new.ts` | created | parser |',
  )
  const empty = '### Play-By-Play\n\n<!-- what -->\n\n### Artifact Trail\n### Current State\n\nRed.\n'
  expect(foldDeltas(appendDelta(empty, SECOND)).text).toContain(
    [
      '### Play-By-Play\n\n<!-- what -->\n\n- 2026-01-03T00:00:00Z → Cleaned up\n',
      '### Artifact Trail\n\n| File | Status | Key Change |\n|------|--------|------------|\n| `src/new.ts` | deleted |  |\n',
      '### Current State\n\nRed.\n',
    ].join('\n'),
  )
})

test.each([
  ['a fourth subsection', (text: string) => `${text}\n### Decisions\n\n- JWT\n`],
  ['the same subsection twice', (text: string) => `${text}\n### What Changed\n\nMore.\n`],
  ['loose text above', (text: string) => text.replace('### What Changed', 'Mind this.\n\n### What Changed')],
  ['loose text below a table', (text: string) => `${text}\nMind this.\n`],
  ['a fourth column', (text: string) => text.replace('| deleted |  |', '| deleted |  | me |')],
  ['a comment', (text: string) => text.replace('Cleaned up', 'Cleaned <!-- twice --> up')],
  ['code', (text: string) => text.replace('Cleaned up', 'Cleaned up:\n\n```\nrm -r\n```')],
  ['no word of what changed', (text: string) => text.replace('Cleaned up', '')],
])('a delta with %s stays in place, whole, and the others are folded', (_, change) => {
  const odd = change(appendDelta(BODY, SECOND))
  expect(foldDeltas(odd)).toEqual({ text: odd, folded: 0 })
  const text = appendDelta(odd, { ...FIRST, at: '2026-01-04T00:00:00Z' })
  const { text: body, folded } = foldDeltas(text)
  expect(folded).toBe(1)
  expect(body.endsWith(odd.slice(odd.indexOf('---\n\n## Delta:')))).toBe(true)
  expect(body).toContain('\n* 2026-01-04T00:00:00Z → Wrote the parser')
})

test('what stands behind a delta is not made a heading when the delta goes', () => {
  const delta = '## Delta: 2026-01-02T00:00:00Z\n### What Changed\nx\n### Artifacts\nnone\n\n'
  const text = `### Play-By-Play\n- a\n\n### Current State\ntext\n${delta}---\n\n## Completion\n- b\n`
  expect(foldDeltas(text)).toEqual({
    text: '### Play-By-Play\n- a\n- 2026-01-02T00:00:00Z → x\n\n### Current State\ntext\n\n---\n\n## Completion\n- b\n',
    folded: 1,
  })
})

const anyText = fc.string({
  unit: fc.constantFrom('a', 'ü', ' ', '|', '#', '-', '\n', '<', '~', '=', '*', '>'),
})
const anyDelta = fc.record({
  at: fc.constant('2026-01-02T00:00:00Z'),
  what: anyText.map((text) => `a${text}`),
  artifacts: fc.array(
    fc.record({ path: anyText.map((text) => `p${text}`), action: anyText, description: anyText }),
    { maxLength: 3 },
  ),
  transitions: fc.array(fc.record({ item: anyText, before: anyText, after: anyText }), { maxLength: 2 }),
})

test('whatever the deltas say, no word is lost and nothing becomes structure', () => {
  const words = (text: string) => (text.match(/[aüp]+/g) ?? []).sort()
  fc.assert(
    fc.property(fc.array(anyDelta, { maxLength: 3 }), (deltas) => {
      const text = deltas.reduce(appendDelta, BODY)
      const { text: body, folded } = foldDeltas(text)
      const before = decodeDocument(text)
      const after = decodeDocument(body)
      expect(after.deltas).toHaveLength(deltas.length - folded)
      expect([...after.sections.keys()]).toEqual([...before.sections.keys()])
      expect(sectionText(after, 'Current State')).toBe('Red.')
      for (const { what } of before.deltas) expect(words(body)).toEqual(expect.arrayContaining(words(what)))
      expect(foldDeltas(body)).toEqual({ text: body, folded: 0 })
    }),
    { numRuns: 500 },
  )
})
