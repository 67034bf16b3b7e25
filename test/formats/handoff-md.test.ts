import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Claim, emptyWork, type WorkState } from '../../src/core/work.ts'
import { decodeHandoff, encodeHandoff } from '../../src/formats/handoff-md/codec.ts'
import { HANDOFFS, handoffName, slugOf } from '../../src/formats/handoff-md/layout.ts'

const AT = '2026-01-31T12:00:00.000Z'
const claim = (text: string, confirmed = true): Claim => ({ text, origin: 'file', confirmed })
const work: WorkState = {
  ...emptyWork(),
  problem: 'Login needs a password',
  facts: [{ text: 'Node 20', origin: 'file', confirmed: true }],
  intent: 'Sign in with OAuth',
  state: 'The callback works.',
  decisions: [{ ...claim('Chose PKCE'), why: 'no secret is needed', supersededBy: null }],
  constraints: [claim('No new packages', false)],
  rules: [claim('Ask before pushing')],
  done: [{ text: 'Callback', at: null }],
  now: 'Refresh tokens',
  next: [{ text: 'Log out' }],
  blockers: [{ text: 'Staging is down' }],
  questions: [claim('Which scopes?')],
  artifacts: [
    { path: 'src/auth.ts', action: 'modified', description: 'callback: done' },
    { path: 'a `b`.ts', action: '', description: '' },
  ],
  references: [{ kind: 'command', text: 'npm test: all' }],
}
const given = {
  purpose: 'Finish OAuth',
  branch: 'feature/oauth',
  commit: '1234567',
  at: AT,
  from: 'shop',
  stream: 'oauth',
}

test('a handoff has front matter and every section [003.35]', () => {
  expect(encodeHandoff({ ...given, work })).toBe(
    `---
purpose: Finish OAuth
created: 2026-01-31T12:00:00.000Z
branch: feature/oauth
commit: "1234567"
stream: oauth
---

# Handoff: Finish OAuth

## Purpose
Finish OAuth

## Problem
Login needs a password

## Goal
Sign in with OAuth

## Current State
The callback works.

## Decisions
- Chose PKCE because no secret is needed

## Constraints and Rules

### Constraints
- No new packages \`UNCONFIRMED\`

### Rules
- Ask before pushing

## Facts
- Node 20

## Done
- Callback

## Now
Refresh tokens

## Next
- Log out

## Blockers
- Staging is down

## Open Questions
- Which scopes?

## Files
- \`src/auth.ts\` (modified): callback: done
- \`\` a \`b\`.ts \`\`

## References
- command: npm test: all

## How to continue
1. This was written in the workspace \`shop\` on the branch \`feature/oauth\` at the commit \`1234567\`. See what has changed since: \`savepoint pickup\`
2. Check everything marked \`UNCONFIRMED\`, and ask the open questions.
3. Continue with Now, then Next.
`.replace('`` a `b`.ts ``', '``a `b`.ts``'),
  )
})

test('what it says comes back', () => {
  const { position: _position, ...carried } = work
  expect(decodeHandoff(encodeHandoff({ ...given, work }))).toEqual({
    purpose: 'Finish OAuth',
    created: AT,
    branch: 'feature/oauth',
    commit: '1234567',
    stream: 'oauth',
    work: carried,
    files: ['src/auth.ts', 'a `b`.ts'],
  })
})

test('a handoff of people is read, with or without front matter', () => {
  const text =
    '# Handoff: Fix it\r\n\r\n## constraints and rules\r\n- be kind\r\n\r\n## Files\r\n- src/a.ts: main\r\n- `b.ts` - other\r\n## References\r\n- see there\r\n'
  expect(decodeHandoff(text)).toEqual({
    purpose: 'Fix it',
    created: '',
    branch: null,
    commit: null,
    stream: null,
    work: {
      constraints: [claim('be kind')],
      artifacts: [
        { path: 'src/a.ts', action: '', description: 'main' },
        { path: 'b.ts', action: '', description: 'other' },
      ],
      references: [{ kind: 'note', text: 'see there' }],
    },
    files: ['src/a.ts', 'b.ts'],
  })
  expect(
    decodeHandoff('\uFEFF---\r\npurpose: "x: y"\r\nbranch: [1]\r\ncommit: 0123\r\n...\r\n'),
  ).toMatchObject({
    purpose: 'x: y',
    branch: null,
    commit: '0123',
  })
})

const bomb = `---\na: &a [x,x]\n${'bcdefghij'
  .split('')
  .map((one, at) => `${one}: &${one} [${`*${'abcdefghij'[at]},`.repeat(9)}]`)
  .join('\n')}\npurpose: *j\n---\n# x\n`
test.each([
  ['', 'no purpose'],
  ['just text', 'no purpose'],
  ['---\npurpose: "x\n---\n', 'front matter'],
  ['---\npurpose: x\n', 'not closed'],
  [`---\n${'a: b\n'.repeat(10_000)}---\n`, 'not closed'],
  ['---js\nprocess.exit(1)\n---\n', 'not YAML'],
  ['---\n- a\n---\n', 'no keys'],
  [`---\na: ${'['.repeat(8_000)}\n---\n`, 'front matter'],
  ['x'.repeat(1024 * 1024 + 1), 'characters'],
  [bomb, 'no purpose'],
])('no handoff: %.12j', (text, problem) => {
  expect(decodeHandoff(text)).toEqual({ problem: expect.stringContaining(problem) })
})

test('a tag in the front matter makes nothing run', () => {
  const text = '---\npurpose: !!js/function "function () { throw 1 }"\nbranch: main\n---\n'
  expect(decodeHandoff(text)).toMatchObject({ purpose: 'function () { throw 1 }', branch: 'main' })
})

test('any text is a handoff or a problem, and any purpose comes back', () => {
  const plain = fc
    .string({ unit: 'grapheme' })
    .filter((text) => !/[\u2028-\u202e\u2066-\u2069\p{Cc}]/u.test(text) && text.trim() !== '')
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), plain, (text, purpose) => {
      decodeHandoff(text)
      decodeHandoff(`---\n${text}\n---\n${text}`)
      const read = decodeHandoff(encodeHandoff({ ...given, purpose, branch: text, work }))
      expect(read).toMatchObject({ purpose: purpose.trim(), commit: '1234567' })
    }),
  )
})

test('its name has the date, the branch without slashes and the purpose', () => {
  expect(HANDOFFS.join('/')).toBe('.agents/handoffs')
  expect(handoffName(AT, 'feature/oauth', 'Finish OAuth!')).toBe('2026-01-31-feature-oauth-finish-oauth.md')
  expect(handoffName(AT, null, '部署 サーバー')).toBe('2026-01-31-no-branch-部署-サーバー.md')
  expect(handoffName('x', '../..', '..')).toMatch(/^0000-00-00-no-branch-x[0-9a-f]{8}\.md$/)
})

test('slugs keep the letters of every script', () => {
  expect(slugOf('Crème  Brûlée / №1')).toBe('crème-brûlée-no1')
  expect(slugOf('Привет, мир')).toBe('привет-мир')
  expect(slugOf('हिन्दी')).toBe('हिन्दी')
  expect(slugOf('❤️')).toMatch(/^x[0-9a-f]{8}$/)
  expect(slugOf('❤️')).not.toBe(slugOf('🎉'))
  expect(slugOf(' ')).toBe('handoff')
  expect(slugOf('x'.repeat(500))).toHaveLength(60)
})

test('any name is short, safe and stays as it is', () => {
  const any = fc.string({ unit: 'binary', maxLength: 200 })
  fc.assert(
    fc.property(any, any, (branch, purpose) => {
      const name = handoffName(AT, branch, purpose)
      expect(name).toMatch(/^2026-01-31-[\p{L}\p{N}\p{M}-]+\.md$/u)
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(143)
      expect(name.normalize('NFC')).toBe(name)
      expect(slugOf(slugOf(purpose))).toBe(slugOf(purpose))
    }),
  )
})

test('what was rejected is handed on with its reason; what was superseded is not', () => {
  const decisions = [
    ...work.decisions,
    {
      ...claim('Cookies~'),
      why: '',
      supersededBy: 'Cookies~',
      rejected: 'UNCONFIRMED ~~ rejected: on phones',
    },
    { ...claim('Old'), why: '', supersededBy: 'Chose PKCE' },
  ]
  const text = encodeHandoff({ ...given, work: { ...work, decisions } })
  expect(text).toContain('\n- ~~Cookies\\~~~ rejected: ')
  const handoff = decodeHandoff(text)
  expect('work' in handoff && handoff.work.decisions).toEqual(decisions.slice(0, 2))
})
