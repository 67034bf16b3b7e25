import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { wellFormed } from '../../../src/core/canonical.ts'
import { estimateTokens } from '../../../src/core/tokens.ts'
import { decodeDocument, type SectionName, sectionText } from '../../../src/formats/checkpoint-md/codec.ts'
import { compressDocument } from '../../../src/formats/checkpoint-md/compress.ts'
import { headingsOf } from '../../../src/formats/checkpoint-md/scan.ts'
import { validateDocument } from '../../../src/formats/checkpoint-md/validate.ts'
import { fitToBudget } from '../../../src/policy/carry.ts'

const compress = (text: string, tokens: number, at = 3) =>
  compressDocument(text, {
    isStale: () => false,
    fit: fitToBudget,
    tokens,
    hard: { command: `savepoint show auth --at ${at}` },
  })

const MUST = [
  'Problem',
  'Session Intent',
  'Decisions',
  'Current State',
  'Next Actions',
  'User Rules',
] as const
const LOWER = ['Technical Context', 'Play-By-Play'] as const
type Content = Partial<Record<(typeof MUST)[number] | (typeof LOWER)[number], string>>

const documentOf = (content: Content = {}) => `---
checkpoint: auth
created: 2026-01-01T00:00:00Z
owner: ann # ours
---

## Problem

${content.Problem ?? 'Logins fail.'}

## Session Intent

${content['Session Intent'] ?? 'Sessions last a day.'}

## Essential Information

### Decisions

${content.Decisions ?? '- JWT'}

### Technical Context

${content['Technical Context'] ?? '- Node 20'}

### Play-By-Play

${content['Play-By-Play'] ?? '- red'}

### Artifact Trail

| File | Status | Key Change |
|------|--------|------------|
| \`src/a.ts\` | created | parser |

### Current State

${content['Current State'] ?? '- The test is red.'}

### Next Actions

${content['Next Actions'] ?? '1. make it green'}

## User Rules

${content['User Rules'] ?? '- be brief'}

## Notes of ours

- not in the format, and it goes on for longer than any line of the others may be here

### Notes on these

Prose.
`
const many = (count: number, line: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => line(n + 1)).join('\n')
const section = (text: string, name: SectionName) => sectionText(decodeDocument(text), name)
const words = (count: number) => many(count, (n) => `word${n % 10}`).replace(/\n/g, ' ')

describe('an absolute budget', () => {
  test('changes nothing that fits, and nothing more than the lower ranks where these are enough', () => {
    const text = documentOf({ 'Play-By-Play': many(20, (n) => `- Step ${n} → ${words(10)}`) })
    const options = { isStale: () => false, fit: fitToBudget }
    for (const tokens of [estimateTokens(text), estimateTokens(text) - 100]) {
      const hard = compress(text, tokens)
      expect(hard).toEqual(compressDocument(text, { ...options, tokens }))
      expect(hard.hardCuts).toEqual([])
    }
  })

  test('shortens the lower ranks before anything that must be kept', () => {
    const text = documentOf({ 'Technical Context': `- ${words(300)}`, Problem: words(100) })
    const short = compress(text, estimateTokens(text) - 500)
    expect(short.fits).toBe(true)
    expect(short.hardCuts).toEqual([{ section: 'Technical Context', dropped: 0, shortened: 1 }])
    const fact = section(short.text, 'Technical Context')
    expect(fact).toMatch(/^- word1 word2 .*…$/)
    expect(short.text).toBe(text.replace(`- ${words(300)}`, fact))
    expect(short.after).toBeGreaterThan(short.before - 500 - 8)
  })

  test('shortens what must be kept to beginnings, the longest first', () => {
    const decisions = [`- A: ${words(200)}`, `- B: ${words(40)}`, '- C']
    const text = documentOf({ Decisions: decisions.join('\n'), 'Current State': words(100) })
    const short = compress(text, estimateTokens(text) - 150)
    expect(short.fits).toBe(true)
    expect(short.hardCuts).toEqual([{ section: 'Decisions', dropped: 0, shortened: 1 }])
    const [first = '', ...others] = section(short.text, 'Decisions').split('\n')
    expect(others).toEqual(decisions.slice(1))
    expect(first).toMatch(/^- A: word1 word2 .*…$/)
    expect(short.text).toBe(text.replace(decisions[0] ?? '', first))

    const shorter = compress(text, estimateTokens(text) - 400)
    expect(shorter.hardCuts).toEqual([
      { section: 'Decisions', dropped: 0, shortened: 1 },
      { section: 'Current State', dropped: 0, shortened: 1 },
    ])
  })

  test('then a counted line stands for what is over in the longest lists: the oldest decisions, the last actions', () => {
    const text = documentOf({
      Decisions: many(60, (n) => `- Decision ${n}`),
      'Next Actions': many(40, (n) => `${n}. action ${n}`),
    })
    const short = compress(text, 400)
    expect(short).toMatchObject({ fits: true })
    const decisions = section(short.text, 'Decisions').split('\n')
    const actions = section(short.text, 'Next Actions').split('\n')
    expect(decisions[0]).toBe(`- … ${61 - decisions.length} more: savepoint show auth --at 3`)
    expect(decisions.at(-1)).toBe('- Decision 60')
    expect(actions[0]).toBe('1. action 1')
    expect(actions.at(-1)).toBe(`- … ${41 - actions.length} more: savepoint show auth --at 3`)
    expect(decisions).toHaveLength(actions.length)
    expect(short.hardCuts).toEqual([
      { section: 'Decisions', dropped: 61 - decisions.length, shortened: 0 },
      { section: 'Next Actions', dropped: 41 - actions.length, shortened: 0 },
    ])
    for (const name of ['Problem', 'Session Intent', 'Current State', 'User Rules'] as const)
      expect(section(short.text, name)).toBe(section(text, name))
  })

  test('a further cut counts on from the line that is there, and names the text that it cut', () => {
    const text = documentOf({ Decisions: many(60, (n) => `- Decision ${n}`) })
    const once = compress(text, 400)
    const twice = compress(once.text, 320, 4)
    const [line, ...left] = section(twice.text, 'Decisions').split('\n')
    expect(line).toBe(`- … ${60 - left.length} more: savepoint show auth --at 4`)
    expect(left.at(-1)).toBe('- Decision 60')
    expect(twice.text.match(/ more: /g)).toHaveLength(1)
  })

  test('what has no beginning goes whole: code, a table, a quote, a decision that was replaced', () => {
    const code = `\`\`\`json\n${many(40, (n) => `{ "key${n}": [${n}] }`)}\n\`\`\``
    const quote = many(20, (n) => `> quoted ${n}`)
    const table = `| a | b |\n|---|---|\n${many(20, (n) => `| ${n} | x |`)}`
    const text = documentOf({
      'Current State': `It is red:\n\n${code}\n\n${quote}\n\n${table}\n\nAnd that is all.`,
      Decisions: `- ~~${words(60)}~~`,
    })
    const short = compress(text, 220)
    expect(short.fits).toBe(true)
    expect(section(short.text, 'Current State')).toBe(
      'It is red:\n\n- … 3 more: savepoint show auth --at 3\n\nAnd that is all.',
    )
    expect(section(short.text, 'Decisions')).toBe('- … 1 more: savepoint show auth --at 3')
  })

  test('a line is not put where it is no shorter than what it stands for', () => {
    const text = documentOf({ 'Next Actions': '- a\n- b\n- c' })
    expect(section(compress(text, 200).text, 'Next Actions')).toBe('- a\n- b\n- c')
  })

  test('the marks of an item stay: its number, its box; comments and fences are not opened', () => {
    const text = documentOf({
      'Next Actions': `1. [ ] first ${words(60)}\n2. [x] second ${words(60)}\n3. see <!-- why --> \`\`\`${words(60)}`,
    })
    expect(section(compress(text, 330).text, 'Next Actions')).toMatch(
      /^1\. \[ \] first word1 [^\n]*…\n2\. \[x\] second word1 [^\n]*…\n3\. see word1 [^\n]*…$/,
    )
  })

  test('a beginning at the floor is never a mark alone, and what is ticked stays so', () => {
    const text = documentOf({
      'Current State': `{"[(key": ${words(60)}}`,
      'Next Actions': `- [x] first ${words(60)}`,
    })
    const floor = compress(text, 100).text
    expect(section(floor, 'Current State')).toBe('{"[(key…')
    expect(section(floor, 'Next Actions')).toBe('- [x] first word1…')
  })

  test('a shorter item does not take in the line below it', () => {
    const state = `10. ${words(60)}\n\n  more\n| x |`
    expect(section(compress(documentOf({ 'Current State': state }), 250).text, 'Current State')).toMatch(
      /^10\. word[^\n]*…\n\n\| x \|$/,
    )
  })

  test('what is indented is not left below another line', () => {
    const quote = many(20, (n) => `> quoted ${n}`)
    const short = compress(documentOf({ 'Current State': `${quote}\n\n  indented\n\nThe end.` }), 200)
    expect(section(short.text, 'Current State')).toBe('- … 1 more: savepoint show auth --at 3\n\nThe end.')
  })

  test('a list that half a comment hides goes whole; of lower ranks it stays hidden', () => {
    const list = `- ${words(90)}\n- x <!-- ${words(90)}\n- y`
    const short = compress(documentOf({ Problem: `${words(50)} -->\n\n${list}` }), 200)
    expect(section(short.text, 'Problem')).toBe('- … 2 more: savepoint show auth --at 3')
    const facts = `${words(50)} -->\n\n- ${words(9)}\n- x\nhalf -->`
    expect(compress(documentOf({ 'Technical Context': facts }), 300).text).toContain(`\n${facts}\n`)
  })

  test('a decision that was replaced is still the last one beside a counted line', () => {
    const text = documentOf({ Decisions: `> ${words(60)}\n\n- ~~struck~~` })
    const short = compress(text, 260)
    expect(section(short.text, 'Decisions')).toBe('- … 1 more: savepoint show auth --at 3\n- ~~struck~~')
    expect(compress(short.text, 200).text).toContain('\n- ~~struck~~\n')
  })

  test('what stands under a heading of its own inside a section is shortened there', () => {
    const state = `${words(90)}\n\n#### Open\n\n${many(9, (n) => `- open ${n} ${words(20)}`)}`
    const short = compress(documentOf({ 'Current State': state }), 350)
    expect(short.fits).toBe(true)
    expect(short.text).toMatch(/### Current State\n\nword1 [^\n]*…\n\n#### Open\n\n- open 1 /)
  })

  test('guidance in comments, placeholders and the line of earlier steps stay as they are', () => {
    const state = `<!-- ${words(40)} -->\n\n[todo]\n\n${words(200)}`
    const earlier = `- Earlier: 7 steps, ${words(6)} … ${words(6)}`
    const text = documentOf({ 'Current State': state, 'Play-By-Play': `${earlier}\n- ${words(90)}` })
    const short = compress(text, 600)
    expect(short.fits).toBe(true)
    expect(short.text).toContain(`<!-- ${words(40)} -->\n\n[todo]\n\nword1`)
    expect(short.text).toContain(`${earlier}\n- word1 `)
    expect(compress(text, 200).text).toContain(`<!-- ${words(40)} -->\n\n[todo]\n\nword`)
  })

  test('the floor that is over the budget is given back, and said to be', () => {
    const text = `${documentOf({ Problem: words(400), Decisions: many(50, (n) => `- ${words(n)}`) })}\n${words(400)}\n`
    const floor = compress(text, 200)
    expect(floor).toMatchObject({ fits: false, after: estimateTokens(floor.text) })
    expect(floor.after).toBeGreaterThan(200)
    expect(section(floor.text, 'Problem')).toMatch(/^word.*…$/)
    expect(section(floor.text, 'Decisions')).toMatch(/^- … 49 more: .*\n- word.*…$/)
    expect(floor.text.endsWith(`\n${words(400)}\n`)).toBe(true)
    expect(compress(floor.text, 200)).toMatchObject({ text: floor.text, hardCuts: [] })
    expect(compress(text, floor.after)).toMatchObject({ fits: true })
  })
})

const anyLine = fc.oneof(
  fc.constantFrom(
    '登录在一小时后失败，没有人知道为什么，因为日志里什么都没有。'.repeat(8),
    '👨‍👩‍👧‍👦🇩🇪🎉'.repeat(40),
    `{"a":[{"b":1,"c":"x"},${'{"d":null},'.repeat(60)}]}`,
    Buffer.from('binary '.repeat(90)).toString('base64'),
    'a'.repeat(3_000),
    '1234567890'.repeat(40),
    'Ж'.repeat(200),
    '(((((((((('.repeat(30),
    words(120),
    'short',
  ),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
)
const blockOf = (marks: string[], ends: string[]) =>
  fc.tuple(fc.constantFrom(...marks), anyLine, fc.constantFrom(...ends)).map((parts) => parts.join(''))
const anyBlock = blockOf(
  ['- ', '- ', '- ', '* ', '1. ', '7) ', '- [ ] ', '', '', '> ', '    ', '| ', '  - ', '<div>'],
  ['', '', '\n', '\n\n', '\n\n  wrapped', '\n  - nested', '\nlazy', '\n---', '\n***\n'],
)
/** Of lower ranks it is `compress` without a hard budget that decides which are left. */
const plainBlock = blockOf(['- ', '- ', '* ', '1. ', '- [ ] ', '\n'], ['', '', '\n', '\n  wrapped', '\nlazy'])
const anyOther = fc.constantFrom(
  '```\n- code\n\n# no heading\n```',
  '<!-- note -->',
  '<!--\n- hidden\n-->',
  '<!-- half',
  'half -->',
  '- <!-- half',
  '- unclosed\n  ```',
  '| a | b |\n|---|---|\n| x | y |',
  '- ~~struck~~',
  '- old, superseded by new',
  '#### Inside',
  'Underlined\n----------',
  '- … 4 more: savepoint show auth --at 1',
  '- [todo]',
  '',
  '',
)
const textOf = (block: fc.Arbitrary<string>) =>
  fc.array(block, { minLength: 1, maxLength: 12 }).map((blocks) => blocks.join('\n'))
const anyText = textOf(fc.oneof({ weight: 3, arbitrary: anyBlock }, { weight: 1, arbitrary: anyOther }))
const anyContent: fc.Arbitrary<Content> = fc.record({
  ...Object.fromEntries(MUST.map((name) => [name, anyText])),
  ...Object.fromEntries(LOWER.map((name) => [name, textOf(plainBlock)])),
})
const anyDocument = fc
  .tuple(anyContent, fc.constantFrom('\n', '\r\n'))
  .map(([content, eol]) => documentOf(content).replace(/\r\n|\n|\r/g, eol))

const titles = (text: string) =>
  headingsOf(text, decodeDocument(text).front?.bodyStart).map(({ level, title }) => `${level} ${title}`)
const errorsOf = (text: string) =>
  validateDocument(text, { parents: new Map(), otherCurrent: [], archived: false })
    .filter(({ level }) => level === 'error')
    .map(({ what }) => what)
/** Everything that is in no section which may lose something; a rule at the end of one belongs to it here. */
function others(text: string): string {
  const cut = [...MUST, ...LOWER, 'Breadcrumbs', 'Artifact Trail'] as const
  const places = cut.flatMap((name) => decodeDocument(text).sections.get(name) ?? [])
  places.sort((a, b) => b.start - a.start)
  return places.reduce(
    (rest, { end, contentEnd }) => rest.slice(0, end) + rest.slice(contentEnd).replace(/^[\s-]+/, ''),
    text,
  )
}

describe('whatever the document', () => {
  test('it is within the budget where it says so, all headings and all other bytes are there, and again changes nothing', () => {
    fc.assert(
      fc.property(anyDocument, fc.integer({ min: 200, max: 3_000 }), (text, tokens) => {
        const short = compress(text, tokens)
        expect(short.after).toBe(estimateTokens(short.text))
        expect(short.fits).toBe(short.after <= tokens)
        const soft = compressDocument(text, { isStale: () => false, fit: fitToBudget, tokens }).text
        expect(titles(short.text)).toEqual(titles(soft))
        expect(others(short.text)).toBe(others(soft))
        expect(errorsOf(soft)).toEqual(expect.arrayContaining(errorsOf(short.text)))
        expect(short.text).toBe(wellFormed(short.text))
        expect(compress(short.text, tokens, 9)).toMatchObject({ text: short.text, hardCuts: [], cuts: [] })
      }),
      { numRuns: 200 },
    )
  })

  test('lists and paragraphs alone always fit where their floor does', () => {
    const plain = fc
      .array(anyLine, { minLength: 1, maxLength: 40 })
      .map((lines) => lines.map((line) => `- x ${line.replace(/[\r\n<>`~]+/g, ' ')}`).join('\n'))
    const content = fc.record(Object.fromEntries(MUST.map((name) => [name, plain])))
    fc.assert(
      fc.property(content, fc.integer({ min: 400, max: 2_000 }), (parts, tokens) => {
        const text = documentOf(parts)
        expect(compress(text, tokens)).toMatchObject({ fits: true })
      }),
      { numRuns: 100 },
    )
  })
})
