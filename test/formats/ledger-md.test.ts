import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DEFAULT_LEDGER, ledgerPathProblem } from '../../src/core/ledger-path.ts'
import { type Claim, type Decision, emptyWork, type WorkState } from '../../src/core/work.ts'
import { decodeLedger, encodeLedger, LEDGER_SKIPPED, sayLedger } from '../../src/formats/ledger-md/codec.ts'
import { replaceLedger } from '../../src/formats/ledger-md/replace.ts'

const AT = '2026-01-31T12:00:00.000Z'
const claim = (text: string, confirmed = true): Claim => ({ text, origin: 'file', confirmed })
const decision = (text: string, why = '', confirmed = true): Decision => ({
  ...claim(text, confirmed),
  why,
  supersededBy: null,
})
const file = (path: string) => ({ path, action: '', description: '' })

const work: WorkState = {
  ...emptyWork(),
  intent: 'Parse comments.\n\nSuccess: no comment is lost.',
  constraints: [claim('Node 20'), claim('The API stays', false)],
  decisions: [decision('Chose A over B', 'it is smaller'), decision('Inlined C', '', false)],
  done: [{ text: 'Scanner', at: null }],
  now: 'Writing the printer',
  next: [{ text: 'Run the tests' }],
  questions: [claim('Keep blank lines?'), claim('Is CRLF used?', false)],
  artifacts: [file('src/a.ts'), file('src/b c.ts')],
  references: [
    { kind: 'id', text: 'PR 7' },
    { kind: 'command', text: 'npm test -- --run a,b' },
  ],
}
const TEXT = `# Session Ledger
_Last updated: 2026-01-31T12:00:00.000Z_

## Goal
Parse comments.

Success: no comment is lost.

## Constraints/Assumptions
- Node 20
- The API stays \`UNCONFIRMED\`

## Key Decisions
- Chose A over B because it is smaller
- Inlined C \`UNCONFIRMED\`

## State

### Done
- Scanner

### Now
Writing the printer

### Next
Run the tests

## Open Questions
- Keep blank lines?
- Is CRLF used? \`UNCONFIRMED\`

## Working Set
- Files: \`src/a.ts\`, \`src/b c.ts\`
- IDs: \`PR 7\`
- Commands: \`npm test -- --run a,b\`
`

const carried = ({
  intent,
  constraints,
  decisions,
  done,
  now,
  next,
  questions,
  artifacts,
  references,
}: WorkState) => ({
  intent,
  constraints,
  decisions,
  done,
  now,
  next,
  questions,
  artifacts,
  references,
})

test('a ledger has the sections of the contract, in its order [003.07] [003.08] [003.09] [003.10] [003.11] [003.12] [003.13] [003.14]', () => {
  expect(encodeLedger(work, { at: AT })).toBe(TEXT)
  expect(decodeLedger(TEXT)).toEqual(carried(work))
})

test('an empty section keeps its heading and has no bullet [003.15]', () => {
  expect(encodeLedger(emptyWork(), { at: AT })).toBe(
    `# Session Ledger\n_Last updated: ${AT}_\n\n## Goal\n\n## Constraints/Assumptions\n\n## Key Decisions\n\n## State\n\n### Done\n\n### Now\n\n### Next\n\n## Open Questions\n\n## Working Set\n- Files:\n- IDs:\n- Commands:\n`,
  )
})

test('superseded decisions and deleted files are left out; several next steps are a list', () => {
  const more = {
    ...emptyWork(),
    decisions: [{ ...decision('Old'), supersededBy: 'New' }],
    artifacts: [{ ...file('gone.ts'), action: 'deleted' }],
    next: [{ text: 'One' }, { text: 'Two\nlines' }],
  }
  const text = encodeLedger(more, { at: AT })
  expect(text).not.toMatch(/Old|gone/)
  expect(text).toContain('### Next\n- One\n- Two\n  lines\n')
})

test('text that looks like structure stays text, and drives no terminal', () => {
  const hostile = {
    ...emptyWork(),
    intent: '# Session Ledger\n## Key Decisions\n- fake\n```\n---\n<!-- hide',
    now: 'a\u001b[2Jb\r\n### Next\r\nevil\u202e',
    done: [{ text: '- [x] UNCONFIRMED\n## State', at: null }],
    constraints: [claim('the word UNCONFIRMED and &#85;NCONFIRMED')],
  }
  const text = encodeLedger(hostile, { at: AT })
  expect(text).not.toMatch(/[^\P{Cc}\n]|\u202e/u)
  // An underline would make a heading of the line above it.
  expect(text).toContain('\n\\```\n\\---\n\\<!-- hide\n')
  expect(text.match(/^#+ .*/gm)).toEqual(encodeLedger(emptyWork(), { at: AT }).match(/^#+ .*/gm))
  expect(decodeLedger(text)).toEqual({
    ...carried(emptyWork()),
    intent: hostile.intent,
    now: 'a[2Jb\n### Next\nevil',
    done: hostile.done,
    constraints: hostile.constraints,
  })
})

test('what people write is read: bullets of any kind, ticks, wraps, Windows lines, marks anywhere', () => {
  const text = [
    '## goal:',
    'Ship it',
    '## Constraints / Assumptions',
    '* one **UNCONFIRMED**: maybe',
    '+ (UNCONFIRMED) two',
    '1. three that',
    'wraps',
    '   and is indented',
    '-',
    '- `UNCONFIRMED`',
    '',
    'A paragraph.',
    '## State',
    '### Done',
    '- [x] first',
    '  - nested',
    '',
    '  more',
    '### Next',
    '- [ ] a',
    '- b',
    '## Working Set',
    '- **Files:** src/a.ts, `b,c.ts`',
    '- Commands:',
    '  - `npm test`',
    '  - ls',
    '',
  ].join('\r\n')
  expect(decodeLedger(text)).toEqual({
    intent: 'Ship it',
    constraints: [
      claim('one maybe', false),
      claim('two', false),
      claim('three that\nwraps\nand is indented'),
      claim('A paragraph.'),
    ],
    done: [{ text: 'first\n- nested\n\nmore', at: null }],
    next: [{ text: 'a' }, { text: 'b' }],
    artifacts: [file('src/a.ts'), file('b,c.ts')],
    references: [
      { kind: 'command', text: 'npm test' },
      { kind: 'command', text: 'ls' },
    ],
  })
})

test('headings in a code fence are none; a fence that is never closed is none either', () => {
  expect(decodeLedger('```sh\n## Goal\nno\n```\n## Goal\nyes')).toEqual({ intent: 'yes' })
  expect(decodeLedger('```sh\n## Goal\nyes')).toEqual({ intent: 'yes' })
  expect(decodeLedger('')).toEqual({})
})

test('a section inside one of the people is theirs', () => {
  expect(decodeLedger('# L\n## Notes\n### Now\nno\n## State\n### Now\nyes')).toEqual({ now: 'yes' })
})

// Without line breaks of other kinds and marks of direction: those do not come back as they were.
const plain = fc
  .string({ unit: 'grapheme', maxLength: 12 })
  .filter((text) => !/[\u2028-\u202e\u2066-\u2069\p{Cc}]/u.test(text))
const line = fc.oneof(
  plain,
  fc.constantFrom(
    '# A',
    '## Goal',
    '### Now',
    '```',
    '~~~ x',
    '---',
    '- - -',
    '***',
    '- x',
    '1. y',
    '[x] z',
    '===',
    '<!--',
  ),
  fc.constantFrom(
    '\\# A',
    '\\\\- x',
    '    code',
    '\ttab',
    '`UNCONFIRMED`',
    '&#38;#85;NCONFIRMED',
    '_Last updated: x_',
    '`',
    '_ _ _',
  ),
)
const trimmed = (text: string) => text.replace(/^[^\S\n]+$/gm, '').trim()
const block = fc.array(line, { maxLength: 4 }).map((lines) => trimmed(lines.join('\n')))
const item = block.filter((text) => text !== '')
const name = fc
  .oneof(fc.string({ minLength: 1, maxLength: 10 }), fc.constantFrom('a,b', '`', 'a``b`', '- x'))
  .map((text) => text.trim())
  .filter((text) => text !== '')
const names = fc.uniqueArray(name, { maxLength: 4 })
const claims = fc.array(
  fc.tuple(item, fc.boolean()).map(([text, confirmed]) => claim(text, confirmed)),
  { maxLength: 3 },
)
const works: fc.Arbitrary<WorkState> = fc
  .record({
    intent: block,
    constraints: claims,
    decisions: claims.map((list) => list.map((one) => ({ ...one, why: '', supersededBy: null }))),
    done: fc.array(
      item.map((text) => ({ text, at: null })),
      { maxLength: 3 },
    ),
    now: block,
    next: fc.array(
      item.map((text) => ({ text })),
      { maxLength: 3 },
    ),
    questions: claims,
    artifacts: names.map((paths) => paths.map(file)),
    references: fc
      .tuple(names, names)
      .map(([ids, commands]) => [
        ...ids.map((text) => ({ kind: 'id', text })),
        ...commands.map((text) => ({ kind: 'command', text })),
      ]),
  })
  .map((fields) => ({ ...emptyWork(), ...fields }))

test('whatever the work says, the ledger gives it back [003.33]', () => {
  fc.assert(
    fc.property(works, (one) => {
      expect(decodeLedger(encodeLedger(one, { at: AT }))).toEqual(carried(one))
    }),
    { numRuns: 1_000 },
  )
})

test('any text is read without an error', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), works, (text, one) => {
      decodeLedger(text)
      expect(decodeLedger(replaceLedger(text, one, { at: AT }))).toEqual(carried(one))
    }),
  )
})

test('only the known sections are replaced; all else stays where it is', () => {
  const mine = TEXT.replace('_\n\n## Goal', '_\nA line of mine.\n\n## Goal')
    .replace('## State\n', '## State\nKeep this.\n')
    .replace('## Open Questions', '## Links\n* [x](y)\n\n\n## Open Questions')
    .concat('- Branch: main\n\n# Diary\n## Goal\nnot yours')
  const next = { ...work, intent: 'Other', now: '', constraints: [], done: [{ text: 'Printer', at: null }] }
  const expected = mine
    .replace('12:00:00', '13:00:00')
    .replace('Parse comments.\n\nSuccess: no comment is lost.', 'Other')
    .replace('- Node 20\n- The API stays `UNCONFIRMED`\n', '')
    .replace('Writing the printer\n', '')
    .replace('- Scanner', '- Printer')
  expect(replaceLedger(mine, next, { at: AT.replace('12', '13') })).toBe(expected)
  const windows = replaceLedger(mine.replaceAll('\n', '\r\n'), next, { at: AT.replace('12', '13') })
  expect(windows).toBe(expected.replaceAll('\n', '\r\n'))
})

test('what is missing comes in at its place', () => {
  const text = '# Session Ledger\n\n## Goal\nOld\n### Criteria\nMine\n\n## Notes\nMine too'
  expect(replaceLedger(text, work, { at: AT })).toBe(
    `${TEXT.slice(0, TEXT.indexOf('## Goal'))}## Goal\nParse comments.\n\nSuccess: no comment is lost.\n### Criteria\nMine\n\n${TEXT.slice(TEXT.indexOf('## Constraints'))}\n## Notes\nMine too`,
  )
  expect(replaceLedger('', work, { at: AT })).toBe(TEXT)
  expect(replaceLedger('Mine', work, { at: AT })).toBe(`Mine\n\n${TEXT}`)
  expect(replaceLedger(`# Session Ledger\n_Last updated: x_\n`, work, { at: AT })).toBe(TEXT)
})

const heading = fc.tuple(
  fc.integer({ min: 1, max: 6 }),
  fc.constantFrom(
    'Goal',
    'Now',
    'Done',
    'State',
    'Working Set',
    'Notes',
    'Session Ledger',
    'Open Questions',
    'Log',
  ),
)
const document = fc.array(
  fc.oneof(
    heading.map(([level, title]) => `${'#'.repeat(level)} ${title}`),
    line,
    fc.constant(''),
    fc.constant('- Files: x'),
  ),
  { maxLength: 16 },
)

test('for any document, the new work is in it, twice is once, and the text of others is kept', () => {
  fc.assert(
    fc.property(document, fc.constantFrom('\n', '\r\n'), works, (lines, eol, one) => {
      const marked = lines.flatMap((text) =>
        /^#+ (?:Notes|Log)/.test(text) ? [text, 'Mine 1', '- mine 2'] : [text],
      )
      const old = marked.join(eol)
      const fresh = replaceLedger(old, one, { at: AT })
      expect(decodeLedger(fresh)).toEqual(carried(one))
      expect(replaceLedger(fresh, one, { at: AT })).toBe(fresh)
      // In a fence, what looks like a section of its own is a part of the section around it.
      if (lines.some((text) => /```|~~~/.test(text))) return
      const theirs = (text: string) => text.match(/^#+ (?:Notes|Log)\r?\nMine 1\r?\n- mine 2$/gm)
      expect(theirs(fresh)).toEqual(theirs(old))
    }),
    { numRuns: 1_000 },
  )
})

test('the words that are said about a ledger', () => {
  expect(sayLedger({ path: DEFAULT_LEDGER, goal: 'Ship\nit', done: 3, now: 'Print\u001b', next: '' })).toBe(
    'Checkpoint saved to .agents/session_ledger.md\n- Goal: Ship it\n- State: 3 done, now: Print, next: none',
  )
  expect(LEDGER_SKIPPED).toBe('Checkpoint skipped - session.ledger not enabled in .agents.yml')
})

test.each([DEFAULT_LEDGER, 'ledger.md', 'docs/Ledger.MD', '.claude/ledger.md', 'a b/ü.md', '.agents/x/y.md'])(
  'a ledger may be at %s',
  (path) => {
    expect(ledgerPathProblem(path)).toBeNull()
  },
)

test.each([
  '',
  '/etc/x.md',
  '../../x.md',
  'a/../x.md',
  './x.md',
  'a//x.md',
  'C:x.md',
  'C:/x.md',
  'a\\x.md',
  '~/x.md',
  'x.md:y.md',
  'x.txt',
  'x.md/y',
  '.md',
  'a/.md',
  'a\u0000.md',
  'a\n.md',
  'a\u202e.md',
  '.git/hooks/x.md',
  'a/.GIT/x.md',
  '.git./x.md',
  '.git /x.md',
  'git~1/x.md',
  '.g\u200cit/x.md',
  '.github/x.md',
  '.GitHub/workflows/x.md',
  '.claude/settings.md',
  '.Claude/Settings.local.md',
  '.claude/\u017fettings.md',
  '.claude/settings/x.md',
  '.claude/commands/x.md',
  '.claude/skills/a/x.md',
  '.agents/handoffs/x.md',
  'nul.md',
  'a/CON/x.md',
  'com1.x.md',
  'com\u00b9.md',
  'README.md',
  'docs/readme.MD',
  'CLAUDE.md',
  'a/AGENTS.md',
  'GEMINI.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE.md',
  'a/SKILL.md',
  'checkpoints/active/x.md',
  'a/Checkpoints/x.md',
  'node_modules/x/y.md',
  `${'a/'.repeat(300)}x.md`,
])('a ledger may not be at %j', (path) => {
  expect(ledgerPathProblem(path)).toEqual(expect.any(String))
})
