import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type BudgetPart, estimateTokens } from '../../src/core/tokens.ts'
import { type Decision, emptyWork, type WorkField, type WorkState } from '../../src/core/work.ts'
import { CARRY, carryForward, fitToBudget } from '../../src/policy/carry.ts'

const claim = (text: string) => ({ text, origin: 'user' as const, confirmed: true })
const decision = (text: string, more: Partial<Decision> = {}): Decision => ({
  ...claim(text),
  why: '',
  supersededBy: null,
  ...more,
})
const work = (more: Partial<WorkState>): WorkState => ({ ...emptyWork(), ...more })
// `as`: these are the table's own keys.
const FIELDS = Object.keys(CARRY) as WorkField[]

describe('the table', () => {
  test('covers every field of the work', () => {
    expect(FIELDS.sort()).toEqual(Object.keys(emptyWork()).sort())
  })

  test('a field that must be kept gives up at most what is spent, and no two cuts share a turn', () => {
    const squeezes = FIELDS.flatMap((field) =>
      CARRY[field].squeeze.map((squeeze) => ({ field, rank: CARRY[field].rank, ...squeeze })),
    )
    expect(squeezes.filter(({ rank, takes }) => rank === 'must' && takes !== 'spent')).toEqual([])
    expect(new Set(squeezes.map(({ turn }) => turn)).size).toBe(squeezes.length)
  })
})

describe('carrying forward', () => {
  test('what is copied stays unless something new is said', () => {
    const before = work({ problem: 'p', intent: 'i', rules: [claim('brief')], facts: [claim('Node 20')] })
    expect(carryForward(before, {})).toEqual(before)
    expect(carryForward(before, { problem: ' ', intent: '', rules: [], facts: [] })).toEqual(before)
    const said = [claim('Node 22'), { ...claim('node 20.'), confirmed: false }]
    expect(carryForward(before, { intent: 'new', facts: said })).toEqual({
      ...before,
      intent: 'new',
      facts: [claim('Node 20'), claim('Node 22')],
    })
  })

  test('what is replaced is replaced entirely, also by nothing', () => {
    const before = work({
      state: 's',
      now: 'n',
      next: [{ text: 'a' }, { text: 'b' }],
      blockers: [{ text: 'x' }],
    })
    expect(carryForward(before, { state: 't', next: [{ text: 'c' }], blockers: [] })).toEqual({
      ...before,
      state: 't',
      next: [{ text: 'c' }],
      blockers: [],
    })
    expect(carryForward(before, { now: '' }).now).toBe('')
  })

  test('decisions accumulate; a superseded one stays beside its successor and keeps its why', () => {
    const before = work({ decisions: [decision('cookies', { why: 'simple' }), decision('Postgres')] })
    const after = { decisions: [decision('cookies', { supersededBy: 'JWT' }), decision('JWT')] }
    expect(carryForward(before, after).decisions).toEqual([
      decision('cookies', { why: 'simple', supersededBy: 'JWT' }),
      decision('Postgres'),
      decision('JWT'),
    ])
  })

  test('steps are appended once', () => {
    const [one, two] = [
      { text: 'red', at: '2026-01-01T00:00:00Z' },
      { text: 'green', at: null },
    ]
    const once = carryForward(work({ done: [one] }), { done: [one, two] })
    expect(once.done).toEqual([one, two])
    expect(carryForward(once, { done: [{ ...one, at: '2026-01-02T00:00:00Z' }] }).done).toHaveLength(3)
  })

  test('files and references are merged: the newest wins and stands last', () => {
    const before = work({
      artifacts: [
        { path: 'a.ts', action: 'created', description: 'parser' },
        { path: 'b.ts', action: 'created', description: '' },
      ],
      references: [
        { kind: 'file', text: 'x' },
        { kind: 'file', text: 'y' },
      ],
    })
    const next = carryForward(before, {
      artifacts: [{ path: 'a.ts', action: 'modified', description: '' }],
      references: [{ kind: 'function', text: 'x' }],
    })
    expect(next.artifacts).toEqual([
      { path: 'b.ts', action: 'created', description: '' },
      { path: 'a.ts', action: 'modified', description: 'parser' },
    ])
    expect(next.references).toEqual([
      { kind: 'file', text: 'x' },
      { kind: 'file', text: 'y' },
      { kind: 'function', text: 'x' },
    ])
  })

  test('what a talk said is marked as overheard until somebody says something else', () => {
    const before = work({ intent: 'a goal', now: 'a step', overheard: ['intent', 'now'] })
    expect(carryForward(before, { state: 's' }).overheard).toEqual(['intent', 'now'])
    expect(carryForward(before, { now: 'b' }).overheard).toEqual(['intent'])
    expect(carryForward(work({}), { now: 'b' }).overheard).toBeUndefined()
  })

  test('no decision is ever dropped, whatever comes, and the arguments stay as they are', () => {
    const decisions = fc.array(fc.constantFrom('a', 'b', 'c', 'd').map((text) => decision(text)))
    fc.assert(
      fc.property(decisions, decisions, (old, fresh) => {
        const before = work({ decisions: old })
        const copy = structuredClone(before)
        const texts = carryForward(before, { decisions: fresh }).decisions.map(({ text }) => text)
        expect(texts).toEqual(expect.arrayContaining([...old, ...fresh].map(({ text }) => text)))
        expect(texts.slice(0, old.length)).toEqual(old.map(({ text }) => text))
        expect(before).toEqual(copy)
      }),
    )
  })
})

const TEXT = 'aaaa '.repeat(10)
/** What one part of these costs; budgets are told in parts. */
const PART = estimateTokens(TEXT)
const many = (field: WorkField, count: number, more: Partial<BudgetPart> = {}): BudgetPart[] =>
  Array.from({ length: count }, () => ({ field, text: TEXT, ...more }))
const SPENT: BudgetPart[] = [
  ...many('references', 1, { stale: true }),
  ...many('artifacts', 1, { finished: true }),
  ...many('decisions', 1, { finished: true }),
]
const EVERYTHING: BudgetPart[] = [
  ...many('problem', 1),
  ...SPENT,
  ...many('decisions', 2),
  ...many('facts', 3),
  ...many('references', 3),
  ...many('done', 12),
  ...many('artifacts', 12),
  ...many('next', 1),
]
const cutsAt = (tokens: number) =>
  fitToBudget(EVERYTHING, { tokens }).cuts.map(({ field, count, why }) => `${field} ${count} ${why}`)

describe('fitting to a budget', () => {
  test('what fits is left alone; only pruning takes out what is stale or finished [000.42]', () => {
    const all = fitToBudget(EVERYTHING)
    expect(all).toEqual({
      kept: EVERYTHING.map(() => true),
      clipped: EVERYTHING.map(() => false),
      ...{ cuts: [], tokens: 37 * PART, fits: true },
    })
    const pruned = fitToBudget(EVERYTHING, { prune: true })
    expect(pruned.cuts).toEqual([
      { field: 'references', count: 1, how: 'pruned', why: 'stale' },
      { field: 'artifacts', count: 1, how: 'pruned', why: 'finished' },
    ])
    const isLitter = (part: BudgetPart) => SPENT.includes(part) && part.field !== 'decisions'
    expect(pruned.kept).toEqual(EVERYTHING.map((part) => !isLitter(part)))
    expect(pruned.tokens).toBe(35 * PART)
  })

  const SPENT_CUT = ['references 1 stale', 'artifacts 1 finished', 'decisions 1 superseded']
  test.each([
    [37, []],
    [36, ['references 1 stale']],
    [35, ['references 1 stale', 'artifacts 1 finished']],
    [34, SPENT_CUT],
    [32, [...SPENT_CUT, 'done 2 older']],
    [30, [...SPENT_CUT, 'done 2 older', 'artifacts 2 older']],
    [23, [...SPENT_CUT, 'done 9 older', 'artifacts 2 older']],
    [20, [...SPENT_CUT, 'done 9 older', 'artifacts 2 older', 'references 3 older']],
    [18, [...SPENT_CUT, 'done 9 older', 'artifacts 2 older', 'references 3 older', 'facts 2 older']],
    [11, [...SPENT_CUT, 'done 9 older', 'artifacts 9 older', 'references 3 older', 'facts 2 older']],
  ])('with room for %i of 37 parts it cuts, lowest rank first: %j', (parts, cuts) => {
    const tokens = parts * PART
    expect(cutsAt(tokens)).toEqual(cuts)
    expect(fitToBudget(EVERYTHING, { tokens })).toMatchObject({ tokens, fits: true })
  })

  test('the oldest go, the newest stay', () => {
    const parts = many('done', 12)
    const { kept, cuts } = fitToBudget(parts, { tokens: 10 * PART })
    expect(kept).toEqual([false, false, ...parts.slice(2).map(() => true)])
    expect(cuts).toEqual([{ field: 'done', count: 2, how: 'summarised', why: 'older' }])
  })

  test('where what must be kept does not fit, it says so and keeps it', () => {
    const { kept, fits, tokens } = fitToBudget(EVERYTHING, { tokens: 1 })
    expect([fits, tokens]).toEqual([false, 11 * PART])
    expect(EVERYTHING.filter((_, at) => kept[at]).map(({ field }) => field)).toEqual([
      'problem',
      'decisions',
      'decisions',
      'facts',
      ...Array(3).fill('done'),
      ...Array(3).fill('artifacts'),
      'next',
    ])
    expect(fitToBudget([], { tokens: 5, fixed: 6 }).fits).toBe(false)
  })

  test('the last decision and the last artifact stay, even spent', () => {
    const parts = [...many('decisions', 2, { finished: true }), ...many('artifacts', 2, { finished: true })]
    expect(fitToBudget(parts, { tokens: 1, prune: true }).kept).toEqual([false, true, false, true])
  })

  const clip = 'short'
  const clippable = EVERYTHING.map((part) => ({ ...part, clip }))

  test('an absolute budget goes on: long lines of lower ranks lose their ends', () => {
    const soft = fitToBudget(clippable, { tokens: 1 })
    const saved = 7 * (PART - estimateTokens(clip))
    const hard = fitToBudget(clippable, { tokens: soft.tokens - saved, hard: true })
    expect([soft.clipped.includes(true), hard.kept]).toEqual([false, soft.kept])
    expect(clippable.filter((_, at) => hard.clipped[at]).map(({ field }) => field)).toEqual([
      'facts',
      ...Array(3).fill('done'),
      ...Array(3).fill('artifacts'),
    ])
    expect(hard.cuts.slice(soft.cuts.length)).toEqual([
      { field: 'done', count: 3, how: 'shortened', why: 'long' },
      { field: 'artifacts', count: 3, how: 'shortened', why: 'long' },
      { field: 'facts', count: 1, how: 'shortened', why: 'long' },
    ])
    expect(hard.tokens).toBe(soft.tokens - saved)
    const enough = fitToBudget(clippable, { tokens: soft.tokens, hard: true })
    expect(enough).toEqual(fitToBudget(clippable, { tokens: soft.tokens }))
  })

  test('then recent steps and files go, down to the last of each, before it is refused', () => {
    const hard = fitToBudget(clippable, { tokens: 1, hard: true })
    const left = clippable.filter((_, at) => hard.kept[at])
    expect(left.map(({ field }) => field)).toEqual([
      ...['problem', 'decisions', 'decisions', 'facts', 'done', 'artifacts', 'next'],
    ])
    expect(hard.tokens).toBe(4 * PART + 3 * estimateTokens(clip))
    expect(hard.cuts.filter(({ how }) => how === 'shortened').map(({ count }) => count)).toEqual([1, 1, 1])
    expect(hard.cuts.reduce((sum, { count }) => sum + count, 0)).toBe(EVERYTHING.length - left.length + 3)
  })

  const anyPart = fc.record({
    field: fc.constantFrom(...FIELDS),
    text: fc.string({ maxLength: 60 }),
    finished: fc.boolean(),
    stale: fc.boolean(),
  })
  test('what must be kept is kept, the sum is right, and fitting again cuts nothing', () => {
    fc.assert(
      fc.property(fc.array(anyPart, { maxLength: 60 }), fc.nat(300), fc.boolean(), (parts, tokens, prune) => {
        const fitted = fitToBudget(parts, { tokens, prune })
        const left = parts.filter((_, at) => fitted.kept[at])
        const gone = parts.filter((_, at) => !fitted.kept[at])
        expect(gone.filter(({ field }) => CARRY[field].rank === 'must' && field !== 'decisions')).toEqual([])
        expect(gone.filter((part) => part.field === 'decisions' && !part.finished && !part.stale)).toEqual([])
        expect(fitted.tokens).toBe(left.reduce((sum, { text }) => sum + estimateTokens(text), 0))
        expect(fitted.fits).toBe(fitted.tokens <= tokens)
        expect(fitted.cuts.reduce((sum, { count }) => sum + count, 0)).toBe(gone.length)
        expect(fitToBudget(left, { tokens, prune }).cuts).toEqual([])
      }),
      { numRuns: 1_000 },
    )
  })
})
