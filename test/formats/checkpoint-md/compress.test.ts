import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { estimateTokens } from '../../../src/core/tokens.ts'
import { decodeDocument, sectionText } from '../../../src/formats/checkpoint-md/codec.ts'
import { compressDocument } from '../../../src/formats/checkpoint-md/compress.ts'
import { appendDelta, type NewDelta } from '../../../src/formats/checkpoint-md/edit.ts'
import { validateDocument } from '../../../src/formats/checkpoint-md/validate.ts'
import { workOf } from '../../../src/formats/checkpoint-md/work.ts'
import { fitToBudget } from '../../../src/policy/carry.ts'

const isStale = ({ reference }: { reference: string }) => reference.includes('gone')
const compress = (text: string, tokens?: number, hard = false) =>
  compressDocument(text, { isStale, fit: fitToBudget, hard, ...(tokens === undefined ? {} : { tokens }) })

interface Content {
  decisions?: string
  facts?: string
  crumbs?: string
  steps?: string
  files?: string
}

const documentOf = ({
  decisions = '- JWT over cookies',
  facts = '- Node 20',
  crumbs = '| file | `src/a.ts` | parser |',
  steps = '- Phase 1 → red',
  files = '| `src/a.ts` | created | parser |',
}: Content = {}) => `---
checkpoint: chk-a
created: 2026-01-01T00:00:00Z
---

## Problem

Logins fail after an hour.

## Session Intent

Make sessions last a day.

## Essential Information

### Decisions

${decisions}

### Technical Context

${facts}

### Breadcrumbs

| Type | Reference | Hint |
|------|-----------|------|
${crumbs}

### Play-By-Play

${steps}

### Artifact Trail

| File | Status | Key Change |
|------|--------|------------|
${files}

### Current State

- The test is red.

### Next Actions

1. make it green

## User Rules

- be brief

## Notes of ours

- not in the format
`
const numbered = (count: number, line: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => line(n + 1)).join('\n')
const STEPS = numbered(15, (n) => `- Step ${n} → did what step ${n} says, with some care → it works now`)

describe('what fits', () => {
  test('is left alone, byte for byte', () => {
    const text = documentOf()
    const tokens = estimateTokens(text)
    expect(compress(text)).toEqual({
      text,
      before: tokens,
      after: tokens,
      folded: 0,
      fits: true,
      cuts: [],
    })
  })

  test('is still rid of stale breadcrumbs and finished files, and keeps every decision [000.42]', () => {
    const text = documentOf({
      decisions:
        '- JWT over cookies\n- ~~cookies~~\n- Redis (Superseded by Postgres)\n- ~~MySQL~~ no: Postgres',
      crumbs: '| file | `src/a.ts` | parser |\n| file | `src/gone.ts` | old |',
      files: '| `src/a.ts` | created | parser |\n| `b.ts` | **Deleted** | x |\n| `c.ts` | not done | y |',
    })
    const short = compress(text)
    expect(short.text).toBe(
      documentOf({
        decisions:
          '- JWT over cookies\n- ~~cookies~~\n- Redis (Superseded by Postgres)\n- ~~MySQL~~ no: Postgres',
        files: '| `src/a.ts` | created | parser |\n| `c.ts` | not done | y |',
      }),
    )
    expect(short.cuts).toEqual([
      { field: 'references', count: 1, how: 'pruned', why: 'stale' },
      { field: 'artifacts', count: 1, how: 'pruned', why: 'finished' },
    ])
    expect(short.after).toBe(estimateTokens(short.text))
  })

  test.each(['deleted', 'done', 'Completed', 'FINISHED', 'merged ✓', 'archived', 'removed'])(
    'a file that is %s is finished',
    (status) => {
      const files = `| \`b.ts\` | ${status} | x |\n| \`src/a.ts\` | created | parser |`
      expect(compress(documentOf({ files })).text).toBe(documentOf())
    },
  )

  test.each([
    '- Auth: JWT\n  - cookies, superseded by JWT',
    '- Cookies are not superseded by anything',
    '- ~~cookies~~\n  - JWT',
  ])('a decision that holds something standing stays: %j', (standing) => {
    const text = documentOf({ decisions: `${standing}\n- Postgres` })
    expect(compress(text, 1).text).toContain(`${standing}\n- Postgres`)
  })
})

describe('under pressure', () => {
  test('older steps become one line, as many as it takes', () => {
    const text = documentOf({ steps: STEPS })
    const short = compress(text, estimateTokens(text) - 40)
    const steps = sectionText(decodeDocument(short.text), 'Play-By-Play').split('\n')
    const { count } = short.cuts[0] ?? { count: 0 }
    expect(short.cuts).toEqual([{ field: 'done', count, how: 'summarised', why: 'older' }])
    expect(steps).toEqual([
      `- Earlier: ${count} steps, Step 1 → did what step 1 says, with som… … Step ${count} → did what step ${count} says, with som…`,
      ...STEPS.split('\n').slice(count),
    ])
    expect(short).toMatchObject({ fits: true, before: estimateTokens(text) })
    expect(short.text).toBe(text.replace(STEPS, steps.join('\n')))
  })

  test('a second compress counts on from the first and does not nest', () => {
    const text = documentOf({ steps: STEPS })
    const once = compress(text, estimateTokens(text) - 40)
    const twice = compress(once.text, 1)
    expect(sectionText(decodeDocument(twice.text), 'Play-By-Play').split('\n')).toEqual([
      '- Earlier: 12 steps, Step 1 → did what step 1 says, with som… … Step 12 → did what step 12 says, with s…',
      ...STEPS.split('\n').slice(12),
    ])
  })

  test('of an indented list the steps stay beside the line that sums up', () => {
    const once = compress(documentOf({ steps: STEPS.replace(/^/gm, '  ') }), 1)
    expect(once.text).toMatch(/\n {2}- Earlier: 12 steps, [^\n]*\n {2}- Step 13 [^\n]*\n {2}- Step 14 /)
    expect(compress(once.text.replace(/\n( {2}- Step 15 [^\n]*)/, '\n$1\n$1'), 1).text).toMatch(
      /\n {2}- Earlier: 13 steps, [^\n]*\n {2}- Step 14 /,
    )
  })

  test('a step with something indented below it stays, so that this goes to no other', () => {
    const steps = `10. Step 0\n\n  indented\n\n${STEPS}`
    expect(compress(documentOf({ steps }), 1).text).toContain(
      '\n10. Step 0\n\n  indented\n\n- Earlier: 12 steps, ',
    )
  })

  test('steps that are shorter than their summary are left', () => {
    const text = documentOf({ steps: numbered(5, (n) => `- s${n}`) })
    expect(compress(text, 1).text).toContain(numbered(5, (n) => `- s${n}`))
  })

  test('deltas are folded first', () => {
    const delta = {
      at: '2026-01-02T00:00:00Z',
      what: 'Green',
      artifacts: [{ path: 'src/a.ts', action: 'modified', description: 'faster' }],
      transitions: [],
    }
    const short = compress(appendDelta(documentOf(), delta))
    expect(short.folded).toBe(1)
    expect(short.text.replace('last_delta: 2026-01-02T00:00:00Z\n', '')).toBe(
      documentOf({
        steps: '- Phase 1 → red\n- 2026-01-02T00:00:00Z → Green',
        files: '| `src/a.ts` | modified | faster |',
      }),
    )
  })

  test('what is kept is kept whole: wrapped lines, nested lists, code, empty lines, table cells', () => {
    const newest = [
      '- three\n  wrapped\nlazily\n\n  - nested\n    - deeper\n',
      '- two\n\n  ```\n- not an item\n  ```\n',
      '- one <!-- with a\n  - comment -->',
    ].join('\n')
    const text = documentOf({ steps: `${STEPS}\n${newest}`, facts: '- a\n\n- b\n\n- c' }).replace(
      /\n/g,
      '\r\n',
    )
    const short = compress(text, 1)
    expect(short.fits).toBe(false)
    expect(short.text).toContain(newest.replace(/\n/g, '\r\n'))
    expect(short.text).toContain('### Technical Context\r\n\r\n- c\r\n\r\n###')
    expect(short.text.replace(/\r\n/g, '')).not.toMatch(/[\r\n]/)
  })

  test('prose, placeholders, comments, code and other headings inside a section are not cut', () => {
    const facts =
      'Postgres 16.\n\n- a\n- [todo]\n\n<!--\n- guidance\n-->\n\n```\n- code\n```\n- b\n\n#### Hosts\n\n- h'
    const { text } = compress(documentOf({ facts }), 1)
    expect(sectionText(decodeDocument(text), 'Technical Context')).toBe(
      sectionText(decodeDocument(documentOf({ facts: facts.replace('- a\n', '') })), 'Technical Context'),
    )
  })

  test('what stands below a cut item is not made a heading', () => {
    const facts = 'Known:\n- a fact\n---\n\n- Node 20'
    expect(compress(documentOf({ facts }), 100).text).toContain('Known:\n\n---\n\n- Node 20')
  })

  const OLD = [
    '- ~~Sessions live in the memory of one process, because there is only one~~',
    '- Cookies with a long life, superseded by refresh tokens that rotate on every use',
    '- ~~One database for each customer~~ superseded by "One database, a schema for each customer"',
  ]
  const SUMMED =
    '- ~~Earlier: 3 decisions, Sessions live in the memory of one proc… … One database for each customer supersed…~~'

  test('decisions that were replaced are summed up in one line, struck out; every other one stays as it is [000.42] [000.55]', () => {
    const decisions = [OLD[0], '- Passkeys come next', OLD[1], '- ~~SMS codes~~ rejected: "not safe"', OLD[2]]
    const short = compress(documentOf({ decisions: decisions.join('\n') }), 1)
    expect(sectionText(decodeDocument(short.text), 'Decisions').split('\n')).toEqual([
      SUMMED,
      '- Passkeys come next',
      '- ~~SMS codes~~ rejected: "not safe"',
    ])
    expect(short.cuts[0]).toEqual({ field: 'decisions', count: 3, how: 'summarised', why: 'superseded' })
    const read = workOf(decodeDocument(short.text)).decisions
    expect(read.filter(({ supersededBy }) => supersededBy === null).map(({ text }) => text)).toEqual([
      'Passkeys come next',
    ])
    const again = short.text.replace(SUMMED, `${SUMMED}\n${OLD[1]}`)
    expect(compress(again, 1).text).toContain(
      '\n- ~~Earlier: 4 decisions, Sessions live in the memory of one proc… … Cookies',
    )
  })

  test('a list with a comment from one item to another is left alone', () => {
    const facts = '- a\n- <!-- half\n- b -->\n- c'
    expect(compress(documentOf({ facts }), 1).text).toContain(facts)
  })

  test('the summary of odd steps is one that the next compress reads, and opens no comment', () => {
    const step = '- one … two <!-- and some more about it, which goes on and on --> three four five six seven'
    const text = documentOf({ steps: Array(6).fill(step).join('\n') })
    const once = compress(text, 1)
    expect(once.text).toContain('- Earlier: 3 steps, one… two and some more about it, which… … one… two')
    expect(compress(once.text.replace(step, `${step}\n${step}`), 1).text).toContain(
      '- Earlier: 4 steps, one… two and some more about it, which… … one… two',
    )
  })

  test('the row that says none is no file', () => {
    const files = '| - | - | No files changed |'
    expect(compress(documentOf({ files }), 1).text).toContain(files)
  })
})

describe('an absolute budget', () => {
  const long = (start: string) => `${start} ${'and so on '.repeat(20)}to its end`
  const content = {
    steps: numbered(4, (n) => `- ${long(`Step ${n}`)}`),
    facts: `- Node 20\n- ${long('Postgres')}`,
    files: `| \`src/a.ts\` | created | ${long('parser')} |`,
  }

  test('shortens long lines of lower ranks, and only where taking items out is not enough', () => {
    const text = documentOf(content)
    const soft = compress(text, 1)
    expect(compress(text, soft.after, true)).toEqual({ ...soft, fits: true })
    const clipped = soft.text
      .replace(/^- (Step [234]|Postgres) and .*$/gm, (line) => `${line.slice(0, 61).trimEnd()}…`)
      .replace(long('parser'), `${long('parser').slice(0, 59)}…`)
    expect(compress(text, estimateTokens(clipped), true)).toMatchObject({ text: clipped, fits: true })
    const hard = compress(text, 1, true)
    const [first, , , last] = content.steps.split('\n').map((line) => `${line.slice(0, 61).trimEnd()}…`)
    expect(hard.text).toContain(`- Earlier: 3 steps, ${first?.slice(2, 41)}… … Step 3`)
    expect(hard.text).toContain(`\n${last}\n`)
    expect(compress(hard.text, 1, true)).toMatchObject({ text: hard.text, cuts: [] })
    expect(compress(text, hard.after + 60, true)).toMatchObject({ fits: true })
  })

  test.each([
    ['an unconfirmed fact', `- ${long('Redis')} (UNCONFIRMED)`],
    ['a fact with items of its own', `- ${long('Redis')}\n  - nested`],
    ['code', `- ${long('Redis')}\n\n  \`\`\`\n  x\n  \`\`\``],
    ['a constraint', `- Constraint: ${long('no Redis')}`],
  ])('leaves %s whole', (_, facts) => {
    expect(compress(documentOf({ facts }), 1, true).text).toContain(facts)
  })
})

/** Lines of a document that its author may have written anywhere. */
const anyItem = fc.constantFrom(
  '- one thing that was said at some length, so that it costs something to keep it around here',
  '- ~~struck~~',
  '- old, superseded by new',
  '- wrapped\n  here',
  '- lazy\nline',
  '- with nested\n  - item',
  '- code\n\n  ```\n  # x\n  ```',
  '- unclosed\n  ```',
  '- <!-- half',
  '* star',
  '3. three',
  '- Earlier: 4 steps, a … b',
  '- ~~Earlier: 4 decisions, struck … struck~~',
  `- ~~struck ${'out with many words '.repeat(5)}~~`,
  '- [todo]',
  '\nprose',
  '---',
  '***',
  '> quote',
  '<!-- note -->',
  '<!--\n- hidden\n-->',
  '```\n- code\n```',
  '| a | b |\n|---|---|',
  '| x | y |',
  '',
  '',
)
const anyRow = fc
  .tuple(
    fc.constantFrom('`src/a.ts`', '`gone.ts`', '-', 'b\\|c', '[file]', 'ж'),
    fc.constantFrom('created', 'deleted', 'Done', 'src/gone.ts', '`x`'),
    fc.constantFrom('x', '', 'some words about the file that cost a little'),
  )
  .map((cells) => `| ${cells.join(' | ')} |`)
const lines = (line: fc.Arbitrary<string>) =>
  fc.array(line, { minLength: 1, maxLength: 25 }).map((all) => all.join('\n'))
const anyDelta: fc.Arbitrary<NewDelta> = fc.record({
  at: fc.constant('2026-01-02T00:00:00Z'),
  what: fc.constantFrom('Did a thing', 'Did\nmore'),
  artifacts: fc.array(
    fc.record({
      path: fc.constantFrom('src/a.ts', 'new.ts'),
      action: fc.constantFrom('modified', 'deleted'),
      description: fc.constantFrom('', 'better'),
    }),
    { maxLength: 3 },
  ),
  transitions: fc.constant<NewDelta['transitions']>([]),
})
const anyDocument = fc
  .record({
    content: fc.record({
      decisions: lines(anyItem),
      facts: lines(anyItem),
      crumbs: lines(anyRow),
      steps: lines(anyItem),
      files: lines(anyRow),
    }),
    deltas: fc.array(anyDelta, { maxLength: 3 }),
    eol: fc.constantFrom('\n', '\r\n'),
  })
  .map(({ content, deltas, eol }) => deltas.reduce(appendDelta, documentOf(content).replace(/\n/g, eol)))

const MUST = ['Problem', 'Session Intent', 'Current State', 'Next Actions', 'User Rules'] as const
const bytesOf = (text: string, name: (typeof MUST)[number] | 'Decisions') =>
  (decodeDocument(text).sections.get(name) ?? []).map(({ start, contentEnd }) =>
    text.slice(start, contentEnd).trim(),
  )
const errorsOf = (text: string) =>
  validateDocument(text, { parents: new Map(), otherCurrent: [], archived: false })
    .filter(({ level }) => level === 'error')
    .map(({ what }) => what)
const standing = (text: string) =>
  text.split(/\r\n|\n/).filter((line) => line.trim() !== '' && !/struck|superseded|^---$/.test(line))

describe('whatever the document', () => {
  test('what must be kept survives byte for byte, nothing new is wrong, and a second compress changes nothing', () => {
    fc.assert(
      fc.property(anyDocument, fc.nat(900), fc.boolean(), (text, tokens, hard) => {
        const short = compress(text, tokens, hard)
        for (const name of MUST) expect(bytesOf(short.text, name), name).toEqual(bytesOf(text, name))
        expect(bytesOf(short.text, 'Decisions').flatMap(standing)).toEqual(
          bytesOf(text, 'Decisions').flatMap(standing),
        )
        const sections = new Set(decodeDocument(text).sections.keys())
        expect([...decodeDocument(short.text).sections.keys()].filter((name) => sections.has(name))).toEqual([
          ...sections,
        ])
        expect(errorsOf(text)).toEqual(expect.arrayContaining(errorsOf(short.text)))
        expect(short.after).toBe(estimateTokens(short.text))
        expect(short.fits).toBe(short.after <= tokens)
        expect(compress(short.text, tokens, hard)).toMatchObject({ text: short.text, cuts: [], folded: 0 })
      }),
      { numRuns: 400 },
    )
  })
})
