import { expect, test } from 'vitest'
import type { Sandbox } from '../support/sandbox.ts'
import { active, edit, history, isKept, put, refusal, workBox } from './document-lab.ts'

const list = (count: number, text: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => text(at + 1)).join('\n')

const SUMMED_UP =
  '- ~~Earlier: 2 decisions, Sessions live in memory, because one pr… … Cookies with a long life, superseded by…~~'

/** A document in which everything has something to lose. */
const LONG = `---
checkpoint: auth
created: 2026-01-01T00:00:00Z
status: active
owner: ann # ours
---

## Problem

Tokens expire too early, and nobody knows why.

## Session Intent

Login that lasts, without a second prompt.

## Essential Information

### Decisions

- ~~Sessions live in memory, because one process is enough and it never restarts~~
- Cookies with a long life, superseded by refresh tokens that rotate on every single use
- Refresh tokens rotate on every use

### Technical Context

${list(6, (at) => `- Fact number ${at} about the environment`)}

### Breadcrumbs

| Type | Reference | Hint |
|------|-----------|------|
| file | \`src/here.ts\` | Where the rotation is |
| file | \`src/gone.ts\` | Where it was before |
| external | https://example.org/rfc | The standard |

### Play-By-Play

${list(20, (at) => `- Step ${at} → looked at module ${at} → found a cause and fixed it`)}

### Artifact Trail

| File | Status | Key Change |
|------|--------|------------|
${list(14, (at) => `| \`src/file${at}.ts\` | ${at === 2 || at === 5 ? 'done' : 'modified'} | Change number ${at} |`)}

### Current State

The rotation works in staging.

### Next Actions

- Roll it out to production

## User Rules

- Never log a token

## Notes of ours

Something that no reader knows.
`

function longBox(text = LONG): Sandbox {
  const box = workBox({ auth: text })
  put(box, 'src/here.ts', 'x')
  return box
}

interface Answer {
  text: string
  tokensBefore: number
  tokensAfter: number
  fits: boolean
  folded: number
  written: boolean
  checkpoint: string | null
  cuts: Array<{ field: string; count: number; how: string; why: string }>
  cut: string
}

// `as` in this: the shape is what the verb answers with, and the tests compare it.
const compress = (box: Sandbox, budget: number, ...more: string[]) =>
  box.json(['compress', 'auth', '--budget', String(budget), ...more]) as unknown as Answer

const sectionOf = (text: string, title: string) =>
  new RegExp(`^##+ ${title}\\n([\\s\\S]*?)(?=^##|(?![\\s\\S]))`, 'm').exec(text)?.[1]?.trim()

const ROOMY = 100_000

test('with room for all, only what is stale or finished goes, and every other byte stays [000.54] [000.45] [000.48]', () => {
  const box = longBox()
  const { text, cuts, fits } = compress(box, ROOMY)
  expect(text).toBe(LONG.replace(/\| file \| `src\/gone.*\n/, '').replace(/\| `src\/file[25]\.ts.*\n/g, ''))
  expect(fits).toBe(true)
  expect(cuts).toEqual([
    { field: 'references', count: 1, how: 'pruned', why: 'stale' },
    { field: 'artifacts', count: 2, how: 'pruned', why: 'finished' },
  ])
  expect(box.read(active('auth'))).toBe(text)
})

const MUST = ['Problem', 'Session Intent', 'Current State', 'Next Actions', 'User Rules', 'Notes of ours']

test('what must be kept stays whatever the budget: problem, intent, standing decisions, rules, state, next [000.53] [000.40] [000.49]', () => {
  const box = longBox()
  const { text, fits, tokensAfter: after } = compress(box, 100)
  expect(fits).toBe(false)
  expect(after).toBeGreaterThan(100)
  for (const title of MUST) expect([title, sectionOf(text, title)]).toEqual([title, sectionOf(LONG, title)])
  expect(sectionOf(text, 'Decisions')).toBe(`${SUMMED_UP}\n- Refresh tokens rotate on every use`)
  expect(text.startsWith(LONG.slice(0, LONG.indexOf('## Essential')))).toBe(true)
  expect(box.run(['compress', 'auth', '--budget', '100']).stdout).toContain(
    'Over the budget: the rest must be kept or is recent. Shorten it yourself, or cut more: --hard',
  )
})

test('decisions only grow; under pressure those that another one replaced are summed up in one line [000.42] [000.53] [000.55]', () => {
  const box = longBox()
  edit(box, active('auth'), 'rotate on every use\n', 'rotate on every use\n- Passkeys come next\n')
  box.json(['delta', 'auth', '--what', 'Decided', '--artifact', 'a:modified', '--trigger', 'decision'])
  const standing = '- Refresh tokens rotate on every use\n- Passkeys come next'
  const replaced = LONG.split('\n')
    .filter((line) => /^- (~~Sessions|Cookies)/.test(line))
    .join('\n')
  expect(sectionOf(compress(box, ROOMY).text, 'Decisions')).toContain(replaced)
  expect(sectionOf(compress(box, 100).text, 'Decisions')).toBe(`${SUMMED_UP}\n${standing}`)
})

test('as the budget falls, what may be summed up goes first, then what should be kept, in that order [000.52] [000.54] [000.55]', () => {
  const box = longBox()
  const seen: string[] = []
  const whole = compress(box, ROOMY, '--dry-run').tokensAfter
  const least = compress(box, 100, '--dry-run').tokensAfter
  const counts = new Map<string, number>()
  for (let part = 0; part <= 24; part += 1) {
    const budget = Math.round(whole - ((whole - least) * part) / 24)
    const { cuts, tokensAfter: after, fits } = compress(box, Math.max(budget, 100), '--dry-run')
    expect([budget, fits, after <= budget]).toEqual([budget, true, true])
    for (const { field, why, count } of cuts) {
      const name = `${why} ${field}`
      if (!seen.includes(name)) seen.push(name)
      expect(count).toBeGreaterThanOrEqual(counts.get(name) ?? 0)
      counts.set(name, count)
    }
  }
  expect(seen).toEqual([
    'stale references',
    'finished artifacts',
    'superseded decisions',
    'older done',
    'older artifacts',
    'older references',
    'older facts',
  ])
})

test('older steps are summed up in one line, and the recent ones stay in detail [000.44] [000.55]', () => {
  const box = longBox()
  const whole = compress(box, ROOMY, '--dry-run').tokensAfter
  const { text, cuts } = compress(box, whole - 60)
  const steps = sectionOf(text, 'Play-By-Play')?.split('\n') ?? []
  expect(steps[0]).toMatch(/^- Earlier: \d+ steps, Step 1 → looked at module 1/)
  expect(steps.slice(-10)).toEqual(sectionOf(LONG, 'Play-By-Play')?.split('\n').slice(-10))
  const summed = cuts.find(({ field }) => field === 'done')
  expect(summed).toMatchObject({ how: 'summarised', why: 'older' })
  expect(steps).toHaveLength(20 - (summed?.count ?? 0) + 1)
  expect(sectionOf(text, 'Technical Context')).toBe(sectionOf(LONG, 'Technical Context'))
  const tight = compress(box, 100)
  expect(sectionOf(tight.text, 'Play-By-Play')).toMatch(
    /^- Earlier: 17 steps, .*\n- Step 18 .*\n- Step 19 .*\n- Step 20 /,
  )
})

test('intent, facts, state, next and rules are carried as the last edit has them, and what they said before is gone [000.41] [000.43] [000.46] [000.47] [000.49]', () => {
  const box = longBox()
  compress(box, ROOMY)
  const changes = [
    ['Login that lasts, without a second prompt.', 'Login with passkeys.'],
    ['- Fact number 3 about the environment', '- Node 22 from now on'],
    ['The rotation works in staging.', 'The rotation is live.'],
    ['- Roll it out to production', '- Take the old code out'],
    ['- Never log a token', '- Never log a token or a name'],
  ] as const
  for (const [from, to] of changes) edit(box, active('auth'), from, to)
  box.json(['delta', 'auth', '--what', 'Rolled it out', '--artifact', 'src/file1.ts:modified:Live'])
  const { text } = compress(box, ROOMY)
  for (const [from, to] of changes) {
    expect(text).toContain(`\n${to}\n`)
    expect(text).not.toContain(`${from}\n`)
  }
  for (const title of ['Problem', 'Decisions'])
    expect(sectionOf(text, title)).toBe(sectionOf(box.read(active('auth')), title))
})

test('deltas are folded into the body: a step each, their files into the trail, and no stale breadcrumb is left [000.48] [000.45]', () => {
  const box = longBox()
  box.json([
    'delta',
    'auth',
    '--what',
    'Moved it',
    '--artifact',
    'src/file1.ts:modified:Moved',
    '--transition',
    'Phase 2:open:done',
  ])
  box.json([
    'delta',
    'auth',
    '--what',
    'Took it out',
    '--artifact',
    'src/file3.ts:deleted:No longer used',
    '--artifact',
    'src/new.ts:created:Fresh',
  ])
  const { text, folded } = compress(box, ROOMY)
  expect(folded).toBe(2)
  expect(text).not.toContain('## Delta:')
  expect(sectionOf(text, 'Play-By-Play')).toMatch(
    /Z → Moved it \(Phase 2: open → done\)\n- \S+Z → Took it out$/,
  )
  const trail = sectionOf(text, 'Artifact Trail')
  expect(trail?.match(/src\/file1\.ts/g)).toHaveLength(1)
  expect(trail).toContain('| `src/file1.ts` | modified | Moved |')
  expect(trail).toContain('| `src/new.ts` | created | Fresh |')
  expect(trail).not.toMatch(/src\/file[235]\.ts/)
  expect(sectionOf(text, 'Breadcrumbs')).not.toContain('gone.ts')
  expect(box.run(['validate', active('auth')]).code).toBe(0)
})

test('the tokens before and after are measured and told, with what was cut [000.91]', () => {
  const box = longBox()
  box.json(['delta', 'auth', '--what', 'Moved it', '--artifact', 'a:modified'])
  const dry = compress(box, 400, '--dry-run')
  const done = box.run(['compress', 'auth', '--budget', '400'])
  const lines = done.stdout.trimEnd().split('\n')
  expect(lines[0]).toBe(`Compressed auth: ${dry.tokensBefore} → ${dry.tokensAfter} tokens (est.), budget 400`)
  expect(lines).toContain('  folded: 1 delta into the body')
  expect(lines).toContain('  pruned: 1 of Breadcrumbs (stale)')
  expect(lines.at(-1)).toBe(dry.cut.replace('Would be cut', 'Cut'))
  expect(lines.at(-1)).toMatch(
    /^Cut: Decisions 2, Technical Context \d, Breadcrumbs 3, Play-By-Play \d\d, Artifact Trail \d\d\. All: savepoint show auth --at 2$/,
  )
  expect(dry.tokensAfter).toBeLessThanOrEqual(400)
  expect(dry.tokensBefore).toBeGreaterThan(dry.tokensAfter)
  expect(history(box, 'auth').at(-1)?.why).toBe(
    `manual: compressed from ${dry.tokensBefore} to ${dry.tokensAfter} tokens (est.)`,
  )
})

test('the full text stays in the store, and comes back byte for byte', () => {
  const box = longBox()
  const { written, checkpoint } = compress(box, 300)
  expect(written).toBe(true)
  expect(history(box, 'auth').at(-1)).toMatchObject({ checkpoint, here: true })
  expect(isKept(box, LONG)).toBe(true)
  expect(box.run(['show', 'auth', '--at', '1']).stdout).toBe(LONG)
  box.json(['restore', 'auth', '--at', '1'])
  expect(box.read(active('auth'))).toBe(LONG)
})

test('--dry-run says what would go and writes nothing', () => {
  const box = longBox()
  const roomy = box.run(['compress', 'auth', '--dry-run'])
  expect(roomy.stdout).toMatch(/^Would compress auth: \d+ → \d+ tokens \(est\.\), budget 1000\n/)
  const done = box.run(['compress', 'auth', '--budget', '750', '--dry-run'])
  expect(done.stdout).toMatch(
    /\nWould be cut: Decisions 2, Breadcrumbs 1, Play-By-Play \d+, Artifact Trail 2\. All: savepoint show auth --at 1\n$/,
  )
  expect(compress(box, 300, '--dry-run')).toMatchObject({
    ...{ dryRun: true, written: false, sequence: null, checkpoint: null },
  })
  expect(box.read(active('auth'))).toBe(LONG)
  expect(history(box, 'auth')).toHaveLength(1)
})

test('compressing again finds nothing to cut, and adds no checkpoint', () => {
  const box = longBox()
  const first = compress(box, 500)
  expect(compress(box, 500)).toMatchObject({
    written: false,
    tokensBefore: first.tokensAfter,
    tokensAfter: first.tokensAfter,
    checkpoint: null,
    cuts: [],
    cut: '',
  })
  expect(box.run(['compress', 'auth', '--budget', '500']).stdout).toMatch(/\nNothing to cut\.\n$/)
  expect(history(box, 'auth')).toHaveLength(2)
})

test('what is left is enough to resume and no more than the budget [000.94]', () => {
  const box = longBox()
  const { tokensAfter: after, fits } = compress(box, 600)
  expect(fits).toBe(true)
  expect(after).toBeLessThanOrEqual(600)
  expect(box.json(['list']).documents).toMatchObject([
    { next: 'Roll it out to production', problem: 'Tokens expire too early, and nobody knows why.' },
  ])
  expect(box.run(['validate', active('auth')]).code).toBe(0)
})

/** What must be kept is longer than any budget below; what should be kept has long lines as well. */
const STUFFED = LONG.replace(
  'The rotation works in staging.',
  list(40, (at) => `- Part ${at} works in staging, as far as the tests of part ${at} can tell`),
)
  .replace('- Never log a token', `- Never log a token, ${'and that means never, '.repeat(20)}at all`)
  .replace('- Fact number 6', `- Fact, ${'as everybody knows, '.repeat(20)}number 6`)

test('--hard cuts down what may be summed up, then what should be kept, and nothing that must be kept [000.52] [000.53] [000.54]', () => {
  const box = longBox(STUFFED)
  const soft = compress(box, 100, '--dry-run')
  const budget = soft.tokensAfter - 50
  expect(compress(box, budget, '--dry-run')).toMatchObject({ fits: false, text: soft.text })
  const hard = compress(box, budget, '--hard')
  expect(hard.tokensAfter).toBeLessThanOrEqual(budget)
  expect(hard.cuts).toEqual([...soft.cuts, { field: 'facts', count: 1, how: 'shortened', why: 'long' }])
  for (const title of MUST)
    expect([title, sectionOf(hard.text, title)]).toEqual([title, sectionOf(STUFFED, title)])
  expect(sectionOf(hard.text, 'Decisions')).toBe(`${SUMMED_UP}\n- Refresh tokens rotate on every use`)
  expect(sectionOf(hard.text, 'Technical Context')).toMatch(/^- Fact, as everybody knows, .{20,40}…$/)
  expect(box.read(active('auth'))).toBe(hard.text)
  expect(box.run(['validate', active('auth')]).code).toBe(0)
  expect(box.run(['show', 'auth', '--at', '1']).stdout).toBe(STUFFED)
  expect(compress(box, budget, '--hard')).toMatchObject({ written: false, fits: true, cut: '' })
})

test('--hard leaves the last of the recent steps and files before it refuses, and a valid document [000.52] [000.53]', () => {
  const box = longBox()
  const soft = compress(box, 100, '--dry-run')
  const { message } = refusal(box, 'compress', 'auth', '--budget', '100', '--hard')
  const least = Number(/at least (\d+) are needed/.exec(String(message))?.[1])
  expect(least).toBeLessThan(soft.tokensAfter)
  const { text } = compress(box, least, '--hard')
  expect(sectionOf(text, 'Play-By-Play')).toMatch(/^- Earlier: 19 steps, .*\n- Step 20 .*$/)
  expect(sectionOf(text, 'Artifact Trail')?.split('\n').slice(2)).toEqual([
    '| `src/file14.ts` | modified | Change number 14 |',
  ])
  for (const title of MUST) expect([title, sectionOf(text, title)]).toEqual([title, sectionOf(LONG, title)])
  expect(box.run(['validate', active('auth')]).code).toBe(0)
})

test.each([[[]], [['--dry-run']]])(
  '--hard %j writes nothing where what must be kept is over the budget, and says what is left [000.53]',
  (more) => {
    const box = longBox(STUFFED)
    const { reason, message, hint } = refusal(box, 'compress', 'auth', '--budget', '400', '--hard', ...more)
    expect(reason).toBe('budget_too_small')
    const left = Number(/at least (\d+) are needed/.exec(String(message))?.[1])
    expect(message).toMatch(
      /^auth does not fit in 400 tokens: at least (\d+) are needed\. Nothing was written\. Largest sections: Current State \d+, User Rules \d+, \S.* \d+$/,
    )
    expect(hint).toContain(`use --budget ${left}`)
    expect(box.read(active('auth'))).toBe(STUFFED)
    expect(history(box, 'auth')).toHaveLength(1)
    expect(compress(box, left, '--hard')).toMatchObject({ fits: true, written: true })
  },
)
