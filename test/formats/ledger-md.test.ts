import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DEFAULT_LEDGER, ledgerPathProblem } from '../../src/core/ledger-path.ts'
import { type Claim, type Decision, emptyWork, type WorkState } from '../../src/core/work.ts'
import {
  decodeLedger,
  decodeLedgerPage,
  encodeLedger,
  LEDGER_SKIPPED,
  sayLedger,
} from '../../src/formats/ledger-md/codec.ts'
import { replaceLedger } from '../../src/formats/ledger-md/replace.ts'
import { seedFile } from '../support/seed-file.ts'
import { line, works } from './work-arbitraries.ts'

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

/** The fields that the plain form of the contract says. */
const carried = (from: WorkState) => {
  const { intent, constraints, decisions, done, now, next, questions, artifacts, references } = from
  return { intent, constraints, decisions, done, now, next, questions, artifacts, references }
}

/** All of it. The order of files is not kept; a position is there only where it says something. */
function wholePage({ position, ...from }: Partial<WorkState>) {
  const isSaid = JSON.stringify(position) !== JSON.stringify(emptyWork().position)
  return {
    ...from,
    ...(position && isSaid ? { position } : {}),
    artifacts: from.artifacts?.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  }
}

test('a ledger has the sections of the contract, in its order [003.07] [003.08] [003.09] [003.10] [003.11] [003.12] [003.13] [003.14]', () => {
  expect(encodeLedger(work, { at: AT })).toBe(TEXT)
  expect(decodeLedger(TEXT)).toEqual(carried(work))
})

test('the empty page of the contract says nothing, and ours has its headings in its order [003.07] [003.15]', () => {
  const template = seedFile('003', 'template.md')
  expect(decodeLedger(template)).toEqual(carried(emptyWork()))
  expect(encodeLedger(emptyWork(), { at: AT }).match(/^#.*/gm)).toEqual(template.match(/^#.*/gm))
})

test('a ledger of another tool is read whole [003.08] [003.09] [003.10] [003.11] [003.12] [003.13] [003.14]', () => {
  expect(decodeLedger(seedFile('003', 'session_ledger.md'))).toEqual({
    intent: 'Replace the session cookie by tokens; done when the mobile app signs in',
    constraints: [claim('The API stays at version 2'), claim('Staging has the new keys', false)],
    decisions: [
      decision('Tokens over cookies', 'the app has no session'),
      decision('Refresh tokens live 30 days'),
    ],
    done: [
      { text: 'Login form posts to /token', at: null },
      { text: 'Old cookie is read, and no longer set', at: null },
    ],
    now: 'Refresh of an expired token',
    next: [{ text: 'Delete the cookie code' }],
    questions: [claim('Who rotates the keys?'), claim('Does the web app share the endpoint?', false)],
    artifacts: [file('src/auth/token.ts'), file('src/auth/refresh.ts')],
    references: [
      ...['PAY-812', 'pr 77'].map((text) => ({ kind: 'id', text })),
      { kind: 'command', text: 'npm test -- auth' },
    ],
  })
})

test('an empty section keeps its heading and has no bullet [003.15]', () => {
  expect(encodeLedger(emptyWork(), { at: AT })).toBe(
    `# Session Ledger\n_Last updated: ${AT}_\n\n## Goal\n\n## Constraints/Assumptions\n\n## Key Decisions\n\n## State\n\n### Done\n\n### Now\n\n### Next\n\n## Open Questions\n\n## Working Set\n- Files:\n- IDs:\n- Commands:\n`,
  )
})

const full: WorkState = {
  ...work,
  problem: 'Comments are lost.\n\n- in CRLF files',
  rules: [claim('Ask before pushing'), claim('Small commits', false)],
  facts: [claim('The scanner is 200 lines')],
  state: 'The old printer still runs.',
  blockers: [{ text: 'CI has no runner' }],
  decisions: [
    ...work.decisions,
    { ...decision('Old one', 'it was there'), supersededBy: 'Chose A over B' },
    { ...decision('Regular expressions'), supersededBy: 'Regular expressions', rejected: 'too slow' },
  ],
  artifacts: [
    { path: 'src/a.ts', action: 'modified', description: 'scanner: first half' },
    { path: 'src/b c.ts', action: 'modified', description: '' },
    { path: 'src/d.ts', action: 'modified', description: '' },
    { path: 'gone.ts', action: 'deleted', description: '' },
  ],
  references: [...work.references, { kind: 'url', text: 'https://example.org/spec' }],
  position: {
    ...emptyWork().position,
    ...{ planName: 'parser', stage: '2', tddPhase: 'red', step: 'print', anchor: 'turn 12' },
    plan: {
      path: 'docs/plan.md',
      steps: [
        { id: 'scan', ordinal: 1, title: 'Scan', state: 'done', planned: true },
        { id: 'print', ordinal: 2, title: 'Print: all', state: 'in_progress', planned: false },
      ],
      violations: ['step print is not in the plan'],
    },
    fault: { reasonCode: 'timeout', recoverable: true, message: 'npm hangs' },
  },
}
const FULL = TEXT.replace('is lost.\n', 'is lost.\n- Problem: Comments are lost.\n\n  - in CRLF files\n')
  .replace(
    'API stays `UNCONFIRMED`\n',
    'API stays `UNCONFIRMED`\n- Rule: Ask before pushing\n- Rule: Small commits `UNCONFIRMED`\n- Fact: The scanner is 200 lines\n',
  )
  .replace(
    'Inlined C `UNCONFIRMED`\n',
    'Inlined C `UNCONFIRMED`\n- ~~Old one because it was there~~ superseded by: Chose A over B\n- ~~Regular expressions~~ rejected: too slow\n',
  )
  .replace(
    'the printer\n',
    `the printer
- State: The old printer still runs.
- Blocked: CI has no runner
- Plan: parser
- Stage: 2
- TDD phase: red
- Step: print
- Anchor: turn 12
- Plan file: docs/plan.md
- Plan step: done 1 \`scan\`: Scan
- Plan step: in_progress 2 \`print\` (not planned): Print: all
- Violation: step print is not in the plan
- Fault: \`timeout\` (recoverable): npm hangs
`,
  )
  .replace('`src/b c.ts`\n', '`src/b c.ts`, `src/d.ts`\n')
  .concat(
    '- Change: `src/a.ts` (modified): scanner: first half\n- Change: `src/b c.ts`, `src/d.ts` (modified)\n- Change: `gone.ts` (deleted)\n- Reference: url: https://example.org/spec\n',
  )

test('what the sections have no text for stands in labelled bullets inside of them [003.33] [003.36]', () => {
  expect(encodeLedger(full, { at: AT })).toBe(FULL)
  expect(decodeLedger(FULL)).toEqual(full)
  expect(FULL.match(/^#.*/gm)).toEqual(TEXT.match(/^#.*/gm))
  expect(replaceLedger(TEXT, full, { at: AT })).toBe(FULL)
  expect(replaceLedger(FULL, work, { at: AT })).toBe(TEXT)
})

test('a label that nobody used says nothing; on a page whose sections are there it says that there is none', () => {
  expect(decodeLedger('## Goal\nShip it\n## State\n### Now\nx')).toEqual({ intent: 'Ship it', now: 'x' })
  expect(decodeLedgerPage('## Goal\nShip it\n## State\n### Now\nx')).toEqual({
    ...{ intent: 'Ship it', problem: '', now: 'x', state: '', blockers: [] },
  })
})

test('labelled bullets as people write them: stars, numbers, wrapped lines, text behind them', () => {
  const text = [
    ...['## Goal', '1. **Problem:** slow', 'and wrong', '', 'Ship it', '- fast'],
    ...[
      '## Constraints/Assumptions',
      '* rule: no force push',
      '+ Facts: Node 20 (UNCONFIRMED)',
      '- Ruler: metric',
    ],
    ...['## State', '### Now', 'Printing', '- blocker: CI'],
  ].join('\n')
  expect(decodeLedger(text)).toEqual({
    intent: 'Ship it\n- fast',
    problem: 'slow\nand wrong',
    constraints: [claim('Ruler: metric')],
    rules: [claim('no force push')],
    facts: [claim('Node 20', false)],
    now: 'Printing',
    blockers: [{ text: 'CI' }],
  })
})

test('a file that somebody took out of the files is out, whatever its change says', () => {
  const text = FULL.replace('`src/a.ts`, ', '')
  expect(decodeLedger(text).artifacts?.map(({ path }) => path)).toEqual(['src/b c.ts', 'src/d.ts', 'gone.ts'])
})

test('several next steps are a list', () => {
  const text = encodeLedger({ ...emptyWork(), next: [{ text: 'One' }, { text: 'Two\nlines' }] }, { at: AT })
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

test('whatever the work says, the ledger gives it back [003.33]', () => {
  fc.assert(
    fc.property(works, (one) => {
      expect(wholePage(decodeLedgerPage(encodeLedger(one, { at: AT })))).toEqual(wholePage(one))
    }),
    { numRuns: 1_000 },
  )
})

test('any text is read without an error', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), works, (text, one) => {
      decodeLedger(text)
      expect(wholePage(decodeLedgerPage(replaceLedger(text, one, { at: AT })))).toEqual(wholePage(one))
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
      expect(wholePage(decodeLedgerPage(fresh))).toEqual(wholePage(one))
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
