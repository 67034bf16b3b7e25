import fc from 'fast-check'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { expect, test } from 'vitest'
import { plainLine, plainText } from '../../../src/core/bullets.ts'
import { decisionOf, decisionSentence } from '../../../src/core/decision.ts'
import { type Claim, type Decision, emptyWork, type WorkState } from '../../../src/core/work.ts'
import { decodeDocument, isNone } from '../../../src/formats/checkpoint-md/codec.ts'
import { appendDelta } from '../../../src/formats/checkpoint-md/edit.ts'
import { extendDocument } from '../../../src/formats/checkpoint-md/extend.ts'
import { newDocument } from '../../../src/formats/checkpoint-md/template.ts'
import { artifactState, crumbKind } from '../../../src/formats/checkpoint-md/vocabulary.ts'
import { workOf } from '../../../src/formats/checkpoint-md/work.ts'
import { carryForward } from '../../../src/policy/carry.ts'
import { DELTA, PLAIN } from './plain-document.ts'

const read = (text: string) => workOf(decodeDocument(text))
const extended = (text: string, change: Partial<WorkState>) => {
  const before = read(text)
  return extendDocument(text, before, { ...before, ...change })
}
const claim = (text: string, confirmed = true): Claim => ({ text, origin: 'user', confirmed })
const decision = (text: string, more: Partial<Decision> = {}): Decision => ({
  ...claim(text),
  why: '',
  supersededBy: null,
  ...more,
})

const TEMPLATE = newDocument({
  id: 'a',
  created: '2026-01-01T00:00:00Z',
  anchor: null,
  parent: null,
  current: true,
})

/** A document as people write it: everything that an edit must leave alone. */
const RICH = `---
checkpoint: rich # mine
created: 2026-01-01T00:00:00Z
---
Before all.

## Problem

Tokens expire. <!-- ask Ann -->

## Own section

## Delta of mine

\`\`\`md
### Decisions
- in code
\`\`\`

## Essential Information

### Decisions

<!-- keep this -->
* Use refresh tokens because cookies leak <!-- agreed -->
* Use sqlite \`UNCONFIRMED\`
  - even on CI
* ~~Use JSON~~ superseded by "Use sqlite"

### Technical Context

1. node 20
2. Constraint: no network

### Breadcrumbs

| Type | Reference | Hint |
|---|---|---|
| file | \`src/a.ts\` | the login |

### Play-By-Play

- Phase 1 → read → understood

A closing word.

### Artifact Trail

| File | Status | Key Change |
|:--|---|---|
| \`src/a.ts\` | created | login |
| \`src/b.ts\` | modified | to\\|ken |

Below the table.

### Current State

Login works:

\`\`\`sh
# Now: no
npm test
\`\`\`

**Now**: writing tests

More on it.

### Next Actions

<!-- in order -->
1. [x] read the code
2. [ ] write tests
   \`\`\`sh
   npm test
   \`\`\`
3. Blocked: waiting for keys
4. Question: which port? \`UNCONFIRMED\`

### Notes

- a note

## User Rules

None yet.
`
const WITH_DELTA = appendDelta(RICH, {
  ...DELTA,
  what: 'Tokens rotate',
  artifacts: [{ path: 'src/a.ts', action: 'modified', description: 'rotation' }],
})

test('what a document has no words of its own for is read from marks in it', () => {
  const work = read(RICH)
  expect(work).toMatchObject({
    state: 'Login works:\n\n```sh\n# Now: no\nnpm test\n```\n\nMore on it.',
    now: 'writing tests',
    next: [{ text: expect.stringMatching(/^write tests/) }],
    blockers: [{ text: 'waiting for keys' }],
    questions: [{ text: 'which port?', confirmed: false }],
    facts: [{ text: 'node 20' }],
    constraints: [{ text: 'no network', confirmed: true }],
    rules: [],
  })
  expect(work.decisions).toEqual([
    { text: 'Use refresh tokens', why: 'cookies leak', origin: 'file', confirmed: true, supersededBy: null },
    { text: 'Use sqlite', why: '', origin: 'file', confirmed: false, supersededBy: null },
    { text: 'even on CI', why: '', origin: 'file', confirmed: true, supersededBy: null },
    { text: 'Use JSON', why: '', origin: 'file', confirmed: true, supersededBy: 'Use sqlite' },
  ])
})

test('lists are added to, behind their last item and in their own style', () => {
  const before = read(RICH)
  const text = extended(RICH, {
    decisions: [...before.decisions, decision('Use tabs', { why: 'they are wide', confirmed: false })],
    facts: [...before.facts, claim('Postgres 16')],
    constraints: [...before.constraints, claim('Constraint: no cloud', false)],
    done: [...before.done, { text: 'Phase 2\ndone', at: '2026-01-05T00:00:00Z' }],
    rules: [claim('No new dependencies')],
    artifacts: [
      { path: 'src/b.ts', action: 'deleted', description: 'a|b' },
      { path: 'src/c d.ts', action: 'created', description: '' },
    ],
    references: [...before.references, { kind: 'command', text: 'npm test: all of it' }],
  })
  expect(text).toBe(
    RICH.replace('"Use sqlite"\n', '$&* Use tabs because they are wide `UNCONFIRMED`\n')
      .replace('no network\n', '$&3. Postgres 16\n4. Constraint: no cloud `UNCONFIRMED`\n')
      .replace('A closing word.\n', '$&\n- Phase 2 done\n')
      .replace('None yet.', '- No new dependencies')
      .replace(/\| `src\/b.*\n/, '| `src/b.ts` | deleted | a\\|b |\n| `src/c d.ts` | created |  |\n')
      .replace('the login |\n', '$&| external | npm test: all of it | command |\n'),
  )
})

test('a decision that is superseded and a claim that is confirmed change where they stand', () => {
  const [tokens, sqlite, ...others] = read(RICH).decisions
  const text = extended(RICH, {
    decisions: [
      { ...decision('Use refresh tokens'), ...tokens, supersededBy: 'Use "passkeys"' },
      { ...decision('Use sqlite'), ...sqlite, confirmed: true },
      ...others,
      decision('Use "passkeys"'),
    ],
  })
  expect(text).toBe(
    RICH.replace(
      '* Use refresh tokens because cookies leak <!',
      '* ~~Use refresh tokens because cookies leak~~ superseded by "Use "passkeys"" <!',
    )
      .replace(' `UNCONFIRMED`\n  - even', '\n  - even')
      .replace('superseded by "Use sqlite"\n', '$&* Use "passkeys"\n'),
  )
  expect(read(text).decisions[0]).toMatchObject({
    text: 'Use refresh tokens',
    why: 'cookies leak',
    supersededBy: 'Use "passkeys"',
  })
})

test('what is gone from the work stays in the lists, and what was in both states is not written', () => {
  const before = read(RICH)
  expect(extendDocument(RICH, before, { ...emptyWork(), ...pickReplaced(before) })).toBe(RICH)
  const redacted = { ...before, decisions: [decision('Use [redacted]')], state: 'other', next: [] }
  expect(extendDocument(RICH, redacted, redacted)).toBe(RICH)
  expect(extendDocument(RICH, redacted, { ...redacted, now: 'n' })).toBe(RICH.replace('writing tests', 'n'))
  const more = { ...redacted, decisions: [...redacted.decisions, decision('Use tabs')] }
  expect(extendDocument(RICH, redacted, more)).toBe(RICH.replace('"Use sqlite"\n', '$&* Use tabs\n'))
})
const pickReplaced = ({ state, now, next, blockers, questions }: WorkState) => ({
  state,
  now,
  next,
  blockers,
  questions,
})

test('a row that says that there is nothing gives way', () => {
  const text = PLAIN.replace('| `a` | created | x |', '| - | - | No files changed |')
  const artifacts = [{ path: 'b', action: 'created', description: '' }]
  expect(extended(text, { artifacts })).toBe(PLAIN.replace('| `a` | created | x |', '| `b` | created |  |'))
  const list = PLAIN.replace(/\| File[^#]*\n\n#/, '- `a`, in words\n\n#')
  const table = '\n\n| File | Status | Key Change |\n|------|--------|------------|\n| `b` | created |  |\n'
  expect(extended(list, { artifacts })).toBe(list.replace('in words\n', `in words${table}`))
})

test('what is being done now changes alone', () => {
  expect(extended(RICH, { now: 'fixing\n\nthem' })).toBe(RICH.replace('writing tests', 'fixing them'))
  expect(extended(RICH, { now: '' })).toBe(RICH.replace('**Now**: writing tests\n\n', ''))
  expect(extended(PLAIN, { now: 'n' })).toBe(PLAIN.replace('State\n\ns', '$&\n\n**Now**: n'))
})

test('a state that is there twice, or has the mark of a comment in code, is written anew with what is done now', () => {
  const twice = `${PLAIN}\n### Current State\n\nt\n`
  expect(read(extended(twice, { now: 'n' }))).toMatchObject({ state: 's\nt', now: 'n' })
  const code = PLAIN.replace('State\n\ns', 'State\n\n<!-- a -->\n\n```\n<!-- b -->\n```')
  expect(read(extended(code, { now: 'n' }))).toMatchObject({ state: '```\n<!-- b -->\n```', now: 'n' })
})

test('how things stand is replaced as a whole, and the comments above it stay', () => {
  const text = extended(RICH, { state: 'All done\n\nNow: nothing' })
  expect(text).toBe(
    RICH.replace(/Login works:[\s\S]*More on it\./, 'All done\n\nNow\\: nothing\n\n**Now**: writing tests'),
  )
  expect(read(text)).toMatchObject({ state: 'All done\n\nNow: nothing', now: 'writing tests' })
  const filled = extended(TEMPLATE, { state: 's' })
  expect(filled).toBe(TEMPLATE.replace('<!-- What exists now. -->', '$&\n\ns'))
})

test('next actions are replaced: what is ticked stays, what is said again stays as it is written', () => {
  const before = read(RICH)
  const text = extended(RICH, {
    next: [{ text: 'ship it' }, ...before.next],
    blockers: [],
    questions: [...before.questions, claim('which host?')],
  })
  expect(text).toBe(
    RICH.replace(
      /1\. \[x\][\s\S]*UNCONFIRMED`\n\n### Notes/,
      `
1. [x] read the code
2. [ ] ship it
3. [ ] write tests
   \`\`\`sh
   npm test
   \`\`\`

4. Question: which port? \`UNCONFIRMED\`
5. [ ] Question: which host?

### Notes`,
    ),
  )
  const none = extended(PLAIN, { next: [] })
  expect(none).toBe(PLAIN.replace('Actions\n\n- n', 'Actions\n\nNone'))
})

test('what was inside of an item comes out where that is gone', () => {
  const text = PLAIN.replace('- n\n', '- n\n    - inside\n      wrapped\n')
  expect(extended(text, { next: [{ text: 'inside wrapped' }] })).toBe(
    PLAIN.replace('- n\n', '- inside\n  wrapped\n'),
  )
})

test('what is inside of an item that stays, stays there', () => {
  const text = PLAIN.replace('- n\n', '- n\n    - inside\n')
  const next = [{ text: 'n' }, { text: 'inside' }, { text: 'last' }]
  expect(extended(text, { next })).toBe(text.replace('inside\n', '$&- last\n'))
})

test('problem and intent are replaced, and never emptied', () => {
  const text = extended(RICH, { problem: 'Other\n# not a heading', intent: 'Ship' })
  expect(text).toBe(
    RICH.replace('Tokens expire. <!-- ask Ann -->', 'Other\n\\# not a heading').replace(
      '## Essential',
      '## Session Intent\n\nShip\n\n## Essential',
    ),
  )
  expect(extended(RICH, { problem: ' ', intent: '' })).toBe(RICH)
})

test('what a delta says already is not said again', () => {
  const before = read(WITH_DELTA)
  const done = [...before.done, { text: 'Tokens rotate', at: null }]
  expect(extended(WITH_DELTA, { done })).toBe(WITH_DELTA)
  const text = extended(WITH_DELTA, { done: [...done, { text: 'More', at: null }] })
  expect(text.slice(text.indexOf('---\n\n## Delta: '))).toBe(
    WITH_DELTA.slice(WITH_DELTA.indexOf('---\n\n## Delta: ')),
  )
})

test('what is written does not end a comment that somebody left open', () => {
  const text = PLAIN.replace('- d\n', '- d <!-- e\n')
  const decisions = [...read(text).decisions, decision('f --> g')]
  expect(read(extended(text, { decisions })).decisions.map((one) => one.text)).toEqual([
    'd <!-- e',
    'f --> g',
  ])
})

test('an open fence refuses what would not be read', () => {
  const text = `${PLAIN}\n## Own\n\n\`\`\`\ncode\n`
  expect(() => extended(text, { rules: [claim('r')] })).toThrow(
    expect.objectContaining({ reason: 'document_broken' }),
  )
  expect(() => extended(PLAIN.replace('- d\n', '- d\n\n<!-- open\n'), { rules: [claim('r')] })).toThrow(
    expect.objectContaining({ reason: 'document_broken' }),
  )
})

const PIECES = [
  '# A',
  '## Delta: 2026-01-01T00:00:00Z',
  '### Decisions',
  '---',
  '===',
  '```',
  '~~~ sh',
  '~~~~x~~',
  '~~gone~~',
  '\\~',
  '- x',
  '1. y',
  '[x] z',
  '[ ] z',
  '[None]',
  '[any]',
  '\\[any]',
  'foo~',
  'foo\\',
  '[x]',
  'None',
  '<!--',
  '-->',
  '<!-->',
  '<\\!--',
  '<div>',
  '</pre>',
  '| a | b |',
  '|---|---|',
  '\\|',
  '`',
  '``a|`',
  'UNCONFIRMED',
  '`UNCONFIRMED`',
  '&#85;NCONFIRMED',
  '&#38;#66;locked',
  'Blocked: by it',
  '**Blocked** now',
  'Question: why',
  '**Open question**: why',
  'Constraint: c',
  'Now: n',
  '**Now**: n',
  'Now\\: n',
  'a because b',
  'superseded by "x"',
  'rejected: "x"',
  '~~a~~',
  'it: is',
  '> quote',
  '日本語',
  '　全角',
  '\uD83D',
  '😀',
  '\u001b[2J',
  '\u2028',
  '\\',
  '"',
  '    code',
  '- ```',
]
const piece = fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'binary', maxLength: 6 }))
const words = fc
  .array(fc.tuple(piece, fc.constantFrom(' ', '', '\n', '\n\n', '\r\n')), { maxLength: 4 })
  .map((parts) => parts.flat().join(''))
const claims = fc.array(
  fc.tuple(words, fc.boolean()).map(([text, confirmed]) => claim(text, confirmed)),
  { maxLength: 3 },
)
const items = fc.array(
  words.map((text) => ({ text })),
  { maxLength: 3 },
)
const states = fc.constantFrom('created', 'Deleted', 'added', 'removed', 'done', '')
const kinds = fc.constantFrom('file', 'function', 'decision', 'external', 'command', 'id', 'learning', 'url')
const hinted = fc.constantFrom(
  'npm test',
  'npm test: command',
  'a: id',
  'a: command: id',
  'src/a.ts: the form',
)
const works: fc.Arbitrary<WorkState> = fc
  .record({
    problem: words,
    intent: words,
    decisions: fc.array(
      fc
        .tuple(words, words, fc.boolean(), fc.option(words), fc.option(words, { freq: 2 }))
        .map(([text, why, confirmed, by, rejected]) =>
          decision(text, {
            ...{ why, confirmed, supersededBy: rejected === null ? by : text },
            ...(rejected === null ? {} : { rejected }),
          }),
        ),
      { maxLength: 3 },
    ),
    constraints: claims,
    rules: claims,
    facts: claims,
    done: items.map((list) => list.map(({ text }) => ({ text, at: null }))),
    state: words,
    now: words,
    next: items,
    blockers: items,
    questions: claims,
    artifacts: fc.array(fc.record({ path: words, action: fc.oneof(words, states), description: words }), {
      maxLength: 3,
    }),
    references: fc.array(fc.record({ kind: fc.oneof(words, kinds), text: fc.oneof(words, hinted) }), {
      maxLength: 3,
    }),
  })
  .map((fields) => ({ ...emptyWork(), ...fields }))

const norm = (text: string) => plainLine(text).replace(/\s+/g, ' ').trim()
const bare = (word: RegExp) => (text: string) => {
  let said = norm(text)
  for (let rest = said.replace(word, ''); rest !== said; rest = said.replace(word, '')) said = rest
  return said.trim()
}
const LABEL = (word: string) =>
  new RegExp(`^(?:${word}[ \\t]*:|([*_]{1,2})${word}(?:\\1[ \\t]*:|:\\1))[ \\t]*`, 'i')
const unblocked = bare(LABEL('block(?:ed|er|ing)'))
const unasked = bare(LABEL('(?:open[ \\t]+)?question'))
const unbound = bare(LABEL('constraint'))

const pathOf = ({ path }: { path: string }) => plainLine(path).replace(/^[`\s]+|[`\s]+$/g, '')

type Fields = Record<string, unknown>
const unique = (list: unknown[]) => [...new Map(list.map((one) => [JSON.stringify(one), one])).values()]
const said = <Of extends { text: string }>(list: readonly Of[], text: (one: string) => string = norm) =>
  list
    .map((one) => ({ text: text(one.text), ...('confirmed' in one ? { confirmed: one.confirmed } : {}) }))
    .filter((one) => !isNone(one.text))

/** What of a state a document can say: lines are joined, what means nothing is not there. */
function sayable(work: WorkState): Fields {
  return {
    problem: plainText(work.problem),
    intent: plainText(work.intent),
    state: plainText(work.state),
    now: plainLine(work.now),
    decisions: unique(
      work.decisions.flatMap((one) => {
        const sentence = plainLine(decisionSentence(one))
        const { text, why } = decisionOf(sentence)
        const by = one.rejected === undefined ? norm(one.supersededBy ?? '') : ''
        const over = one.supersededBy === null ? null : by || norm(text)
        const against = one.rejected === undefined ? {} : { rejected: norm(one.rejected) }
        return isNone(sentence)
          ? []
          : [{ text: norm(text), why: norm(why), confirmed: one.confirmed, supersededBy: over, ...against }]
      }),
    ),
    constraints: unique(said(work.constraints, unbound)),
    rules: unique(said(work.rules)),
    facts: unique(said(work.facts)),
    done: unique(said(work.done)),
    next: said(work.next),
    blockers: said(work.blockers, (text) => unblocked(text) || norm(text)),
    questions: said(work.questions, unasked),
    artifacts: [
      ...new Map(
        work.artifacts.map((one) => [
          pathOf(one),
          {
            path: pathOf(one),
            action: artifactState(one.action),
            description: plainLine(one.description),
          },
        ]),
      ).values(),
    ].filter(({ path }) => path !== '' && path !== '-'),
    references: [
      ...new Map(
        work.references.map(({ kind, text }) => [
          norm(text.replaceAll('`', '')),
          { kind: crumbKind(kind), text: norm(text.replaceAll('`', '')) },
        ]),
      ).values(),
    ].filter(({ text }) => !isNone(text)),
  }
}

/** Two states that say the same of one thing in a list say it with the last word of either: one each is enough. */
const single = (work: WorkState): WorkState => {
  const once = <Of extends { text: string }>(
    list: Of[],
    text: (one: Of) => string = (one) => norm(one.text),
  ) => [...new Map(list.map((one) => [text(one), one])).values()]
  return {
    ...work,
    decisions: once(work.decisions, (one) => norm(decisionOf(plainLine(decisionSentence(one))).text)),
    constraints: once(work.constraints, (one) => unbound(one.text)),
    rules: once(work.rules),
    facts: once(work.facts),
    artifacts: [...new Map(work.artifacts.map((one) => [pathOf(one), one])).values()],
    references: once(work.references, (one) => norm(one.text.replaceAll('`', ''))),
  }
}

/** How many headings, comments and fences there are, as another reader of Markdown sees them. */
function outline(text: string) {
  const body = text.slice(decodeDocument(text).front?.bodyStart ?? 0)
  const { children } = fromMarkdown(body)
  const isFence = (at = 0) => /[`~]/.test(body.charAt(at))
  return {
    headings: children.filter(({ type }) => type === 'heading').length,
    html: children.filter(({ type }) => type === 'html').length,
    fences: children.filter((node) => node.type === 'code' && isFence(node.position?.start.offset)).length,
  }
}

const BARE = '---\ncheckpoint: a\n---\n'
const crlf = (text: string) => text.replace(/\n/g, '\r\n')

test.each(PIECES)('%j means the same in every field', (text) => {
  const [sure, unsure] = [claim(text), claim(text, false)]
  const work = {
    ...emptyWork(),
    problem: text,
    intent: `a\n${text}`,
    state: `${text}\n\na\n\n${text}\n`,
    now: text,
    decisions: [
      decision(`x ${text}`, { supersededBy: text }),
      decision(text, { why: text }),
      decision(`y ${text}`, { why: 'z', confirmed: false }),
    ],
    constraints: [unsure],
    rules: [sure],
    facts: [unsure],
    done: [{ text, at: null }],
    next: [sure],
    blockers: [{ text }, { text: `a ${text}` }],
    questions: [sure],
    artifacts: [{ path: text, action: text, description: text }],
    references: [{ kind: text, text: `a: ${text}` }],
  }
  const after = { ...work, next: [{ text }] }
  const written = extendDocument(TEMPLATE, read(TEMPLATE), after)
  expect(sayable(read(written))).toEqual(sayable(after))
  expect(extendDocument(written, read(written), after)).toBe(written)
  expect(outline(written)).toEqual(outline(TEMPLATE))
  // What is added behind it does not take it for a placeholder.
  const more = extended(written, { rules: [...read(written).rules, claim('more')] })
  expect(read(more).rules).toHaveLength(read(written).rules.length + 1)
})

test.each([
  ['a template', TEMPLATE],
  ['a template with Windows lines', crlf(TEMPLATE)],
  ['a document without sections', BARE],
  ['nothing', ''],
])('%s gives back all of a state, and takes it once', (_, text) => {
  fc.assert(
    fc.property(works.map(single), (after) => {
      const written = extendDocument(text, read(text), after)
      expect(sayable(read(written))).toEqual(sayable(after))
      expect(extendDocument(written, read(written), after)).toBe(written)
      expect(extendDocument(written, read(text), after)).toBe(written)
      if (text === TEMPLATE) expect(outline(written)).toEqual(outline(text))
      if (text.includes('\r\n')) expect(written.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    }),
    { numRuns: 40 },
  )
})

/** The text of a document without what its sections of the format say. */
function frame(text: string): string {
  const places = [...decodeDocument(text).sections.values()].flat()
  return places
    .toSorted((a, b) => b.end - a.end)
    .reduce((rest, { end, contentEnd }) => rest.slice(0, end) + rest.slice(contentEnd), text)
}
const essence = (text: string) => frame(text).replace(/\s+$/, '')

test.each([
  ['with a delta', WITH_DELTA],
  ['with Windows lines', crlf(WITH_DELTA)],
])('a document that people wrote, %s, keeps what it says and all bytes around', (_, text) => {
  const whole = extended(text, { intent: 'i' })
  const before = read(whole)
  fc.assert(
    fc.property(works.map(single), (fresh) => {
      const after = carryForward(before, fresh)
      const written = extendDocument(whole, before, after)
      expect(essence(written)).toBe(essence(whole))
      const now = read(written)
      const [told, wanted, old] = [sayable(now), sayable(single(after)), sayable(before)]
      for (const field of ['state', 'now', 'next', 'blockers', 'questions'])
        expect(told[field]).toEqual(wanted[field])
      for (const field of ['decisions', 'constraints', 'rules', 'facts', 'done', 'references'])
        expect(told[field]).toEqual(expect.arrayContaining([wanted[field] ?? []].flat()))
      for (const field of ['rules', 'facts', 'done', 'references'])
        expect(told[field]).toEqual(expect.arrayContaining([old[field] ?? []].flat()))
      expect(extendDocument(written, read(written), after)).toBe(written)
      if (text.includes('\r\n')) expect(written.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    }),
    { numRuns: 40 },
  )
})
